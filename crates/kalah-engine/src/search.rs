mod proof;

use std::mem;

use kalah::{House, Move};

use crate::busy::Busy;
use crate::child::{Change, Child, DEPTH_OF_TURN, Spot};
use crate::endgames::Endgames;
use crate::found::{Found, Sum, Window};
use crate::houses::Houses;
use crate::key::Key;
use crate::proof_memory::SharedProofMemory;
use crate::stop::{Stop, StopLimits, Stopped};
use crate::transposition::{Depth, Memory, SharedTranspositions};
use proof::Branch;

/// One search of a game: the stack of one thread, and where it has to stop.
///
/// Values are gains in seeds for the side to move. A bonus turn is searched for the same side; the
/// sign changes with the player and never else.
pub(crate) struct Search<'a, H: Houses, E: Endgames> {
    shared: Shared<'a, H, E>,
    stop: Stop<'a>,
    /// Children still to be searched of all positions on the way from the root, the newest last.
    open: Vec<Child<H>>,
    /// Children of the newest position that the endgame tables know.
    tabled: Vec<Tabled<E::Slot>>,
    /// Choices of all positions on the way of a proof, the newest last.
    branches: Vec<Branch<H>>,
}

/// What all threads of a search look into.
pub(crate) struct Shared<'a, H: Houses, E: Endgames> {
    pub(crate) game: &'a H::Game,
    pub(crate) transpositions: SharedTranspositions<'a>,
    pub(crate) proofs: SharedProofMemory<'a>,
    pub(crate) endgames: &'a E,
    /// What the threads are at work on, if there are several.
    pub(crate) busy: Option<&'a Busy>,
}

/// A choice whose gain an endgame table knows, and where it keeps it.
struct Tabled<S> {
    choice: Move,
    change: Change,
    slot: S,
}

/// What is behind a choice: a gain that is known, or a position to search.
pub(crate) type Behind<H> = Result<i32, Child<H>>;

/// So many seeds more than in a table, and fewer, are not remembered.
const SEEDS_ABOVE_TABLE: i32 = 3;

/// Up to so many seeds more than in a table, children are not looked up in memory before they are
/// searched: what that saves in positions it loses waiting for memory.
const SEEDS_NEAR_TABLE: i32 = 8;

/// The depth of a search in which nothing is to be estimated.
pub(crate) const TO_THE_END: u32 = u32::MAX;

/// Plies from the root below which everything is estimated, so that the stack cannot overflow.
const MOST_PLIES: u32 = 1000;

/// Whether a search to this depth estimates nothing.
#[inline]
fn is_to_the_end(depth: i32) -> bool {
    depth > i32::MAX / 2
}

/// The house that is sown by a choice, if it is not a swap.
#[inline]
fn house_of(choice: Option<Move>) -> Option<House> {
    match choice? {
        Move::Sow(house) => Some(house),
        Move::Swap => None,
    }
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
    fn slot(&self, houses: &H) -> Option<E::Slot> {
        let [own, other] = houses.rows()?;
        self.endgames.slot(own, other)
    }

    /// What a position is remembered by, where that is worth its while.
    ///
    /// Hardly above the seeds of a table a look into memory costs more than what follows without it.
    #[inline]
    fn key(&self, spot: &Spot<H>) -> Option<Key> {
        let forgets = spot.in_play <= self.endgames.most_seeds() + SEEDS_ABOVE_TABLE;
        if forgets || !spot.houses.tell_all() {
            return None;
        }
        Some(spot.houses.key(self.game))
    }

    /// Whether a position is so far above the table that its search is worth some pains.
    #[inline]
    fn is_far(&self, spot: &Spot<H>) -> bool {
        spot.in_play > self.endgames.most_seeds() + SEEDS_NEAR_TABLE
    }

    /// Every choice at the root and what it leads to: a gain for certain, or a position to search.
    pub(crate) fn root_children(&self, houses: &H, in_play: i32) -> Vec<(Move, Behind<H>)> {
        let mut children = Vec::new();
        houses.each_choice(self.game, |choice, sown| {
            let change = Change {
                banked: sown.banked,
                same_player: sown.same_player,
            };
            let in_play = change.in_play(choice, in_play);
            let child = if sown.over {
                Ok(sown.banked)
            } else if in_play <= self.endgames.most_seeds()
                && let Some(slot) = self.slot(&sown.next)
            {
                Ok(change.gain(self.endgames.gain(slot).into()))
            } else {
                let mut child = Child {
                    choice,
                    change,
                    spot: Spot {
                        houses: sown.next,
                        in_play,
                    },
                    promise: 0,
                };
                child.promise = child.look();
                Err(child)
            };
            children.push((choice, child));
        });
        children
    }
}

