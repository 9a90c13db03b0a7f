//! The coordinator of a proof: hands out jobs and takes their results.

use std::collections::HashMap;

use kalah::Move;
use kalah_engine::{Bounds, GoalResult, GoalSearcher, ProofNumbers};

use crate::conditions::count_read_leaves;
use crate::goal::ProofGoal;
use crate::margin::MarginProof;
use crate::statement::ProofStatement;
use crate::status::{CurrentGoal, ProofStatus, best_line};
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

/// The response to a worker that asks for a job.
#[derive(Clone, Debug)]
pub enum NextJob {
    /// A goal to search.
    Job(Job),
    /// The proof is complete.
    Finished,
}

/// The node limits of jobs. The section "The size of jobs" of docs/scale.md has the reasons and the
/// measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSize {
    /// The least node limit of a single job.
    pub min_nodes: u64,
    /// The node limit of a single job is the number of nodes that the proof has taken so far
    /// divided by this, if that is more: large proofs have larger jobs.
    pub divisor: u64,
}

/// The least node limit of one of several jobs is [`JobSize::min_nodes`] divided by this.
const SHARED_MIN_DIVISOR: u64 = 5;

/// The number of jobs at once whose least node limit is [`JobSize::min_nodes`]; that of other
/// numbers is in proportion.
const MIN_NODES_JOBS: u64 = 128;

impl JobSize {
    /// Returns the node limit of the next job of a proof that has taken `nodes` nodes, with
    /// `others` jobs in flight.
    fn max_nodes(self, nodes: u64, others: usize) -> u64 {
        let single = self.min_nodes.max(nodes / self.divisor);
        let jobs = u64::try_from(others).unwrap_or(u64::MAX).saturating_add(1);
        if jobs == 1 {
            return single;
        }
        let served = (self.min_nodes.saturating_mul(jobs) / MIN_NODES_JOBS).min(nodes / jobs);
        (single / jobs)
            .max(self.min_nodes / SHARED_MIN_DIVISOR)
            .max(served)
    }
}

impl Default for JobSize {
    fn default() -> Self {
        Self {
            min_nodes: 100_000,
            divisor: 64,
        }
    }
}

/// The change of a leaf whose search has no answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Undecided {
    /// It gets children.
    Expand,
    /// It gets new proof numbers.
    KeepLeaf,
}

/// The coordinator of a proof.
///
/// It selects the leaves of the tree that are the most promising, hands them out as jobs, and
/// updates the tree with their results. It never searches and never waits.
pub struct Coordinator {
    statement: ProofStatement,
    tree: Tree,
    /// The proof of the position, then those of its moves.
    margins: Vec<MarginProof>,
    /// The index of the margin to prove next and the node of its goal; `None` once all margins are
    /// exact.
    current: Option<(usize, NodeId)>,
    jobs: HashMap<JobId, Selection>,
    next_id: u64,
    completed_jobs: u64,
    completed_nodes: u64,
    nodes: u64,
    size: JobSize,
}

impl Coordinator {
    /// Creates the coordinator of a proof, which goes on with `tree`.
    pub fn new(statement: ProofStatement, tree: Tree, size: JobSize) -> Self {
        let nodes = tree.ids().map(|id| tree.node(id).searched);
        let nodes = nodes.fold(0, u64::saturating_add);
        let mut coordinator = Self {
            margins: vec![MarginProof::new(&statement.position, statement.estimate)],
            statement,
            current: None,
            tree,
            jobs: HashMap::new(),
            next_id: 0,
            completed_jobs: 0,
            completed_nodes: 0,
            nodes,
            size,
        };
        coordinator.choose_goal();
        coordinator
    }

    /// The statement of the proof.
    pub fn statement(&self) -> &ProofStatement {
        &self.statement
    }

    /// The proven bounds of the margin of the position.
    pub fn bounds(&self) -> Bounds {
        self.margins[0].bounds()
    }

    /// The proven bounds of the margin of each move, for the side to move in the position. Without
    /// [`ProofStatement::all_moves`], and before the margin of the position is exact, there are
    /// none.
    pub fn move_bounds(&self) -> Vec<(Move, Bounds)> {
        let moves = self.statement.position.legal_moves();
        let margins = self.margins[1..].iter();
        let best = self.bounds();
        let bounds = |(mv, proof): (Move, &MarginProof)| {
            let Bounds { lower, upper } = self.statement.bounds_of_move(mv, proof.bounds());
            // No move is better than the best one.
            let upper = upper.min(best.upper);
            (mv, Bounds { lower, upper })
        };
        moves.zip(margins).map(bounds).collect()
    }

    /// Returns the number of leaves on which the bounds depend and whose answers were read from a
    /// store. The bounds are proven on the condition that these answers are right, because only a
    /// check searches these leaves again. This takes time in proportion to the size of the tree.
    pub fn conditional_leaves(&self) -> usize {
        let margins = self.margins.iter();
        count_read_leaves(&self.tree, margins.flat_map(MarginProof::answered_goals))
    }

    /// Whether all margins are exact.
    pub fn is_finished(&self) -> bool {
        self.current.is_none()
    }

