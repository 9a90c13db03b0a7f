//! The check of an opening book.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use kalah::reference::ReferencePosition;
use kalah::{FirstPlies, Rules, Setup};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64;

use crate::goal::{Goal, lead_of, play, seeds_in_play};
use crate::search::{CheckSearch, NoAnswer, SearchTables};
use crate::threads::search_each;

/// The gains of a book: for a position with empty stores and South to move, the gain of South in
/// seeds. `None` if the book does not have the position.
pub type BookGains<'a> = &'a (dyn Fn(&Setup) -> Option<i32> + Sync);

/// The way a book is checked.
#[derive(Clone, Copy)]
pub struct BookCheckOptions<'a> {
    /// The leaves that are searched.
    pub leaves: BookLeaves,
    /// The threads that search.
    pub threads: NonZeroUsize,
    /// The memory of the searches, in bytes.
    pub memory: usize,
    /// Stops the check soon after it is set.
    pub stop_flag: &'a AtomicBool,
    /// Called after each leaf with the number of leaves that have been searched and of those to
    /// search, by the thread that has searched it.
    pub observer: &'a (dyn Fn(usize, usize) + Sync),
}

/// The leaves that a check of a book searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BookLeaves {
    /// All leaves.
    All,
    /// Random leaves.
    Sample {
        /// The number of leaves in the sample; all leaves if there are no more.
        count: usize,
        /// The seed of the random choice.
        seed: u64,
    },
}

/// A position with a wrong gain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookFault {
    /// The position, with South to move.
    pub position: Setup,
    /// The gain that the book states; `None` if the book lacks the position.
    pub stated: Option<i32>,
    /// The gain that follows from those of the moves. `None` for a leaf, whose gain the search has
    /// only found to be another one.
    pub derived: Option<i32>,
}

/// The result of a check of a book.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookReport {
    /// The positions that are not leaves. Their gains were compared with those of their moves.
    pub inner: usize,
    /// The positions after the greatest number of plies; 0 if the check was stopped before.
    pub leaves: usize,
    /// The leaves that were searched.
    pub searched: usize,
    /// The leaves that were searched without an answer, because a game can last too long.
    pub undecided: usize,
    /// The first positions with wrong gains, at most a thousand.
    pub faults: Vec<BookFault>,
    /// Whether the stop flag has ended the check.
    pub is_stopped: bool,
    /// The error of the system if it has refused all threads for the searches.
    pub thread_error: Option<String>,
}

impl BookReport {
    /// Returns whether nothing is wrong and all selected leaves are confirmed.
    pub fn is_confirmed(&self) -> bool {
        let is_complete = !self.is_stopped && self.thread_error.is_none();
        self.faults.is_empty() && self.undecided == 0 && is_complete
    }

    /// Returns the number of leaves that were not searched or not decided.
    pub fn conditional_leaves(&self) -> usize {
        self.leaves - self.searched + self.undecided
    }

    /// Returns the greatest share of wrong leaves, from 0 to 1, with which a random sample has none
    /// in 5 of 100 cases: `1 - 0.05^(1/n)` for `n` leaves, 1 for none, and 0 if all were searched.
    /// `None` unless the check is [confirmed](Self::is_confirmed).
    #[expect(
        clippy::cast_precision_loss,
        reason = "a book has fewer than 2^53 leaves"
    )]
    pub fn wrong_share_bound(&self) -> Option<f64> {
        const MISS_PROBABILITY: f64 = 0.05;
        self.is_confirmed().then(|| {
            if self.searched == self.leaves {
                0.0
            } else {
                1.0 - MISS_PROBABILITY.powf(1.0 / self.searched as f64)
            }
        })
    }

    /// Adds a fault if there is room for it.
    fn add_fault(&mut self, fault: BookFault) {
        const MAX_FAULTS: usize = 1000;
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }
}

/// Checks the book of the positions that `start` reaches with at most `plies` plies: that the gain
/// of each one follows from its moves by the naive rules of [`kalah::reference`], and those of
/// leaves by the search of this crate.
///
/// The positions are found again by the naive rules, so that none can be missing. Those whose next
/// ply has rules of its own, as the first two under `mankalah`, have no gain in a book. `None` if
/// `start` is no valid position under `rules`, or if such positions are among those after the last
/// ply.
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::sync::atomic::AtomicBool;
///
/// use kalah::{FirstPlies, Rules, Setup};
/// use kalah_check::{BookCheckOptions, BookLeaves, check_book};
///
/// let options = BookCheckOptions {
///     leaves: BookLeaves::All,
///     threads: NonZeroUsize::MIN,
///     memory: 1 << 20,
///     stop_flag: &AtomicBool::new(false),
///     observer: &|_, _| {},
/// };
/// // The start with one house a side and one seed in each: South banks it, North the other one.
/// let start: Setup = "1x1".parse()?;
/// let report = check_book(&start, Rules::STANDARD, 0, &|_| Some(0), options);
/// assert!(report.is_some_and(|report| report.is_confirmed()));
/// let report = check_book(&start, Rules::STANDARD, 0, &|_| Some(2), options);
/// assert!(report.is_some_and(|report| report.faults.len() == 1));
/// # Ok::<(), kalah::ParseSetupError>(())
/// ```
pub fn check_book(
    start: &Setup,
    rules: Rules,
    plies: u32,
    gains: BookGains<'_>,
    options: BookCheckOptions<'_>,
) -> Option<BookReport> {
    let start = ReferencePosition::from_setup(start, rules)?;
    let mut report = BookReport::default();
    let mut leaves = check_inner(start, rules, plies, gains, options.stop_flag, &mut report)?;
    report.leaves = leaves.len();
    if let BookLeaves::Sample { count, seed } = options.leaves {
        draw(&mut leaves, count, seed);
    }
    if !report.is_stopped && !leaves.is_empty() {
        search_leaves(&leaves, rules, gains, options, &mut report);
    }
    Some(report)
}

