//! The check of a certificate: the logic of all goals, and the leaves by search.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use kalah::{Move, Setup};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use crate::certificate::{Certificate, CertificateEntry, Claims, Evidence, MarginBounds, Targets};
use crate::decide::{decide, search_tables};
use crate::fault::{Fault, GoalFault};
use crate::goal::Goal;
use crate::needed::{GoalKind, needed_leaves};
use crate::search::NoAnswer;
use crate::threads::search_each;

/// The way a certificate is checked.
#[derive(Clone, Copy)]
pub struct CheckOptions<'a> {
    /// The leaves that are searched.
    pub leaves: LeafSelection,
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

/// The leaves that a check searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafSelection {
    /// All leaves of the certificate.
    All,
    /// All leaves on which the margins depend.
    Needed,
    /// A sample of the leaves on which the margins depend: for one half those with the fewest moves
    /// from the position, for the other half random ones.
    Sample {
        /// The number of leaves in the sample.
        count: usize,
        /// The seed of the random choice.
        seed: u64,
    },
}

/// A sample of the leaves on which the margins depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafSample {
    /// The leaves with the fewest moves from the position, which every sample has.
    pub nearest: usize,
    /// The leaves that were chosen at random.
    pub random: usize,
    /// The leaves from which these were chosen.
    pub candidates: usize,
}

impl LeafSample {
    /// Returns the probability that the sample lacks a single wrong leaf that is not among the
    /// nearest, from 0 to 1. With more wrong leaves it is less.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a certificate has fewer than 2^53 goals"
    )]
    pub fn missed_probability(self) -> f64 {
        self.unsearched() as f64 / self.candidates.max(1) as f64
    }

    /// Returns the number of leaves that the sample lacks.
    pub fn unsearched(self) -> usize {
        self.candidates - self.random
    }
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
    /// Those of [`CheckReport::leaves`] on which the margins depend.
    pub needed_leaves: usize,
    /// Those of [`CheckReport::leaves`] that a search of the checker has confirmed.
    pub verified_leaves: usize,
    /// Those of [`CheckReport::needed_leaves`] that a search of the checker has confirmed.
    pub verified_needed_leaves: usize,
    /// The sample of the leaves on which the margins depend; `None` if all of them are selected.
    pub sample: Option<LeafSample>,
    /// The leaves whose search has reached its limit without an answer.
    pub undecided: Vec<Goal>,
    /// The goals without an answer. No claim depends on them.
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
    /// Returns the number of leaves on which the margins depend and that no search has confirmed:
    /// the margins are proven on the condition that their answers are right.
    pub fn conditional_leaves(&self) -> usize {
        self.needed_leaves - self.verified_needed_leaves
    }

    /// Returns the probability that the searches have missed a single wrong leaf on which the
    /// margins depend and that is not among the [nearest](LeafSample::nearest) of a sample, from 0
    /// to 1. `None` unless the check is [confirmed](Self::is_confirmed).
    pub fn missed_probability(&self) -> Option<f64> {
        let sample = || self.sample.map_or(0.0, LeafSample::missed_probability);
        self.is_confirmed().then(sample)
    }

    /// Returns whether nothing is wrong and all selected leaves are confirmed.
    pub fn is_confirmed(&self) -> bool {
        let is_complete = !self.is_stopped && self.thread_error.is_none();
        self.faults.is_empty() && self.undecided.is_empty() && is_complete
    }

    /// Returns whether the certificate proves exact margins: nothing is wrong, no margin depends on
    /// a leaf that is not confirmed, and the bounds of all margins are equal.
    pub fn is_proof(&self) -> bool {
        let of_moves = self.claims.moves.iter().map(|&(_, bounds)| bounds);
        let mut bounds = std::iter::once(self.claims.position).chain(of_moves);
        let is_exact = bounds.all(MarginBounds::is_exact);
        self.is_confirmed() && self.conditional_leaves() == 0 && is_exact
    }
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
        needed_leaves: 0,
        verified_leaves: 0,
        verified_needed_leaves: 0,
        sample: None,
        undecided: Vec::new(),
        open: 0,
        nodes: 0,
        faults: Vec::new(),
        is_stopped: false,
        thread_error: None,
    };
    check_stated_claims(certificate, &mut report);
    let kinds = check_logic(certificate, options.stop_flag, &mut report);
    let leaves = select_leaves(certificate, &kinds, options.leaves, &mut report);
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
    let stated_moves = &stated.moves;
    for &(mv, stated) in stated_moves {
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
        let is_same = |&&(other, _): &&(Move, MarginBounds)| other == mv;
        if stated_moves.iter().filter(is_same).count() > 1 {
            report.faults.push(Fault::RepeatedMove { mv });
        }
    }
    for &(mv, _) in &derived.moves {
        if stated_moves.iter().all(|&(other, _)| other != mv) {
            report.faults.push(Fault::MissingMove { mv });
        }
    }
}

