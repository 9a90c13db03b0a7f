use kalah::Move;

use crate::found::{Found, Window};
use crate::houses::Houses;

/// A position on the way of a search, which is not over.
#[derive(Clone)]
pub(crate) struct Spot<H> {
    pub(crate) houses: H,
    /// Seeds in the houses of both sides: nobody gains more.
    pub(crate) in_play: i32,
}

/// A choice and the position that it leads to.
#[derive(Clone)]
pub(crate) struct Child<H> {
    pub(crate) choice: Move,
    pub(crate) change: Change,
    pub(crate) spot: Spot<H>,
    /// Higher is searched earlier.
    pub(crate) promise: i32,
}

/// How the gain of a child becomes that of its parent.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    /// Added in the parent's terms: what was banked on the way.
    pub(crate) banked: i32,
    /// Whether the same player chooses again.
    pub(crate) same_player: bool,
}

/// In the order of choices, a bonus turn comes before any capture.
const BONUS_FIRST: i32 = 1 << 24;
/// What another thread is at work on comes after everything else.
const PUT_OFF: i32 = -(1 << 28);
/// What else counts in the order of choices, where one house nearer to the store counts 1.
const PROMISE_OF_SEED: i32 = 32;
const PROMISE_OF_BONUS_TURN: i32 = 12;
const PROMISE_OF_HOUSE: i32 = 2;

impl<H: Houses> Spot<H> {
    /// The gain of the side to move as far as it matters, where there are too few seeds left for any
    /// between the bounds of the window.
    #[inline]
    pub(crate) fn beyond(&self, window: Window) -> Option<Found> {
        let gain = if self.in_play <= window.alpha {
            self.in_play
        } else if -self.in_play >= window.beta {
            -self.in_play
        } else {
            return None;
        };
        self.houses.tell_all().then_some(Found {
            gain,
            resolved: true,
        })
    }
}

impl<H: Houses> Child<H> {
    /// The least and the most that the choice can gain by the seeds that are left, where only houses
    /// matter.
    pub(crate) fn bounds(&self) -> Option<(i32, i32)> {
        let in_play = self.spot.in_play;
        let tells_all = self.spot.houses.tell_all();
        tells_all.then(|| self.change.bounds(-in_play, in_play))
    }

    /// How promising the choice looks: bonus turns first, then what banks most, then what leaves the
    /// opponent few bonus turns and few houses to choose from, then what lies nearest to the store.
    ///
    /// Solving 6x4 takes a tenth more positions without the opponent's bonus turns, and half as many again
    /// or more with anything that weighs seeds in rows or the success of a house elsewhere in the
    /// search: see docs/performance.md.
    #[inline]
    pub(crate) fn look(&self) -> i32 {
        let house = match self.choice {
            Move::Sow(house) => house.number().into(),
            Move::Swap => 0,
        };
        let next = &self.spot.houses;
        let [own, other] = next.occupied();
        let [bonus_turns, _] = next.bonus_turns();
        let Change {
            banked,
            same_player,
        } = self.change;
        let worth = banked * PROMISE_OF_SEED + house;
        if same_player {
            worth - other * PROMISE_OF_HOUSE + BONUS_FIRST
        } else {
            worth - own * PROMISE_OF_HOUSE - bonus_turns * PROMISE_OF_BONUS_TURN
        }
    }

    /// Whether another thread was at work on it before.
    #[inline]
    pub(crate) fn is_put_off(&self) -> bool {
        self.promise < PUT_OFF / 2
    }

    /// The same, behind all others.
    pub(crate) fn put_off(self) -> Self {
        Self {
            promise: self.promise.min(BONUS_FIRST) + PUT_OFF,
            ..self
        }
    }
}

/// What a turn takes of the depth to search.
pub(crate) const DEPTH_OF_TURN: i32 = 4;

/// What a bonus turn takes of it: little, as it answers nothing, but something, as on large boards
/// there is no end of them.
const DEPTH_OF_BONUS_TURN: i32 = 1;

impl Change {
    /// Seeds in the houses after a choice, of so many before.
    #[inline]
    pub(crate) fn in_play(self, choice: Move, in_play: i32) -> i32 {
        match choice {
            Move::Sow(_) => in_play - self.banked,
            Move::Swap => in_play,
        }
    }

    /// The depth left for the child of a position that is searched to `depth`.
    #[inline]
    pub(crate) fn depth(self, depth: i32) -> i32 {
        let cost = if self.same_player {
            DEPTH_OF_BONUS_TURN
        } else {
            DEPTH_OF_TURN
        };
        depth - cost
    }

    /// The parent's window in the child's terms.
    #[inline]
    pub(crate) fn window(self, Window { alpha, beta }: Window) -> Window {
        if self.same_player {
            Window {
                alpha: alpha - self.banked,
                beta: beta - self.banked,
            }
        } else {
            Window {
                alpha: self.banked - beta,
                beta: self.banked - alpha,
            }
        }
    }

    /// The child's gain in the parent's terms.
    #[inline]
    pub(crate) fn gain(self, gain: i32) -> i32 {
        if self.same_player {
            self.banked + gain
        } else {
            self.banked - gain
        }
    }

    /// The bounds of a child's gain, the lower and the upper, in the parent's terms.
    #[inline]
    pub(crate) fn bounds(self, lower: i32, upper: i32) -> (i32, i32) {
        if self.same_player {
            (self.banked + lower, self.banked + upper)
        } else {
            (self.banked - upper, self.banked - lower)
        }
    }
}
