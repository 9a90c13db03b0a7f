//! Books with right and wrong gains.

use std::cell::RefCell;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use kalah::{FirstPlies, Rules, Setup, reference};
use kalah_check::{BookCheckOptions, BookFault, BookLeaves, BookReport, check_book};

const PLIES: u32 = 3;

/// Returns the gain by the slow search of the rules.
fn slow_gain(setup: &Setup, rules: Rules) -> Option<i32> {
    thread_local! {
        static KNOWN: RefCell<HashMap<(Setup, Rules), i32>> = RefCell::default();
    }
    let position = setup.position(rules).ok()?;
    let gain = KNOWN.with_borrow_mut(|known| {
        let gain = known.entry((setup.clone(), rules));
        *gain.or_insert_with(|| reference::margin(&position).seeds())
    });
    Some(gain)
}

fn check(
    leaves: BookLeaves,
    rules: Rules,
    gains: &(dyn Fn(&Setup) -> Option<i32> + Sync),
) -> BookReport {
    check_until(&AtomicBool::new(false), leaves, rules, gains)
}

fn check_until(
    stop_flag: &AtomicBool,
    leaves: BookLeaves,
    rules: Rules,
    gains: &(dyn Fn(&Setup) -> Option<i32> + Sync),
) -> BookReport {
    let options = BookCheckOptions {
        leaves,
        threads: NonZeroUsize::MIN,
        memory: 1 << 20,
        stop_flag,
        observer: &|_, _| {},
    };
    check_book(&Setup::start(3, 2), rules, PLIES, gains, options).unwrap()
}

fn setup(text: &str) -> Setup {
    let setup: Setup = text.parse().unwrap();
    assert_eq!(setup.first_plies, FirstPlies::Later);
    setup
}

/// The first position of the book.
const START: &str = "<3,0,0,2,2,2,2,2,2> s";

#[test]
fn right_gains_are_confirmed_under_all_rules() {
    for preset in Rules::PRESETS {
        let rules = preset.rules;
        let report = check(BookLeaves::All, rules, &|setup| slow_gain(setup, rules));
        assert!(report.is_confirmed(), "{}: {report:?}", preset.name);
        assert_eq!(report.searched, report.leaves, "{}", preset.name);
        assert!(
            report.inner > 5 && report.leaves > 5,
            "{}: {report:?}",
            preset.name
        );
        assert_eq!(report.wrong_share_bound(), Some(0.0));
    }
}

#[test]
fn too_few_plies_are_refused() {
    for preset in Rules::PRESETS {
        let rules = preset.rules;
        // The first sowing has no bonus turn, and the second ply may be a swap.
        let first_plies = if rules == Rules::MANKALAH { 2 } else { 0 };
        for plies in 0..3 {
            let options = BookCheckOptions {
                leaves: BookLeaves::All,
                threads: NonZeroUsize::MIN,
                memory: 1 << 20,
                stop_flag: &AtomicBool::new(false),
                observer: &|_, _| {},
            };
            let gains = |setup: &Setup| slow_gain(setup, rules);
            let report = check_book(&Setup::start(3, 2), rules, plies, &gains, options);
            assert_eq!(
                report.is_some_and(|report| report.leaves > 0),
                plies >= first_plies,
                "{}, {plies} plies",
                preset.name
            );
        }
    }
}

#[test]
fn each_wrong_or_missing_gain_is_found() {
    let rules = Rules::STANDARD;
    let right = check(BookLeaves::All, rules, &|setup| slow_gain(setup, rules));
    let leaves = leaves_of(rules);
    assert_eq!(leaves.len(), right.leaves);
    for wrong in leaves.iter().chain([&setup(START)]) {
        let gain = slow_gain(wrong, rules).unwrap();
        for stated in [Some(gain + 2), Some(gain - 2), None] {
            let report = check(BookLeaves::All, rules, &|setup| {
                if setup == wrong {
                    stated
                } else {
                    slow_gain(setup, rules)
                }
            });
            assert!(!report.is_confirmed(), "'{wrong}' with {stated:?}");
            let is_named = |fault: &BookFault| fault.position == *wrong && fault.stated == stated;
            assert!(
                report.faults.iter().any(is_named),
                "'{wrong}': {:?}",
                report.faults
            );
        }
    }
}

/// Returns the leaves, whose gains a check asks for after all others.
fn leaves_of(rules: Rules) -> Vec<Setup> {
    let seen = Mutex::new(Vec::new());
    check(BookLeaves::All, rules, &|setup| {
        seen.lock().unwrap().push(setup.clone());
        slow_gain(setup, rules)
    });
    let report = check(BookLeaves::Sample { count: 0, seed: 1 }, rules, &|setup| {
        slow_gain(setup, rules)
    });
    let seen = seen.into_inner().unwrap();
    seen[seen.len() - report.leaves..].to_vec()
}

#[test]
fn samples_have_their_size_and_bound() {
    let rules = Rules::STANDARD;
    let sample = |count, seed| {
        let leaves = BookLeaves::Sample { count, seed };
        check(leaves, rules, &|setup| slow_gain(setup, rules))
    };
    let four = sample(4, 1);
    assert!(four.is_confirmed());
    assert_eq!(four.searched, 4);
    let bound = four.wrong_share_bound().unwrap();
    assert!(
        (bound - (1.0 - 0.05_f64.powf(0.25))).abs() < 1e-12,
        "{bound}"
    );
    let all = sample(1000, 1);
    assert_eq!(all.searched, all.leaves);
    // A wrong leaf is found by some samples and missed by others.
    let wrong = leaves_of(rules).swap_remove(0);
    let found = (0..40).filter(|&seed| {
        let report = check(BookLeaves::Sample { count: 4, seed }, rules, &|setup| {
            let gain = slow_gain(setup, rules)?;
            Some(if *setup == wrong { gain + 2 } else { gain })
        });
        report.faults.iter().any(|fault| fault.derived.is_none())
    });
    let found = found.count();
    assert!((1..40).contains(&found), "{found}");
}

#[test]
fn a_stopped_check_confirms_nothing() {
    let rules = Rules::STANDARD;
    let right = check(BookLeaves::All, rules, &|setup| slow_gain(setup, rules));
    let calls_of_all = AtomicUsize::new(0);
    check(BookLeaves::All, rules, &|setup| {
        calls_of_all.fetch_add(1, Ordering::Relaxed);
        slow_gain(setup, rules)
    });
    // The last call is for the last leaf, whose search ends as usual.
    for stopping_call in 0..calls_of_all.into_inner() - 1 {
        let (stop_flag, calls) = (AtomicBool::new(false), AtomicUsize::new(0));
        let report = check_until(&stop_flag, BookLeaves::All, rules, &|setup| {
            if calls.fetch_add(1, Ordering::Relaxed) == stopping_call {
                stop_flag.store(true, Ordering::Relaxed);
            }
            slow_gain(setup, rules)
        });
        assert!(
            report.is_stopped && !report.is_confirmed(),
            "{stopping_call}: {report:?}"
        );
        assert_eq!(report.wrong_share_bound(), None, "{stopping_call}");
        assert!(
            report.faults.is_empty() && report.searched < right.leaves,
            "{report:?}"
        );
    }
}
