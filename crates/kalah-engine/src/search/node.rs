//! Nodes of a search, their children and their values.

use kalah::{House, Move};

use crate::board::search_board::SearchBoard;

/// Gains of a position are all odd or all even.
pub(crate) const GAIN_STEP: i32 = 2;

/// What a search found of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchValue {
    /// Gain for the side to move.
    pub(crate) gain: i32,
    /// Whether nothing that the gain rests on was estimated.
    pub(crate) proven: bool,
}

/// The gains that matter: a search tells those strictly between apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    /// The window that tells only whether a gain is `gain` or more.
    pub(crate) fn null_at(gain: i32) -> Self {
        Self {
            alpha: gain - 1,
            beta: gain,
        }
    }

    /// Whether no gain lies strictly between.
    pub(crate) fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }
}

/// The gain of a position, put together from those of its children.
pub(crate) struct BestScore {
    pub(crate) window: Window,
    best: SearchValue,
    /// The choice that raised alpha last.
    pub(crate) best_move: Option<Move>,
    all_proven: bool,
}

impl BestScore {
    #[inline]
    pub(crate) fn new(window: Window) -> Self {
        Self {
            window,
            best: SearchValue {
                gain: i32::MIN,
                proven: false,
            },
            best_move: None,
            all_proven: true,
        }
    }

    /// Takes a child's gain in: at most `found` if that is alpha or less, at least `found` if it is
    /// beta or more, and else `found` itself.
    #[inline]
    pub(crate) fn update(&mut self, choice: Move, found: SearchValue) {
        self.all_proven &= found.proven;
        self.update_lower_bound(choice, found);
    }

    /// Takes in that a child's gain is this at least.
    #[inline]
    pub(crate) fn update_lower_bound(&mut self, choice: Move, found: SearchValue) {
        if found.gain > self.best.gain {
            self.best = found;
        }
        if found.gain > self.window.alpha {
            self.window.alpha = found.gain;
            self.best_move = Some(choice);
        }
    }

    /// Whether no other child matters.
    #[inline]
    pub(crate) fn is_cutoff(&self) -> bool {
        self.window.alpha >= self.window.beta
    }

    #[inline]
    pub(crate) fn value(&self) -> SearchValue {
        // A cutoff rests on one child alone, anything else on all of them.
        let resolved = if self.is_cutoff() {
            self.best.proven
        } else {
            self.all_proven
        };
        SearchValue {
            proven: resolved,
            ..self.best
        }
    }
}

/// A position on the way of a search, which is not over.
#[derive(Clone)]
pub(crate) struct Node<H> {
    pub(crate) board: H,
    /// Seeds in the houses of both sides: nobody gains more.
    pub(crate) in_play: i32,
}

/// A choice and the position that it leads to.
#[derive(Clone)]
pub(crate) struct Child<H> {
    pub(crate) mv: Move,
    pub(crate) transform: ScoreTransform,
    pub(crate) node: Node<H>,
    /// Higher is searched earlier.
    pub(crate) order_score: i32,
}

/// How the gain of a child becomes that of its parent.
#[derive(Clone, Copy)]
pub(crate) struct ScoreTransform {
    /// Added in the parent's terms: what was banked on the way.
    pub(crate) banked: i32,
    /// Whether the same player chooses again.
    pub(crate) same_player: bool,
}

/// In the order of choices, a bonus turn comes before any capture.
const BONUS_TURN_PRIORITY: i32 = 1 << 24;
/// What another thread is at work on comes after everything else.
const DEFERRED_PENALTY: i32 = -(1 << 28);
/// What else counts in the order of choices, where one house nearer to the store counts 1.
const BANKED_SEED_WEIGHT: i32 = 32;
const OPPONENT_BONUS_TURN_WEIGHT: i32 = 12;
const OPPONENT_HOUSE_WEIGHT: i32 = 2;

impl<H: SearchBoard> Node<H> {
    /// The gain of the side to move as far as it matters, where there are too few seeds left for any
    /// between the bounds of the window.
    #[inline]
    pub(crate) fn trivial_value(&self, window: Window) -> Option<SearchValue> {
        let gain = if self.in_play <= window.alpha {
            self.in_play
        } else if -self.in_play >= window.beta {
            -self.in_play
        } else {
            return None;
        };
        self.board
            .is_cacheable()
            .then_some(SearchValue { gain, proven: true })
    }
}

