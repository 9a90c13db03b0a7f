//! The coordinator of a proof: hands out jobs and takes their results.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use kalah::{Margin, Move, Position};
use kalah_engine::{GoalResult, GoalSearcher, ProofNumbers};

use crate::goal::ProofGoal;
use crate::margin::MarginProof;
use crate::store::ProofTask;
use crate::tree::{NodeId, Selection, Tree, combine};

/// The number of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub u64);

/// A job: a goal to search within limits.
#[derive(Clone, Debug)]
pub struct Job {
    /// The number of the job.
    pub id: JobId,
    /// The goal.
    pub goal: ProofGoal,
    /// The proof numbers at which the search ends: another goal is more promising then.
    pub thresholds: ProofNumbers,
    /// The number of nodes after which the search ends.
    pub max_nodes: u64,
}

/// The answer to a worker that asks for a job.
#[derive(Clone, Debug)]
pub enum NextJob {
    /// It can search a goal.
    Job(Job),
    /// The proof is complete.
    Finished,
}

/// The node limits of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSize {
    /// The least node limit.
    pub min_nodes: u64,
    /// The node limit is the number of nodes that the proof has taken so far divided by this, if
    /// that is more: large proofs have larger jobs.
    pub divisor: u64,
}

impl Default for JobSize {
    fn default() -> Self {
        Self {
            min_nodes: 100_000,
            divisor: 64,
        }
    }
}

/// The coordinator of a proof.
///
/// It selects the leaves of the tree that are the most promising, hands them out as jobs, and
/// updates the tree with their results. It never searches and never waits.
pub struct Coordinator {
    task: ProofTask,
    tree: Tree,
    /// The proof of the position, then those of its moves.
    margins: Vec<MarginProof>,
    jobs: HashMap<JobId, Selection>,
    next_id: u64,
    searched: u64,
    size: JobSize,
}

impl Coordinator {
    /// Creates the coordinator of a proof, which goes on with `tree`.
    pub fn new(task: ProofTask, tree: Tree, size: JobSize) -> Self {
        let searched = tree.ids().map(|id| tree.node(id).searched).sum();
        let mut coordinator = Self {
            margins: vec![MarginProof::new(&task.position, task.estimate)],
            task,
            tree,
            jobs: HashMap::new(),
            next_id: 0,
            searched,
            size,
        };
        coordinator.open_root();
        coordinator
    }

    /// The statement of the proof.
    pub fn task(&self) -> &ProofTask {
        &self.task
    }

    /// The proven bounds of the margin of the position.
    pub fn bounds(&self) -> (Margin, Margin) {
        self.margins[0].bounds()
    }

    /// The proven bounds of the margin of each move, for the side to move in the position. Without
    /// [`ProofTask::all_moves`], and before the margin of the position is exact, there are none.
    pub fn move_bounds(&self) -> Vec<(Move, (Margin, Margin))> {
        let moves = self.task.position.legal_moves();
        let margins = self.margins[1..].iter();
        (moves.zip(margins))
            .map(|(mv, proof)| (mv, self.bounds_of_move(mv, proof.bounds())))
            .collect()
    }

    /// Converts the bounds of the position after a move into those of the move.
    fn bounds_of_move(&self, mv: Move, bounds: (Margin, Margin)) -> (Margin, Margin) {
        let (lower, upper) = bounds;
        if self.is_same_player(mv) {
            (lower, upper)
        } else {
            (-upper, -lower)
        }
    }

    fn is_same_player(&self, mv: Move) -> bool {
        let position = &self.task.position;
        position_after(position, mv).to_move() == position.to_move() && mv != Move::Swap
    }

    /// Adds the proofs of all moves. No move reaches more than `best`.
    fn add_moves(&mut self, best: Margin) {
        let moves: Vec<Move> = self.task.position.legal_moves().collect();
        for mv in moves {
            let estimate = if self.is_same_player(mv) { best } else { -best };
            let after = position_after(&self.task.position, mv);
            self.margins.push(MarginProof::new(&after, estimate));
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The number of nodes that the jobs have taken.
    pub fn searched(&self) -> u64 {
        self.searched
    }

    /// Returns the node of the goal to decide next; `None` once all margins are exact.
    fn open_root(&mut self) -> Option<NodeId> {
        let mut index = 0;
        while let Some(margin) = self.margins.get_mut(index) {
            while let Some(goal) = margin.next_goal() {
                let id = self.tree.insert(goal, ProofNumbers::UNKNOWN);
                match self.tree.node(id).answer() {
                    Some(answer) => margin.answer(answer),
                    None => return Some(id),
                }
            }
            if index == 0 && self.task.all_moves && self.margins.len() == 1 {
                let (best, _) = self.bounds();
                self.add_moves(best);
            }
            index += 1;
        }
        None
    }

    /// Returns the next job. The `searcher` estimates the children of leaves that a job is searching
    /// already, which are expanded so that there is work for others.
    pub fn next_job(&mut self, searcher: &dyn GoalSearcher) -> NextJob {
        while let Some(root) = self.open_root() {
            let selection = self.tree.select(root);
            let leaf = selection.leaf;
            let goal = self.tree.goal(leaf).clone();
            if self.tree.node(leaf).is_shared() {
                self.tree.release(&selection);
                let stop_flag = AtomicBool::new(false);
                let (position, target) = (goal.position(), goal.target());
                let thresholds = ProofNumbers::INFINITE;
                let result = searcher.search(position, target, thresholds, 0, &stop_flag);
                self.update(leaf, &result, true);
                continue;
            }
            let id = JobId(self.next_id);
            self.next_id += 1;
            let job = Job {
                id,
                goal,
                thresholds: selection.thresholds,
                max_nodes: self.size.min_nodes.max(self.searched / self.size.divisor),
            };
            self.jobs.insert(id, selection);
            return NextJob::Job(job);
        }
        NextJob::Finished
    }

    /// Returns the nodes that have changed since the last call.
    pub fn take_changes(&mut self) -> Vec<NodeId> {
        self.tree.take_changes()
    }

    /// Takes the result of a job. Results of jobs that are not in flight are ignored.
    pub fn complete(&mut self, job: &Job, result: &GoalResult) {
        let Some(selection) = self.jobs.remove(&job.id) else {
            return;
        };
        self.tree.release(&selection);
        self.searched += result.nodes;
        self.tree.add_searched(selection.leaf, result.nodes);
        let is_exhausted = self.tree.node(selection.leaf).searched >= job.max_nodes;
        self.update(selection.leaf, result, is_exhausted);
    }

    /// Takes a job back that was not finished.
    pub fn abandon(&mut self, id: JobId) {
        if let Some(selection) = self.jobs.remove(&id) {
            self.tree.release(&selection);
        }
    }

    fn update(&mut self, leaf: NodeId, result: &GoalResult, expands: bool) {
        let numbers = match result.answer {
            Some(answer) => ProofNumbers::from_result(answer),
            None => combine(result.children.iter().map(|&(_, numbers)| numbers)),
        };
        if numbers.result().is_none() && (expands || !self.tree.node(leaf).is_leaf()) {
            self.tree.expand(leaf, &result.children);
        } else {
            self.tree.set_numbers(leaf, numbers);
        }
    }
}

/// Returns the position after a legal move.
fn position_after(position: &Position, mv: Move) -> Position {
    let mut after = position.clone();
    after.play(mv).expect("the move is legal");
    after
}
