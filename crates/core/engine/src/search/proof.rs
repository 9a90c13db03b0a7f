//! Depth-first proof-number search (df-pn).

use std::cmp::Reverse;

use kalah::Move;

use super::alpha_beta::Search;
use super::context::{MAX_PLY, SearchContext};
use super::node::{BestScore, Child, GAIN_STEP, Node, RootChild, SearchValue, Window};
use super::proof_cost::GoalFeatures;
use super::proof_numbers::{NodeGoal, ProofChild, ProofKey, ProofNumbers};
use super::shared_entries::SolvedEntry;
use crate::board::key::PositionKey;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::search::control::Stopped;

/// The proof numbers of a node and the child to search next.
struct ChildSelection {
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
const THRESHOLD_EPSILON: f64 = 0.25;
const MIN_THRESHOLD_SLACK: f64 = 1.0;

/// Factor on the proof number of a child that another thread is searching. With 2 or 4 two threads
/// took as many nodes for 6x4, and with 1 half as many again.
const SEARCHED_ELSEWHERE_FACTOR: f64 = 1.5;

/// Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
/// applications", 2002), used far above the endgame table. It always continues where a proof or a
/// disproof is expected to take the least work, whereas alpha-beta takes the moves in a fixed order
/// and follows each to its end.
impl<H: SearchBoard, E: EndgameTable> Search<'_, H, E> {
    /// Returns whether null-window searches of a node, `ply` plies from the root, use proof
    /// numbers.
    #[inline]
    pub(super) fn uses_proof_numbers(&self, node: &Node<H>, ply: u32) -> bool {
        let context = &self.context;
        !context.is_proof_leaf(node, ply)
            && node.in_play <= u8::MAX.into()
            && !context.proof_table.is_disabled()
            && !context.transpositions.is_disabled()
            && node.board.is_cacheable()
    }

    /// Proves whether the side to move gains at least `window.beta`; the window is a null window.
    ///
    /// Returns a proven value under the contract of alpha-beta: at least `window.beta` as a lower
    /// bound, or at most `window.alpha` as an upper bound.
    pub(super) fn prove_window(
        &mut self,
        node: &Node<H>,
        window: Window,
        ply: u32,
    ) -> Result<SearchValue, Stopped> {
        if let Some(value) = node.trivial_value(window) {
            return Ok(value);
        }
        let target_gain = round_up_to_parity(window.beta, node.in_play);
        let numbers = self.prove(NodeGoal { node, target_gain }, ProofNumbers::INFINITE, ply)?;
        let is_proven = numbers.result().ok_or(Stopped)?;
        Ok(SearchValue {
            gain: if is_proven {
                target_gain
            } else {
                target_gain - GAIN_STEP
            },
            proven: true,
        })
    }

    /// Decides whether the side to move at the root gains at least `target_gain`; `None` if one of
    /// its proof numbers reaches its threshold before.
    pub(crate) fn decide(
        &mut self,
        root: &Node<H>,
        target_gain: i32,
        thresholds: ProofNumbers,
    ) -> Result<Option<bool>, Stopped> {
        let window = Window::null_at(target_gain);
        if let Some(value) = root.trivial_value(window) {
            return Ok(Some(value.gain >= target_gain));
        }
        if self.uses_proof_numbers(root, 0) {
            let target_gain = round_up_to_parity(target_gain, root.in_play);
            let goal = NodeGoal {
                node: root,
                target_gain,
            };
            return Ok(self.prove(goal, thresholds, 0)?.result());
        }
        match self.search_node(root, i32::MAX, window, 0)? {
            SearchValue { gain, proven: true } => Ok(Some(gain >= target_gain)),
            // A line longer than `MAX_PLY` ends in an estimate, so nothing is proven.
            SearchValue { proven: false, .. } => Err(Stopped),
        }
    }

