//! The proof tree: goals with their proof numbers, as a graph in which equal goals are one node.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};
use kalah::{Move, Position, Side};
use kalah_engine::ProofNumbers;

use crate::goal::ProofGoal;

/// The index of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(usize);

impl NodeId {
    /// Returns the index, from 0.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct TreeNode {
    goal: ProofGoal,
    /// The node of the same position with the next higher target.
    next_target: Option<NodeId>,
    /// The proof numbers of its goal.
    pub numbers: ProofNumbers,
    /// The nodes that searches of this goal have visited.
    pub searched: u64,
    /// Whether its answer was read from a store.
    pub(crate) is_read: bool,
    /// The legal moves of an expanded node; empty for a leaf.
    edges: Vec<Edge>,
    parents: Vec<NodeId>,
    /// The jobs that search this goal.
    jobs: u32,
}

/// A legal move of an expanded node.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The move.
    pub mv: Move,
    /// The node that the move leads to.
    pub child: NodeId,
    /// Whether the side to move in the child is the player of the node.
    pub same_player: bool,
    /// The jobs in the part of the tree below that were selected by this edge.
    jobs: u32,
}

/// A leaf that was selected for a job, and the way to it.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The leaf.
    pub leaf: NodeId,
    /// The proof numbers at which another leaf is more promising.
    pub thresholds: ProofNumbers,
    /// The nodes above the leaf, each with the index of its edge.
    path: Vec<(NodeId, usize)>,
}

/// The proof tree.
///
/// A position has no way back to itself, because a sowing that leaves a row drops a seed into the
/// store. So the graph has no cycles.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    /// The node with the lowest target of each position.
    positions: HashTable<NodeId>,
    hash_builder: DefaultHashBuilder,
    /// The nodes whose stored content has changed since the last call of [`Tree::clear_changes`].
    changes: Vec<NodeId>,
    /// The number of selections that have not been released.
    selections: usize,
    /// Whether any answer was read from a store.
    has_read_answers: bool,
    /// The number of nodes that [`Tree::set_numbers`] has solved.
    solved_changes: usize,
    threshold_factor: ThresholdFactor,
}

// The next four constants were chosen by simulations of 64 workers: docs/scale.md has the
// measurements.

/// The factor on the proof number of a child for each job below it, so that jobs spread over the
/// tree.
const JOB_FACTOR: f64 = 1.1;

/// The factor on the proof number of a leaf that a job is searching and can probably decide, so
/// that other jobs search elsewhere.
const SEARCHED_LEAF_FACTOR: f64 = 100.0;

/// A job can probably decide a leaf if one of its proof numbers is less than this. A leaf with
/// greater numbers is expanded as soon as a second job selects it.
const MAX_NUMBER_OF_ONE_JOB: f64 = 400.0;

/// The factor by which the proof numbers of a leaf exceed those in the tree when a job ends, with
/// several jobs at once. The hash tables of a worker often have greater numbers than the tree.
#[derive(Clone, Copy, Debug)]
struct ThresholdFactor(f64);

/// Its least value.
const MIN_THRESHOLD_FACTOR: f64 = 4.0;

impl Default for ThresholdFactor {
    fn default() -> Self {
        Self(MIN_THRESHOLD_FACTOR)
    }
}

/// A job stays with a leaf until its proof number exceeds that of the second best by this factor,
/// as the nodes of the engine's proof-number search do.
const THRESHOLD_EPSILON: f64 = 0.17;
const MIN_THRESHOLD_SLACK: f64 = 1.0;

impl TreeNode {
    /// Creates a leaf.
    fn new(goal: ProofGoal, numbers: ProofNumbers) -> Self {
        Self {
            goal,
            next_target: None,
            numbers,
            searched: 0,
            is_read: false,
            edges: Vec::new(),
            parents: Vec::new(),
            jobs: 0,
        }
    }

