use std::mem;

use kalah::Choice;

use crate::busy::Busy;
use crate::endgames::Endgames;
use crate::houses::Houses;
use crate::key::Key;
use crate::sowings::Sown;
use crate::stop::{Stop, StopLimits, Stopped};
use crate::transposition::{Depth, Memory, SharedTranspositions};

/// One search of a game: the stack of one thread, and where it has to stop.
///
/// Values are gains in seeds for the side to move. A bonus turn is searched for the same side; the
/// sign changes with the player and never else.
pub(crate) struct Search<'a, H: Houses, E: Endgames> {
    shared: Shared<'a, H, E>,
    stop: Stop<'a>,
    /// Children still to be searched of all positions on the way from the root, the newest last.
    open: Vec<ChildOf<H, E>>,
}

/// What all threads of a search look into.
pub(crate) struct Shared<'a, H: Houses, E: Endgames> {
    pub(crate) game: &'a H::Game,
    pub(crate) transpositions: SharedTranspositions<'a>,
    pub(crate) endgames: &'a E,
    /// What the threads are at work on, if there are several.
    pub(crate) busy: Option<&'a Busy>,
}

impl<H: Houses, E: Endgames> Clone for Shared<'_, H, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: Houses, E: Endgames> Copy for Shared<'_, H, E> {}

impl<H: Houses, E: Endgames> Shared<'_, H, E> {
    /// Where an endgame table keeps the gain of these houses, which will be asked for soon.
    #[inline]
    fn slot(&self, houses: &H, in_play: i32) -> Option<E::Slot> {
        if in_play > self.endgames.most_seeds() {
            return None;
        }
        let [own, other] = houses.rows()?;
        self.endgames.slot(own, other)
    }

    /// What these houses are remembered by, where they are.
    ///
    /// Hardly above the seeds of a table a look into memory costs more than what follows without it.
    #[inline]
    fn key(&self, houses: &H, in_play: i32) -> Option<Key> {
        let forgets = in_play <= self.endgames.most_seeds() + SEEDS_ABOVE_TABLE;
        if forgets || !houses.tell_all() {
            return None;
        }
        Some(houses.key(self.game))
    }

    /// Whether a position is so far above the table that its search is worth some pains.
    #[inline]
    fn is_far(&self, in_play: i32) -> bool {
        in_play > self.endgames.most_seeds() + SEEDS_NEAR_TABLE
    }

    /// Every choice at the root and what it leads to: a gain for certain, or a position to search.
    pub(crate) fn root_children(&self, houses: &H, in_play: i32) -> Vec<(Choice, Behind<H, E>)> {
        let mut children = Vec::new();
        houses.each_choice(self.game, |choice, sown| {
            let in_play = match choice {
                Choice::Sow(_) => in_play - sown.banked,
                Choice::Swap => in_play,
            };
            let change = Change {
                banked: sown.banked,
                same_player: sown.same_player,
            };
            let child = if sown.over {
                Ok(sown.banked)
            } else if let Some(slot) = self.slot(&sown.next, in_play) {
                Ok(change.gain(self.endgames.gain(slot).into()))
            } else {
                Err(Child {
                    choice,
                    promise: promise(choice, change, &sown.next),
                    spot: Spot {
                        key: self.key(&sown.next, in_play),
                        houses: sown.next,
                        in_play,
                    },
                    slot: None,
                    change,
                })
            };
            children.push((choice, child));
        });
        children
    }
}

impl<H: Houses, S> Child<H, S> {
    /// The least and the most that the choice can gain by the seeds that are left, where only houses
    /// matter.
    pub(crate) fn bounds(&self) -> Option<(i32, i32)> {
        let in_play = self.spot.in_play;
        let tells_all = self.spot.houses.tell_all();
        tells_all.then(|| self.change.bounds(-in_play, in_play))
    }

    /// How promising it looks; higher is more.
    pub(crate) fn promise(&self) -> i32 {
        self.promise
    }
}

