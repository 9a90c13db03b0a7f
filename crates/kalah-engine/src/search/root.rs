//! Search of the root: every move and its bounds.

use std::num::NonZeroUsize;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use kalah::Move;

use super::alpha_beta::{FULL_DEPTH, Search};
use super::context::SearchContext;
use super::node::{Child, GAIN_STEP, SearchValue, Window};
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::limits::{SearchControl, SearchLimits, SharedControl, Stopped};

/// What is being found out about one position: every choice and what is known of it.
///
/// Gains are those of the player to move at the root. Two ways lead to them: looking ahead turn by
/// turn, which estimates and always has a choice to offer, and proofs, which search to the end of the
/// game whether a gain is so much or not.
pub(crate) struct RootSearch<'a, H: SearchBoard, E: EndgameTable> {
    context: SearchContext<'a, H, E>,
    shared_control: &'a SharedControl,
    search: Search<'a, H, E>,
    threads: NonZeroUsize,
    root_moves: Vec<RootMove<Child<H>>>,
    /// The most promising choices first, as indices of `roots`.
    order: Vec<usize>,
    /// Index of the choice that looks best, and its gain as estimated.
    best_estimate: Option<(usize, i32)>,
    /// Turns of the last iteration that was finished.
    depth: u32,
}

/// A choice at the root.
pub(crate) struct RootMove<C> {
    pub(crate) mv: Move,
    /// The position behind it, where that is to be searched.
    child: Option<C>,
    /// No gain is less.
    pub(crate) lower: i32,
    /// No gain is more.
    pub(crate) upper: i32,
}

impl<C> RootMove<C> {
    fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    /// Takes in what a search found that was asked for this window.
    ///
    /// Bounds never cross: they would if a table from a file were not what it should be, and then the
    /// first of them that was found stays.
    fn tighten(&mut self, found: SearchValue, window: Window) {
        if found.proven && found.gain > window.alpha {
            self.lower = self.lower.max(found.gain.min(self.upper));
        }
        if found.proven && found.gain < window.beta {
            self.upper = self.upper.min(found.gain.max(self.lower));
        }
    }
}

impl<'a, H: SearchBoard, E: EndgameTable> RootSearch<'a, H, E> {
    /// Nothing is known yet but what takes no search. Nobody gains less than `least`
    /// or more than `most`.
    pub(crate) fn new(
        context: SearchContext<'a, H, E>,
        (houses, in_play, (least, most)): (&H, i32, (i32, i32)),
        limits: SearchLimits<'a>,
        shared_control: &'a SharedControl,
        threads: NonZeroUsize,
    ) -> Self {
        let mut promises = Vec::new();
        let root_moves: Vec<_> = context
            .root_children(houses, in_play)
            .into_iter()
            .map(|(choice, child)| {
                let (lower, upper, child) = match child {
                    Ok(gain) => (gain, gain, None),
                    Err(child) => {
                        let (lower, upper) = child.bounds().unwrap_or((least, most));
                        (lower, upper, Some(child))
                    }
                };
                promises.push(child.as_ref().map_or(i32::MIN, |child| child.order_score));
                RootMove {
                    mv: choice,
                    child,
                    lower,
                    upper,
                }
            })
            .collect();
        let mut order: Vec<usize> = (0..root_moves.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(promises[index]));
        Self {
            context,
            shared_control,
            search: Search::new(context, SearchControl::new(limits, shared_control)),
            threads,
            root_moves,
            order,
            best_estimate: None,
            depth: 0,
        }
    }