    /// The legal moves of an expanded node; empty for a leaf.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Whether the node has not been expanded.
    pub fn is_leaf(&self) -> bool {
        self.edges.is_empty()
    }

    /// Whether more than one job was selected for the goal of the node.
    pub fn is_shared(&self) -> bool {
        self.jobs > 1
    }

    /// Whether a job is searching this leaf that can probably decide it.
    fn is_nearly_decided(&self) -> bool {
        let least = self.numbers.proof.min(self.numbers.disproof);
        self.is_leaf() && self.jobs > 0 && least < MAX_NUMBER_OF_ONE_JOB
    }

    /// Whether the goal is proven or disproven; `None` while it is open.
    pub fn answer(&self) -> Option<bool> {
        self.numbers.result()
    }
}

impl Edge {
    /// Converts proof numbers between the terms of the child and those of its parent, in either
    /// direction.
    fn convert(&self, numbers: ProofNumbers) -> ProofNumbers {
        if self.same_player {
            numbers
        } else {
            numbers.opposite()
        }
    }
}

impl Tree {
    /// Returns a node.
    ///
    /// # Panics
    /// If `id` is of another tree.
    pub fn node(&self, id: NodeId) -> &TreeNode {
        &self.nodes[id.0]
    }

    /// Returns the goal of a node.
    ///
    /// # Panics
    /// If `id` is of another tree.
    pub fn goal(&self, id: NodeId) -> &ProofGoal {
        &self.nodes[id.0].goal
    }

    /// Returns the node of a goal.
    pub fn find(&self, goal: &ProofGoal) -> Option<NodeId> {
        let mut targets = self.targets(goal.position());
        targets.find(|&id| self.goal(id).target() == goal.target())
    }

    /// Returns the nodes of a position in ascending order of their targets.
    pub(crate) fn targets(&self, position: &Position) -> impl Iterator<Item = NodeId> {
        let is_position = |&id: &NodeId| self.goal(id).position() == position;
        let hash = self.hash_builder.hash_one(position);
        let lowest = self.positions.find(hash, is_position).copied();
        std::iter::successors(lowest, |&id| self.node(id).next_target)
    }

    /// Returns all nodes.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId)
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the nodes whose stored content has changed since the last call of
    /// [`Tree::clear_changes`], each at least once: the answer, the edges, the numbers of an open
    /// leaf, and the nodes of its searches. The numbers of an expanded node follow from its
    /// children.
    pub fn changes(&self) -> &[NodeId] {
        &self.changes
    }

    /// Forgets the changes so far.
    pub fn clear_changes(&mut self) {
        self.changes.clear();
    }

    fn node_mut(&mut self, id: NodeId) -> &mut TreeNode {
        &mut self.nodes[id.0]
    }

    /// Returns the node of a goal. A new one is a leaf with the numbers that follow from the
    /// position or from other goals of the position, else with `estimate`.
    pub fn insert(&mut self, goal: ProofGoal, estimate: ProofNumbers) -> NodeId {
        if let Some(id) = self.find(&goal) {
            return id;
        }
        let answer = self.answer(&goal);
        let numbers = answer.map_or(estimate, ProofNumbers::from_result);
        let id = self.add(TreeNode::new(goal, numbers));
        self.changes.push(id);
        id
    }

    /// Adds a node whose goal has none.
    fn add(&mut self, mut node: TreeNode) -> NodeId {
        let id = NodeId(self.nodes.len());
        let position = node.goal.position();
        let hash = self.hash_builder.hash_one(position);
        let is_lower = |&other: &NodeId| self.goal(other).target() < node.goal.target();
        if let Some(lower) = self.targets(position).take_while(is_lower).last() {
            node.next_target = self.nodes[lower.0].next_target.replace(id);
        } else {
            let nodes = &self.nodes;
            let is_position = |id: &NodeId| nodes[id.0].goal.position() == position;
            if let Some(lowest) = self.positions.find_mut(hash, is_position) {
                node.next_target = Some(std::mem::replace(lowest, id));
            } else {
                let hash_of = |id: &NodeId| self.hash_builder.hash_one(nodes[id.0].goal.position());
                self.positions.insert_unique(hash, id, hash_of);
            }
        }
        self.nodes.push(node);
        id
    }