/// Returns the position with empty stores and South to move.
fn normalize(position: &ReferencePosition) -> Setup {
    Goal::new(position, 0).position().clone()
}

/// The positions after some number of plies.
#[derive(Default)]
struct Layer {
    /// Those whose next ply has rules of its own.
    first_plies: Vec<ReferencePosition>,
    /// The others that are new and not over, with empty stores and South to move.
    later: Vec<Setup>,
}

impl Layer {
    /// Adds a position; `seen` has all positions that were added as later ones.
    fn add(&mut self, position: ReferencePosition, seen: &mut HashSet<Setup>) {
        if position.first_plies() != FirstPlies::Later {
            self.first_plies.push(position);
        } else if !position.is_over() {
            let setup = normalize(&position);
            if seen.insert(setup.clone()) {
                self.later.push(setup);
            }
        }
    }
}

/// Checks the gains of all positions before the last ply, and returns the positions after it;
/// `None` if the next ply of one has rules of its own.
fn check_inner(
    start: ReferencePosition,
    rules: Rules,
    plies: u32,
    gains: BookGains<'_>,
    stop_flag: &AtomicBool,
    report: &mut BookReport,
) -> Option<Vec<Setup>> {
    let mut seen = HashSet::new();
    let mut layer = Layer::default();
    layer.add(start, &mut seen);
    for _ in 0..plies {
        let mut next = Layer::default();
        for position in &layer.first_plies {
            for mv in position.legal_moves() {
                if let Some((after, _)) = play(position, mv) {
                    next.add(after, &mut seen);
                }
            }
        }
        for setup in layer.later {
            if stop_flag.load(Ordering::Relaxed) {
                report.is_stopped = true;
                return Some(Vec::new());
            }
            check_position(setup, rules, gains, report, |after| {
                next.add(after, &mut seen);
            });
        }
        layer = next;
        if layer.first_plies.is_empty() && layer.later.is_empty() {
            break;
        }
    }
    layer.first_plies.is_empty().then_some(layer.later)
}

/// Compares the gain of a position with those of its moves, and calls `visit` with the positions
/// after them.
fn check_position(
    setup: Setup,
    rules: Rules,
    gains: BookGains<'_>,
    report: &mut BookReport,
    mut visit: impl FnMut(ReferencePosition),
) {
    let position = reference(&setup, rules);
    let mut best = None;
    for mv in position.legal_moves() {
        if let Some((after, same_player)) = play(&position, mv) {
            best = best.max(gain_of_move(&after, same_player, gains));
            visit(after);
        }
    }
    report.inner += 1;
    let stated = gains(&setup);
    if stated.is_none() || stated != best {
        report.add_fault(BookFault {
            position: setup,
            stated,
            derived: best,
        });
    }
}

/// Returns the gain of the move that leads from a position with empty stores and South to move to
/// `after`. `None` if the book lacks `after`.
fn gain_of_move(after: &ReferencePosition, same_player: bool, gains: BookGains<'_>) -> Option<i32> {
    let rest = if after.is_over() {
        0
    } else {
        gains(&normalize(after))?
    };
    let margin = lead_of(after) + rest;
    Some(if same_player { margin } else { -margin })
}

fn reference(setup: &Setup, rules: Rules) -> ReferencePosition {
    ReferencePosition::from_setup(setup, rules).expect("a position of a game is valid")
}

/// Reduces `leaves` to a random sample of `count`.
fn draw(leaves: &mut Vec<Setup>, count: usize, seed: u64) {
    let count = count.min(leaves.len());
    let mut random = Pcg64::seed_from_u64(seed);
    for index in 0..count {
        let other = random.random_range(index..leaves.len());
        leaves.swap(index, other);
    }
    leaves.truncate(count);
}

/// Searches leaves on several threads.
fn search_leaves(
    leaves: &[Setup],
    rules: Rules,
    gains: BookGains<'_>,
    options: BookCheckOptions<'_>,
    report: &mut BookReport,
) {
    let houses = leaves[0].rows.south.len();
    let seeds = leaves.iter().map(seeds_in_play).max().unwrap_or_default();
    let seeds = u32::try_from(seeds).unwrap_or_default();
    let tables = SearchTables::new(rules.house_rules, houses, seeds, options.memory);
    let searched = AtomicUsize::new(0);
    let results = search_each(leaves, options.threads, options.stop_flag, |leaf| {
        let stated = gains(leaf);
        let mut search = CheckSearch::new(&tables, u64::MAX, options.stop_flag);
        let is_right = stated.map_or(Ok(false), |gain| {
            Ok(search.reaches(leaf, gain)? && !search.reaches(leaf, gain + 1)?)
        });
        if is_right == Err(NoAnswer::Stopped) {
            return None;
        }
        (options.observer)(searched.fetch_add(1, Ordering::Relaxed) + 1, leaves.len());
        Some((leaf, stated, is_right))
    });
    let results = match results {
        Ok(results) => results,
        Err(error) => {
            report.thread_error = Some(error.to_string());
            return;
        }
    };
    report.is_stopped = results.len() < leaves.len();
    report.searched = results.len();
    for (leaf, stated, is_right) in results {
        match is_right {
            Ok(true) => {}
            Ok(false) => report.add_fault(BookFault {
                position: leaf.clone(),
                stated,
                derived: None,
            }),
            Err(_) => report.undecided += 1,
        }
    }
}
