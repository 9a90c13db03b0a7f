//! The coordinator of a proof: hands out jobs and takes their results.

use std::collections::HashMap;
use std::time::Duration;

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

/// The node limits of jobs, as long as no load is reported. The section "The size of jobs" of
/// docs/scale.md has the reasons and the measurements.
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
    /// `others` jobs in flight. Jobs of `served` nodes keep the load of the coordinator low; `None`
    /// if the load is not known.
    fn max_nodes(self, nodes: u64, others: usize, served: Option<u64>) -> u64 {
        let single = self.min_nodes.max(nodes / self.divisor);
        let jobs = u64::try_from(others).unwrap_or(u64::MAX).saturating_add(1);
        if jobs == 1 {
            return single;
        }
        let served = served.unwrap_or(self.min_nodes.saturating_mul(jobs) / MIN_NODES_JOBS);
        (single / jobs)
            .max(self.shared_min())
            .max(served.min(nodes / jobs))
    }

    /// Returns the least node limit of one of several jobs.
    fn shared_min(self) -> u64 {
        self.min_nodes / SHARED_MIN_DIVISOR
    }
}

/// The part of the time in which the coordinator is busy that the size of jobs aims at. Above it,
/// workers wait for each other.
const LOAD_AIM: f64 = 0.3;

/// The size of jobs changes at most by this factor at once.
const MAX_LOAD_FACTOR: f64 = 2.0;

/// The size of jobs changes after as many jobs as are in flight, and at least after this number.
const MIN_LOAD_JOBS: u64 = 16;

/// The load of the coordinator, and the size of jobs that keeps it low.
#[derive(Clone, Copy, Debug, Default)]
struct LoadControl {
    /// The time in which the coordinator was busy since the last change, and all time since then.
    busy: Duration,
    time: Duration,
    /// The completed jobs at the last change.
    jobs: u64,
    /// The nodes of a job; `None` before the first change.
    nodes: Option<u64>,
}

impl LoadControl {
    /// Returns the factor by which jobs have to grow for the load that was reported.
    fn factor(&self) -> f64 {
        let load = self.busy.as_secs_f64() / self.time.as_secs_f64().max(f64::MIN_POSITIVE);
        (load / LOAD_AIM).clamp(1.0 / MAX_LOAD_FACTOR, MAX_LOAD_FACTOR)
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
    load: LoadControl,
    /// The solved nodes of the tree when the jobs were looked through for obsolete ones.
    seen_solved: usize,
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
            load: LoadControl::default(),
            seen_solved: 0,
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
                max_nodes: (self.size).max_nodes(self.nodes, self.jobs.len(), self.load.nodes),
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

    /// Returns the jobs in flight that can be stopped, in the order of their numbers, if any goal
    /// was solved since the last call: other jobs have solved their goals or goals on the paths to
    /// them.
    pub fn obsolete_jobs(&mut self) -> Vec<JobId> {
        let solved = self.tree.solved_changes();
        if solved == self.seen_solved {
            return Vec::new();
        }
        self.seen_solved = solved;
        let obsolete = self.jobs.iter();
        let obsolete = obsolete.filter(|(_, selection)| self.tree.is_obsolete(selection));
        let mut ids: Vec<JobId> = obsolete.map(|(&id, _)| id).collect();
        ids.sort_unstable();
        ids
    }

    /// Reports how long the coordinator was busy during a time, with messages and the store. The
    /// node limits of jobs grow while it is busy for more than 30 % of the time, and shrink again
    /// while it is not.
    pub fn report_load(&mut self, busy: Duration, time: Duration) {
        let load = &mut self.load;
        load.busy += busy;
        load.time += time;
        let in_flight = self.jobs.len() as u64;
        if self.completed_jobs - load.jobs < in_flight.max(MIN_LOAD_JOBS) {
            return;
        }
        let min_nodes = self.size.shared_min().max(1);
        let max_nodes = (self.nodes / in_flight.max(1)).max(min_nodes);
        let nodes = scaled(load.nodes.unwrap_or(min_nodes), load.factor());
        let nodes = nodes.clamp(min_nodes, max_nodes);
        *load = LoadControl {
            jobs: self.completed_jobs,
            nodes: Some(nodes),
            ..LoadControl::default()
        };
        self.tree.set_job_factor(ratio(nodes, min_nodes));
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

/// Returns a number of nodes times a factor, rounded down.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the size of jobs need not be exact"
)]
fn scaled(nodes: u64, factor: f64) -> u64 {
    (nodes as f64 * factor) as u64
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the size of jobs need not be exact"
)]
fn ratio(nodes: u64, others: u64) -> f64 {
    nodes as f64 / others as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_shared_but_not_too_small_for_many_workers() {
        let size = JobSize::default();
        assert_eq!(size.max_nodes(0, 0, None), 100_000);
        assert_eq!(size.max_nodes(64_000_000, 0, None), 1_000_000);
        assert_eq!(size.max_nodes(64_000_000, 3, None), 250_000);
        assert_eq!(size.max_nodes(0, 1023, None), 20_000);
        assert_eq!(size.max_nodes(64_000_000, 63, None), 50_000);
        assert_eq!(size.max_nodes(64_000_000, 1023, None), 62_500);
        assert_eq!(size.max_nodes(1_000_000_000, 1023, None), 800_000);
    }

    #[test]
    fn load_sets_the_size_of_jobs() {
        let size = JobSize::default();
        let nodes = 64_000_000;
        assert_eq!(size.max_nodes(nodes, 63, Some(20_000)), 20_000);
        assert_eq!(size.max_nodes(nodes, 63, Some(90_000)), 90_000);
        // No job is larger than the part of a worker in the proof so far.
        assert_eq!(size.max_nodes(nodes, 63, Some(9_000_000)), 1_000_000);
        assert_eq!(size.max_nodes(nodes, 0, Some(20_000)), 1_000_000);
        // Twice the load that is aimed at doubles the size, and half of it halves it.
        for (busy, nodes) in [(0, 50), (150, 50), (300, 100), (450, 150), (1000, 200)] {
            let load = LoadControl {
                busy: Duration::from_millis(busy),
                time: Duration::from_secs(1),
                ..LoadControl::default()
            };
            assert_eq!(scaled(100, load.factor()), nodes, "{busy} ms");
        }
    }
}