    /// Returns whether any answer was read from a store.
    pub(crate) fn has_read_answers(&self) -> bool {
        self.has_read_answers
    }

    /// Returns whether a goal is proven or disproven, which follows from its position, from its
    /// node or from other goals of the position; `None` if it is open or not part of the tree.
    pub fn answer(&self, goal: &ProofGoal) -> Option<bool> {
        let node_answer = || self.node(self.find(goal)?).answer();
        (goal.trivial_answer())
            .or_else(node_answer)
            .or_else(|| self.implied_answer(goal))
    }

    /// Returns the answer that follows from another goal of the same position.
    fn implied_answer(&self, goal: &ProofGoal) -> Option<bool> {
        self.implying_goal(goal).map(|(_, answer)| answer)
    }

    /// Returns another goal of the same position whose answer is also that of `goal`, and the
    /// answer.
    pub(crate) fn implying_goal(&self, goal: &ProofGoal) -> Option<(ProofGoal, bool)> {
        self.targets(goal.position()).find_map(|id| {
            let (other, answer) = (self.goal(id), self.node(id).answer()?);
            (goal.follows_from(other, answer)).then(|| (other.clone(), answer))
        })
    }

    /// Selects the open leaf with which the proof or the disproof of `root` takes the least work,
    /// and marks the way to it until [`Tree::release`]. Ways with marks count as longer.
    ///
    /// # Panics
    /// If the root is solved.
    pub fn select(&mut self, root: NodeId) -> Selection {
        assert!(self.node(root).answer().is_none(), "the root is open");
        let mut path = Vec::new();
        let mut thresholds = ProofNumbers::INFINITE;
        let mut id = root;
        while !self.node(id).is_leaf() {
            let (index, next) = self.select_edge(id, thresholds);
            path.push((id, index));
            let edge = &mut self.node_mut(id).edges[index];
            edge.jobs += 1;
            thresholds = edge.convert(next);
            id = edge.child;
        }
        self.node_mut(id).jobs += 1;
        self.selections += 1;
        if self.selections > 1 {
            let numbers = self.node(id).numbers;
            let least = |number| number * self.threshold_factor.0;
            thresholds.proof = thresholds.proof.max(least(numbers.proof));
            thresholds.disproof = thresholds.disproof.max(least(numbers.disproof));
        }
        Selection {
            leaf: id,
            thresholds,
            path,
        }
    }

    /// Returns the edge of the child with the least proof number, and the thresholds of the child
    /// in the terms of the node.
    fn select_edge(&self, id: NodeId, thresholds: ProofNumbers) -> (usize, ProofNumbers) {
        let node = self.node(id);
        let (mut best, mut least, mut second) = (0, f64::INFINITY, f64::INFINITY);
        for (index, edge) in node.edges.iter().enumerate() {
            let exponent = i32::try_from(edge.jobs).unwrap_or(i32::MAX);
            let mut proof = self.child_numbers(edge).proof * JOB_FACTOR.powi(exponent);
            if self.node(edge.child).is_nearly_decided() {
                proof *= SEARCHED_LEAF_FACTOR;
            }
            if proof < least {
                (best, least, second) = (index, proof, least);
            } else {
                second = second.min(proof);
            }
        }
        let numbers = self.child_numbers(&node.edges[best]);
        // With marks a child can be selected whose own number is above that of the second best.
        let proof = second.max(numbers.proof) * (1.0 + THRESHOLD_EPSILON) + MIN_THRESHOLD_SLACK;
        let next = ProofNumbers {
            proof: thresholds
                .proof
                .min(proof)
                .max(numbers.proof + MIN_THRESHOLD_SLACK),
            disproof: thresholds.disproof - node.numbers.disproof + numbers.disproof,
        };
        (best, next)
    }

