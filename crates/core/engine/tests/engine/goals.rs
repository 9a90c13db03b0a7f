//! Searches of goals against the naive reference.

use std::collections::HashMap;
use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use kalah::{Margin, Move, Position, Rules, Variant, reference};
use kalah_engine::{GoalEngine, GoalSearcher, ProofNumbers, SharedEntry, SharedEntryError};
use kalah_tables::{ChecksumPolicy, Header, Table, TableFault};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::naive_margin::move_margin;
use crate::positions::random_position;

const HASH_BYTES: usize = 8 << 20;

fn table(position: &Position, seeds: u8) -> Arc<Table> {
    let variant = Variant::from_position(position);
    let observer = &mut |_| ControlFlow::Continue(());
    Arc::new(Table::build(variant, seeds, NonZeroUsize::MIN, observer).unwrap())
}

fn answer(searcher: &dyn GoalSearcher, position: &Position, target: i32) -> Option<bool> {
    let target = Margin::new(target);
    let thresholds = ProofNumbers::INFINITE;
    let result = searcher.search(position, target, thresholds, u64::MAX, &[]);
    result.answer
}

fn presets() -> impl Strategy<Value = Rules> {
    prop::sample::select(Rules::PRESETS.map(|preset| preset.rules).to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Every target of a position has the answer of the naive margin, and the numbers of solved
    /// moves agree with the naive margins of the moves.
    #[test]
    fn answers_agree_with_naive_margins(
        rules in presets(),
        houses in 1_u8..=3,
        seeds in 1_u64..=3,
        plies in 0_u64..12,
        seed: u64,
        table_seeds in 0_u8..=6,
        hash_bytes in prop::sample::select(vec![0, 1 << 16, HASH_BYTES]),
    ) {
        let position = random_position(houses, seeds, rules, plies, seed);
        let margin = reference::margin(&position).seeds();
        let of_moves: HashMap<Move, i32> = position
            .legal_moves()
            .map(|mv| (mv, move_margin(&position, mv).0.seeds()))
            .collect();
        let table = (table_seeds > 0).then(|| table(&position, table_seeds));
        let total = i32::from(position.total());
        let start = Position::start(houses, seeds, rules).unwrap();
        let mut engine = GoalEngine::new(&start, hash_bytes, table);
        engine.with_searcher(|searcher| {
            for target in -total - 1..=total + 1 {
                let search = |nodes| {
                    let target = Margin::new(target);
                    searcher.search(&position, target, ProofNumbers::INFINITE, nodes, &[])
                };
                for nodes in [0, 3, 50, u64::MAX] {
                    let result = search(nodes);
                    prop_assert!(result.nodes <= nodes);
                    if nodes == u64::MAX || result.answer.is_some() {
                        prop_assert_eq!(result.answer, Some(margin >= target));
                    }
                    let moves: Vec<_> = result.children.iter().map(|&(mv, _)| mv).collect();
                    prop_assert_eq!(moves, position.legal_moves().collect::<Vec<_>>());
                    for (mv, numbers) in result.children {
                        if let Some(answer) = numbers.result() {
                            prop_assert_eq!(answer, of_moves[&mv] >= target);
                        }
                    }
                }
            }
            Ok(())
        })?;
    }
}

#[test]
fn stopped_searches_of_the_children_go_on() {
    let start = Position::start(5, 4, Rules::STANDARD).unwrap();
    let total_nodes = |max_nodes: u64| {
        let mut engine = GoalEngine::new(&start, HASH_BYTES, Some(table(&start, 12)));
        engine.with_searcher(|searcher| {
            let mut nodes = 0;
            for _ in 0..10_000 {
                let (target, thresholds) = (Margin::new(12), ProofNumbers::INFINITE);
                let result = searcher.search(&start, target, thresholds, max_nodes, &[]);
                nodes += result.nodes;
                if let Some(answer) = result.answer {
                    assert!(!answer, "the margin is 10");
                    return nodes;
                }
            }
            panic!("no answer after {nodes} nodes");
        })
    };
    let (at_once, in_parts) = (total_nodes(u64::MAX), total_nodes(2_000));
    assert!(
        in_parts < at_once * 2,
        "{in_parts} nodes instead of {at_once}"
    );
}

#[test]
fn search_ends_at_its_thresholds() {
    let start = Position::start(6, 4, Rules::STANDARD).unwrap();
    let mut engine = GoalEngine::new(&start, HASH_BYTES, Some(table(&start, 8)));
    engine.with_searcher(|searcher| {
        let search =
            |thresholds, nodes| searcher.search(&start, Margin::new(10), thresholds, nodes, &[]);
        let estimate = search(ProofNumbers::INFINITE, 0);
        let proof = estimate.children.iter().map(|(_, numbers)| numbers.proof);
        let thresholds = ProofNumbers {
            proof: proof.fold(f64::INFINITY, f64::min) * 4.0,
            disproof: f64::INFINITY,
        };
        let result = search(thresholds, 100_000);
        assert_eq!(result.answer, None);
        assert!(result.nodes < 100_000, "{}", result.nodes);
        let reached = result
            .children
            .iter()
            .all(|(_, numbers)| numbers.proof >= thresholds.proof);
        assert!(reached, "{:?}", result.children);
    });
}

#[test]
fn entries_of_another_engine_save_its_work() {
    /// The nodes from which on an entry is shared.
    const MIN_NODES: u64 = 100;

    // The keys of 7 houses need the place in a table of any size.
    for (houses, seeds) in [(5, 3), (7, 2), (8, 2)] {
        let start = Position::start(houses, seeds, Rules::STANDARD).unwrap();
        let engine = |bytes| GoalEngine::new(&start, bytes, Some(table(&start, 4)));
        let search = |searcher: &dyn GoalSearcher| {
            let (target, thresholds) = (Margin::new(2), ProofNumbers::INFINITE);
            searcher.search(&start, target, thresholds, u64::MAX, &[])
        };
        let mut first = engine(HASH_BYTES).with_shared_entries(MIN_NODES);
        let (result, entries) = first.with_searcher(|searcher| {
            let result = search(searcher);
            let entries = searcher.take_shared_entries();
            assert_eq!(searcher.take_shared_entries(), []);
            (result, entries)
        });
        let entries = SharedEntry::decode(&SharedEntry::encode(&entries)).unwrap();
        assert!(result.nodes > MIN_NODES, "{} nodes", result.nodes);
        let mut second = engine(2 * HASH_BYTES);
        let (again, found) = second.with_searcher(|searcher| {
            searcher.insert_shared_entries(&entries);
            (search(searcher), searcher.take_shared_entries())
        });
        assert_eq!(again.answer, result.answer);
        assert!(again.nodes <= 1, "{} nodes", again.nodes);
        // Nothing is collected unless an engine is asked to.
        assert_eq!(found, []);
    }
}

proptest! {
    #[test]
    fn any_message_of_entries_is_refused_or_means_the_same_when_it_is_sent_again(
        kinds in vec(0_u8..3, 0..4),
        mut bytes in vec(any::<u8>(), 4 * SharedEntry::BYTES),
        has_rest: bool,
    ) {
        for (entry, &kind) in bytes.chunks_mut(SharedEntry::BYTES).zip(&kinds) {
            // Most seeds in play, bounds and numbers are possible.
            entry[0] = kind;
            entry[22] = 0;
            entry[23] |= 127;
            entry[25] %= 2;
            entry[26] &= 1 - kind.min(1);
        }
        let message = &bytes[..kinds.len() * SharedEntry::BYTES + usize::from(has_rest)];
        match SharedEntry::decode(message) {
            Ok(entries) => {
                prop_assert_eq!(entries.len(), kinds.len());
                let again = SharedEntry::decode(&SharedEntry::encode(&entries));
                prop_assert_eq!(again, Ok(entries));
            }
            Err(SharedEntryError::Length(length)) => prop_assert!(has_rest && length > 0),
            Err(SharedEntryError::Entry(index)) => prop_assert!(index < kinds.len()),
        }
    }
}

#[test]
fn threads_share_a_searcher() {
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let mut engine = GoalEngine::new(&start, HASH_BYTES, None);
    let margins: HashMap<i32, Option<bool>> = engine.with_searcher(|searcher| {
        thread::scope(|scope| {
            let threads: Vec<_> = (-10..=10)
                .map(|target| {
                    (
                        target,
                        scope.spawn(move || {
                            answer(
                                searcher,
                                &Position::start(4, 3, Rules::CS32).unwrap(),
                                target,
                            )
                        }),
                    )
                })
                .collect();
            let results = threads.into_iter();
            results
                .map(|(target, thread)| (target, thread.join().unwrap()))
                .collect()
        })
    });
    for (target, answer) in margins {
        assert_eq!(answer, Some(target <= 6), "{target}");
    }
}

#[test]
fn stop_flag_ends_a_search() {
    let start = Position::start(8, 6, Rules::CS32).unwrap();
    let mut engine = GoalEngine::new(&start, HASH_BYTES, None);
    let stop_flag = AtomicBool::new(true);
    let (target, thresholds) = (Margin::new(0), ProofNumbers::INFINITE);
    let result = engine.with_searcher(|searcher| {
        searcher.search(
            &start,
            target,
            thresholds,
            u64::MAX,
            &[&AtomicBool::new(false), &stop_flag],
        )
    });
    assert_eq!(result.answer, None);
}

/// Builds the file of a table with 10 seeds.
fn table_file(start: &Position) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    let (variant, go_on) = (Variant::from_position(start), &mut |_| {
        ControlFlow::Continue(())
    });
    Table::build_file(&path, variant, 10, NonZeroUsize::MIN, go_on).unwrap();
    (folder, path)
}

