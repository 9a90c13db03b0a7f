//! The leaves on which the margins of a certificate depend.

use std::collections::{HashSet, VecDeque};

use crate::certificate::Certificate;
use crate::goal::Goal;

/// The evidence for the answer of a goal, as a check without a search finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GoalKind {
    /// It follows from the answers of the goals after its moves.
    Inner,
    /// It follows from the answer of another goal of the position, or from the range of the seeds.
    Implied,
    /// It needs a search.
    Leaf,
}

/// Returns the leaves on which the margins depend, as indices of goals, those with the fewest moves
/// from the position first.
///
/// If the answers of these leaves are right, the margins are. A yes depends on one move: on the
/// first that needs no goal, or else on the first that reaches the target. A no depends on all
/// moves. `kinds` has the kind of each goal, and `None` for one that is open or wrong.
pub(crate) fn needed_leaves(certificate: &Certificate, kinds: &[Option<GoalKind>]) -> Vec<usize> {
    let mut leaves = Vec::new();
    let mut visited = HashSet::new();
    // Goals of the same position come before those after a move.
    let mut pending: VecDeque<usize> = (certificate.claim_goals().iter())
        .filter_map(|(goal, answer)| index_of(certificate, goal, *answer))
        .collect();
    while let Some(index) = pending.pop_front() {
        if !visited.insert(index) {
            continue;
        }
        let Some((goal, entry)) = certificate.goals().get_index(index) else {
            continue;
        };
        let (Some(answer), Some(kind)) = (entry.answer, kinds.get(index).copied().flatten()) else {
            continue;
        };
        match kind {
            GoalKind::Leaf => leaves.push(index),
            GoalKind::Implied => {
                let other = extreme_goal(certificate, goal, answer);
                if let Some(other) = other.filter(|&other| other != index) {
                    pending.push_front(other);
                }
            }
            GoalKind::Inner => pending.extend(goals_of_moves(certificate, goal, answer)),
        }
    }
    leaves
}

/// Returns the goals of the moves from which the answer of a goal follows.
fn goals_of_moves(certificate: &Certificate, goal: &Goal, answer: bool) -> Vec<usize> {
    let rules = certificate.statement().rules();
    let mut children = goal.children(rules);
    if answer {
        let reaches = |answer: Option<bool>, same_player| answer == Some(same_player);
        let trivial = (children.iter())
            .position(|child| reaches(child.goal.trivial_answer(rules), child.same_player));
        let proven = || {
            (children.iter())
                .position(|child| reaches(certificate.answer(&child.goal), child.same_player))
        };
        let Some(chosen) = trivial.or_else(proven) else {
            return Vec::new();
        };
        children = vec![children.swap_remove(chosen)];
    }
    let needed = children.iter().filter_map(|child| {
        let is_trivial = child.goal.trivial_answer(rules).is_some();
        let child_answer = child.convert(answer);
        (!is_trivial).then(|| index_of(certificate, &child.goal, child_answer))?
    });
    needed.collect()
}

/// Returns the goal that gives the answer of `goal`: the same goal, or else one of its position.
fn index_of(certificate: &Certificate, goal: &Goal, answer: bool) -> Option<usize> {
    match certificate.goals().get_full(goal) {
        Some((index, _, entry)) if entry.answer == Some(answer) => Some(index),
        _ => extreme_goal(certificate, goal, answer),
    }
}

/// Returns the goal of the position of `goal` with the highest target that is reached, or with the
/// lowest that is not.
fn extreme_goal(certificate: &Certificate, goal: &Goal, answer: bool) -> Option<usize> {
    let targets = certificate.targets(goal.position());
    let target = if answer {
        targets.highest_yes
    } else {
        targets.lowest_no
    };
    certificate.goals().get_index_of(&goal.with_target(target?))
}