    /// Returns the state of the proof. This takes time in proportion to the size of the tree.
    pub fn status(&self) -> ProofStatus {
        let ids = self.tree.ids();
        let solved = ids.filter(|&id| self.tree.node(id).answer().is_some());
        let bounds = self.bounds();
        ProofStatus {
            bounds,
            moves: self.move_bounds(),
            line: if bounds.is_exact() {
                best_line(&self.statement.position, bounds.lower, &self.tree)
            } else {
                Vec::new()
            },
            goals: self.tree.len(),
            solved_goals: solved.count(),
            jobs_in_flight: self.jobs.len(),
            nodes: self.nodes,
            current: self.current.and_then(|(index, root)| {
                let mut moves = self.statement.position.legal_moves();
                let mv = index.checked_sub(1).and_then(|index| moves.nth(index));
                let target = self.margins[index].target()?;
                Some(CurrentGoal::new(
                    &self.statement,
                    (mv, target),
                    &self.tree,
                    root,
                ))
            }),
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The number of nodes that all jobs of the proof have taken, also those of other runs.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The number of jobs that this coordinator has completed.
    pub fn completed_jobs(&self) -> u64 {
        self.completed_jobs
    }

    /// The number of nodes of these jobs.
    pub fn completed_nodes(&self) -> u64 {
        self.completed_nodes
    }

    /// Chooses the goal to decide next.
    fn choose_goal(&mut self) {
        let mut index = 0;
        while let Some(margin) = self.margins.get_mut(index) {
            while let Some(goal) = margin.next_goal() {
                let id = self.tree.insert(goal, ProofNumbers::UNKNOWN);
                let Some(answer) = self.tree.node(id).answer() else {
                    self.current = Some((index, id));
                    return;
                };
                margin.answer(answer);
            }
            if index == 0 && self.statement.all_moves && self.margins.len() == 1 {
                let best = self.bounds().lower;
                let moves = self.statement.proofs_of_moves(best);
                self.margins.extend(moves);
            }
            index += 1;
        }
        self.current = None;
    }

    /// Returns the next job. The `searcher` estimates the children of leaves that a job is
    /// searching already, which are expanded so that there is work for others.
    pub fn next_job(&mut self, searcher: &dyn GoalSearcher) -> NextJob {
        while let Some((_, root)) = self.current {
            let selection = self.tree.select(root);
            let leaf = selection.leaf;
            let goal = self.tree.goal(leaf).clone();
            if self.tree.node(leaf).is_shared() {
                self.tree.release(&selection);
                let (position, target) = (goal.position(), goal.target());
                let thresholds = ProofNumbers::INFINITE;
                let result = searcher.search(position, target, thresholds, 0, &[]);
                self.update(leaf, &result, Undecided::Expand);
                continue;
            }
            let id = JobId(self.next_id);
            self.next_id += 1;
            let job = Job {
                id,
                goal,
                thresholds: selection.thresholds,
                max_nodes: self.size.max_nodes(self.nodes, self.jobs.len()),
            };
            self.jobs.insert(id, selection);
            return NextJob::Job(job);
        }
        NextJob::Finished
    }

    /// Forgets the changes of the tree, which are in a store.
    pub(crate) fn clear_changes(&mut self) {
        self.tree.clear_changes();
    }

    /// Takes the result of a job. Results of jobs that are not in flight are ignored.
    pub fn complete(&mut self, job: &Job, result: &GoalResult) {
        let Some(selection) = self.jobs.remove(&job.id) else {
            return;
        };
        self.tree.release(&selection);
        self.completed_jobs += 1;
        self.completed_nodes += result.nodes;
        self.nodes = self.nodes.saturating_add(result.nodes);
        self.tree.add_searched(selection.leaf, result.nodes);
        let undecided = if self.tree.node(selection.leaf).searched >= job.max_nodes {
            Undecided::Expand
        } else {
            Undecided::KeepLeaf
        };
        self.update(selection.leaf, result, undecided);
    }

    /// Returns whether a job can be stopped: other jobs have solved its goal or a goal on the path
    /// to it, or the job is not in flight.
    pub(crate) fn is_obsolete(&self, id: JobId) -> bool {
        let selection = self.jobs.get(&id);
        selection.is_none_or(|selection| self.tree.is_obsolete(selection))
    }

    /// Takes a job back that was not finished.
    pub fn abandon(&mut self, id: JobId) {
        if let Some(selection) = self.jobs.remove(&id) {
            self.tree.release(&selection);
        }
    }

    /// Updates the tree with the result for a leaf, which `undecided` changes if it has no answer.
    fn update(&mut self, leaf: NodeId, result: &GoalResult, undecided: Undecided) {
        let numbers = match result.answer {
            Some(answer) => ProofNumbers::from_result(answer),
            None => combine(result.children.iter().map(|&(_, numbers)| numbers)),
        };
        let is_expanded = undecided == Undecided::Expand || !self.tree.node(leaf).is_leaf();
        if numbers.result().is_none() && is_expanded {
            self.tree.expand(leaf, &result.children);
        } else {
            self.tree.set_numbers(leaf, numbers);
        }
        self.choose_goal();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_shared_but_not_too_small_for_many_workers() {
        let size = JobSize::default();
        assert_eq!(size.max_nodes(0, 0), 100_000);
        assert_eq!(size.max_nodes(64_000_000, 0), 1_000_000);
        assert_eq!(size.max_nodes(64_000_000, 3), 250_000);
        assert_eq!(size.max_nodes(0, 1023), 20_000);
        assert_eq!(size.max_nodes(64_000_000, 63), 50_000);
        assert_eq!(size.max_nodes(64_000_000, 1023), 62_500);
        assert_eq!(size.max_nodes(1_000_000_000, 1023), 800_000);
    }
}