/// Checks all goals without a search. Returns the kind of each, and `None` for one that is open or
/// wrong.
fn check_logic(
    certificate: &Certificate,
    stop_flag: &AtomicBool,
    report: &mut CheckReport,
) -> Vec<Option<GoalKind>> {
    let mut kinds = vec![None; certificate.goals().len()];
    let mut known = KnownTargets::new(certificate);
    for ((goal, entry), goal_kind) in certificate.goals().iter().zip(&mut kinds) {
        if stop_flag.load(Ordering::Relaxed) {
            report.is_stopped = true;
            break;
        }
        let kind = match entry.answer {
            Some(answer) => classify(certificate, &known, goal, *entry, answer),
            None => {
                if let Some(mv) = missing_child(certificate, goal, *entry) {
                    Err(GoalFault::MissingChild(mv))
                } else {
                    report.open += 1;
                    continue;
                }
            }
        };
        known.add(goal, entry.answer);
        match kind {
            Ok(kind) => *goal_kind = Some(kind),
            Err(fault) => report.faults.push(Fault::new(goal, entry.answer, fault)),
        }
    }
    let count = |kind| kinds.iter().filter(|&&other| other == Some(kind)).count();
    report.inner = count(GoalKind::Inner);
    report.implied = count(GoalKind::Implied);
    report.leaves = count(GoalKind::Leaf);
    kinds
}

/// The goals from whose answers that of a goal can follow.
enum KnownTargets<'a> {
    /// All goals of a store.
    All(&'a Certificate),
    /// The goals before it in a text, of which each position has the extreme targets.
    Earlier(&'a Certificate, HashMap<&'a Setup, Targets>),
}

impl<'a> KnownTargets<'a> {
    fn new(certificate: &'a Certificate) -> Self {
        if certificate.stated_claims().is_none() {
            Self::All(certificate)
        } else {
            Self::Earlier(certificate, HashMap::new())
        }
    }

    /// Adds a goal, for the goals after it.
    fn add(&mut self, goal: &'a Goal, answer: Option<bool>) {
        if let Self::Earlier(_, earlier) = self
            && let Some(answer) = answer
        {
            let targets = earlier.entry(goal.position()).or_default();
            targets.add(goal.target(), answer);
        }
    }

    fn targets(&self, position: &Setup) -> Targets {
        match self {
            Self::All(certificate) => certificate.targets(position),
            Self::Earlier(_, earlier) => earlier.get(position).copied().unwrap_or_default(),
        }
    }

