use std::num::NonZeroUsize;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use kalah::Move;

use crate::child::Child;
use crate::endgames::Endgames;
use crate::found::{Found, STEP, Window};
use crate::houses::Houses;
use crate::search::{Search, Shared, TO_THE_END};
use crate::stop::{SharedStop, Stop, StopLimits, Stopped};

/// What is being found out about one position: every choice and what is known of it.
///
/// Gains are those of the player to move at the root. Two ways lead to them: looking ahead turn by
/// turn, which estimates and always has a choice to offer, and proofs, which search to the end of the
/// game whether a gain is so much or not.
pub(crate) struct Analysis<'a, H: Houses, E: Endgames> {
    shared: Shared<'a, H, E>,
    shared_stop: &'a SharedStop,
    search: Search<'a, H, E>,
    threads: NonZeroUsize,
    roots: Vec<Root<Child<H>>>,
    /// The most promising choices first, as indices of `roots`.
    order: Vec<usize>,
    /// Index of the choice that looks best, and its gain as estimated.
    expected: Option<(usize, i32)>,
    /// Turns of the last iteration that was finished.
    depth: u32,
}

/// A choice at the root.
pub(crate) struct Root<C> {
    pub(crate) choice: Move,
    /// The position behind it, where that is to be searched.
    child: Option<C>,
    /// No gain is less.
    pub(crate) lower: i32,
    /// No gain is more.
    pub(crate) upper: i32,
}

impl<C> Root<C> {
    fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    /// Takes in what a search found that was asked for this window.
    ///
    /// Bounds never cross: they would if a table from a file were not what it should be, and then the
    /// first of them that was found stays.
    fn learn(&mut self, found: Found, window: Window) {
        if found.resolved && found.gain > window.alpha {
            self.lower = self.lower.max(found.gain.min(self.upper));
        }
        if found.resolved && found.gain < window.beta {
            self.upper = self.upper.min(found.gain.max(self.lower));
        }
    }
}

