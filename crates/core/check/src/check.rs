//! The check of a certificate: the logic of all goals, and the leaves by search.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use kalah::Move;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use crate::certificate::{Certificate, CertificateEntry, Claims, Evidence};
use crate::decide::{decide, search_tables};
use crate::fault::{Fault, GoalFault};
use crate::goal::Goal;
use crate::search::{NoAnswer, STACK_BYTES};

/// The way a certificate is checked.
#[derive(Clone, Copy)]
pub struct CheckOptions<'a> {
    /// The number of random leaves that are searched; `None` for all.
    pub sample: Option<usize>,
    /// The seed of this choice.
    pub seed: u64,
    /// The threads that search.
    pub threads: NonZeroUsize,
    /// The node limit of the search of a leaf.
    pub max_nodes: u64,
    /// The memory of the searches, in bytes.
    pub memory: usize,
    /// Stops the check soon after it is set.
    pub stop_flag: &'a AtomicBool,
    /// Called after each leaf, by the thread that has searched it.
    pub observer: &'a (dyn Fn(CheckProgress) + Sync),
}

/// The progress of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckProgress {
    /// The leaves that have been searched.
    pub searched: usize,
    /// The leaves to search.
    pub to_search: usize,
    /// The nodes that the searches of these leaves have visited.
    pub nodes: u64,
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The margins that follow from the goals if there are no faults.
    pub claims: Claims,
    /// The goals whose answer follows from those of their moves by the naive rules.
    pub inner: usize,
    /// The goals whose answer follows from another goal of the position, or whose target is out of
    /// the range of the seeds in play.
    pub implied: usize,
    /// The goals whose answer only a search can confirm.
    pub leaves: usize,
    /// Those of [`CheckReport::leaves`] that a search of the checker has confirmed.
    pub verified_leaves: usize,
    /// The leaves whose search has reached its limit without an answer.
    pub undecided: Vec<Goal>,
    /// The goals without an answer, which the claims do not depend on.
    pub open: usize,
    /// The nodes that the searches have visited.
    pub nodes: u64,
    /// The goals and margins that are wrong or do not follow.
    pub faults: Vec<Fault>,
    /// Whether the stop flag has ended the check.
    pub is_stopped: bool,
    /// The reason why the system has started no thread for the searches; `None` if it has, or if
    /// there are none.
    pub thread_error: Option<String>,
}

impl CheckReport {
    /// The leaves that were not searched, or not to the end.
    pub fn unsearched_leaves(&self) -> usize {
        let wrong = self.faults.iter().filter(|fault| fault.is_search());
        self.leaves - self.verified_leaves - self.undecided.len() - wrong.count()
    }
}

/// How the answer of a goal is verified.
enum GoalKind {
    /// It follows from the answers of the goals after its moves.
    Inner,
    /// It follows from the answer of another goal of the position.
    Implied,
    /// It needs a search.
    Leaf,
}

/// Checks a certificate: that each answer follows from others or is confirmed by a search, and that
/// the stated margins follow from the answers.
///
/// The answers may depend on each other, but never in a circle. A move banks a seed or brings seeds
/// nearer to the store of their side, or it is the swap, after which none is possible; so no
/// position comes back. Among the goals of a position a yes follows only from a higher target, and
/// a no only from a lower one.
pub fn check(certificate: &Certificate, options: CheckOptions<'_>) -> CheckReport {
    let mut report = CheckReport {
        claims: certificate.claims(),
        inner: 0,
        implied: 0,
        leaves: 0,
        verified_leaves: 0,
        undecided: Vec::new(),
        open: 0,
        nodes: 0,
        faults: Vec::new(),
        is_stopped: false,
        thread_error: None,
    };
    check_stated_claims(certificate, &mut report);
    let leaves = check_logic(certificate, options.stop_flag, &mut report);
    let leaves = choose_leaves(leaves, options.sample, options.seed);
    if !report.is_stopped {
        search_leaves(certificate, &leaves, options, &mut report);
    }
    report
}

fn check_stated_claims(certificate: &Certificate, report: &mut CheckReport) {
    let Some(stated) = certificate.stated_claims() else {
        return;
    };
    let derived = &report.claims;
    if !derived.position.imply(stated.position) {
        report.faults.push(Fault::Claim {
            mv: None,
            stated: stated.position,
            derived: derived.position,
        });
    }
    for &(mv, stated) in &stated.moves {
        let derived = derived.moves.iter().find(|&&(other, _)| other == mv);
        match derived {
            Some(&(_, derived)) if derived.imply(stated) => {}
            Some(&(_, derived)) => report.faults.push(Fault::Claim {
                mv: Some(mv),
                stated,
                derived,
            }),
            None => report.faults.push(Fault::IllegalMove { mv }),
        }
    }
}

/// Checks all goals without a search. Returns the leaves.
fn check_logic(
    certificate: &Certificate,
    stop_flag: &AtomicBool,
    report: &mut CheckReport,
) -> Vec<usize> {
    let mut leaves = Vec::new();
    for (index, (goal, entry)) in certificate.goals().iter().enumerate() {
        if stop_flag.load(Ordering::Relaxed) {
            report.is_stopped = true;
            break;
        }
        let kind = match entry.answer {
            Some(answer) => classify(certificate, goal, *entry, answer),
            None => {
                if let Some(mv) = missing_child(certificate, goal, *entry) {
                    Err(GoalFault::MissingChild(mv))
                } else {
                    report.open += 1;
                    continue;
                }
            }
        };
        match kind {
            Ok(GoalKind::Inner) => report.inner += 1,
            Ok(GoalKind::Implied) => report.implied += 1,
            Ok(GoalKind::Leaf) => leaves.push(index),
            Err(fault) => report.faults.push(Fault::new(goal, entry.answer, fault)),
        }
    }
    report.leaves = leaves.len();
    leaves
}