    /// Returns every move of the root with its proof numbers for the goal that the side to move at
    /// the root gains at least `target_gain`.
    pub(crate) fn root_numbers(
        &self,
        root: &Node<H>,
        target_gain: i32,
    ) -> Vec<(Move, ProofNumbers)> {
        let window = Window::null_at(target_gain);
        let children = self.context.root_children(&root.board, root.in_play);
        let numbers = |child| match child {
            RootChild::Known(gain) => ProofNumbers::from_result(gain >= target_gain),
            RootChild::Open(child) => {
                let proof_child = self.context.proof_child(child, window, 0);
                proof_child.flip_perspective(self.initial_numbers(&proof_child))
            }
        };
        (children.into_iter().map(|(mv, child)| (mv, numbers(child)))).collect()
    }

    /// Searches a goal until it is solved or one of its numbers reaches its threshold.
    fn prove(
        &mut self,
        goal: NodeGoal<H>,
        thresholds: ProofNumbers,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        let key = goal.node.board.key(self.context.move_tables);
        if let Some(is_proven) = self.tt_result(goal, key) {
            return Ok(ProofNumbers::from_result(is_proven));
        }
        self.control.count_proof_node()?;
        let nodes_before = self.control.nodes();
        let base = self.proof_child_stack.len();
        let (numbers, best_move) = if let Some(best_move) = self.expand(goal, ply) {
            (ProofNumbers::PROVEN, Some(best_move))
        } else {
            let currently_searching = self.context.currently_searching;
            currently_searching.inspect(|nodes| nodes.begin(key));
            let end = self.proof_child_stack.len();
            let numbers = self.search_proof_children(goal, base, thresholds, ply);
            currently_searching.inspect(|nodes| nodes.end(key));
            if numbers.is_err() && self.stores_stopped_numbers {
                self.proof_child_stack.truncate(end);
                let nodes = self.control.nodes() - nodes_before;
                self.store_stopped_numbers(goal.proof_key(key), base, nodes);
            }
            let mut children = self.proof_child_stack[base..].iter();
            let proven_child = children.find(|child| child.numbers.result() == Some(true));
            (numbers?, proven_child.map(|child| child.child.mv))
        };
        self.proof_child_stack.truncate(base);
        let nodes = self.control.nodes() - nodes_before;
        match numbers.result() {
            Some(is_proven) => {
                let entry = goal.tt_entry(is_proven, best_move);
                let in_play = goal.node.in_play;
                (self.context.transpositions).put(key, in_play, entry, nodes);
                self.shared_entries.inspect(|entries| {
                    entries.add_solved(SolvedEntry {
                        key,
                        in_play,
                        entry,
                        nodes,
                    });
                });
            }
            None => self.store_numbers(goal.proof_key(key), numbers, nodes),
        }
        Ok(numbers)
    }

    /// Generates the proof children of a node, ordered by score.
    ///
    /// Returns a move that reaches the goal without search, if there is one; then there are no
    /// numbers to compare.
    fn expand(&mut self, goal: NodeGoal<H>, ply: u32) -> Option<Move> {
        let window = Window::null_at(goal.target_gain);
        let mut best = BestScore::new(window);
        let base = self.proof_child_stack.len();
        let first_child = self.child_stack.len();
        self.generate_children(goal.node, i32::MAX, ply, &mut best);
        let context = self.context;
        for mut child in self.child_stack.drain(first_child..) {
            child.order_score = child.compute_order_score();
            let proof_child = context.proof_child(child, window, ply);
            if let Some(key) = proof_child.key {
                context.transpositions.prefetch(key);
                if !proof_child.is_leaf {
                    context.proof_table.prefetch(key);
                }
            }
            self.proof_child_stack.push(proof_child);
        }
        self.probe_tables(&mut best);
        if best.is_cutoff() {
            return best.best_move;
        }
        for index in base..self.proof_child_stack.len() {
            let numbers = self.initial_numbers(&self.proof_child_stack[index]);
            self.proof_child_stack[index].update(numbers);
        }
        self.proof_child_stack[base..].sort_by_key(|child| Reverse(child.child.order_score));
        None
    }