impl<'a, H: Houses, E: Endgames> Search<'a, H, E> {
    pub(crate) fn new(shared: Shared<'a, H, E>, stop: Stop<'a>) -> Self {
        Self {
            shared,
            stop,
            open: Vec::new(),
            tabled: Vec::new(),
            branches: Vec::new(),
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
        child: &Child<H>,
        turns: u32,
        window: Window,
    ) -> Result<Found, Stopped> {
        self.open.clear();
        self.branches.clear();
        let depth = i32::try_from(turns).unwrap_or(i32::MAX);
        self.child(child, depth.saturating_mul(DEPTH_OF_TURN), window, 0)
    }

    /// The gain of a position, as far as a search to `depth` can tell: at most the returned value if
    /// that is alpha or less, at least the returned value if it is beta or more, and else the
    /// returned value itself.
    fn node(
        &mut self,
        spot: &Spot<H>,
        depth: i32,
        window: Window,
        ply: u32,
    ) -> Result<Found, Stopped> {
        if let Some(found) = spot.beyond(window) {
            return Ok(found);
        }
        self.stop.count_node()?;
        let nodes_before = self.stop.nodes();

        // While the memory and the tables are on their way, the children are listed.
        let transpositions = self.shared.transpositions;
        // Next to the horizon a search is cheaper than a look into memory.
        let key = (depth > DEPTH_OF_TURN).then(|| self.shared.key(spot));
        let key = key.flatten();
        key.inspect(|&key| transpositions.prefetch(key));
        let base = self.open.len();
        let mut sum = Sum::new(window);
        self.list(spot, depth, ply, &mut sum);

        let mut first = None;
        if let Some(key) = key
            && let Some(known) = transpositions.get(key, spot.in_play)
        {
            if let Some(found) = known.answer(depth, window) {
                self.open.truncate(base);
                return Ok(found);
            }
            // What looked best to a search that estimated does worse in a proof than the order of choices.
            if known.depth.is_resolved() || !is_to_the_end(depth) {
                first = known.house.map(Move::Sow);
            }
        }
        self.probe(&mut sum);
        if !sum.is_cut() && self.open.len() > base {
            self.order(base, first);
            if self.shared.is_far(spot) {
                self.look_up(base, depth, &mut sum);
                let busy = key.zip(self.shared.busy);
                busy.inspect(|(key, busy)| busy.begin(*key));
                let searched = self.search_open(base, depth, ply, &mut sum);
                busy.inspect(|(key, busy)| busy.end(*key));
                searched?;
            } else {
                self.search_open(base, depth, ply, &mut sum)?;
            }
        }
        self.open.truncate(base);
        let found = sum.found();

        if let Some(key) = key {
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
                house: house_of(sum.choice),
            };
            let nodes = self.stop.nodes() - nodes_before;
            transpositions.put(key, spot.in_play, memory, nodes);
        }
        Ok(found)
    }

    /// Lists the children of a position, those that tables know apart, and adds up what is known of
    /// the others without looking further.
    #[inline]
    fn list(&mut self, spot: &Spot<H>, depth: i32, ply: u32, sum: &mut Sum) {
        let mut sowings = 0;
        let most_seeds = self.shared.endgames.most_seeds();
        // What is left after a bonus turn is the most that is left.
        let is_near_horizon = depth <= DEPTH_OF_TURN || ply + 1 >= MOST_PLIES;
        self.tabled.clear();
        spot.houses.each_choice(self.shared.game, |choice, sown| {
            sowings += 1;
            let change = Change {
                banked: sown.banked,
                same_player: sown.same_player,
            };
            if sown.over {
                // The sweep was banked by the ply that ended the game.
                let found = Found {
                    gain: sown.banked,
                    resolved: true,
                };
                sum.add(choice, found);
                return;
            }
            let houses = sown.next;
            let in_play = change.in_play(choice, spot.in_play);
            if in_play <= most_seeds
                && let Some(slot) = self.shared.slot(&houses)
            {
                self.tabled.push(Tabled {
                    choice,
                    change,
                    slot,
                });
            } else if is_near_horizon
                && (change.depth(depth) <= 0 || ply + 1 >= MOST_PLIES)
                && houses.tell_all()
            {
                let found = Found {
                    gain: change.gain(houses.evaluation().gain()),
                    resolved: false,
                };
                sum.add(choice, found);
            } else {
                self.open.push(Child {
                    choice,
                    change,
                    spot: Spot { houses, in_play },
                    promise: 0,
                });
            }
        });
        self.stop.count_sowings(sowings);
    }