    /// Makes the thresholds of several jobs at once larger, for jobs that are this much larger.
    pub(crate) fn set_job_factor(&mut self, factor: f64) {
        self.threshold_factor = ThresholdFactor(MIN_THRESHOLD_FACTOR * factor);
    }

    /// Returns the number of nodes that were open in the tree and have been solved.
    pub(crate) fn solved_changes(&self) -> usize {
        self.solved_changes
    }

    /// Returns whether the leaf of a selection, or a node on the path to it, is proven or
    /// disproven.
    pub(crate) fn is_obsolete(&self, selection: &Selection) -> bool {
        let mut path = selection.path.iter().map(|&(id, _)| id);
        let is_solved = |id| self.node(id).answer().is_some();
        is_solved(selection.leaf) || path.any(is_solved)
    }

    /// Removes the marks of a selection.
    pub fn release(&mut self, selection: &Selection) {
        for &(id, index) in &selection.path {
            self.node_mut(id).edges[index].jobs -= 1;
        }
        self.node_mut(selection.leaf).jobs -= 1;
        self.selections -= 1;
    }

    /// Returns the numbers of a child in the terms of its parent.
    pub(crate) fn child_numbers(&self, edge: &Edge) -> ProofNumbers {
        edge.convert(self.node(edge.child).numbers)
    }

    /// Adds to the count of nodes that searches of a goal have visited.
    pub fn add_searched(&mut self, id: NodeId, nodes: u64) {
        let node = self.node_mut(id);
        node.searched = node.searched.saturating_add(nodes);
        self.changes.push(id);
    }

    /// Sets the numbers of a node and updates those that depend on it. Those of a solved node do
    /// not change any more.
    pub fn set_numbers(&mut self, id: NodeId, numbers: ProofNumbers) {
        let mut pending = vec![(id, Some(numbers))];
        while let Some((id, numbers)) = pending.pop() {
            let numbers = numbers.unwrap_or_else(|| self.numbers_of_children(id));
            let node = self.node_mut(id);
            if node.answer().is_some() || node.numbers == numbers {
                continue;
            }
            node.numbers = numbers;
            if node.is_leaf() || numbers.result().is_some() {
                self.changes.push(id);
            }
            if let Some(answer) = numbers.result() {
                self.solved_changes += 1;
                let goal = self.goal(id);
                let targets = self.targets(goal.position());
                let implied = targets.filter(|&id| self.goal(id).follows_from(goal, answer));
                pending.extend(implied.map(|id| (id, Some(numbers))));
            }
            pending.extend(self.node(id).parents.iter().map(|&parent| (parent, None)));
        }
    }

    /// Returns the numbers of an expanded node that follow from its children.
    fn numbers_of_children(&self, id: NodeId) -> ProofNumbers {
        combine(
            self.node(id)
                .edges
                .iter()
                .map(|edge| self.child_numbers(edge)),
        )
    }

    /// Expands a leaf: adds the goals of its children, with their numbers in the terms of the leaf.
    ///
    /// If the leaf was expanded while it was searched, the numbers replace the estimates of
    /// children that have not been searched.
    ///
    /// # Panics
    /// If `children` are not the legal moves.
    pub fn expand(&mut self, id: NodeId, children: &[(Move, ProofNumbers)]) {
        if self.node(id).is_leaf() {
            let goal = self.goal(id).clone();
            let mut edges = Vec::with_capacity(children.len());
            for &(mv, numbers) in children {
                let child = goal.child(mv);
                let mut edge = Edge {
                    mv,
                    child: id,
                    same_player: child.same_player,
                    jobs: 0,
                };
                edge.child = self.insert(child.goal, edge.convert(numbers));
                self.node_mut(edge.child).parents.push(id);
                edges.push(edge);
            }
            self.node_mut(id).edges = edges;
            self.changes.push(id);
        }
        for &(mv, numbers) in children {
            let edge = self.node(id).edges.iter().find(|edge| edge.mv == mv);
            let edge = *edge.expect("the move is legal");
            let child = self.node(edge.child);
            if numbers.result().is_some() || child.is_leaf() && child.searched == 0 {
                self.set_numbers(edge.child, edge.convert(numbers));
            }
        }
        self.set_numbers(id, self.numbers_of_children(id));
    }
}