#[test]
fn stop_flag_ends_the_verification_of_a_table() {
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let (_folder, path) = table_file(&start);
    let table = Arc::new(Table::open(&path, ChecksumPolicy::Verify).unwrap());
    let mut engine = GoalEngine::new(&start, HASH_BYTES, Some(Arc::clone(&table)));
    let (target, thresholds) = (Margin::new(0), ProofNumbers::INFINITE);
    let search = |stop: bool| {
        engine.with_searcher(|searcher| {
            let stop_flag = AtomicBool::new(stop);
            searcher.search(&start, target, thresholds, 1, &[&stop_flag]);
        });
        table.usable_seeds()
    };
    assert_eq!([true, false].map(search), [0, 10]);
}

#[test]
fn table_that_changes_during_a_search_proves_no_goal() {
    /// The nodes of a search, which take some milliseconds and prove nothing.
    const NODES: u64 = 20_000;
    /// Searches in which the file can change: on an idle machine it changes in the first few.
    const MAX_SEARCHES: u32 = 10_000;

    let start = Position::start(5, 4, Rules::CS32).unwrap();
    let (_folder, path) = table_file(&start);
    let table = Arc::new(Table::open(&path, ChecksumPolicy::Verify).unwrap());
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let file = fs::File::options().write(true).open(&path).unwrap();
            for seconds in 1.. {
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
                let time = SystemTime::now() + Duration::from_secs(seconds);
                file.set_modified(time).unwrap();
                thread::sleep(Duration::from_millis(1));
            }
        });
        let search = || {
            let mut engine = GoalEngine::new(&start, HASH_BYTES, Some(Arc::clone(&table)));
            engine.with_searcher(|searcher| {
                let (target, thresholds) = (Margin::new(0), ProofNumbers::INFINITE);
                let result = searcher.search(&start, target, thresholds, NODES, &[]);
                (result, searcher.table_damage())
            })
        };
        let mut searches = (0..MAX_SEARCHES).map(|_| search());
        let result = searches.find(|(_, damage)| damage.is_some());
        is_done.store(true, Ordering::Relaxed);
        let (result, damage) = result.expect("damage");
        assert_eq!(result.answer, None);
        assert_eq!(damage.unwrap().fault(), &TableFault::Changed);
    });
}

#[test]
fn damaged_table_proves_no_goal() {
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let (_folder, path) = table_file(&start);
    let mut bytes = fs::read(&path).unwrap();
    let values = usize::try_from(Header::BYTES).unwrap();
    bytes[values..].fill(0);
    fs::write(&path, bytes).unwrap();
    for policy in [ChecksumPolicy::Verify, ChecksumPolicy::Trust] {
        let table = Arc::new(Table::open(&path, policy).unwrap());
        let mut engine = GoalEngine::new(&start, HASH_BYTES, Some(table));
        engine.with_searcher(|searcher| {
            for _ in 0..2 {
                // The margin is +6.
                let (target, thresholds) = (Margin::new(8), ProofNumbers::INFINITE);
                let result = searcher.search(&start, target, thresholds, u64::MAX, &[]);
                assert_eq!(result.answer, None);
                let unknown = |&(_, numbers): &(_, ProofNumbers)| numbers == ProofNumbers::UNKNOWN;
                assert!(result.children.iter().all(unknown), "{result:?}");
                assert!(searcher.table_damage().is_some());
            }
        });
    }
}
