use std::cmp::Reverse;

use kalah::Move;

use super::{MOST_PLIES, Search, Shared, house_of};
use crate::child::{Child, Spot};
use crate::endgames::Endgames;
use crate::found::{Found, STEP, Sum, Window};
use crate::houses::Houses;
use crate::key::Key;
use crate::proof_memory::QuestionKey;
use crate::proof_numbers::ProofNumbers;
use crate::stop::Stopped;
use crate::transposition::{Depth, Memory};

/// A choice in a position about which there is a question, and the question that it leads to.
pub(super) struct Branch<H> {
    child: Child<H>,
    /// The gain that is wanted there, in the child's terms.
    wanted: i32,
    /// What the child is remembered by, if it is.
    key: Option<Key>,
    /// Whether the question is left to alpha-beta search.
    is_leaf: bool,
    /// How far the parent is from its answer by this choice.
    numbers: ProofNumbers,
}

/// The question whether the side to move in a position gains as much as is wanted.
struct Question<'s, H> {
    spot: &'s Spot<H>,
    wanted: i32,
}

/// What some choices come to.
struct Comparison {
    /// How far it is to an answer.
    numbers: ProofNumbers,
    /// The index of the choice with least to do, and what there is to do for the second.
    easiest: usize,
    second: f64,
}

/// Up to so many seeds more than in a table, a question is left to alpha-beta search.
const SEEDS_OF_LEAF: i32 = 6;

/// A choice is followed until it has more work left than the second best, by this part and this much: to go from one
/// to the other costs more than to be on the wrong one for a while (the "1 + epsilon trick" of J. Pawlewicz and
/// Ł. Lew, "Improving depth-first PN-search: 1+ε trick", 2006). Measured: see docs/performance.md, as with the seeds
/// of a leaf.
const PATIENCE: f64 = 0.17;
const LEAST_PATIENCE: f64 = 1.0;

/// What another thread is at work on seems so many times as much work; with twice or four times as much, two threads
/// took as many positions for 6x4, and with no more work a half more.
const TIMES_IF_BUSY: f64 = 1.5;

/// Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
/// applications", 2002), far above the tables: always where least is left to do for an answer.
///
/// Alpha-beta search takes choices in a fixed order and follows each to its end, whatever that costs.
impl<H: Houses, E: Endgames> Search<'_, H, E> {
    /// Whether questions about this position, so many plies from the root, deserve proof numbers.
    #[inline]
    pub(super) fn deserves_numbers(&self, spot: &Spot<H>, ply: u32) -> bool {
        let shared = &self.shared;
        !shared.is_leaf(spot, ply)
            && spot.in_play <= u8::MAX.into()
            && !shared.proofs.is_none()
            && !shared.transpositions.is_none()
            && spot.houses.tell_all()
    }

    /// Whether the side to move in a position that deserves it gains as much as the upper end of a window.
    pub(super) fn ask(
        &mut self,
        spot: &Spot<H>,
        window: Window,
        ply: u32,
    ) -> Result<Found, Stopped> {
        if let Some(found) = spot.beyond(window) {
            return Ok(found);
        }
        let wanted = with_parity(window.beta, spot.in_play);
        let numbers = self.prove(Question { spot, wanted }, ProofNumbers::UNLIMITED, ply)?;
        let yes = numbers.answer().ok_or(Stopped)?;
        Ok(Found {
            gain: if yes { wanted } else { wanted - STEP },
            resolved: true,
        })
    }

    /// Works on a question until it is answered, or one of its numbers reaches its limit.
    fn prove(
        &mut self,
        question: Question<H>,
        limits: ProofNumbers,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        let key = question.spot.houses.key(self.shared.game);
        if let Some(yes) = self.remembered_answer(question, key) {
            return Ok(ProofNumbers::of_answer(yes));
        }
        self.stop.count_node()?;
        let nodes_before = self.stop.nodes();
        let base = self.branches.len();
        let (numbers, choice) = if let Some(choice) = self.branch_out(question, ply) {
            (ProofNumbers::YES, Some(choice))
        } else {
            let busy = self.shared.busy;
            busy.inspect(|busy| busy.begin(key));
            let numbers = self.follow_branches(question, base, limits, ply);
            busy.inspect(|busy| busy.end(key));
            let mut branches = self.branches[base..].iter();
            let enough = branches.find(|branch| branch.numbers.answer() == Some(true));
            (numbers?, enough.map(|branch| branch.child.choice))
        };
        self.branches.truncate(base);
        match numbers.answer() {
            Some(yes) => {
                let memory = question.memory(yes, choice);
                let nodes = self.stop.nodes() - nodes_before;
                let transpositions = self.shared.transpositions;
                transpositions.put(key, question.spot.in_play, memory, nodes);
            }
            None => self.shared.proofs.put(question.key(key), numbers),
        }
        Ok(numbers)
    }

    /// Lists the choices whose gains are not known, the most promising first, unless there is one whose gain is
    /// known to be enough.
    fn branch_out(&mut self, question: Question<H>, ply: u32) -> Option<Move> {
        let window = Window::at_least(question.wanted);
        let mut sum = Sum::new(window);
        let base = self.branches.len();
        let listed = self.open.len();
        self.list(question.spot, i32::MAX, ply, &mut sum);
        let shared = self.shared;
        for mut child in self.open.drain(listed..) {
            child.promise = child.look();
            let key = shared.key(&child.spot);
            let is_leaf = shared.is_leaf(&child.spot, ply + 1);
            if let Some(key) = key {
                shared.transpositions.prefetch(key);
                if !is_leaf {
                    shared.proofs.prefetch(key);
                }
            }
            self.branches.push(Branch {
                wanted: with_parity(child.change.window(window).beta, child.spot.in_play),
                child,
                key,
                is_leaf,
                numbers: ProofNumbers::UNLIMITED,
            });
        }
        self.probe(&mut sum);
        if sum.is_cut() {
            return sum.choice;
        }
        for index in base..self.branches.len() {
            let numbers = self.numbers_of(&self.branches[index]);
            self.branches[index].learn(numbers);
        }
        self.branches[base..].sort_by_key(|branch| Reverse(branch.child.promise));
        None
    }

    /// Follows the choices from `base` on, each for as long as it is the easiest.
    fn follow_branches(
        &mut self,
        question: Question<H>,
        base: usize,
        limits: ProofNumbers,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        loop {
            let Comparison {
                numbers,
                easiest,
                second,
            } = self.compare_branches(base, limits.prove);
            let reached = numbers.prove >= limits.prove || numbers.disprove >= limits.disprove;
            if reached || numbers.answer().is_some() {
                return Ok(numbers);
            }
            let branch = &self.branches[easiest];
            let child = branch.child.clone();
            let next = Question {
                spot: &child.spot,
                wanted: branch.wanted,
            };
            let found = if branch.is_leaf {
                self.answer(next, branch.key, ply + 1)?
            } else {
                let limits = ProofNumbers {
                    prove: limits.prove.min(second * (1.0 + PATIENCE) + LEAST_PATIENCE),
                    disprove: limits.disprove - numbers.disprove + branch.numbers.disprove,
                };
                self.prove(next, branch.in_other_terms(limits), ply + 1)?
            };
            self.branches[easiest].learn(found);
            if self.shared.busy.is_some() {
                let key = question.spot.houses.key(self.shared.game);
                if let Some(yes) = self.remembered_answer(question, key) {
                    return Ok(ProofNumbers::of_answer(yes));
                }
                self.learn_from_others(base);
            }
        }
    }

    /// How far it is to an answer by the choices from `base` on, and which of them is the easiest; one with
    /// `most` to do or more is none to follow.
    fn compare_branches(&self, base: usize, most: f64) -> Comparison {
        let mut comparison = Comparison {
            numbers: ProofNumbers::NO,
            easiest: base,
            second: f64::INFINITY,
        };
        let mut least = f64::INFINITY;
        let Comparison {
            numbers,
            easiest,
            second,
        } = &mut comparison;
        for (index, branch) in (base..).zip(&self.branches[base..]) {
            // One choice is enough for the one answer, and all are needed for the other.
            numbers.prove = numbers.prove.min(branch.numbers.prove);
            numbers.disprove += branch.numbers.disprove;
            if branch.numbers.prove >= most {
                continue;
            }
            let busy = branch.key.zip(self.shared.busy);
            let times = if busy.is_some_and(|(key, busy)| busy.has(key)) {
                TIMES_IF_BUSY
            } else {
                1.0
            };
            let seems = branch.numbers.prove * times;
            if seems < least {
                (*second, least) = (least, seems);
                *easiest = index;
            } else {
                *second = second.min(seems);
            }
        }
        comparison
    }

    /// Answers a question by alpha-beta search.
    fn answer(
        &mut self,
        question: Question<H>,
        key: Option<Key>,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        let busy = key.zip(self.shared.busy);
        busy.inspect(|(key, busy)| busy.begin(*key));
        let window = Window::at_least(question.wanted);
        let found = self.node(question.spot, i32::MAX, window, ply);
        busy.inspect(|(key, busy)| busy.end(*key));
        let Found { gain, resolved } = found?;
        // A line that is too long to be followed is estimated: then nothing is proven at all.
        if resolved {
            Ok(ProofNumbers::of_answer(gain >= question.wanted))
        } else {
            Err(Stopped)
        }
    }

    /// Takes in what other threads have answered of the choices from `base` on.
    fn learn_from_others(&mut self, base: usize) {
        for index in base..self.branches.len() {
            let branch = &self.branches[index];
            let Some(key) = branch.key.filter(|_| branch.numbers.answer().is_none()) else {
                continue;
            };
            if let Some(yes) = self.remembered_answer(branch.question(), key) {
                self.branches[index].learn(ProofNumbers::of_answer(yes));
            }
        }
    }

    /// What is known of the question that a choice raises, or else expected.
    fn numbers_of(&self, branch: &Branch<H>) -> ProofNumbers {
        let question = branch.question();
        if let Some(found) = question.spot.beyond(Window::at_least(question.wanted)) {
            return ProofNumbers::of_answer(found.gain >= question.wanted);
        }
        if let Some(key) = branch.key {
            if let Some(yes) = self.remembered_answer(question, key) {
                return ProofNumbers::of_answer(yes);
            }
            if !branch.is_leaf
                && let Some(numbers) = self.shared.proofs.get(question.key(key))
            {
                return numbers;
            }
        }
        let seeds = self.shared.seeds_above_leaf(question.spot);
        ProofNumbers::expected(&branch.child, question.wanted, seeds)
    }

    /// The answer that memory gives.
    #[inline]
    fn remembered_answer(&self, question: Question<H>, key: Key) -> Option<bool> {
        let Question { spot, wanted } = question;
        let known = self.shared.transpositions.get(key, spot.in_play)?;
        let found = known.answer(i32::MAX, Window::at_least(wanted))?;
        found.resolved.then_some(found.gain >= wanted)
    }
}