/// How promising a choice looks that leads to `next`: bonus turns first, then what banks most, then
/// what leaves the opponent few bonus turns and few houses to choose from, then what lies nearest to
/// the store.
///
/// Solving 6x4 with a table of 21 seeds takes 23 million positions with the most seeds only, 20
/// million with the opponent's bonus turns, and half as many again or more with anything that weighs
/// seeds in rows or the success of a house elsewhere in the search.
#[inline]
fn promise<H: Houses>(choice: Choice, change: Change, next: &H) -> i32 {
    let house = match choice {
        Choice::Sow(house) => house.number().into(),
        Choice::Swap => 0,
    };
    let [own, other] = next.occupied();
    let opponents = if change.same_player { other } else { own };
    let worth = change.banked * PROMISE_OF_SEED - opponents * PROMISE_OF_HOUSE + house;
    if change.same_player {
        worth + BONUS_FIRST
    } else {
        worth - next.bonus_turns() * PROMISE_OF_BONUS_TURN
    }
}

/// What a search found of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Gain for the side to move.
    pub(crate) gain: i32,
    /// Whether nothing that the gain rests on was estimated.
    pub(crate) resolved: bool,
}

/// The gains that matter: a search tells those strictly between apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    /// The window that tells only whether a gain is `gain` or more.
    pub(crate) fn at_least(gain: i32) -> Self {
        Self {
            alpha: gain - 1,
            beta: gain,
        }
    }
}

/// A position on the way of a search.
#[derive(Clone)]
struct Spot<H> {
    houses: H,
    /// Seeds in the houses of both sides: nobody gains more.
    in_play: i32,
    /// What it is remembered by, where that was wanted before it is searched.
    key: Option<Key>,
}

/// A choice and what it leads to, which is not the end of the game.
pub(crate) struct Child<H, S> {
    pub(crate) choice: Choice,
    spot: Spot<H>,
    /// Where an endgame table keeps its gain.
    slot: Option<S>,
    change: Change,
    /// Higher is searched earlier.
    promise: i32,
}

/// What is behind a choice: a gain that is known, or a position to search.
pub(crate) type Behind<H, E> = Result<i32, ChildOf<H, E>>;

/// A child as a search with these endgames lists it.
pub(crate) type ChildOf<H, E> = Child<H, <E as Endgames>::Slot>;

/// How the gain of a child becomes that of its parent.
#[derive(Clone, Copy)]
struct Change {
    /// Added in the parent's terms: what was banked on the way.
    banked: i32,
    /// Whether the same player chooses again.
    same_player: bool,
}

impl Change {
    /// The depth left for the child of a position that is searched to `depth`.
    #[inline]
    fn depth(self, depth: i32) -> i32 {
        let cost = if self.same_player {
            DEPTH_OF_BONUS_TURN
        } else {
            DEPTH_OF_TURN
        };
        depth - cost
    }

    /// The parent's window in the child's terms.
    #[inline]
    fn window(self, Window { alpha, beta }: Window) -> Window {
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
    fn gain(self, gain: i32) -> i32 {
        if self.same_player {
            self.banked + gain
        } else {
            self.banked - gain
        }
    }

    /// The bounds of a child's gain, the lower and the upper, in the parent's terms.
    #[inline]
    fn bounds(self, lower: i32, upper: i32) -> (i32, i32) {
        if self.same_player {
            (self.banked + lower, self.banked + upper)
        } else {
            (self.banked - upper, self.banked - lower)
        }
    }
}

/// The gain of a position, put together from those of its children.
struct Sum {
    window: Window,
    best: Found,
    /// The choice that raised alpha last.
    choice: Option<Choice>,
    all_resolved: bool,
}

impl Sum {
    fn new(window: Window) -> Self {
        Self {
            window,
            best: Found {
                gain: i32::MIN,
                resolved: false,
            },
            choice: None,
            all_resolved: true,
        }
    }

    /// Takes a child's gain in, which is told on the terms of [`Search::node`].
    #[inline]
    fn add(&mut self, choice: Choice, found: Found) {
        self.all_resolved &= found.resolved;
        self.raise(choice, found);
    }

