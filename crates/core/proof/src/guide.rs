//! Guides: the goals on which an earlier proof depends, without their answers; and the stores of
//! proofs that begin with them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use kalah::{Margin, Move, Position};
use kalah_engine::ProofNumbers;

use crate::goal::ProofGoal;
use crate::margin::MarginProof;
use crate::statement::ProofStatement;
use crate::store::{ProofStore, ProofStoreError, StoredProof};
use crate::tree::{NodeId, Tree};

/// The beginning of a proof that repeats the searches on which an earlier proof depends.
///
/// The tree has goals of the earlier proof, but none of its answers. Its proof numbers direct the
/// searches to the goals on which the margins of the earlier proof depend. A wrong answer of that
/// proof costs time and has no other effect.
#[derive(Clone, Debug)]
pub struct ProofGuide {
    /// The margin that the earlier proof has proven, or its estimate if the margin is not exact.
    pub estimate: Margin,
    /// The tree.
    pub tree: Tree,
}

/// The number of a goal that agrees with the earlier answer: the proof number after a yes, the
/// disproof number after a no.
const EXPECTED_NUMBER: f64 = 1.0;

/// All other numbers, far greater than those that searches find: the leaves of the first proof of
/// 6x7 under `standard` have numbers below 400,000.
const UNEXPECTED_NUMBER: f64 = 1e9;

impl ProofGuide {
    /// Reads the guide of an earlier proof of `position` from its store, with `all_moves` for the
    /// margins of all moves.
    ///
    /// # Errors
    /// [`ProofStoreError`] as for [`ProofStore::read`], and if the store proves another position.
    pub fn read(
        path: &Path,
        position: &Position,
        all_moves: bool,
    ) -> Result<Self, ProofStoreError> {
        let proof = ProofStore::read(path)?;
        proof.check_position(path, position)?;
        Ok(Self::new(&proof, all_moves))
    }

    /// Creates the guide of `proof`, with `all_moves` for the margins of all moves. The goals of
    /// margins that the earlier proof has not decided are left out.
    pub fn new(proof: &StoredProof, all_moves: bool) -> Self {
        let StoredProof {
            statement, tree, ..
        } = proof;
        let mut margin = MarginProof::new(&statement.position, statement.estimate);
        while let Some(answer) = margin.next_goal().and_then(|goal| tree.answer(&goal)) {
            margin.answer(answer);
        }
        let bounds = margin.bounds();
        let estimate = if bounds.is_exact() {
            bounds.lower
        } else {
            statement.estimate
        };
        let mut builder = GuideBuilder {
            earlier: tree,
            support: HashMap::new(),
            visited: HashSet::new(),
            leaves: Vec::new(),
            guide: Tree::default(),
        };
        builder.add_margin(MarginProof::new(&statement.position, estimate));
        if all_moves && bounds.is_exact() {
            for margin in statement.proofs_of_moves(bounds.lower) {
                builder.add_margin(margin);
            }
        }
        Self {
            estimate,
            tree: builder.finish(),
        }
    }
}

impl ProofStore {
    /// Opens the store of a proof of `position`, or creates it. The store of a proof without
    /// `all_moves` is extended to all moves if that is asked for.
    ///
    /// A new proof begins with the [`ProofGuide`] of the store at `guide`. Without a guide it
    /// begins with `estimate`, which returns `None` if it was stopped.
    ///
    /// # Errors
    /// [`ProofStoreError`] as for [`ProofStore::create`], [`ProofStore::open`] and
    /// [`ProofGuide::read`], if the store proves another position, and if the estimate was stopped;
    /// there is no store then.
    pub fn open_or_create(
        path: &Path,
        position: &Position,
        all_moves: bool,
        guide: Option<&Path>,
        estimate: impl FnOnce() -> Option<Margin>,
    ) -> Result<(Self, StoredProof), ProofStoreError> {
        if !path.exists() {
            let ProofGuide { estimate, tree } = match guide {
                Some(guide) => ProofGuide::read(guide, position, all_moves)?,
                None => ProofGuide {
                    estimate: estimate().ok_or(ProofStoreError::EstimateStopped)?,
                    tree: Tree::default(),
                },
            };
            let statement = ProofStatement {
                position: position.clone(),
                all_moves,
                estimate,
            };
            let store = Self::create_with_tree(path, &statement, &tree)?;
            let proof = StoredProof {
                statement,
                tree,
                runs: Vec::new(),
            };
            return Ok((store, proof));
        }
        let (store, mut proof) = Self::open(path)?;
        proof.check_position(path, position)?;
        if all_moves && !proof.statement.all_moves {
            store.extend_to_all_moves(path, &mut proof)?;
        }
        Ok((store, proof))
    }
}

