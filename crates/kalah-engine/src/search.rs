use std::mem;

use kalah::Choice;

use crate::endgames::Endgames;
use crate::houses::Houses;
use crate::key::Key;
use crate::sowings::Sown;
use crate::stop::{Stop, Stopped};
use crate::transposition::{Depth, Memory, SharedTranspositions};

/// One search of a game: the stack of one thread, and where it has to stop.
///
/// Values are gains in seeds for the side to move. A bonus turn is searched for the same side; the
/// sign changes with the player and never else.
pub(crate) struct Search<'a, H: Houses, E> {
    game: &'a H::Game,
    transpositions: SharedTranspositions<'a>,
    endgames: &'a E,
    stop: Stop<'a>,
    /// The best choice at the root so far, and its gain.
    best: Option<(Choice, i32)>,
    /// Children still to be searched of all positions on the way from the root, the newest last.
    open: Vec<Child<H>>,
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

/// A position on the way of a search.
struct Spot<H> {
    houses: H,
    /// Seeds in the houses of both sides: nobody gains more.
    in_play: i32,
    /// What it is remembered by, where it is.
    key: Option<Key>,
}

/// A choice and what it leads to.
struct Child<H> {
    choice: Choice,
    spot: Spot<H>,
    change: Change,
    /// Higher is searched earlier.
    promise: i32,
}

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

/// What a bonus turn takes of it: little, as it answers nothing, but something, as on large boards
/// there is no end of them.
const DEPTH_OF_BONUS_TURN: i32 = 1;

/// Plies from the root below which everything is estimated, so that the stack cannot overflow.
const MOST_PLIES: u32 = 1000;

/// In the order of choices, a bonus turn comes before any capture.
const BONUS_FIRST: i32 = 1 << 24;

/// In the order of choices, a seed banked counts for more than any difference in house number.
const SEED_BEFORE_HOUSE: i32 = 32;

impl<'a, H: Houses, E: Endgames> Search<'a, H, E> {
    pub(crate) fn new(
        game: &'a H::Game,
        transpositions: SharedTranspositions<'a>,
        endgames: &'a E,
        stop: Stop<'a>,
    ) -> Self {
        Self {
            game,
            transpositions,
            endgames,
            stop,
            best: None,
            open: Vec::new(),
        }
    }

    /// The best choice at the root so far, and its gain.
    pub(crate) fn best(&self) -> Option<(Choice, i32)> {
        self.best
    }

    /// Searches the root `turns` deep. When stopped, [`best`](Self::best) is still the best choice
    /// of those that were compared.
    pub(crate) fn root(
        &mut self,
        houses: &H,
        in_play: i32,
        turns: u32,
        window: Window,
    ) -> Result<Found, Stopped> {
        let spot = self.spot(houses.clone(), in_play);
        let depth = i32::try_from(turns).unwrap_or(i32::MAX);
        self.open.clear();
        self.node(&spot, depth.saturating_mul(DEPTH_OF_TURN), window, 0)
    }

    #[inline]
    fn spot(&self, houses: H, in_play: i32) -> Spot<H> {
        Spot {
            key: houses.tell_all().then(|| houses.key(self.game)),
            houses,
            in_play,
        }
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
        let key = spot.key.filter(|_| depth > DEPTH_OF_TURN);
        let Some(key) = key else {
            let sum = self.children(spot, None, depth, window, ply)?;
            return Ok(sum.found());
        };

        // It may be known from before.
        let known = self.transpositions.get(key, spot.in_play);
        if ply > 0
            && let Some(known) = known
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
        let known_best = known.and_then(|known| known.house).map(Choice::Sow);
        let sum = self.children(spot, known_best, depth, window, ply)?;
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
        self.transpositions.put(key, spot.in_play, memory, nodes);
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
        let first = match (ply, self.best) {
            (0, Some((choice, _))) => Some(choice),
            _ => first,
        };
        let mut sum = Sum::new(window);
        let base = self.open.len();
        self.grow(spot, first, depth, ply, &mut sum);
        self.look_up(base, depth, &mut sum);

        let mut is_first = sum.choice.is_none();
        while !sum.is_cut()
            && let Some(child) = self.take_most_promising(base)
        {
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
            if ply == 0 {
                self.note_best(&sum);
            }
        }
        self.open.truncate(base);
        // Not before the best choice so far was compared: the search may be stopped any time.
        if ply == 0 {
            self.note_best(&sum);
        }
        Ok(sum)
    }

    /// Searches a child, in the terms of its parent.
    fn child(
        &mut self,
        child: &Child<H>,
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

    fn note_best(&mut self, sum: &Sum) {
        if let Some(choice) = sum.choice {
            self.best = Some((choice, sum.best.gain));
        }
    }

    /// Lists the children of a position whose gain has to be found out, and adds up the others.
    #[inline]
    fn grow(&mut self, spot: &Spot<H>, first: Option<Choice>, depth: i32, ply: u32, sum: &mut Sum) {
        let mut sowings = 0;
        spot.houses.each_choice(self.game, |choice, sown| {
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
            if tells_all && (rest <= 0 || ply + 1 >= MOST_PLIES) {
                sum.add(choice, known(next.evaluation().gain(), false));
                return;
            }
            let key = (tells_all && rest > DEPTH_OF_TURN).then(|| next.key(self.game));
            if let Some(key) = key {
                self.transpositions.prefetch(key);
            }
            if in_play <= self.endgames.most_seeds()
                && let Some([own, other]) = next.rows()
            {
                self.endgames.prefetch(own, other);
            }
            let house = match choice {
                Choice::Sow(house) => house.number().into(),
                Choice::Swap => 0,
            };
            let promise = if Some(choice) == first {
                i32::MAX
            } else if same_player {
                BONUS_FIRST + house
            } else {
                banked * SEED_BEFORE_HOUSE + house
            };
            self.open.push(Child {
                choice,
                spot: Spot {
                    houses: next,
                    in_play,
                    key,
                },
                change,
                promise,
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
                change,
                ..
            } = self.open[index];
            if spot.in_play <= self.endgames.most_seeds()
                && let Some([own, other]) = spot.houses.rows()
                && let Some(gain) = self.endgames.probe(own, other)
            {
                let gain = change.gain(gain.into());
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
                .and_then(|key| self.transpositions.get(key, spot.in_play));
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
    fn take_most_promising(&mut self, base: usize) -> Option<Child<H>> {
        let listed = self.open.get(base..)?;
        let (index, _) = listed
            .iter()
            .enumerate()
            .max_by_key(|(_, child)| child.promise)?;
        Some(self.open.swap_remove(base + index))
    }
}