/// Returns the first move whose goal should be in a certificate and is not.
fn missing_child(certificate: &Certificate, goal: &Goal, entry: CertificateEntry) -> Option<Move> {
    if entry.evidence != Evidence::MovesOrSearch {
        return None;
    }
    let rules = certificate.statement().rules();
    let mut children = goal.children(rules).into_iter();
    let missing = children.find(|child| {
        child.goal.trivial_answer(rules).is_none() && !certificate.goals().contains_key(&child.goal)
    });
    missing.map(|child| child.mv)
}

/// Returns how the answer of a goal is verified, after a check that it can follow from the others.
fn classify(
    certificate: &Certificate,
    goal: &Goal,
    entry: CertificateEntry,
    answer: bool,
) -> Result<GoalKind, GoalFault> {
    let rules = certificate.statement().rules();
    if let Some(trivial) = goal.trivial_answer(rules) {
        return if trivial == answer {
            Ok(GoalKind::Implied)
        } else {
            Err(GoalFault::Trivial)
        };
    }
    let target = goal.target();
    let targets = certificate.targets(goal.position());
    let opposite = if answer {
        targets.lowest_no.filter(|&no| no <= target)
    } else {
        targets.highest_yes.filter(|&yes| yes >= target)
    };
    if let Some(target) = opposite {
        return Err(GoalFault::OtherTarget(target));
    }
    if let Some(mv) = missing_child(certificate, goal, entry) {
        return Err(GoalFault::MissingChild(mv));
    }
    let mut unknown = None;
    let mut reaches = None;
    for child in goal.children(rules) {
        match certificate.answer(&child.goal) {
            Some(answer) if child.convert(answer) => reaches = reaches.or(Some(child.mv)),
            Some(_) => {}
            None => unknown = unknown.or(Some(child.mv)),
        }
    }
    let is_implied = if answer {
        targets.highest_yes.is_some_and(|yes| yes > target)
    } else {
        targets.lowest_no.is_some_and(|no| no < target)
    };
    match (answer, reaches, unknown) {
        (true, Some(_), _) | (false, None, None) => Ok(GoalKind::Inner),
        (false, Some(mv), _) => Err(GoalFault::MoveReaches(mv)),
        (true, None, None) => Err(GoalFault::NoMoveReaches),
        (_, None, Some(_)) if is_implied => Ok(GoalKind::Implied),
        (_, None, Some(mv)) if entry.evidence == Evidence::Moves => {
            Err(GoalFault::DoesNotFollow(mv))
        }
        (_, None, Some(_)) => Ok(GoalKind::Leaf),
    }
}

/// Chooses `sample` of the leaves at random, and keeps their order.
fn choose_leaves(mut leaves: Vec<usize>, sample: Option<usize>, seed: u64) -> Vec<usize> {
    let Some(count) = sample.filter(|&count| count < leaves.len()) else {
        return leaves;
    };
    let mut random = Pcg64::seed_from_u64(seed);
    for index in 0..count {
        let other = random.random_range(index..leaves.len());
        leaves.swap(index, other);
    }
    leaves.truncate(count);
    leaves.sort_unstable();
    leaves
}

/// Searches leaves on several threads.
fn search_leaves(
    certificate: &Certificate,
    leaves: &[usize],
    options: CheckOptions<'_>,
    report: &mut CheckReport,
) {
    if leaves.is_empty() {
        return;
    }
    let rules = certificate.statement().rules();
    let tables = search_tables(certificate, options.memory);
    let (next, searched) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let nodes = AtomicU64::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        while let Some(&leaf) = leaves.get(next.fetch_add(1, Ordering::Relaxed))
            && let Some((goal, entry)) = certificate.goals().get_index(leaf)
        {
            let (max_nodes, stop_flag) = (options.max_nodes, options.stop_flag);
            let (answer, count) = decide(goal, rules, &tables, max_nodes, stop_flag);
            let nodes = nodes.fetch_add(count, Ordering::Relaxed) + count;
            if answer == Err(NoAnswer::Stopped) {
                return;
            }
            let mut results = results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push((leaf, goal, entry.answer, answer));
            drop(results);
            (options.observer)(CheckProgress {
                searched: searched.fetch_add(1, Ordering::Relaxed) + 1,
                to_search: leaves.len(),
                nodes,
            });
            if stop_flag.load(Ordering::Relaxed) {
                return;
            }
        }
    };
    let started = thread::scope(|scope| {
        let start = |_| {
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, work).map(|_| ())
        };
        let started: Vec<_> = (0..options.threads.get()).map(start).collect();
        // The searches take longer with fewer threads, but one is enough.
        started.into_iter().reduce(Result::or)
    });
    if let Some(Err(error)) = started {
        report.thread_error = Some(error.to_string());
        return;
    }
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|&(leaf, ..)| leaf);
    report.is_stopped = results.len() < leaves.len();
    report.nodes = nodes.into_inner();
    for (_, goal, stated, found) in results {
        match found {
            Ok(found) if stated == Some(found) => report.verified_leaves += 1,
            Ok(_) => (report.faults).push(Fault::new(goal, stated, GoalFault::Search)),
            Err(_) => report.undecided.push(goal.clone()),
        }
    }
}