    /// Takes in that a child's gain is this at least.
    #[inline]
    fn raise(&mut self, choice: Choice, found: Found) {
        if found.gain > self.best.gain {
            self.best = found;
        }
        if found.gain > self.window.alpha {
            self.window.alpha = found.gain;
            self.choice = Some(choice);
        }
    }

    /// Whether no other child matters.
    #[inline]
    fn is_cut(&self) -> bool {
        self.window.alpha >= self.window.beta
    }

    fn found(&self) -> Found {
        // A cutoff rests on one child alone, anything else on all of them.
        let resolved = if self.is_cut() {
            self.best.resolved
        } else {
            self.all_resolved
        };
        Found {
            resolved,
            ..self.best
        }
    }
}

/// What a turn takes of the depth to search.
const DEPTH_OF_TURN: i32 = 4;

/// In the order of choices, a bonus turn comes before any capture.
const BONUS_FIRST: i32 = 1 << 24;
/// What another thread is at work on comes after everything else.
const PUT_OFF: i32 = -(1 << 28);
/// What else counts in the order of choices, as many times as one house nearer to the store.
const PROMISE_OF_SEED: i32 = 32;
const PROMISE_OF_BONUS_TURN: i32 = 12;
const PROMISE_OF_HOUSE: i32 = 2;

/// So many seeds more than in a table, and fewer, are not remembered.
const SEEDS_ABOVE_TABLE: i32 = 2;

/// Up to so many seeds more than in a table, children are not looked up in memory before they are
/// searched: what that saves in positions it loses waiting for memory.
const SEEDS_NEAR_TABLE: i32 = 6;

/// The depth of a search in which nothing is to be estimated.
pub(crate) const TO_THE_END: u32 = u32::MAX;

/// What a bonus turn takes of it: little, as it answers nothing, but something, as on large boards
/// there is no end of them.
const DEPTH_OF_BONUS_TURN: i32 = 1;

/// Plies from the root below which everything is estimated, so that the stack cannot overflow.
const MOST_PLIES: u32 = 1000;

impl<'a, H: Houses, E: Endgames> Search<'a, H, E> {
    pub(crate) fn new(shared: Shared<'a, H, E>, stop: Stop<'a>) -> Self {
        Self {
            shared,
            stop,
            open: Vec::new(),
        }
    }

    /// What this thread has counted, and where it has to stop.
    pub(crate) fn stop(&mut self) -> &mut Stop<'a> {
        &mut self.stop
    }

    /// Searches no more than so many positions.
    pub(crate) fn alone<T>(
        &mut self,
        nodes: u64,
        search: impl FnOnce(&mut Self) -> Result<T, Stopped>,
    ) -> Result<T, Stopped> {
        let limits = self.stop.limits();
        let most = self.stop.nodes_of_all().saturating_add(nodes);
        self.stop.set_limits(StopLimits {
            nodes: limits.nodes.min(most),
            ..limits
        });
        let found = search(self);
        self.stop.set_limits(limits);
        found
    }

    /// Searches the position behind a choice at the root, `turns` deep as counted from the root; the
    /// gain and the window are the root's.
    pub(crate) fn root_child(
        &mut self,
        child: &ChildOf<H, E>,
        turns: u32,
        window: Window,
    ) -> Result<Found, Stopped> {
        let depth = i32::try_from(turns).unwrap_or(i32::MAX);
        self.open.clear();
        self.child(child, depth.saturating_mul(DEPTH_OF_TURN), window, 0)
    }

