//! The upper tree of a proof.

use std::collections::HashMap;

use kalah::{Move, Position};
use kalah_engine::ProofNumbers;

use crate::goal::ProofGoal;

/// The index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeId(u32);

/// A move of an expanded node.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The move.
    pub mv: Move,
    /// The node after it.
    child: NodeId,
    /// Whether the child's player is the node's.
    same_player: bool,
    /// The jobs in the part of the tree that this edge has led to.
    in_flight: u32,
}

/// A node: a goal with its proof numbers.
#[derive(Clone, Debug)]
pub struct Node {
    /// The goal.
    pub goal: ProofGoal,
    /// The proof numbers; they tell whether the goal is proven or disproven.
    pub numbers: ProofNumbers,
    /// The legal moves of an expanded node; empty for a leaf.
    edges: Vec<Edge>,
    parents: Vec<NodeId>,
    /// The jobs that search this node.
    jobs: u32,
    /// The nodes that searches of this node have taken.
    pub searched: u64,
}

/// The tree, in which equal goals are one node.
#[derive(Default)]
pub struct Tree {
    nodes: Vec<Node>,
    index: HashMap<ProofGoal, NodeId>,
    bounds: HashMap<Position, (i32, i32)>,
}

/// A path from the root to a leaf: each node with the index of its edge.
pub type Path = Vec<(NodeId, usize)>;

/// The factor on the proof number of a child for each job below it, so that jobs spread.
pub static JOB_FACTOR: std::sync::Mutex<f64> = std::sync::Mutex::new(1.5);

impl Tree {
    /// Returns a node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the node of a goal, a new leaf with `numbers` if there is none.
    pub fn insert(&mut self, goal: ProofGoal, numbers: ProofNumbers) -> NodeId {
        if let Some(&id) = self.index.get(&goal) {
            return id;
        }
        let mut numbers = numbers;
        if let Some(answer) = goal.trivial_answer() {
            numbers = ProofNumbers::from_result(answer);
        } else if let Some(&(lower, upper)) = self.bounds.get(goal.position()) {
            let target = goal.target().seeds();
            if lower >= target {
                numbers = ProofNumbers::PROVEN;
            } else if upper < target {
                numbers = ProofNumbers::DISPROVEN;
            }
        }
        let id = NodeId(u32::try_from(self.nodes.len()).expect("less than 2^32 nodes"));
        self.index.insert(goal.clone(), id);
        self.nodes.push(Node {
            goal,
            numbers,
            edges: Vec::new(),
            parents: Vec::new(),
            jobs: 0,
            searched: 0,
        });
        id
    }

    /// Returns the leaf to search next, on the path of the least proof numbers, and marks the path.
    pub fn select(&mut self, root: NodeId, epsilon: f64) -> (Path, NodeId, ProofNumbers) {
        let factor = *JOB_FACTOR.lock().unwrap();
        let (mut path, mut id) = (Path::new(), root);
        let mut thresholds = ProofNumbers::INFINITE;
        loop {
            let node = self.node(id);
            if node.edges.is_empty() {
                break;
            }
            let weight = |edge: &Edge| {
                let numbers = self.numbers(edge);
                numbers.proof * factor.powi(edge.in_flight as i32)
            };
            let (index, edge) = node
                .edges
                .iter()
                .enumerate()
                .filter(|(_, edge)| self.numbers(edge).result().is_none())
                .min_by(|(_, a), (_, b)| weight(a).total_cmp(&weight(b)))
                .expect("an open node has an open child");
            let child = edge.child;
            let second = (node.edges.iter().enumerate())
                .filter(|&(other, _)| other != index)
                .map(|(_, edge)| weight(edge))
                .fold(f64::INFINITY, f64::min);
            let numbers = self.numbers(edge);
            let next = ProofNumbers {
                proof: thresholds.proof.min(second * (1.0 + epsilon) + 1.0).max(numbers.proof * (1.0 + epsilon)),
                disproof: thresholds.disproof - node.numbers.disproof + numbers.disproof,
            };
            thresholds = if edge.same_player { next } else { next.opposite() };
            path.push((id, index));
            id = child;
        }
        for &(node, index) in &path {
            self.node_mut(node).edges[index].in_flight += 1;
        }
        self.node_mut(id).jobs += 1;
        (path, id, thresholds)
    }

