//! Depth-first proof-number search (df-pn).

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

/// The proof numbers of a node and the child to search next.
struct Selection {
    /// The proof numbers of the node.
    numbers: ProofNumbers,
    /// The index of the child with the smallest proof number, and the proof number of the second
    /// best.
    best_child: usize,
    second_proof: f64,
}

/// Nodes with at most this many seeds more than the endgame table are searched by alpha-beta.
const LEAF_SEEDS_ABOVE_TABLE: i32 = 6;

/// The search stays with a child until its proof number exceeds that of the second best by this
/// factor and this difference: switching costs more than to stay with the wrong child for a while
/// (the "1 + epsilon trick" of J. Pawlewicz and Ł. Lew, "Improving depth-first PN-search: 1+ε
/// trick", 2006). These values and `LEAF_SEEDS_ABOVE_TABLE` are measured in docs/performance.md.
const THRESHOLD_EPSILON: f64 = 0.17;
const MIN_THRESHOLD_SLACK: f64 = 1.0;

/// Factor on the proof number of a child that another thread is searching. With 2 or 4 two threads
/// took as many nodes for 6x4, and with 1 half as many again.
const SEARCHED_ELSEWHERE_FACTOR: f64 = 1.5;

/// Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
/// applications", 2002), used far above the endgame table. It always continues where a proof or a
/// disproof is expected to take the least work, whereas alpha-beta takes the moves in a fixed order
/// and follows each to its end.
impl<H: SearchBoard, E: EndgameTable> Search<'_, H, E> {
    /// Whether null-window searches of a node, `ply` plies from the root, use proof numbers.
    #[inline]
    pub(super) fn uses_proof_numbers(&self, spot: &Node<H>, ply: u32) -> bool {
        let shared = &self.context;
        !shared.is_proof_leaf(spot, ply)
            && spot.in_play <= u8::MAX.into()
            && !shared.proof_table.is_disabled()
            && !shared.transpositions.is_disabled()
            && spot.board.is_cacheable()
    }

    /// Proves whether the side to move gains at least `window.beta`; the window is a null window.
    ///
    /// Returns a proven value under the contract of alpha-beta: at least `window.beta` as a lower
    /// bound, or at most `window.alpha` as an upper bound.
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

    /// Searches a goal until it is proven or disproven, or one of its numbers reaches its threshold
    /// in `limits`.
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

    /// Generates the proof children of a node, ordered by score.
    ///
    /// Returns a move that reaches the goal without search, if there is one; then there are no
    /// numbers to compare.
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

    /// Searches the proof children from `base` on, each for as long as its proof number is the
    /// smallest, until the node is solved or reaches a threshold.
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

    /// Computes the proof numbers of a node from its children from `base` on and selects the child
    /// to search. Children with a proof number of `max_proof` or more are not selected.
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
            // One child is enough for a proof; a disproof needs all children.
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

    /// Solves a goal by alpha-beta search.
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
        // A line longer than `MAX_PLY` ends in an estimate, so nothing is proven.
        if resolved {
            Ok(ProofNumbers::from_result(gain >= question.target_gain))
        } else {
            Err(Stopped)
        }
    }

    /// Reads from the transposition table which children from `base` on other threads have solved.
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

    /// Returns the proof numbers of a child's goal: from the seeds in play, from the tables, or
    /// else estimated.
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

    /// Returns the result of a goal from the transposition table.
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
    /// Whether null-window searches of a node, `ply` plies from the root, are left to alpha-beta.
    #[inline]
    fn is_proof_leaf(&self, spot: &Node<H>, ply: u32) -> bool {
        // No children are generated at the last ply.
        self.seeds_above_leaf(spot) <= 0 || ply + 1 >= MAX_PLY
    }

    #[inline]
    fn seeds_above_leaf(&self, spot: &Node<H>) -> i32 {
        spot.in_play - self.endgames.max_seeds() - LEAF_SEEDS_ABOVE_TABLE
    }
}

/// Returns the least gain of at least `gain` that a position with `in_play` seeds in play can have.
#[inline]
fn round_up_to_parity(wanted: i32, in_play: i32) -> i32 {
    wanted + (wanted - in_play).rem_euclid(GAIN_STEP)
}

#[cfg(test)]
mod tests;