    /// Searches the proof children from `base` on, each for as long as its proof number is the
    /// smallest, until the node is solved or reaches a threshold.
    fn search_proof_children(
        &mut self,
        goal: NodeGoal<H>,
        base: usize,
        thresholds: ProofNumbers,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        loop {
            let ChildSelection {
                numbers,
                best_child,
                second_proof,
            } = self.select_child(base, thresholds.proof);
            let is_threshold_reached =
                numbers.proof >= thresholds.proof || numbers.disproof >= thresholds.disproof;
            if is_threshold_reached || numbers.result().is_some() {
                return Ok(numbers);
            }
            let proof_child = &self.proof_child_stack[best_child];
            let child = proof_child.child.clone();
            let next = NodeGoal {
                node: &child.node,
                target_gain: proof_child.target_gain,
            };
            let child_numbers = if proof_child.is_leaf {
                self.search_leaf(next, proof_child.key, ply + 1)?
            } else {
                let thresholds = ProofNumbers {
                    proof: thresholds
                        .proof
                        .min(second_proof * (1.0 + THRESHOLD_EPSILON) + MIN_THRESHOLD_SLACK),
                    disproof: thresholds.disproof - numbers.disproof + proof_child.numbers.disproof,
                };
                self.prove(next, proof_child.flip_perspective(thresholds), ply + 1)?
            };
            self.proof_child_stack[best_child].update(child_numbers);
            if self.context.currently_searching.is_some() {
                let key = goal.node.board.key(self.context.move_tables);
                if let Some(is_proven) = self.tt_result(goal, key) {
                    return Ok(ProofNumbers::from_result(is_proven));
                }
                self.update_from_other_threads(base);
            }
        }
    }

    /// Computes the proof numbers of a node from its children from `base` on and selects the child
    /// to search. Children with a proof number of `max_proof` or more are not selected.
    fn select_child(&self, base: usize, max_proof: f64) -> ChildSelection {
        let mut selection = ChildSelection {
            numbers: ProofNumbers::DISPROVEN,
            best_child: base,
            second_proof: f64::INFINITY,
        };
        let mut least = f64::INFINITY;
        let ChildSelection {
            numbers,
            best_child,
            second_proof,
        } = &mut selection;
        for (index, child) in (base..).zip(&self.proof_child_stack[base..]) {
            // One child is enough for a proof; a disproof needs all children.
            numbers.proof = numbers.proof.min(child.numbers.proof);
            numbers.disproof += child.numbers.disproof;
            if child.numbers.proof >= max_proof {
                continue;
            }
            let currently_searching = child.key.zip(self.context.currently_searching);
            let factor = if currently_searching.is_some_and(|(key, nodes)| nodes.contains(key)) {
                SEARCHED_ELSEWHERE_FACTOR
            } else {
                1.0
            };
            let proof = child.numbers.proof * factor;
            if proof < least {
                (*second_proof, least) = (least, proof);
                *best_child = index;
            } else {
                *second_proof = second_proof.min(proof);
            }
        }
        selection
    }

    /// Stores the proof numbers of an open goal after a search of `nodes` nodes.
    fn store_numbers(&self, goal: ProofKey, numbers: ProofNumbers, nodes: u64) {
        self.context.proof_table.put(goal, numbers);
        (self.shared_entries).inspect(|entries| entries.add_open(goal, numbers, nodes));
    }

    /// Stores the proof numbers of a goal whose search was stopped after `nodes` nodes, computed
    /// from those of its children from `base` on.
    fn store_stopped_numbers(&mut self, goal: ProofKey, base: usize, nodes: u64) {
        for index in base..self.proof_child_stack.len() {
            let child = &self.proof_child_stack[index];
            // The child that was searched last has stored new numbers.
            if child.numbers.result().is_none() {
                let numbers = self.initial_numbers(child);
                self.proof_child_stack[index].update(numbers);
            }
        }
        let ChildSelection { numbers, .. } = self.select_child(base, f64::INFINITY);
        if numbers.result().is_none() {
            self.store_numbers(goal, numbers, nodes);
        }
    }