    pub(crate) fn control(&mut self) -> &mut SearchControl<'a> {
        self.search.control()
    }

    /// Takes for proven that a choice gains no less and no more, unless that cannot be.
    pub(crate) fn set_known_bounds(&mut self, choice: Move, lower: i32, upper: i32) {
        for root in self.root_moves.iter_mut().filter(|root| root.mv == choice) {
            let (lower, upper) = (root.lower.max(lower), root.upper.min(upper));
            if lower <= upper {
                (root.lower, root.upper) = (lower, upper);
            }
        }
    }

    /// Every choice.
    pub(crate) fn root_moves(&self) -> &[RootMove<Child<H>>] {
        &self.root_moves
    }

    /// Turns of the last iteration that was finished.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// The least and the most that the best choice gains.
    pub(crate) fn bounds(&self) -> (i32, i32) {
        let lower = self.root_moves.iter().map(|root| root.lower).max();
        let upper = self.root_moves.iter().map(|root| root.upper).max();
        (lower.unwrap_or(0), upper.unwrap_or(0))
    }

    /// The choice to make as far as is known, and the gain that it is expected to have.
    pub(crate) fn best_move(&self) -> Option<(Move, i32)> {
        let in_order = || self.order.iter().map(|&index| &self.root_moves[index]);
        let safest = in_order().rev().max_by_key(|root| root.lower)?;
        let mut others = in_order().filter(|root| root.mv != safest.mv);
        let is_best = others.all(|other| other.upper <= safest.lower);
        Some(match self.best_estimate {
            Some((index, gain)) if !self.is_proven() => {
                // Unless another has been proven to be as good as any, or to be better.
                let expected = &self.root_moves[index];
                let root = if is_best || expected.upper < safest.lower {
                    safest
                } else {
                    expected
                };
                (root.mv, gain.clamp(root.lower, root.upper))
            }
            _ => (safest.mv, safest.lower),
        })
    }

    /// Whether the gain of the best choice is known.
    pub(crate) fn is_proven(&self) -> bool {
        let (lower, upper) = self.bounds();
        lower == upper
    }

    /// Looks `turns` ahead.
    pub(crate) fn deepen(&mut self, turns: u32) -> Result<(), Stopped> {
        let (_, most) = self.bounds();
        let mut window = Window {
            alpha: i32::MIN / 2,
            beta: most.saturating_add(1),
        };
        for place in 0..self.order.len() {
            let index = self.order[place];
            let root = &self.root_moves[index];
            let gain = if root.is_exact() {
                root.lower
            } else if place == 0 {
                self.search_root_move(index, turns, window)?
            } else {
                // Expect that no other choice is better, and look again at one that is.
                let gain =
                    self.search_root_move(index, turns, Window::null_at(window.alpha + 1))?;
                if gain > window.alpha {
                    self.search_root_move(index, turns, window)?
                } else {
                    gain
                }
            };
            if gain > window.alpha {
                window.alpha = gain;
                self.best_estimate = Some((index, gain));
            }
        }
        self.depth = turns;
        // What was best is looked at first next time.
        if let Some((index, _)) = self.best_estimate {
            self.order.retain(|&other| other != index);
            self.order.insert(0, index);
        }
        Ok(())
    }

    /// Proves the gain of the best choice; `watch` is told of every step. For whoever has to choose, it proves first which
    /// choice that is.
    pub(crate) fn prove_best(
        &mut self,
        is_for_choice: bool,
        watch: &mut dyn FnMut(&mut Self),
    ) -> Result<(), Stopped> {
        let (_, most) = self.bounds();
        let guess = self.best_estimate.map_or(0, |(_, gain)| gain) - FIRST_TEST_OFFSET;
        let mut test = guess - (guess - most) % GAIN_STEP;
        loop {
            let (lower, upper) = self.bounds();
            if lower == upper {
                return Ok(());
            }
            let wanted = test.clamp(lower + GAIN_STEP.min(upper - lower), upper);
            if is_for_choice && self.is_likely_out_of_reach(wanted) {
                self.prove_others_less(wanted)?;
                watch(self);
            }
            test = if self.any_move_gains(wanted)? {
                wanted + GAIN_STEP
            } else {
                self.bounds().1
            };
            // Nothing is proven where lines are too long to be followed.
            if self.bounds() == (lower, upper) {
                return Err(Stopped);
            }
            watch(self);
        }
    }

    /// Proves of all other choices whether they gain as much as the best one, whose gain is proven.
    pub(crate) fn prove_ties(&mut self, watch: &mut dyn FnMut(&mut Self)) -> Result<(), Stopped> {
        let (best, _) = self.bounds();
        for index in 0..self.root_moves.len() {
            let root = &self.root_moves[index];
            if root.lower < best && best <= root.upper {
                self.search_root_move(index, FULL_DEPTH, Window::null_at(best))?;
                watch(self);
            }
        }
        Ok(())
    }

    /// Proves the gains of all other choices, those first that may be better.
    pub(crate) fn prove_others(&mut self, watch: &mut dyn FnMut(&mut Self)) -> Result<(), Stopped> {
        let mut tests = vec![None; self.root_moves.len()];
        loop {
            let open = self.order.iter().copied();
            let open = open.filter(|&index| !self.root_moves[index].is_exact());
            let Some(index) = open.max_by_key(|&index| self.root_moves[index].upper) else {
                return Ok(());
            };
            let RootMove { lower, upper, .. } = self.root_moves[index];
            let Some(test) = tests[index] else {
                let window = Window {
                    alpha: i32::MIN / 2,
                    beta: upper + 1,
                };
                let guess = self.search_root_move(index, GUESS_TURNS, window)?;
                tests[index] = Some(guess - (guess - upper) % GAIN_STEP);
                continue;
            };
            let wanted = test.clamp(lower + GAIN_STEP.min(upper - lower), upper);
            self.search_root_move(index, FULL_DEPTH, Window::null_at(wanted))?;
            let root = &self.root_moves[index];
            if (root.lower, root.upper) == (lower, upper) {
                return Err(Stopped);
            }
            tests[index] = Some(if root.lower >= wanted {
                wanted + GAIN_STEP
            } else {
                root.upper
            });
            watch(self);
        }
    }

    /// A choice that gains so much, if there is one.
    pub(crate) fn find_move_gaining(&mut self, wanted: i32) -> Result<Option<Move>, Stopped> {
        let found = self.any_move_gains(wanted)?;
        Ok(found.then(|| self.root_moves[self.order[0]].mv))
    }

    /// Whether some choice gains so much, which then is the first in order.
    fn any_move_gains(&mut self, wanted: i32) -> Result<bool, Stopped> {
        let is_known = |&index: &usize| self.root_moves[index].lower >= wanted;
        if let Some(place) = self.order.iter().position(is_known) {
            self.order[..=place].rotate_right(1);
            return Ok(true);
        }
        for place in 0..self.order.len() {
            let index = self.order[place];
            if self.root_moves[index].upper >= wanted
                && self.search_root_move(index, FULL_DEPTH, Window::null_at(wanted))? >= wanted
            {
                self.order[..=place].rotate_right(1);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the choice that gains the most so far cannot soon be proven to gain as much as is wanted now, a step
    /// more: then it probably does not, and the proof of that would be long.
    fn is_likely_out_of_reach(&mut self, wanted: i32) -> bool {
        let first = self.order[0];
        let root = &self.root_moves[first];
        let is_next = (root.lower + 1..=root.lower + GAIN_STEP).contains(&wanted);
        let Some(child) = root
            .child
            .as_ref()
            .filter(|_| is_next && root.upper >= wanted)
        else {
            return false;
        };
        if self.threads.get() > 1 {
            return false;
        }
        let window = Window::null_at(wanted);
        let nodes =
            MIN_STEP_TEST_NODES.max(self.search.control().total_nodes() / STEP_TEST_NODES_DIVISOR);
        let found = (self.search).with_node_limit(nodes, |search| {
            search.search_root_child(child, FULL_DEPTH, window)
        });
        match found {
            Ok(found) => self.root_moves[first].tighten(found, window),
            Err(Stopped) => return true,
        }
        false
    }

    /// Proves of the choices other than the first that they gain less than is wanted, up to one that does not.
    fn prove_others_less(&mut self, wanted: i32) -> Result<(), Stopped> {
        for place in 1..self.order.len() {
            let index = self.order[place];
            if self.root_moves[index].upper >= wanted
                && self.search_root_move(index, FULL_DEPTH, Window::null_at(wanted))? >= wanted
            {
                break;
            }
        }
        Ok(())
    }

    /// The gain of one choice, as far as a search of so many turns can tell, on the terms of
    /// [`Search::search_root_child`]. All threads look for it, and the first to know it is enough.
    fn search_root_move(
        &mut self,
        index: usize,
        turns: u32,
        window: Window,
    ) -> Result<i32, Stopped> {
        let RootMove { child, lower, .. } = &self.root_moves[index];
        let Some(child) = child else {
            return Ok(*lower);
        };
        let found = if self.threads.get() > 1 {
            let alone = SERIAL_NODES_PER_THREAD.saturating_mul(self.threads.get() as u64);
            let found = self.search.with_node_limit(alone, |search| {
                search.search_root_child(child, turns, window)
            });
            found.or_else(|Stopped| {
                let all = (self.context, self.shared_control, self.threads);
                let found = search_in_parallel(self.search.control(), all, child, turns, window);
                // It counts what they have told.
                self.search.control().flush_counters();
                found
            })?
        } else {
            self.search.search_root_child(child, turns, window)?
        };
        self.root_moves[index].tighten(found, window);
        Ok(found.gain)
    }
}

/// Searches a child of the root with so many threads, while this one looks at the clock. Where there are
/// more threads than processors, one that mostly waits gets its turn at once, and one that searches does not.
fn search_in_parallel<H: SearchBoard, E: EndgameTable>(
    stop: &SearchControl,
    (shared, shared_stop, threads): (SearchContext<H, E>, &SharedControl, NonZeroUsize),
    child: &Child<H>,
    turns: u32,
    window: Window,
) -> Result<SearchValue, Stopped> {
    let (flag, nodes) = stop.flag_and_max_nodes();
    let (answer, answers) = mpsc::channel();
    let found = thread::scope(|scope| {
        for _ in 0..threads.get() {
            if stop.should_stop() {
                break;
            }
            let answer = answer.clone();
            scope.spawn(move || {
                let limits = SearchLimits {
                    deadline: None,
                    stop_flag: flag,
                    max_nodes: nodes,
                };
                let stop = SearchControl::new(limits, shared_stop);
                let found =
                    Search::<H, E>::new(shared, stop).search_root_child(child, turns, window);
                if let Ok(found) = found {
                    // Nobody listens if the time was up before.
                    let _ = answer.send(found);
                    shared_stop.stop_all();
                }
            });
        }
        drop(answer);
        let found = loop {
            match answers.recv_timeout(POLL_INTERVAL) {
                Ok(found) => break Ok(found),
                Err(RecvTimeoutError::Timeout) if !stop.should_stop() => {}
                // Or all have stopped by themselves.
                Err(_) => break Err(Stopped),
            }
        };
        shared_stop.stop_all();
        found
    });
    shared_stop.reset();
    found
}

/// How often a thread that waits for others looks whether they have to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Positions that one thread searches alone, for each thread that would be started: that takes longer than to
/// start it, some tens of microseconds.
const SERIAL_NODES_PER_THREAD: u64 = 1_000;

/// A proof begins so much lower than what is expected: that a gain is reached takes less to prove than that
/// it is not, and names a choice, should there be no time for more. In 40 positions of 6x3 the gain was
/// never lower than that, seen six turns ahead; whole proofs take 6 to 10 % more positions for it.
const FIRST_TEST_OFFSET: i32 = 4;

/// Positions to search at least, and as a part of those that were searched before, to see whether the best choice gains a step
/// more, before all others are asked for the sake of whoever has to choose. In 42 positions that begin ply 4 of 6x4, with a
/// table of 22 seeds, it took 73 million positions to know the best choice and not 111, and 8 at most and not 18; with 5 to
/// 50 thousand and parts from 4 to 32 about as many.
const MIN_STEP_TEST_NODES: u64 = 20_000;
const STEP_TEST_NODES_DIVISOR: u64 = 8;

/// Turns to look ahead for what to expect of a choice that is not the best, before its gain is proven.
/// In 12 positions of 6x3, to prove all gains took a tenth less than with tests from the upper bound downwards; with
/// four turns it took as much.
const GUESS_TURNS: u32 = 6;
