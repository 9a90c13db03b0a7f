//! Guides: trees that lead a proof along another one, without its answers.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use kalah::{Margin, Move, Position};
use kalah_engine::ProofNumbers;

use crate::goal::{ChildGoal, ProofGoal};
use crate::margin::MarginProof;
use crate::store::{ProofStore, StoreError, StoredProof};
use crate::tree::{NodeId, Tree};

/// The beginning of a proof that repeats the searches on which another proof rests.
///
/// The tree has the goals of the other proof, but no answer that needs a search, and its proof numbers
/// lead to the goals on which the margins of the other proof rest. A wrong answer of that proof costs
/// time and has no other effect.
#[derive(Clone, Debug)]
pub struct ProofGuide {
    /// The margin of the other proof, or its estimate before that is exact.
    pub estimate: Margin,
    /// The tree.
    pub tree: Tree,
}

/// The proof number of a goal that the other proof has proven, and the disproof number of one that it
/// has disproven.
const EXPECTED_NUMBER: f64 = 1.0;

/// The other numbers: far greater than those of searches.
const UNEXPECTED_NUMBER: f64 = 1e9;

impl ProofGuide {
    /// Reads the guide to a proof of `position` from the store of another proof.
    ///
    /// # Errors
    /// [`StoreError`] as for [`ProofStore::read`], and if the store proves another position.
    pub fn read(path: &Path, position: &Position) -> Result<Self, StoreError> {
        let proof = ProofStore::read(path)?;
        proof.check_position(path, position)?;
        Ok(Self::new(&proof))
    }

    /// Creates the guide to a repetition of `proof`.
    pub fn new(proof: &StoredProof) -> Self {
        let StoredProof {
            statement, tree, ..
        } = proof;
        let margin = decided_part(
            MarginProof::new(&statement.position, statement.estimate),
            tree,
        );
        let bounds = margin.bounds();
        let estimate = if bounds.is_exact() {
            bounds.lower
        } else {
            statement.estimate
        };
        let mut builder = GuideBuilder {
            proof: tree,
            costs: HashMap::new(),
            visited: HashSet::new(),
            leaves: Vec::new(),
            guide: Tree::default(),
        };
        builder.add_goals(MarginProof::new(&statement.position, estimate));
        if statement.all_moves && bounds.is_exact() {
            for margin in statement.margins_of_moves(bounds.lower) {
                builder.add_goals(margin);
            }
        }
        Self {
            estimate,
            tree: builder.finish(),
        }
    }
}

/// Goes on with a margin as far as a tree has the answers.
fn decided_part(mut margin: MarginProof, tree: &Tree) -> MarginProof {
    while let Some(answer) = margin.next_goal().and_then(|goal| tree.answer(&goal)) {
        margin.answer(answer);
    }
    margin
}

/// Builds the tree of a guide.
struct GuideBuilder<'a> {
    proof: &'a Tree,
    /// The nodes of the searches on which the answer to a goal rests.
    costs: HashMap<ProofGoal, u64>,
    /// The goals of the guide on which its margins rest.
    visited: HashSet<NodeId>,
    /// Those without children, and whether the proof has proven them.
    leaves: Vec<(NodeId, bool)>,
    guide: Tree,
}

impl GuideBuilder<'_> {
    /// Adds the goals that a proof of a margin decides, in the same order, as far as they are
    /// decided.
    fn add_goals(&mut self, mut margin: MarginProof) {
        while let Some(goal) = margin.next_goal()
            && let Some(answer) = self.proof.answer(&goal)
        {
            let id = self.guide.insert(goal, ProofNumbers::UNKNOWN);
            self.add(id, answer);
            margin.answer(answer);
        }
    }

    /// Adds the goals on which the answer to the goal of a node rests.
    fn add(&mut self, id: NodeId, answer: bool) {
        if self.guide.node(id).answer().is_some() || !self.visited.insert(id) {
            return;
        }
        let goal = self.guide.goal(id).clone();
        let Some(support) = self.support(&goal, answer) else {
            self.leaves.push((id, answer));
            return;
        };
        let unexpected = ProofNumbers {
            proof: UNEXPECTED_NUMBER,
            disproof: UNEXPECTED_NUMBER,
        };
        let moves = goal.position().legal_moves();
        let children: Vec<_> = moves.map(|mv| (mv, unexpected)).collect();
        self.guide.expand(id, &children);
        for mv in support {
            let child = goal.child(mv);
            let id = self.guide.insert(child.goal, unexpected);
            self.add(id, answer == child.same_player);
        }
    }

    /// Returns the moves on which the answer to a goal rests: the cheapest one that proves it, or all
    /// moves if it is disproven. Without the answers to these moves there are none.
    fn support(&mut self, goal: &ProofGoal, answer: bool) -> Option<Vec<Move>> {
        let supports = |mv: &Move| {
            let child = goal.child(*mv);
            self.proof.answer(&child.goal) == Some(answer == child.same_player)
        };
        let position = goal.position();
        let moves: Vec<Move> = position.legal_moves().filter(supports).collect();
        if answer {
            let cheapest = moves.into_iter().min_by_key(|&mv| {
                let ChildGoal { goal, same_player } = goal.child(mv);
                self.cost(&goal, same_player)
            });
            cheapest.map(|mv| vec![mv])
        } else {
            (moves.len() == position.legal_moves().count()).then_some(moves)
        }
    }

    /// Returns the nodes of the searches on which the answer to a goal rests, some of them several
    /// times.
    fn cost(&mut self, goal: &ProofGoal, answer: bool) -> u64 {
        if goal.trivial_answer().is_some() {
            return 0;
        }
        if let Some(&cost) = self.costs.get(goal) {
            return cost;
        }
        let cost = if let Some(moves) = self.support(goal, answer) {
            let costs = moves.into_iter().map(|mv| {
                let child = goal.child(mv);
                self.cost(&child.goal, answer == child.same_player)
            });
            costs.fold(0, u64::saturating_add)
        } else {
            let node = self.proof.find(goal);
            node.map_or(0, |id| self.proof.node(id).searched)
        };
        self.costs.insert(goal.clone(), cost);
        cost
    }

    /// Sets the numbers of the leaves and returns the tree.
    fn finish(mut self) -> Tree {
        for (id, answer) in self.leaves {
            let proven = ProofNumbers {
                proof: EXPECTED_NUMBER,
                disproof: UNEXPECTED_NUMBER,
            };
            let numbers = if answer { proven } else { proven.opposite() };
            self.guide.set_numbers(id, numbers);
        }
        self.guide
    }
}