    /// Returns the answer of a goal that is trivial or follows from a goal of its position.
    fn answer(&self, goal: &Goal) -> Option<bool> {
        let (Self::All(certificate) | Self::Earlier(certificate, _)) = self;
        let trivial = goal.trivial_answer(certificate.statement().rules());
        trivial.or_else(|| self.targets(goal.position()).answer(goal.target()))
    }
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
    known: &KnownTargets<'_>,
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
    let targets = known.targets(goal.position());
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
        match known.answer(&child.goal) {
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

/// A leaf to search.
#[derive(Clone, Copy)]
struct SelectedLeaf {
    /// Its index in the certificate.
    index: usize,
    /// Whether the margins depend on it.
    is_needed: bool,
}

/// Returns the leaves to search, in the order of the certificate.
fn select_leaves(
    certificate: &Certificate,
    kinds: &[Option<GoalKind>],
    selection: LeafSelection,
    report: &mut CheckReport,
) -> Vec<SelectedLeaf> {
    let mut needed = needed_leaves(certificate, kinds);
    report.needed_leaves = needed.len();
    match selection {
        LeafSelection::All => {
            let needed: HashSet<usize> = needed.into_iter().collect();
            let leaves = (0..kinds.len()).filter(|&index| kinds[index] == Some(GoalKind::Leaf));
            let selected = leaves.map(|index| SelectedLeaf {
                index,
                is_needed: needed.contains(&index),
            });
            return selected.collect();
        }
        LeafSelection::Sample { count, seed } if count < needed.len() => {
            report.sample = Some(draw_sample(&mut needed, count, seed));
        }
        LeafSelection::Needed | LeafSelection::Sample { .. } => {}
    }
    needed.sort_unstable();
    let selected = needed.into_iter().map(|index| SelectedLeaf {
        index,
        is_needed: true,
    });
    selected.collect()
}

/// Reduces `leaves`, the nearest first, to a sample of `count`.
fn draw_sample(leaves: &mut Vec<usize>, count: usize, seed: u64) -> LeafSample {
    let nearest = count.div_ceil(2);
    let mut random = Pcg64::seed_from_u64(seed);
    for index in nearest..count {
        let other = random.random_range(index..leaves.len());
        leaves.swap(index, other);
    }
    let sample = LeafSample {
        nearest,
        random: count - nearest,
        candidates: leaves.len() - nearest,
    };
    leaves.truncate(count);
    sample
}

/// Searches leaves on several threads.
fn search_leaves(
    certificate: &Certificate,
    leaves: &[SelectedLeaf],
    options: CheckOptions<'_>,
    report: &mut CheckReport,
) {
    if leaves.is_empty() {
        return;
    }
    let rules = certificate.statement().rules();
    let tables = search_tables(certificate, options.memory);
    let (searched, nodes) = (AtomicUsize::new(0), AtomicU64::new(0));
    let (max_nodes, stop_flag) = (options.max_nodes, options.stop_flag);
    let results = search_each(leaves, options.threads, stop_flag, |&leaf| {
        let (goal, entry) = certificate.goals().get_index(leaf.index)?;
        let (answer, count) = decide(goal, rules, &tables, max_nodes, stop_flag);
        let nodes = nodes.fetch_add(count, Ordering::Relaxed) + count;
        if answer == Err(NoAnswer::Stopped) {
            return None;
        }
        (options.observer)(CheckProgress {
            searched: searched.fetch_add(1, Ordering::Relaxed) + 1,
            to_search: leaves.len(),
            nodes,
        });
        Some((goal, entry.answer, answer, leaf.is_needed))
    });
    let results = match results {
        Ok(results) => results,
        Err(error) => {
            report.thread_error = Some(error.to_string());
            return;
        }
    };
    report.is_stopped = results.len() < leaves.len();
    report.nodes = nodes.into_inner();
    for (goal, stated, found, is_needed) in results {
        match found {
            Ok(found) if stated == Some(found) => {
                report.verified_leaves += 1;
                report.verified_needed_leaves += usize::from(is_needed);
            }
            Ok(_) => (report.faults).push(Fault::new(goal, stated, GoalFault::Search)),
            Err(_) => report.undecided.push(goal.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn sample_has_the_nearest_leaves_and_random_ones() {
        let all: Vec<usize> = (100..120).collect();
        let mut chosen = BTreeSet::new();
        for seed in 0..200 {
            let mut leaves = all.clone();
            let sample = draw_sample(&mut leaves, 7, seed);
            let expected = LeafSample {
                nearest: 4,
                random: 3,
                candidates: 16,
            };
            assert_eq!(sample, expected);
            assert_eq!(leaves[..4], all[..4]);
            let random: BTreeSet<usize> = leaves[4..].iter().copied().collect();
            assert_eq!(random.len(), 3);
            chosen.extend(random);
        }
        assert!(chosen.iter().eq(&all[4..]), "{chosen:?}");
    }

    /// With one wrong leaf among the candidates, the samples miss it as often as stated.
    #[test]
    fn missed_probability_is_that_of_many_samples() {
        const SEEDS: u32 = 4_000;
        let all: Vec<usize> = (0..12).collect();
        let mut missed = 0;
        let mut stated = 0.0;
        for seed in 0..SEEDS {
            let mut leaves = all.clone();
            stated = draw_sample(&mut leaves, 6, seed.into()).missed_probability();
            missed += u32::from(!leaves.contains(&9));
        }
        let frequency = f64::from(missed) / f64::from(SEEDS);
        assert!((stated - 6.0 / 9.0).abs() < 1e-12, "{stated}");
        // Four standard deviations of the frequency.
        let tolerance = 4.0 * (stated * (1.0 - stated) / f64::from(SEEDS)).sqrt();
        assert!((frequency - stated).abs() < tolerance, "{frequency}");
    }
}