/// The moves whose goals give the answer of a goal, and the work to decide these goals.
#[derive(Clone)]
struct Support {
    /// One move for a yes, all moves for a no; empty if the answer comes from a search.
    moves: Vec<Move>,
    /// The nodes of all searches. The searches of a goal that is reached by several ways count
    /// several times.
    nodes: u64,
}

/// Builds the tree of a guide.
struct GuideBuilder<'a> {
    /// The tree of the earlier proof.
    earlier: &'a Tree,
    /// The support of goals that the earlier proof has answered.
    support: HashMap<ProofGoal, Support>,
    /// The nodes of the guide on which the margins depend.
    visited: HashSet<NodeId>,
    /// The visited nodes that are leaves, with the earlier answers.
    leaves: Vec<(NodeId, bool)>,
    guide: Tree,
}

impl GuideBuilder<'_> {
    /// Adds the goals that a proof of a margin decides, in the same order, until one has no answer.
    fn add_margin(&mut self, mut margin: MarginProof) {
        while let Some(goal) = margin.next_goal()
            && let Some(answer) = self.earlier.answer(&goal)
        {
            let id = self.guide.insert(goal, ProofNumbers::UNKNOWN);
            self.add_below(id, answer);
            margin.answer(answer);
        }
    }

    /// Adds the goals on which the answer of a node depends.
    fn add_below(&mut self, id: NodeId, answer: bool) {
        if self.guide.node(id).answer().is_some() || !self.visited.insert(id) {
            return;
        }
        let goal = self.guide.goal(id).clone();
        let Support { moves, .. } = self.support(&goal, answer);
        if moves.is_empty() {
            self.leaves.push((id, answer));
            return;
        }
        let unexpected = ProofNumbers {
            proof: UNEXPECTED_NUMBER,
            disproof: UNEXPECTED_NUMBER,
        };
        let legal_moves = goal.position().legal_moves();
        let children: Vec<_> = legal_moves.map(|mv| (mv, unexpected)).collect();
        self.guide.expand(id, &children);
        for mv in moves {
            let child = goal.child(mv);
            let child_id = self.guide.insert(child.goal, unexpected);
            self.add_below(child_id, answer == child.same_player);
        }
    }

    /// Returns the support of the earlier answer of a goal that takes the least work.
    fn support(&mut self, goal: &ProofGoal, answer: bool) -> Support {
        let by_search = |nodes| Support {
            moves: Vec::new(),
            nodes,
        };
        if goal.trivial_answer().is_some() {
            return by_search(0);
        }
        if let Some(support) = self.support.get(goal) {
            return support.clone();
        }
        let support = match (self.support_of_moves(goal, answer), self.searched(goal)) {
            (Some(by_moves), Some(nodes)) if by_moves.nodes > nodes => by_search(nodes),
            (Some(by_moves), _) => by_moves,
            (None, Some(nodes)) => by_search(nodes),
            // The answer follows from that to a higher or a lower target.
            (None, None) => by_search(
                (self.earlier.implying_goal(goal))
                    .map_or(0, |(other, answer)| self.support(&other, answer).nodes),
            ),
        };
        self.support.insert(goal.clone(), support.clone());
        support
    }

    /// Returns the support of the earlier answer of a goal by the goals after its moves, if they
    /// give it.
    fn support_of_moves(&mut self, goal: &ProofGoal, answer: bool) -> Option<Support> {
        let mut supports = Vec::new();
        for mv in goal.position().legal_moves() {
            let child = goal.child(mv);
            let child_answer = answer == child.same_player;
            if self.earlier.answer(&child.goal) == Some(child_answer) {
                let Support { nodes, .. } = self.support(&child.goal, child_answer);
                supports.push((mv, nodes));
            } else if !answer {
                return None;
            }
        }
        if answer {
            let (mv, nodes) = supports.into_iter().min_by_key(|&(_, nodes)| nodes)?;
            return Some(Support {
                moves: vec![mv],
                nodes,
            });
        }
        let nodes = supports.iter().map(|&(_, nodes)| nodes);
        Some(Support {
            nodes: nodes.fold(0, u64::saturating_add),
            moves: supports.into_iter().map(|(mv, _)| mv).collect(),
        })
    }

    /// Returns the nodes of the search that has answered a goal. The searches of an expanded node
    /// have ended without an answer.
    fn searched(&self, goal: &ProofGoal) -> Option<u64> {
        let node = self.earlier.node(self.earlier.find(goal)?);
        (node.is_leaf() && node.answer().is_some() && node.searched > 0).then_some(node.searched)
    }

    /// Sets the numbers of the leaves and returns the tree.
    fn finish(mut self) -> Tree {
        for (id, answer) in self.leaves {
            let yes = ProofNumbers {
                proof: EXPECTED_NUMBER,
                disproof: UNEXPECTED_NUMBER,
            };
            let numbers = if answer { yes } else { yes.opposite() };
            self.guide.set_numbers(id, numbers);
        }
        self.guide
    }
}