impl<'a, H: Houses, E: Endgames> Analysis<'a, H, E> {
    /// Nothing is known yet but what takes no search. Nobody gains less than `least`
    /// or more than `most`.
    pub(crate) fn new(
        shared: Shared<'a, H, E>,
        (houses, in_play, (least, most)): (&H, i32, (i32, i32)),
        limits: StopLimits<'a>,
        shared_stop: &'a SharedStop,
        threads: NonZeroUsize,
    ) -> Self {
        let mut promises = Vec::new();
        let roots: Vec<_> = shared
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
                promises.push(child.as_ref().map_or(i32::MIN, |child| child.promise));
                Root {
                    choice,
                    child,
                    lower,
                    upper,
                }
            })
            .collect();
        let mut order: Vec<usize> = (0..roots.len()).collect();
        order.sort_by_key(|&index| std::cmp::Reverse(promises[index]));
        Self {
            shared,
            shared_stop,
            search: Search::new(shared, Stop::new(limits, shared_stop)),
            threads,
            roots,
            order,
            expected: None,
            depth: 0,
        }
    }

    pub(crate) fn stop(&mut self) -> &mut Stop<'a> {
        self.search.stop()
    }

    /// Takes for proven that a choice gains no less and no more, unless that cannot be.
    pub(crate) fn know(&mut self, choice: Move, lower: i32, upper: i32) {
        for root in self.roots.iter_mut().filter(|root| root.choice == choice) {
            let (lower, upper) = (root.lower.max(lower), root.upper.min(upper));
            if lower <= upper {
                (root.lower, root.upper) = (lower, upper);
            }
        }
    }

    /// Every choice.
    pub(crate) fn roots(&self) -> &[Root<Child<H>>] {
        &self.roots
    }

    /// Turns of the last iteration that was finished.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// The least and the most that the best choice gains.
    pub(crate) fn bounds(&self) -> (i32, i32) {
        let lower = self.roots.iter().map(|root| root.lower).max();
        let upper = self.roots.iter().map(|root| root.upper).max();
        (lower.unwrap_or(0), upper.unwrap_or(0))
    }

    /// The choice to make as far as is known, and the gain that it is expected to have.
    pub(crate) fn best(&self) -> Option<(Move, i32)> {
        let in_order = || self.order.iter().map(|&index| &self.roots[index]);
        let safest = in_order().rev().max_by_key(|root| root.lower)?;
        let mut others = in_order().filter(|root| root.choice != safest.choice);
        let is_best = others.all(|other| other.upper <= safest.lower);
        Some(match self.expected {
            Some((index, gain)) if !self.is_proven() => {
                // Unless another has been proven to be as good as any, or to be better.
                let expected = &self.roots[index];
                let root = if is_best || expected.upper < safest.lower {
                    safest
                } else {
                    expected
                };
                (root.choice, gain.clamp(root.lower, root.upper))
            }
            _ => (safest.choice, safest.lower),
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
            let root = &self.roots[index];
            let gain = if root.is_exact() {
                root.lower
            } else if place == 0 {
                self.ask(index, turns, window)?
            } else {
                // Expect that no other choice is better, and look again at one that is.
                let gain = self.ask(index, turns, Window::at_least(window.alpha + 1))?;
                if gain > window.alpha {
                    self.ask(index, turns, window)?
                } else {
                    gain
                }
            };
            if gain > window.alpha {
                window.alpha = gain;
                self.expected = Some((index, gain));
            }
        }
        self.depth = turns;
        // What was best is looked at first next time.
        if let Some((index, _)) = self.expected {
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
        let guess = self.expected.map_or(0, |(_, gain)| gain) - CAUTION;
        let mut test = guess - (guess - most) % STEP;
        loop {
            let (lower, upper) = self.bounds();
            if lower == upper {
                return Ok(());
            }
            let wanted = test.clamp(lower + STEP.min(upper - lower), upper);
            if is_for_choice && self.is_likely_out_of_reach(wanted) {
                self.prove_others_less(wanted)?;
                watch(self);
            }
            test = if self.gains(wanted)? {
                wanted + STEP
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
        for index in 0..self.roots.len() {
            let root = &self.roots[index];
            if root.lower < best && best <= root.upper {
                self.ask(index, TO_THE_END, Window::at_least(best))?;
                watch(self);
            }
        }
        Ok(())
    }

    /// Proves the gains of all other choices, those first that may be better.
    pub(crate) fn prove_others(&mut self, watch: &mut dyn FnMut(&mut Self)) -> Result<(), Stopped> {
        let mut tests = vec![None; self.roots.len()];
        loop {
            let open = self.order.iter().copied();
            let open = open.filter(|&index| !self.roots[index].is_exact());
            let Some(index) = open.max_by_key(|&index| self.roots[index].upper) else {
                return Ok(());
            };
            let Root { lower, upper, .. } = self.roots[index];
            let Some(test) = tests[index] else {
                let window = Window {
                    alpha: i32::MIN / 2,
                    beta: upper + 1,
                };
                let guess = self.ask(index, TURNS_BEFORE_OTHERS, window)?;
                tests[index] = Some(guess - (guess - upper) % STEP);
                continue;
            };
            let wanted = test.clamp(lower + STEP.min(upper - lower), upper);
            self.ask(index, TO_THE_END, Window::at_least(wanted))?;
            let root = &self.roots[index];
            if (root.lower, root.upper) == (lower, upper) {
                return Err(Stopped);
            }
            tests[index] = Some(if root.lower >= wanted {
                wanted + STEP
            } else {
                root.upper
            });
            watch(self);
        }
    }

    /// A choice that gains so much, if there is one.
    pub(crate) fn choice_for(&mut self, wanted: i32) -> Result<Option<Move>, Stopped> {
        let found = self.gains(wanted)?;
        Ok(found.then(|| self.roots[self.order[0]].choice))
    }

    /// Whether some choice gains so much, which then is the first in order.
    fn gains(&mut self, wanted: i32) -> Result<bool, Stopped> {
        let is_known = |&index: &usize| self.roots[index].lower >= wanted;
        if let Some(place) = self.order.iter().position(is_known) {
            self.order[..=place].rotate_right(1);
            return Ok(true);
        }
        for place in 0..self.order.len() {
            let index = self.order[place];
            if self.roots[index].upper >= wanted
                && self.ask(index, TO_THE_END, Window::at_least(wanted))? >= wanted
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
        let root = &self.roots[first];
        let is_next = (root.lower + 1..=root.lower + STEP).contains(&wanted);
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
        let window = Window::at_least(wanted);
        let nodes = LEAST_NODES_OF_STEP.max(self.search.stop().nodes_of_all() / PART_FOR_STEP);
        let found =
            (self.search).alone(nodes, |search| search.root_child(child, TO_THE_END, window));
        match found {
            Ok(found) => self.roots[first].learn(found, window),
            Err(Stopped) => return true,
        }
        false
    }

    /// Proves of the choices other than the first that they gain less than is wanted, up to one that does not.
    fn prove_others_less(&mut self, wanted: i32) -> Result<(), Stopped> {
        for place in 1..self.order.len() {
            let index = self.order[place];
            if self.roots[index].upper >= wanted
                && self.ask(index, TO_THE_END, Window::at_least(wanted))? >= wanted
            {
                break;
            }
        }
        Ok(())
    }

    /// The gain of one choice, as far as a search of so many turns can tell, on the terms of
    /// [`Search::root_child`]. All threads look for it, and the first to know it is enough.
    fn ask(&mut self, index: usize, turns: u32, window: Window) -> Result<i32, Stopped> {
        let Root { child, lower, .. } = &self.roots[index];
        let Some(child) = child else {
            return Ok(*lower);
        };
        let found = if self.threads.get() > 1 {
            let alone = NODES_A_THREAD.saturating_mul(self.threads.get() as u64);
            let found = self
                .search
                .alone(alone, |search| search.root_child(child, turns, window));
            found.or_else(|Stopped| {
                let all = (self.shared, self.shared_stop, self.threads);
                let found = search_together(self.search.stop(), all, child, turns, window);
                // It counts what they have told.
                self.search.stop().tell();
                found
            })?
        } else {
            self.search.root_child(child, turns, window)?
        };
        self.roots[index].learn(found, window);
        Ok(found.gain)
    }
}

/// Searches a child of the root with so many threads, while this one looks at the clock. Where there are
/// more threads than processors, one that mostly waits gets its turn at once, and one that searches does not.
fn search_together<H: Houses, E: Endgames>(
    stop: &Stop,
    (shared, shared_stop, threads): (Shared<H, E>, &SharedStop, NonZeroUsize),
    child: &Child<H>,
    turns: u32,
    window: Window,
) -> Result<Found, Stopped> {
    let (flag, nodes) = stop.flag_and_nodes();
    let (answer, answers) = mpsc::channel();
    let found = thread::scope(|scope| {
        for _ in 0..threads.get() {
            if stop.is_due() {
                break;
            }
            let answer = answer.clone();
            scope.spawn(move || {
                let limits = StopLimits {
                    deadline: None,
                    flag,
                    nodes,
                };
                let stop = Stop::new(limits, shared_stop);
                let found = Search::<H, E>::new(shared, stop).root_child(child, turns, window);
                if let Ok(found) = found {
                    // Nobody listens if the time was up before.
                    let _ = answer.send(found);
                    shared_stop.stop_all();
                }
            });
        }
        drop(answer);
        let found = loop {
            match answers.recv_timeout(TIME_BETWEEN_LOOKS) {
                Ok(found) => break Ok(found),
                Err(RecvTimeoutError::Timeout) if !stop.is_due() => {}
                // Or all have stopped by themselves.
                Err(_) => break Err(Stopped),
            }
        };
        shared_stop.stop_all();
        found
    });
    shared_stop.go_on();
    found
}

/// How often a thread that waits for others looks whether they have to stop.
const TIME_BETWEEN_LOOKS: Duration = Duration::from_millis(2);

/// Positions that one thread searches alone, for each thread that would be started: that takes longer than to
/// start it, some tens of microseconds.
const NODES_A_THREAD: u64 = 1_000;

/// A proof begins so much lower than what is expected: that a gain is reached takes less to prove than that
/// it is not, and names a choice, should there be no time for more. In 40 positions of 6x3 the gain was
/// never lower than that, seen six turns ahead; whole proofs take 6 to 10 % more positions for it.
const CAUTION: i32 = 4;

/// Positions to search at least, and as a part of those that were searched before, to see whether the best choice gains a step
/// more, before all others are asked for the sake of whoever has to choose. In 42 positions that begin ply 4 of 6x4, with a
/// table of 22 seeds, it took 73 million positions to know the best choice and not 111, and 8 at most and not 18; with 5 to
/// 50 thousand and parts from 4 to 32 about as many.
const LEAST_NODES_OF_STEP: u64 = 20_000;
const PART_FOR_STEP: u64 = 8;

/// Turns to look ahead for what to expect of a choice that is not the best, before its gain is proven.
/// In 12 positions of 6x3, to prove all gains took a tenth less than with tests from the upper bound downwards; with
/// four turns it took as much.
const TURNS_BEFORE_OTHERS: u32 = 6;