    /// Adds up the children that tables know.
    #[inline]
    fn probe(&mut self, sum: &mut Sum) {
        for &Tabled {
            choice,
            change,
            slot,
        } in &self.tabled
        {
            if sum.is_cut() {
                return;
            }
            self.stop.count_table_hit();
            let found = Found {
                gain: change.gain(self.shared.endgames.gain(slot).into()),
                resolved: true,
            };
            sum.add(choice, found);
        }
    }

    /// Says of the children from `base` on which of them look best; `first` before all others.
    #[inline]
    fn order(&mut self, base: usize, first: Option<Move>) {
        for child in &mut self.open[base..] {
            child.promise = if Some(child.choice) == first {
                i32::MAX
            } else {
                child.look()
            };
        }
    }

    /// Adds up those of the children from `base` on that the memory knows.
    #[inline]
    fn look_up(&mut self, base: usize, depth: i32, sum: &mut Sum) {
        let transpositions = self.shared.transpositions;
        let key = |child: &Child<H>| {
            (child.change.depth(depth) > DEPTH_OF_TURN).then(|| self.shared.key(&child.spot))?
        };
        for child in &self.open[base..] {
            key(child).inspect(|&key| transpositions.prefetch(key));
        }
        let mut index = self.open.len();
        while index > base && !sum.is_cut() {
            index -= 1;
            let child = &self.open[index];
            let known = key(child).and_then(|key| transpositions.get(key, child.spot.in_play));
            let Some(known) = known.filter(|known| known.depth.reaches(child.change.depth(depth)))
            else {
                continue;
            };
            let choice = child.choice;
            let resolved = known.depth.is_resolved();
            let (lower, upper) = child.change.bounds(known.lower, known.upper);
            if upper <= sum.window.alpha || lower == upper {
                let gain = upper;
                sum.add(choice, Found { gain, resolved });
                self.open.swap_remove(index);
            } else if resolved || lower >= sum.window.beta {
                // What is estimated has no say beside a search that may resolve it.
                let gain = lower;
                sum.raise(choice, Found { gain, resolved });
            }
        }
    }

    /// Searches the children from `base` on, the most promising first, as far as they matter.
    #[inline]
    fn search_open(
        &mut self,
        base: usize,
        depth: i32,
        ply: u32,
        sum: &mut Sum,
    ) -> Result<(), Stopped> {
        let mut is_first = sum.choice.is_none();
        while !sum.is_cut()
            && let Some(child) = self.take_most_promising(base)
        {
            if !is_first && self.is_elsewhere(&child) {
                self.open.push(child.put_off());
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
        Ok(())
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
        let (window, ply) = (change.window(window), ply + 1);
        let found = if is_to_the_end(depth) && window.is_null() && self.deserves_numbers(spot, ply)
        {
            self.ask(spot, window, ply)?
        } else {
            self.node(spot, change.depth(depth), window, ply)?
        };
        Ok(Found {
            gain: change.gain(found.gain),
            ..found
        })
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

    /// Whether another thread is at work on a child, which was not put off before for that.
    #[inline]
    fn is_elsewhere(&self, child: &Child<H>) -> bool {
        let Some(busy) = self.shared.busy else {
            return false;
        };
        let key = || self.shared.key(&child.spot);
        self.shared.is_far(&child.spot)
            && !child.is_put_off()
            && key().is_some_and(|key| busy.has(key))
    }
}