impl<H: SearchBoard> Child<H> {
    /// The least and the most that the choice can gain by the seeds that are left, where only houses
    /// matter.
    pub(crate) fn bounds(&self) -> Option<(i32, i32)> {
        let in_play = self.node.in_play;
        let tells_all = self.node.board.is_cacheable();
        tells_all.then(|| self.transform.parent_bounds(-in_play, in_play))
    }

    /// How promising the choice looks: bonus turns first, then what banks most, then what leaves the
    /// opponent few bonus turns and few houses to choose from, then what lies nearest to the store.
    ///
    /// Solving 6x4 takes a tenth more positions without the opponent's bonus turns, and half as many again
    /// or more with anything that weighs seeds in rows or the success of a house elsewhere in the
    /// search: see docs/performance.md.
    #[inline]
    pub(crate) fn ordering_score(&self) -> i32 {
        let house = match self.mv {
            Move::Sow(house) => house.number().into(),
            Move::Swap => 0,
        };
        let next = &self.node.board;
        let [own, other] = next.occupied_counts();
        let [bonus_turns, _] = next.bonus_turn_counts();
        let ScoreTransform {
            banked,
            same_player,
        } = self.transform;
        let worth = banked * BANKED_SEED_WEIGHT + house;
        if same_player {
            worth - other * OPPONENT_HOUSE_WEIGHT + BONUS_TURN_PRIORITY
        } else {
            worth - own * OPPONENT_HOUSE_WEIGHT - bonus_turns * OPPONENT_BONUS_TURN_WEIGHT
        }
    }

    /// Whether another thread was at work on it before.
    #[inline]
    pub(crate) fn is_deferred(&self) -> bool {
        self.order_score < DEFERRED_PENALTY / 2
    }

    /// The same, behind all others.
    pub(crate) fn deferred(self) -> Self {
        Self {
            order_score: self.order_score.min(BONUS_TURN_PRIORITY) + DEFERRED_PENALTY,
            ..self
        }
    }
}

/// What a turn takes of the depth to search.
pub(crate) const DEPTH_PER_TURN: i32 = 4;

/// What a bonus turn takes of it: little, as it answers nothing, but something, as on large boards
/// there is no end of them.
const DEPTH_PER_BONUS_TURN: i32 = 1;

impl ScoreTransform {
    /// Seeds in the houses after a choice, of so many before.
    #[inline]
    pub(crate) fn child_in_play(self, choice: Move, in_play: i32) -> i32 {
        match choice {
            Move::Sow(_) => in_play - self.banked,
            Move::Swap => in_play,
        }
    }

    /// The depth left for the child of a position that is searched to `depth`.
    #[inline]
    pub(crate) fn child_depth(self, depth: i32) -> i32 {
        let cost = if self.same_player {
            DEPTH_PER_BONUS_TURN
        } else {
            DEPTH_PER_TURN
        };
        depth - cost
    }

    /// The parent's window in the child's terms.
    #[inline]
    pub(crate) fn child_window(self, Window { alpha, beta }: Window) -> Window {
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
    pub(crate) fn parent_gain(self, gain: i32) -> i32 {
        if self.same_player {
            self.banked + gain
        } else {
            self.banked - gain
        }
    }

    /// The bounds of a child's gain, the lower and the upper, in the parent's terms.
    #[inline]
    pub(crate) fn parent_bounds(self, lower: i32, upper: i32) -> (i32, i32) {
        if self.same_player {
            (self.banked + lower, self.banked + upper)
        } else {
            (self.banked - upper, self.banked - lower)
        }
    }
}

/// What is behind a choice: a gain that is known, or a position to search.
pub(crate) type RootChild<H> = Result<i32, Child<H>>;

/// The house that is sown by a choice, if it is not a swap.
#[inline]
pub(super) fn sown_house(choice: Option<Move>) -> Option<House> {
    match choice? {
        Move::Sow(house) => Some(house),
        Move::Swap => None,
    }
}