impl<H: Houses, E: Endgames> Shared<'_, H, E> {
    /// Whether questions about a position so many plies from the root are left to alpha-beta search.
    #[inline]
    fn is_leaf(&self, spot: &Spot<H>, ply: u32) -> bool {
        // Nothing is listed at the last ply.
        self.seeds_above_leaf(spot) <= 0 || ply + 1 >= MOST_PLIES
    }

    #[inline]
    fn seeds_above_leaf(&self, spot: &Spot<H>) -> i32 {
        spot.in_play - self.endgames.most_seeds() - SEEDS_OF_LEAF
    }
}

impl<H: Houses> Branch<H> {
    fn question(&self) -> Question<'_, H> {
        Question {
            spot: &self.child.spot,
            wanted: self.wanted,
        }
    }

    /// Takes in the numbers of the question that it raises.
    #[inline]
    fn learn(&mut self, found: ProofNumbers) {
        self.numbers = self.in_other_terms(found);
    }

    /// The numbers of the parent's question as those of the child's, or the other way round.
    #[inline]
    fn in_other_terms(&self, numbers: ProofNumbers) -> ProofNumbers {
        if self.child.change.same_player {
            numbers
        } else {
            numbers.opposite()
        }
    }
}

impl<H> Clone for Question<'_, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Question<'_, H> {}

impl<H: Houses> Question<'_, H> {
    /// What it is remembered by before there is an answer.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 to 255"
    )]
    fn key(self, key: Key) -> QuestionKey {
        // A gain is what the side to move gets of the seeds in play, less what the other one gets.
        let seeds = i32::midpoint(self.wanted, self.spot.in_play);
        QuestionKey {
            key,
            seeds: seeds as u8,
        }
    }

    /// What is to be remembered of the answer, and of the choice that it rests on.
    fn memory(self, yes: bool, choice: Option<Move>) -> Memory {
        let unknown = Memory::nothing(self.spot.in_play);
        Memory {
            lower: if yes { self.wanted } else { unknown.lower },
            upper: if yes {
                unknown.upper
            } else {
                self.wanted - STEP
            },
            depth: Depth::RESOLVED,
            house: house_of(choice),
        }
    }
}

/// The least gain from `wanted` on that a position with so many seeds in play can have.
#[inline]
fn with_parity(wanted: i32, in_play: i32) -> i32 {
    wanted + (wanted - in_play).rem_euclid(STEP)
}

#[cfg(test)]
mod tests;