    /// The gain of a position that is not over, as far as a search to `depth` can tell: at most the
    /// returned value if that is alpha or less, at least the returned value if it is beta or more,
    /// and else the returned value itself.
    fn node(
        &mut self,
        spot: &Spot<H>,
        depth: i32,
        window: Window,
        ply: u32,
    ) -> Result<Found, Stopped> {
        // Next to the horizon a search is cheaper than a look into memory.
        let key = match spot.key {
            None if depth > DEPTH_OF_TURN => self.shared.key(&spot.houses, spot.in_play),
            known => known,
        };
        let Some(key) = key else {
            let sum = self.children(spot, None, depth, window, ply)?;
            return Ok(sum.found());
        };

        // It may be known from before.
        let known = self.shared.transpositions.get(key, spot.in_play);
        if let Some(known) = known
            && known.depth.reaches(depth)
        {
            let resolved = known.depth.is_resolved();
            for (gain, decides) in [
                (known.lower, known.lower >= window.beta),
                (known.upper, known.upper <= window.alpha),
                (known.lower, known.lower == known.upper),
            ] {
                if decides {
                    return Ok(Found { gain, resolved });
                }
            }
        }

        // Everything else is found out from the children, and remembered.
        let nodes_before = self.stop.nodes();
        // What looked best to a search that estimated does worse in a proof than the order of choices.
        let known = known.filter(|known| known.depth.is_resolved() || depth < i32::MAX / 2);
        let known_best = known.and_then(|known| known.house).map(Choice::Sow);
        let busy = self
            .shared
            .busy
            .filter(|_| self.shared.is_far(spot.in_play));
        busy.inspect(|busy| busy.begin(key));
        let sum = self.children(spot, known_best, depth, window, ply);
        busy.inspect(|busy| busy.end(key));
        let sum = sum?;
        let found = sum.found();
        let unknown = Memory::nothing(spot.in_play);
        let memory = Memory {
            lower: if found.gain > window.alpha {
                found.gain
            } else {
                unknown.lower
            },
            upper: if found.gain < window.beta {
                found.gain
            } else {
                unknown.upper
            },
            depth: if found.resolved {
                Depth::RESOLVED
            } else {
                Depth::estimated(depth)
            },
            house: match sum.choice {
                Some(Choice::Sow(house)) => Some(house),
                Some(Choice::Swap) | None => None,
            },
        };
        let nodes = self.stop.nodes() - nodes_before;
        self.shared
            .transpositions
            .put(key, spot.in_play, memory, nodes);
        Ok(found)
    }

    /// The gain of a position by its children; `first` is tried before the others.
    fn children(
        &mut self,
        spot: &Spot<H>,
        first: Option<Choice>,
        depth: i32,
        window: Window,
        ply: u32,
    ) -> Result<Sum, Stopped> {
        self.stop.count_node()?;
        let mut sum = Sum::new(window);
        let base = self.open.len();
        self.grow(spot, first, depth, ply, &mut sum);
        self.look_up(base, depth, &mut sum);

        let mut is_first = sum.choice.is_none();
        while !sum.is_cut()
            && let Some(child) = self.take_most_promising(base)
        {
            if !is_first && self.put_off(&child) {
                continue;
            }
            let Window { alpha, beta } = sum.window;
            let found = if mem::take(&mut is_first) {
                self.child(&child, depth, sum.window, ply)?
            } else {
                // Expect that no other choice is better, and look again at one that is.
                let narrow = Window {
                    alpha,
                    beta: alpha + 1,
                };
                let probe = self.child(&child, depth, narrow, ply)?;
                if probe.gain > alpha && probe.gain < beta {
                    self.child(&child, depth, sum.window, ply)?
                } else {
                    probe
                }
            };
            sum.add(child.choice, found);
        }
        self.open.truncate(base);
        Ok(sum)
    }

    /// Searches a child, in the terms of its parent.
    fn child(
        &mut self,
        child: &ChildOf<H, E>,
        depth: i32,
        window: Window,
        ply: u32,
    ) -> Result<Found, Stopped> {
        let Child { spot, change, .. } = child;
        let found = self.node(spot, change.depth(depth), change.window(window), ply + 1)?;
        Ok(Found {
            gain: change.gain(found.gain),
            ..found
        })
    }

