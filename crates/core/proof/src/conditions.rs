//! The answers of a store on whose condition the bounds of a proof hold.

use std::collections::HashSet;

use crate::goal::ProofGoal;
use crate::tree::{NodeId, Tree};

/// Counts the leaves on which the answers of goals depend and whose own answers were read from a
/// store: neither the rules nor a search of this process has confirmed them.
///
/// A yes depends on one move: on the first that needs no goal, or else on the first that reaches
/// the target. A no depends on all moves.
pub(crate) fn count_read_leaves(
    tree: &Tree,
    answers: impl IntoIterator<Item = (ProofGoal, bool)>,
) -> usize {
    if !tree.has_read_answers() {
        return 0;
    }
    let mut read_leaves = 0;
    let mut visited = HashSet::new();
    let mut pending: Vec<NodeId> = (answers.into_iter())
        .filter_map(|(goal, answer)| node_of(tree, &goal, answer))
        .collect();
    while let Some(id) = pending.pop() {
        let (goal, node) = (tree.goal(id), tree.node(id));
        let Some(answer) = node.answer() else {
            continue;
        };
        if goal.trivial_answer().is_some() || !visited.insert(id) {
            continue;
        }
        if let Some(goals) = goals_of_moves(tree, goal, answer) {
            let nodes = (goals.iter()).filter_map(|(goal, answer)| node_of(tree, goal, *answer));
            pending.extend(nodes);
        } else if let Some(other) = extreme_node(tree, goal, answer) {
            pending.push(other);
        } else if node.is_read {
            read_leaves += 1;
        }
    }
    read_leaves
}

/// Returns the goals after moves from which the answer of a goal follows, each with its answer;
/// `None` if it does not follow from them.
fn goals_of_moves(tree: &Tree, goal: &ProofGoal, answer: bool) -> Option<Vec<(ProofGoal, bool)>> {
    if goal.position().is_over() {
        return None;
    }
    let children = goal.position().legal_moves().map(|mv| goal.child(mv));
    let children = children.map(|child| (child.goal, answer == child.same_player));
    if !answer {
        let is_known = |(goal, answer): &(ProofGoal, bool)| tree.answer(goal) == Some(*answer);
        let children: Vec<_> = children.collect();
        return children.iter().all(is_known).then_some(children);
    }
    let mut chosen = None;
    for (child, answer) in children {
        if child.trivial_answer() == Some(answer) {
            return Some(Vec::new());
        }
        if chosen.is_none() && tree.answer(&child) == Some(answer) {
            chosen = Some((child, answer));
        }
    }
    chosen.map(|child| vec![child])
}

/// Returns the node that gives the answer of a goal: its own, or else one of its position.
fn node_of(tree: &Tree, goal: &ProofGoal, answer: bool) -> Option<NodeId> {
    let own = tree.find(goal);
    let own = own.filter(|&id| tree.node(id).answer() == Some(answer));
    own.or_else(|| extreme_node(tree, goal, answer))
}

/// Returns the node of the position of `goal` with the highest target that is reached, or with the
/// lowest that is not, if the answer of `goal` follows from it.
fn extreme_node(tree: &Tree, goal: &ProofGoal, answer: bool) -> Option<NodeId> {
    let is_implying = |&id: &NodeId| {
        goal.follows_from(tree.goal(id), answer) && tree.node(id).answer() == Some(answer)
    };
    let mut implying = tree.targets(goal.position()).filter(is_implying);
    // The targets are in ascending order.
    if answer {
        implying.last()
    } else {
        implying.next()
    }
}