/// The restoration of a tree from a store: first all nodes, then the edges, then the numbers.
impl Tree {
    /// Adds a node with its stored answer, with that which needs no search, or with its numbers.
    /// Returns it and whether it is new.
    pub(crate) fn restore(
        &mut self,
        goal: ProofGoal,
        answer: Option<bool>,
        numbers: Option<ProofNumbers>,
        searched: u64,
    ) -> (NodeId, bool) {
        let known = answer.or_else(|| goal.trivial_answer());
        let numbers = numbers.unwrap_or(ProofNumbers::UNKNOWN);
        let numbers = known.map_or(numbers, ProofNumbers::from_result);
        self.has_read_answers |= answer.is_some();
        if let Some(id) = self.find(&goal) {
            return (id, false);
        }
        let id = self.add(TreeNode {
            searched,
            is_read: answer.is_some(),
            ..TreeNode::new(goal, numbers)
        });
        (id, true)
    }

    /// Adds the edges of an expanded node.
    ///
    /// # Errors
    /// The text of the move whose goal is missing.
    pub(crate) fn restore_edges(&mut self, id: NodeId) -> Result<(), String> {
        let goal = self.goal(id).clone();
        let mut edges = Vec::new();
        for mv in goal.position().legal_moves() {
            let child = goal.child(mv);
            let child_id = self.find(&child.goal).ok_or_else(|| mv.text(Side::South))?;
            self.node_mut(child_id).parents.push(id);
            edges.push(Edge {
                mv,
                child: child_id,
                same_player: child.same_player,
                jobs: 0,
            });
        }
        self.node_mut(id).edges = edges;
        Ok(())
    }

    /// Returns a node whose answer contradicts the rules, the answers to other targets of its
    /// position, or those of the goals after its moves.
    pub(crate) fn find_contradiction(&self) -> Option<NodeId> {
        self.ids().find(|&id| {
            let (goal, node) = (self.goal(id), self.node(id));
            let Some(answer) = node.answer() else {
                return false;
            };
            let opposite = Some(!answer);
            goal.trivial_answer() == opposite
                || self.implied_answer(goal) == opposite
                || !goal.position().is_over() && self.answer_of_moves(goal) == opposite
        })
    }

    /// Returns the answer of a goal that follows from the goals after its moves, as far as they are
    /// in the tree.
    fn answer_of_moves(&self, goal: &ProofGoal) -> Option<bool> {
        let numbers = goal.position().legal_moves().map(|mv| {
            let child = goal.child(mv);
            let node = self.find(&child.goal);
            let answer = (child.goal.trivial_answer()).or_else(|| self.node(node?).answer());
            answer.map_or(ProofNumbers::UNKNOWN, |answer| {
                ProofNumbers::from_result(answer == child.same_player)
            })
        });
        combine(numbers).result()
    }

    /// Computes the numbers of the expanded nodes from those of their children.
    pub(crate) fn restore_numbers(&mut self, expanded: &[NodeId]) {
        for &id in expanded {
            self.set_numbers(id, self.numbers_of_children(id));
        }
        self.changes.clear();
    }
}

/// Returns the numbers of a node from those of its children, in its terms: one child is enough for
/// a proof, and a disproof needs all children.
pub(crate) fn combine(children: impl IntoIterator<Item = ProofNumbers>) -> ProofNumbers {
    let mut numbers = ProofNumbers::DISPROVEN;
    for child in children {
        numbers.proof = numbers.proof.min(child.proof);
        numbers.disproof += child.disproof;
    }
    numbers
}