    /// Lists the children of a position whose gain has to be found out, and adds up the others.
    #[inline]
    fn grow(&mut self, spot: &Spot<H>, first: Option<Choice>, depth: i32, ply: u32, sum: &mut Sum) {
        let mut sowings = 0;
        let far = self.shared.is_far(spot.in_play);
        spot.houses.each_choice(self.shared.game, |choice, sown| {
            sowings += 1;
            if sum.is_cut() {
                return;
            }
            let Sown {
                next,
                banked,
                same_player,
                over,
            } = sown;
            let change = Change {
                banked,
                same_player,
            };
            let known = |gain, resolved| Found {
                gain: change.gain(gain),
                resolved,
            };
            if over {
                // The sweep was banked by the ply that ended the game.
                sum.add(choice, known(0, true));
                return;
            }
            let in_play = match choice {
                Choice::Sow(_) => spot.in_play - banked,
                Choice::Swap => spot.in_play,
            };
            // Nobody gains more than all seeds in play, where only houses matter.
            let tells_all = next.tell_all();
            if tells_all && banked + in_play <= sum.window.alpha {
                sum.add(
                    choice,
                    Found {
                        gain: banked + in_play,
                        resolved: true,
                    },
                );
                return;
            }
            let rest = change.depth(depth);
            let tabled = self.shared.slot(&next, in_play);
            if tabled.is_none() && tells_all && (rest <= 0 || ply + 1 >= MOST_PLIES) {
                sum.add(choice, known(next.evaluation().gain(), false));
                return;
            }
            let key = if far && tabled.is_none() && rest > DEPTH_OF_TURN {
                self.shared.key(&next, in_play)
            } else {
                None
            };
            if let Some(key) = key {
                self.shared.transpositions.prefetch(key);
            }
            self.open.push(Child {
                promise: if Some(choice) == first {
                    i32::MAX
                } else {
                    promise(choice, change, &next)
                },
                choice,
                spot: Spot {
                    houses: next,
                    in_play,
                    key,
                },
                slot: tabled,
                change,
            });
        });
        self.stop.count_sowings(sowings);
    }

    /// Adds up those of the listed children from `base` on that tables or the memory know.
    #[inline]
    fn look_up(&mut self, base: usize, depth: i32, sum: &mut Sum) {
        let mut index = self.open.len();
        while index > base && !sum.is_cut() {
            index -= 1;
            let Child {
                choice,
                ref spot,
                slot,
                change,
                ..
            } = self.open[index];
            if let Some(slot) = slot {
                let gain = change.gain(self.shared.endgames.gain(slot).into());
                self.stop.count_table_hit();
                sum.add(
                    choice,
                    Found {
                        gain,
                        resolved: true,
                    },
                );
                self.open.swap_remove(index);
                continue;
            }
            let known = spot
                .key
                .and_then(|key| self.shared.transpositions.get(key, spot.in_play));
            if let Some(known) = known
                && known.depth.reaches(change.depth(depth))
            {
                let resolved = known.depth.is_resolved();
                let (lower, upper) = change.bounds(known.lower, known.upper);
                if upper <= sum.window.alpha || lower == upper {
                    sum.add(
                        choice,
                        Found {
                            gain: upper,
                            resolved,
                        },
                    );
                    self.open.swap_remove(index);
                } else if resolved || lower >= sum.window.beta {
                    // What is estimated has no say beside a search that may resolve it.
                    sum.raise(
                        choice,
                        Found {
                            gain: lower,
                            resolved,
                        },
                    );
                }
            }
        }
    }

    /// The child to search next of those from `base` on.
    #[inline]
    fn take_most_promising(&mut self, base: usize) -> Option<ChildOf<H, E>> {
        let listed = self.open.get(base..)?;
        let (index, _) = listed
            .iter()
            .enumerate()
            .max_by_key(|(_, child)| child.promise)?;
        Some(self.open.swap_remove(base + index))
    }

    /// Puts a child back behind all others, once, if another thread is at work on it.
    #[inline]
    fn put_off(&mut self, child: &ChildOf<H, E>) -> bool {
        let (Some(busy), Some(key)) = (self.shared.busy, child.spot.key) else {
            return false;
        };
        if child.promise < PUT_OFF / 2 || !busy.has(key) {
            return false;
        }
        self.open.push(Child {
            promise: child.promise.min(BONUS_FIRST) + PUT_OFF,
            spot: child.spot.clone(),
            ..*child
        });
        true
    }
}
