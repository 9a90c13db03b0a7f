//! Depth-first proof-number search.

use std::cmp::Reverse;

use kalah::Move;

use super::alpha_beta::Search;
use super::context::{MAX_PLY, SearchContext};
use super::node::{BestScore, GAIN_STEP, Node, SearchValue, Window};
use super::proof_goal::{ProofChild, ProofGoal};
use super::proof_numbers::ProofNumbers;
use crate::board::key::PositionKey;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::limits::Stopped;

/// What some choices come to.
struct Selection {
    /// How far it is to an answer.
    numbers: ProofNumbers,
    /// The index of the choice with least to do, and what there is to do for the second.
    best_child: usize,
    second_proof: f64,
}

/// Up to so many seeds more than in a table, a question is left to alpha-beta search.
const LEAF_SEEDS_ABOVE_TABLE: i32 = 6;

/// A choice is followed until it has more work left than the second best, by this part and this much: to go from one
/// to the other costs more than to be on the wrong one for a while (the "1 + epsilon trick" of J. Pawlewicz and
/// Ł. Lew, "Improving depth-first PN-search: 1+ε trick", 2006). Measured: see docs/performance.md, as with the seeds
/// of a leaf.
const THRESHOLD_EPSILON: f64 = 0.17;
const MIN_THRESHOLD_SLACK: f64 = 1.0;

/// What another thread is at work on seems so many times as much work; with twice or four times as much, two threads
/// took as many positions for 6x4, and with no more work a half more.
const SEARCHED_ELSEWHERE_FACTOR: f64 = 1.5;

/// Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
/// applications", 2002), far above the tables: always where least is left to do for an answer.
///
/// Alpha-beta search takes choices in a fixed order and follows each to its end, whatever that costs.
impl<H: SearchBoard, E: EndgameTable> Search<'_, H, E> {
    /// Whether questions about this position, so many plies from the root, deserve proof numbers.
    #[inline]
    pub(super) fn uses_proof_numbers(&self, spot: &Node<H>, ply: u32) -> bool {
        let shared = &self.context;
        !shared.is_proof_leaf(spot, ply)
            && spot.in_play <= u8::MAX.into()
            && !shared.proof_table.is_disabled()
            && !shared.transpositions.is_disabled()
            && spot.board.is_cacheable()
    }

    /// Whether the side to move in a position that deserves it gains as much as the upper end of a window.
    pub(super) fn prove_window(
        &mut self,
        spot: &Node<H>,
        window: Window,
        ply: u32,
    ) -> Result<SearchValue, Stopped> {
        if let Some(found) = spot.trivial_value(window) {
            return Ok(found);
        }
        let wanted = round_up_to_parity(window.beta, spot.in_play);
        let numbers = self.prove(
            ProofGoal {
                node: spot,
                target_gain: wanted,
            },
            ProofNumbers::INFINITE,
            ply,
        )?;
        let yes = numbers.result().ok_or(Stopped)?;
        Ok(SearchValue {
            gain: if yes { wanted } else { wanted - GAIN_STEP },
            proven: true,
        })
    }

    /// Works on a question until it is answered, or one of its numbers reaches its limit.
    fn prove(
        &mut self,
        question: ProofGoal<H>,
        limits: ProofNumbers,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        let key = question.node.board.key(self.context.move_tables);
        if let Some(yes) = self.tt_result(question, key) {
            return Ok(ProofNumbers::from_result(yes));
        }
        self.control.count_node()?;
        let nodes_before = self.control.nodes();
        let base = self.proof_child_stack.len();
        let (numbers, choice) = if let Some(choice) = self.expand(question, ply) {
            (ProofNumbers::PROVEN, Some(choice))
        } else {
            let busy = self.context.currently_searching;
            busy.inspect(|busy| busy.begin(key));
            let numbers = self.search_proof_children(question, base, limits, ply);
            busy.inspect(|busy| busy.end(key));
            let mut branches = self.proof_child_stack[base..].iter();
            let enough = branches.find(|branch| branch.numbers.result() == Some(true));
            (numbers?, enough.map(|branch| branch.child.mv))
        };
        self.proof_child_stack.truncate(base);
        match numbers.result() {
            Some(yes) => {
                let memory = question.tt_entry(yes, choice);
                let nodes = self.control.nodes() - nodes_before;
                let transpositions = self.context.transpositions;
                transpositions.put(key, question.node.in_play, memory, nodes);
            }
            None => self
                .context
                .proof_table
                .put(question.proof_key(key), numbers),
        }
        Ok(numbers)
    }

    /// Lists the choices whose gains are not known, the most promising first, unless there is one whose gain is
    /// known to be enough.
    fn expand(&mut self, question: ProofGoal<H>, ply: u32) -> Option<Move> {
        let window = Window::null_at(question.target_gain);
        let mut sum = BestScore::new(window);
        let base = self.proof_child_stack.len();
        let listed = self.child_stack.len();
        self.generate_children(question.node, i32::MAX, ply, &mut sum);
        let shared = self.context;
        for mut child in self.child_stack.drain(listed..) {
            child.order_score = child.ordering_score();
            let key = shared.tt_key(&child.node);
            let is_leaf = shared.is_proof_leaf(&child.node, ply + 1);
            if let Some(key) = key {
                shared.transpositions.prefetch(key);
                if !is_leaf {
                    shared.proof_table.prefetch(key);
                }
            }
            self.proof_child_stack.push(ProofChild {
                target_gain: round_up_to_parity(
                    child.transform.child_window(window).beta,
                    child.node.in_play,
                ),
                child,
                key,
                is_leaf,
                numbers: ProofNumbers::INFINITE,
            });
        }
        self.probe_tables(&mut sum);
        if sum.is_cutoff() {
            return sum.best_move;
        }
        for index in base..self.proof_child_stack.len() {
            let numbers = self.initial_numbers(&self.proof_child_stack[index]);
            self.proof_child_stack[index].update(numbers);
        }
        self.proof_child_stack[base..].sort_by_key(|branch| Reverse(branch.child.order_score));
        None
    }

    /// Follows the choices from `base` on, each for as long as it is the easiest.
    fn search_proof_children(
        &mut self,
        question: ProofGoal<H>,
        base: usize,
        limits: ProofNumbers,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        loop {
            let Selection {
                numbers,
                best_child: easiest,
                second_proof: second,
            } = self.select_child(base, limits.proof);
            let reached = numbers.proof >= limits.proof || numbers.disproof >= limits.disproof;
            if reached || numbers.result().is_some() {
                return Ok(numbers);
            }
            let branch = &self.proof_child_stack[easiest];
            let child = branch.child.clone();
            let next = ProofGoal {
                node: &child.node,
                target_gain: branch.target_gain,
            };
            let found = if branch.is_leaf {
                self.search_leaf(next, branch.key, ply + 1)?
            } else {
                let limits = ProofNumbers {
                    proof: limits
                        .proof
                        .min(second * (1.0 + THRESHOLD_EPSILON) + MIN_THRESHOLD_SLACK),
                    disproof: limits.disproof - numbers.disproof + branch.numbers.disproof,
                };
                self.prove(next, branch.flip_perspective(limits), ply + 1)?
            };
            self.proof_child_stack[easiest].update(found);
            if self.context.currently_searching.is_some() {
                let key = question.node.board.key(self.context.move_tables);
                if let Some(yes) = self.tt_result(question, key) {
                    return Ok(ProofNumbers::from_result(yes));
                }
                self.update_from_other_threads(base);
            }
        }
    }

    /// How far it is to an answer by the choices from `base` on, and which of them is the easiest; one with
    /// `most` to do or more is none to follow.
    fn select_child(&self, base: usize, most: f64) -> Selection {
        let mut comparison = Selection {
            numbers: ProofNumbers::DISPROVEN,
            best_child: base,
            second_proof: f64::INFINITY,
        };
        let mut least = f64::INFINITY;
        let Selection {
            numbers,
            best_child: easiest,
            second_proof: second,
        } = &mut comparison;
        for (index, branch) in (base..).zip(&self.proof_child_stack[base..]) {
            // One choice is enough for the one answer, and all are needed for the other.
            numbers.proof = numbers.proof.min(branch.numbers.proof);
            numbers.disproof += branch.numbers.disproof;
            if branch.numbers.proof >= most {
                continue;
            }
            let busy = branch.key.zip(self.context.currently_searching);
            let times = if busy.is_some_and(|(key, busy)| busy.contains(key)) {
                SEARCHED_ELSEWHERE_FACTOR
            } else {
                1.0
            };
            let seems = branch.numbers.proof * times;
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
    fn search_leaf(
        &mut self,
        question: ProofGoal<H>,
        key: Option<PositionKey>,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        let busy = key.zip(self.context.currently_searching);
        busy.inspect(|(key, busy)| busy.begin(*key));
        let window = Window::null_at(question.target_gain);
        let found = self.search_node(question.node, i32::MAX, window, ply);
        busy.inspect(|(key, busy)| busy.end(*key));
        let SearchValue {
            gain,
            proven: resolved,
        } = found?;
        // A line that is too long to be followed is estimated: then nothing is proven at all.
        if resolved {
            Ok(ProofNumbers::from_result(gain >= question.target_gain))
        } else {
            Err(Stopped)
        }
    }

    /// Takes in what other threads have answered of the choices from `base` on.
    fn update_from_other_threads(&mut self, base: usize) {
        for index in base..self.proof_child_stack.len() {
            let branch = &self.proof_child_stack[index];
            let Some(key) = branch.key.filter(|_| branch.numbers.result().is_none()) else {
                continue;
            };
            if let Some(yes) = self.tt_result(branch.goal(), key) {
                self.proof_child_stack[index].update(ProofNumbers::from_result(yes));
            }
        }
    }

    /// What is known of the question that a choice raises, or else expected.
    fn initial_numbers(&self, branch: &ProofChild<H>) -> ProofNumbers {
        let question = branch.goal();
        if let Some(found) = question
            .node
            .trivial_value(Window::null_at(question.target_gain))
        {
            return ProofNumbers::from_result(found.gain >= question.target_gain);
        }
        if let Some(key) = branch.key {
            if let Some(yes) = self.tt_result(question, key) {
                return ProofNumbers::from_result(yes);
            }
            if !branch.is_leaf
                && let Some(numbers) = self.context.proof_table.get(question.proof_key(key))
            {
                return numbers;
            }
        }
        let seeds = self.context.seeds_above_leaf(question.node);
        ProofNumbers::estimate(&branch.child, question.target_gain, seeds)
    }

    /// The answer that memory gives.
    #[inline]
    fn tt_result(&self, question: ProofGoal<H>, key: PositionKey) -> Option<bool> {
        let ProofGoal {
            node: spot,
            target_gain: wanted,
        } = question;
        let known = self.context.transpositions.get(key, spot.in_play)?;
        let found = known.cutoff_value(i32::MAX, Window::null_at(wanted))?;
        found.proven.then_some(found.gain >= wanted)
    }
}

impl<H: SearchBoard, E: EndgameTable> SearchContext<'_, H, E> {
    /// Whether questions about a position so many plies from the root are left to alpha-beta search.
    #[inline]
    fn is_proof_leaf(&self, spot: &Node<H>, ply: u32) -> bool {
        // Nothing is listed at the last ply.
        self.seeds_above_leaf(spot) <= 0 || ply + 1 >= MAX_PLY
    }

    #[inline]
    fn seeds_above_leaf(&self, spot: &Node<H>) -> i32 {
        spot.in_play - self.endgames.max_seeds() - LEAF_SEEDS_ABOVE_TABLE
    }
}

/// The least gain from `wanted` on that a position with so many seeds in play can have.
#[inline]
fn round_up_to_parity(wanted: i32, in_play: i32) -> i32 {
    wanted + (wanted - in_play).rem_euclid(GAIN_STEP)
}

#[cfg(test)]
mod tests;