    /// Sets the numbers of an open leaf.
    pub fn set_numbers(&mut self, id: NodeId, numbers: ProofNumbers) {
        if self.node(id).edges.is_empty() {
            self.set(id, numbers);
        }
    }

    /// Removes the marks of a path.
    pub fn unmark(&mut self, path: &Path, leaf: NodeId) {
        for &(node, index) in path {
            self.node_mut(node).edges[index].in_flight -= 1;
        }
        self.node_mut(leaf).jobs -= 1;
    }

    /// Whether jobs search the node.
    pub fn is_searched(&self, id: NodeId) -> bool {
        self.node(id).jobs > 0
    }

    /// The numbers of a child in its parent's terms.
    fn numbers(&self, edge: &Edge) -> ProofNumbers {
        let numbers = self.node(edge.child).numbers;
        if edge.same_player {
            numbers
        } else {
            numbers.opposite()
        }
    }

    /// Sets the answer of a node.
    pub fn solve(&mut self, id: NodeId, answer: bool) {
        self.set(id, ProofNumbers::from_result(answer));
    }

    /// Expands a leaf with the numbers of its children in its terms.
    pub fn expand(&mut self, id: NodeId, children: &[(Move, ProofNumbers)]) {
        if self.node(id).numbers.result().is_some() {
            return;
        }
        if !self.node(id).edges.is_empty() {
            for &(mv, numbers) in children {
                let edge = self.node(id).edges.iter().find(|edge| edge.mv == mv);
                let &Edge {
                    child, same_player, ..
                } = edge.expect("same moves");
                let node = self.node(child);
                let numbers = if same_player { numbers } else { numbers.opposite() };
                if node.edges.is_empty() && node.searched == 0 && node.numbers.result().is_none() {
                    self.set(child, numbers);
                }
            }
            return;
        }
        let goal = self.node(id).goal.clone();
        let mut edges = Vec::new();
        for &(mv, numbers) in children {
            let child = goal.child(mv);
            let numbers = if child.same_player {
                numbers
            } else {
                numbers.opposite()
            };
            let node = self.insert(child.goal, numbers);
            if numbers.result().is_some() && self.node(node).numbers.result().is_none() {
                self.set(node, numbers);
            }
            self.node_mut(node).parents.push(id);
            edges.push(Edge {
                mv,
                child: node,
                same_player: child.same_player,
                in_flight: 0,
            });
        }
        self.node_mut(id).edges = edges;
        self.update(id);
    }

    fn set(&mut self, id: NodeId, numbers: ProofNumbers) {
        if self.node(id).numbers == numbers || self.node(id).numbers.result().is_some() {
            return;
        }
        self.node_mut(id).numbers = numbers;
        if let Some(answer) = numbers.result() {
            let goal = &self.node(id).goal;
            let target = goal.target().seeds();
            let position = goal.position().clone();
            let bounds = self.bounds.entry(position).or_insert((i32::MIN, i32::MAX));
            if answer {
                bounds.0 = bounds.0.max(target);
            } else {
                bounds.1 = bounds.1.min(target - 1);
            }
        }
        for parent in self.node(id).parents.clone() {
            self.update(parent);
        }
    }

    fn update(&mut self, id: NodeId) {
        let node = self.node(id);
        let mut numbers = ProofNumbers::DISPROVEN;
        for edge in &node.edges {
            let child = self.numbers(edge);
            numbers.proof = numbers.proof.min(child.proof);
            numbers.disproof += child.disproof;
        }
        if numbers.proof == 0.0 {
            numbers = ProofNumbers::PROVEN;
        }
        self.set(id, numbers);
    }

    /// Adds to the nodes searched below a node.
    pub fn add_searched(&mut self, id: NodeId, nodes: u64) {
        self.node_mut(id).searched += nodes;
    }
}


impl Node {
    /// The number of jobs that search this node.
    pub fn jobs_count(&self) -> u32 {
        self.jobs
    }
}
