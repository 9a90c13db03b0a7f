//! The state of a proof, and an estimate of the work that is left.

use std::collections::HashMap;

use kalah::{Margin, Move, Position, Side};
use kalah_engine::Bounds;

use crate::goal::{ChildGoal, ProofGoal};
use crate::margin::MARGIN_STEP;
use crate::statement::ProofStatement;
use crate::tree::{Edge, NodeId, Tree, TreeNode};

/// The state of a proof. Margins are those of the side to move in its position.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofStatus {
    /// The proven bounds of the margin of the position.
    pub bounds: Bounds,
    /// The proven bounds of the margins of the moves, as
    /// [`Coordinator::move_bounds`](crate::Coordinator::move_bounds) returns them.
    pub moves: Vec<(Move, Bounds)>,
    /// A line of best play, as far as the proof tree has it: the jobs of its leaves return no
    /// lines. Empty before the margin of the position is exact.
    pub line: Vec<(Side, Move)>,
    /// The goals in the proof tree.
    pub goals: usize,
    /// Those of [`ProofStatus::goals`] that are proven or disproven.
    pub solved_goals: usize,
    /// The jobs that workers have and that are not complete.
    pub jobs_in_flight: usize,
    /// The nodes of all completed jobs.
    pub nodes: u64,
    /// The goal that the proof decides now; `None` once all margins are exact.
    pub current: Option<CurrentGoal>,
}

/// The goal that a proof decides now: whether a margin is at least a target.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrentGoal {
    /// The move whose margin it is; `None` for the position.
    pub mv: Option<Move>,
    /// The target, for the side to move in the position.
    pub target: Margin,
    /// The answer that is expected by the proof numbers.
    pub expected: bool,
    /// The part of a proof of the expected answer that is complete, from 0 to 1: at a node where
    /// one move suffices, that of the most complete move, and at a node where all moves are needed,
    /// the mean.
    pub complete: f64,
    /// The nodes of all completed jobs below the goal.
    pub nodes: u64,
    /// The most promising line: the moves from the position to the leaf with the least work.
    pub line: Vec<(Side, Move)>,
}

/// No estimate of the work left is given before this part of a proof is complete.
const MIN_COMPLETE_FOR_ESTIMATE: f64 = 0.02;

impl CurrentGoal {
    /// Creates the state of the goal of `root`: that the side to move in the position, or in the
    /// one after `mv`, reaches `target`.
    pub(crate) fn new(
        statement: &ProofStatement,
        (mv, target): (Option<Move>, Margin),
        tree: &Tree,
        root: NodeId,
    ) -> Self {
        let node = tree.node(root);
        let answer = node.numbers.proof <= node.numbers.disproof;
        let is_same_player = mv.is_none_or(|mv| statement.is_same_player(mv));
        Self {
            mv,
            target: if is_same_player {
                target
            } else {
                // The opponent misses the target if the player reaches this one.
                Margin::new(MARGIN_STEP - target.seeds())
            },
            expected: answer == is_same_player,
            complete: ProofCompletion::new(tree).of(root, answer),
            nodes: nodes_below(tree, root),
            line: most_promising_line(statement, mv, tree, root),
        }
    }

    /// Estimates the nodes that are left to decide this goal; `None` if it is too early. The goals
    /// after it are not part of the estimate, and an unexpected answer of a part of the proof makes
    /// it grow.
    pub fn nodes_left(&self) -> Option<u64> {
        if self.complete < MIN_COMPLETE_FOR_ESTIMATE {
            return None;
        }
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate"
        )]
        Some((self.nodes as f64 * (1.0 - self.complete) / self.complete) as u64)
    }
}

/// Computes how much of a proof is complete.
struct ProofCompletion<'a> {
    tree: &'a Tree,
    known: HashMap<(NodeId, bool), f64>,
}

impl<'a> ProofCompletion<'a> {
    fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            known: HashMap::new(),
        }
    }

    /// Returns the part of a proof of `answer` to the goal of a node that is complete.
    fn of(&mut self, id: NodeId, answer: bool) -> f64 {
        let node = self.tree.node(id);
        if let Some(known) = node.answer() {
            return if known == answer { 1.0 } else { 0.0 };
        }
        if node.is_leaf() {
            return 0.0;
        }
        if let Some(&known) = self.known.get(&(id, answer)) {
            return known;
        }
        let edges = node.edges().iter();
        let parts = edges.map(|edge| self.of(edge.child, answer == edge.same_player));
        let complete = if answer {
            parts.fold(0.0, f64::max)
        } else {
            let parts: Vec<f64> = parts.collect();
            #[expect(clippy::cast_precision_loss, reason = "a position has few moves")]
            let count = parts.len() as f64;
            parts.into_iter().sum::<f64>() / count
        };
        self.known.insert((id, answer), complete);
        complete
    }
}

/// Returns the nodes of all jobs of a goal and of those below it.
fn nodes_below(tree: &Tree, root: NodeId) -> u64 {
    let mut is_counted = vec![false; tree.len()];
    let mut pending = vec![root];
    let mut nodes = 0_u64;
    while let Some(id) = pending.pop() {
        if !std::mem::replace(&mut is_counted[id.index()], true) {
            nodes = nodes.saturating_add(tree.node(id).searched);
            pending.extend(tree.node(id).edges().iter().map(|edge| edge.child));
        }
    }
    nodes
}

/// Returns moves of best play from a position with an exact margin, as far as the tree proves them.
pub(crate) fn best_line(position: &Position, margin: Margin, tree: &Tree) -> Vec<(Side, Move)> {
    let (mut position, mut margin) = (position.clone(), margin);
    let mut line = Vec::new();
    loop {
        let goal = ProofGoal::new(&position, margin);
        let best = position.legal_moves().find_map(|mv| {
            let ChildGoal {
                goal: child,
                same_player,
            } = goal.child(mv);
            (tree.answer(&child) == Some(same_player)).then_some((mv, same_player))
        });
        let Some((mv, same_player)) = best else {
            return line;
        };
        line.push((position.to_move(), mv));
        position.play(mv).expect("the move is legal");
        if !same_player {
            margin = -margin;
        }
    }
}

/// Returns the moves to the leaf with the least proof numbers.
fn most_promising_line(
    statement: &ProofStatement,
    mv: Option<Move>,
    tree: &Tree,
    root: NodeId,
) -> Vec<(Side, Move)> {
    let mut position = statement.position.clone();
    let mut line = Vec::new();
    let mut play = |mv| {
        line.push((position.to_move(), mv));
        position.play(mv).expect("the moves of goals are legal");
    };
    if let Some(mv) = mv {
        play(mv);
    }
    let proof_number = |edge: &Edge| tree.child_numbers(edge).proof;
    let best_edge = |node: &TreeNode| {
        let edges = node.edges().iter();
        edges
            .min_by(|one, other| proof_number(one).total_cmp(&proof_number(other)))
            .copied()
    };
    let mut id = root;
    while let Some(edge) = best_edge(tree.node(id)) {
        play(edge.mv);
        id = edge.child;
    }
    line
}