    /// Solves a goal by alpha-beta search.
    fn search_leaf(
        &mut self,
        goal: NodeGoal<H>,
        key: Option<PositionKey>,
        ply: u32,
    ) -> Result<ProofNumbers, Stopped> {
        let currently_searching = key.zip(self.context.currently_searching);
        currently_searching.inspect(|(key, nodes)| nodes.begin(*key));
        let window = Window::null_at(goal.target_gain);
        let value = self.search_node(goal.node, i32::MAX, window, ply);
        currently_searching.inspect(|(key, nodes)| nodes.end(*key));
        let SearchValue { gain, proven } = value?;
        // A line longer than `MAX_PLY` ends in an estimate, so nothing is proven.
        if proven {
            Ok(ProofNumbers::from_result(gain >= goal.target_gain))
        } else {
            Err(Stopped)
        }
    }

    /// Reads from the transposition table which children from `base` on other threads have solved.
    fn update_from_other_threads(&mut self, base: usize) {
        for index in base..self.proof_child_stack.len() {
            let child = &self.proof_child_stack[index];
            let Some(key) = child.key.filter(|_| child.numbers.result().is_none()) else {
                continue;
            };
            if let Some(is_proven) = self.tt_result(child.goal(), key) {
                self.proof_child_stack[index].update(ProofNumbers::from_result(is_proven));
            }
        }
    }

    /// Returns the proof numbers of a child's goal: from the seeds in play, from the tables, or
    /// else estimated.
    fn initial_numbers(&self, child: &ProofChild<H>) -> ProofNumbers {
        let goal = child.goal();
        if let Some(value) = goal.node.trivial_value(Window::null_at(goal.target_gain)) {
            return ProofNumbers::from_result(value.gain >= goal.target_gain);
        }
        if let Some(key) = child.key {
            if let Some(is_proven) = self.tt_result(goal, key) {
                return ProofNumbers::from_result(is_proven);
            }
            if !child.is_leaf
                && let Some(numbers) = self.context.proof_table.get(goal.proof_key(key))
            {
                return numbers;
            }
        }
        let seeds = self.context.seeds_above_leaf(goal.node);
        let features = GoalFeatures::new(
            &child.child,
            goal.target_gain,
            seeds,
            self.context.evaluator,
        );
        ProofNumbers::estimate(self.context.cost_model, &features)
    }

    /// Returns the result of a goal from the transposition table.
    #[expect(
        clippy::inline_always,
        reason = "a call takes 1 % of the instructions of `kalah bench`"
    )]
    #[inline(always)]
    fn tt_result(&self, goal: NodeGoal<H>, key: PositionKey) -> Option<bool> {
        let NodeGoal { node, target_gain } = goal;
        let entry = self.context.transpositions.get(key, node.in_play)?;
        let value = entry.cutoff_value(i32::MAX, Window::null_at(target_gain))?;
        value.proven.then_some(value.gain >= target_gain)
    }
}

impl<H: SearchBoard, E: EndgameTable> SearchContext<'_, H, E> {
    /// Returns whether null-window searches of a node, `ply` plies from the root, are left to
    /// alpha-beta.
    #[inline]
    fn is_proof_leaf(&self, node: &Node<H>, ply: u32) -> bool {
        // No children are generated at the last ply.
        self.seeds_above_leaf(node) <= 0 || ply + 1 >= MAX_PLY
    }

    /// Returns a child of a node, `ply` plies from the root, with its goal for the window of the
    /// node. Its proof numbers are not estimated yet.
    #[inline]
    fn proof_child(self, child: Child<H>, window: Window, ply: u32) -> ProofChild<H> {
        ProofChild {
            target_gain: round_up_to_parity(
                child.transform.child_window(window).beta,
                child.node.in_play,
            ),
            key: self.tt_key(&child.node),
            is_leaf: self.is_proof_leaf(&child.node, ply + 1),
            numbers: ProofNumbers::INFINITE,
            child,
        }
    }

    #[inline]
    fn seeds_above_leaf(&self, node: &Node<H>) -> i32 {
        node.in_play - self.endgames.max_seeds() - LEAF_SEEDS_ABOVE_TABLE
    }
}

/// Returns the least gain of at least `target_gain` that is possible with `in_play` seeds in play.
#[inline]
fn round_up_to_parity(target_gain: i32, in_play: i32) -> i32 {
    target_gain + (target_gain - in_play).rem_euclid(GAIN_STEP)
}

#[cfg(test)]
mod tests;
