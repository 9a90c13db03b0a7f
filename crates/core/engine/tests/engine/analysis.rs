//! Analyses: exact margins and bounds against the naive reference and published values, known
//! bounds, progress, and corrupt endgame tables.

use std::cell::Cell;
use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use kalah::{House, Margin, Move, Player, Position, Rules, Variant, reference};
use kalah_engine::{
    AnalysisGoal, Bounds, Certainty, Engine, Estimates, Limits, RandomPlayer, Report, TableCache,
};
use kalah_tables::{ChecksumPolicy, Table, TableFault};
use test_tools::sample_or_all;

use crate::naive_margin::move_margin;
use crate::positions::random_position;

const ALL_MARGINS: Limits = Limits {
    time: None,
    target_time: None,
    depth: None,
    nodes: None,
    goal: AnalysisGoal::AllMargins,
    estimates: Estimates::BestMove,
    lines: 0,
};

fn exact_margin(engine: &mut Engine, position: &Position) -> Margin {
    let report = engine.analyze(position, Limits::default(), &|| Duration::ZERO);
    assert_eq!(report.certainty, Certainty::Exact, "{position}");
    report.margin()
}

#[test]
fn margins_of_whole_games_match_the_naive_reference() {
    /// Boards small enough for a search without tables, under every rule set.
    const BOARDS: [(u8, u64); 6] = [(1, 9), (2, 2), (2, 3), (3, 2), (3, 3), (4, 2)];
    let mut compared = 0;
    for preset in Rules::PRESETS {
        // One engine for all: entries of one board must not affect another.
        let mut engine = Engine::new();
        for (seed, (houses, seeds)) in (0..).zip(BOARDS) {
            let mut position = Position::start(houses, seeds, preset.rules).unwrap();
            let mut random = RandomPlayer::new("Random", seed);
            loop {
                assert_eq!(
                    exact_margin(&mut engine, &position),
                    reference::margin(&position),
                    "rules {}, position '{position}'",
                    preset.name
                );
                compared += 1;
                let Some(mv) = random.choose_move(&position, Duration::ZERO) else {
                    break;
                };
                position.play(mv).unwrap();
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

/// Analyzes all moves of a position.
fn analyze(engine: &mut Engine, position: &Position) -> Report {
    engine.analyze(position, ALL_MARGINS, &|| Duration::ZERO)
}

#[test]
fn move_margins_match_the_naive_reference() {
    const BOARDS: [(u8, u64); 5] = [(1, 4), (2, 2), (3, 2), (4, 2), (2, 4)];
    let (positions, min_moves) = sample_or_all((10, 60), (60, 400));
    let mut compared = 0;
    for preset in Rules::PRESETS {
        for (seed, (houses, seeds)) in (0..positions).zip(BOARDS.into_iter().cycle()) {
            let position = random_position(houses, seeds, preset.rules, seed % 5, seed);
            let report = analyze(&mut Engine::new(), &position);
            let moves: Vec<Move> = report.moves.iter().map(|candidate| candidate.mv).collect();
            assert_eq!(moves, position.legal_moves().collect::<Vec<_>>());
            for (mv, bounds) in report.move_bounds() {
                let (margin, _, _) = move_margin(&position, mv);
                let expected = Bounds {
                    lower: margin,
                    upper: margin,
                };
                assert_eq!(bounds, expected, "{mv:?} in '{position}'");
                compared += 1;
            }
        }
    }
    assert!(compared > min_moves, "{compared}");
}

#[test]
fn margins_do_not_depend_on_memory_tables_or_threads() {
    const BOARDS: [(u8, u64); 7] = [(6, 1), (5, 2), (4, 2), (7, 1), (8, 1), (3, 3), (2, 7)];
    let threads = |count| NonZeroUsize::new(count).unwrap();
    let mut compared = 0;
    for preset in Rules::PRESETS {
        for (seed, (houses, seeds)) in (0..35).zip(BOARDS.into_iter().cycle()) {
            let position = random_position(houses, seeds, preset.rules, 2 + seed % 9, seed);
            let expected = analyze(&mut Engine::new(), &position);
            assert!(
                (expected.moves.iter()).all(|candidate| candidate.bounds.is_exact()),
                "'{position}'"
            );
            for (mut engine, configuration) in [
                (Engine::new().with_threads(threads(3)), "three threads"),
                // Without memory there are no endgame tables either.
                (Engine::new().with_memory(0), "no memory"),
                (Engine::new().with_memory(1 << 12), "hardly any memory"),
                (
                    Engine::new().with_memory(1 << 14).with_threads(threads(2)),
                    "little memory and two threads",
                ),
            ] {
                let report = analyze(&mut engine, &position);
                assert_eq!(
                    report.move_bounds(),
                    expected.move_bounds(),
                    "{configuration}: '{position}'"
                );
                assert_eq!(
                    report.margin(),
                    expected.margin(),
                    "{configuration}: '{position}'"
                );
                assert_eq!(report.certainty, Certainty::Exact);
            }
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn bounds_hold_wherever_an_analysis_stops() {
    for seed in 0..30 {
        let position = random_position(4, 3, Rules::STANDARD, seed % 6, seed);
        let exact = analyze(&mut Engine::new(), &position);
        for nodes in [1, 10, 100, 1_000, 5_000] {
            let limits = Limits {
                nodes: Some(nodes),
                ..ALL_MARGINS
            };
            let report = Engine::new().analyze(&position, limits, &|| Duration::ZERO);
            let within = |bounds: Bounds, exact: Bounds| {
                bounds.lower <= exact.lower && exact.upper <= bounds.upper
            };
            assert!(within(report.bounds, exact.bounds), "'{position}'");
            for (reported, exact) in report.moves.iter().zip(&exact.moves) {
                assert_eq!(reported.mv, exact.mv);
                assert!(
                    within(reported.bounds, exact.bounds),
                    "{nodes} nodes: '{position}'"
                );
            }
        }
    }
}

#[test]
fn swap_can_cost_more_than_the_seeds_in_play() {
    // South leads by 40 before ply 1; North takes over the lead by the swap.
    let setup: kalah::Setup = "<2,40,0,1,2,2,1> s ply=1".parse().unwrap();
    let position = setup.position(Rules::MANKALAH).unwrap();
    let margin = exact_margin(&mut Engine::new(), &position);
    assert_eq!(margin, reference::margin(&position));
    assert!(margin < Margin::new(-30), "{margin}");
}

#[test]
fn margins_of_starts_match_published_values() {
    /// Starts with more seeds take too long for a test.
    const MAX_SEEDS: u64 = 32;
    let mut compared = 0;
    let values = include_str!("../../../kalah/tests/data/values.csv");
    for line in values.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let rules: Rules = fields[0].parse().unwrap();
        let houses: u8 = fields[1].parse().unwrap();
        let seeds: u64 = fields[2].parse().unwrap();
        if u64::from(houses) * seeds * 2 > MAX_SEEDS {
            continue;
        }
        let start = Position::start(houses, seeds, rules).unwrap();
        let margin = exact_margin(&mut Engine::new(), &start);
        assert_eq!(margin.seeds().to_string(), fields[3], "{line}");
        compared += 1;
    }
    assert!(compared >= 16, "{compared}");
}

#[test]
fn line_is_legal_and_keeps_the_margin() {
    let mut engine = Engine::new();
    let mut position = Position::start(4, 2, Rules::STANDARD).unwrap();
    let report = engine.analyze(&position, Limits::default(), &|| Duration::ZERO);
    let mover = position.to_move();
    assert_eq!(
        report.line.first().map(|&(_, mv)| Some(mv)),
        Some(report.best_move)
    );
    for &(side, mv) in &report.line {
        assert_eq!(side, position.to_move());
        position.play(mv).unwrap();
    }
    // The line may be cut short; the rest of the game keeps the margin.
    let remaining_margin = exact_margin(&mut engine, &position);
    let remaining_margin = if position.to_move() == mover {
        remaining_margin
    } else {
        -remaining_margin
    };
    assert_eq!(remaining_margin, report.margin());
}

/// Returns an engine whose memory is allocated quickly.
fn small_engine() -> Engine {
    Engine::new().with_memory(16 << 20)
}

#[test]
fn known_bounds_save_their_proof() {
    for rules in [Rules::CS32, Rules::MANKALAH] {
        let start = Position::start(4, 3, rules).unwrap();
        let first = analyze(&mut small_engine(), &start);
        let mut engine = small_engine().with_known_bounds(first.move_bounds());
        let second = analyze(&mut engine, &start);
        assert_eq!(second.move_bounds(), first.move_bounds());
        assert_eq!(second.bounds, first.bounds);
        assert!(
            second.nodes < first.nodes / 2,
            "{} nodes after {}",
            second.nodes,
            first.nodes
        );
        // Known bounds apply to one analysis only, even if the game is over in its position.
        let mut over = start.clone();
        while !over.is_over() {
            let mv = over.legal_moves().next().unwrap();
            over.play(mv).unwrap();
        }
        let wrong_bounds = first.move_bounds().into_iter().map(|(mv, _)| {
            let margin = Margin::new(-1);
            let bounds = Bounds {
                lower: margin,
                upper: margin,
            };
            (mv, bounds)
        });
        let mut engine_of_finished_game = small_engine().with_known_bounds(wrong_bounds.collect());
        assert_eq!(analyze(&mut engine_of_finished_game, &over).best_move, None);
        assert_eq!(
            analyze(&mut engine_of_finished_game, &start).move_bounds(),
            first.move_bounds()
        );
        let other = Position::start(3, 3, rules).unwrap();
        let expected = analyze(&mut small_engine(), &other);
        assert_eq!(
            analyze(&mut engine, &other).move_bounds(),
            expected.move_bounds()
        );
    }
}

#[test]
fn proof_resumes_from_the_bounds_of_any_step() {
    let start = Position::start(4, 3, Rules::STANDARD).unwrap();
    let mut steps = Vec::new();
    let whole = small_engine().analyze_with_progress(
        &start,
        ALL_MARGINS,
        &|| Duration::ZERO,
        &mut |report| {
            steps.push(report.move_bounds());
        },
    );
    assert!(steps.len() > 2, "{} steps", steps.len());
    for known in steps {
        let report = analyze(&mut small_engine().with_known_bounds(known), &start);
        assert_eq!(report.move_bounds(), whole.move_bounds());
    }
}

#[test]
fn impossible_known_bounds_are_ignored() {
    let start = Position::start(3, 2, Rules::CS32).unwrap();
    let margin = |seeds| Bounds {
        lower: Margin::new(seeds),
        upper: Margin::new(seeds),
    };
    let sow = |number| Move::Sow(House::new(number).unwrap());
    let known = vec![
        (sow(1), margin(14)),
        (sow(9), margin(2)),
        (Move::Swap, margin(2)),
    ];
    let report = analyze(&mut small_engine().with_known_bounds(known), &start);
    let expected = analyze(&mut small_engine(), &start);
    assert_eq!(report.move_bounds(), expected.move_bounds());
}

#[test]
fn node_counter_follows_the_analysis() {
    let nodes = Arc::new(AtomicU64::new(0));
    let mut engine = small_engine().with_node_counter(Arc::clone(&nodes));
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let mut last = 0;
    let report =
        engine.analyze_with_progress(&start, ALL_MARGINS, &|| Duration::ZERO, &mut |report| {
            assert_eq!(nodes.load(Ordering::Relaxed), report.nodes);
            assert!(report.nodes >= last);
            last = report.nodes;
        });
    assert!(last > 0);
    assert_eq!(nodes.load(Ordering::Relaxed), report.nodes);
}

/// The file of a table with 4 houses and 10 seeds, and the bytes before its values.
struct SmallTableFile {
    _folder: tempfile::TempDir,
    path: PathBuf,
    intact: Vec<u8>,
    header: usize,
}

impl SmallTableFile {
    fn build() -> Self {
        let variant = Variant::new(4, Rules::CS32);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        let threads = NonZeroUsize::MIN;
        Table::build_file(&path, variant, 10, threads, &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap();
        let intact = fs::read(&path).unwrap();
        let values = usize::try_from(Table::positions(variant, 10).unwrap()).unwrap();
        Self {
            _folder: folder,
            path,
            header: intact.len() - values,
            intact,
        }
    }

    /// Writes the file with changed values, and returns a cache with its table.
    fn cache(&self, policy: ChecksumPolicy, change: impl FnOnce(&mut [u8])) -> TableCache {
        let mut bytes = self.intact.clone();
        change(&mut bytes[self.header..]);
        fs::write(&self.path, bytes).unwrap();
        let cache = TableCache::new();
        cache.insert(Table::open(&self.path, policy).unwrap());
        cache
    }
}

fn engine_with(cache: &TableCache, threads: usize) -> Engine {
    let threads = NonZeroUsize::new(threads).unwrap();
    let engine = Engine::new().with_memory(8 << 20).with_threads(threads);
    engine.with_tables(cache.clone())
}

#[test]
fn damaged_table_is_reported_and_not_used() {
    let file = SmallTableFile::build();
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let expected = Engine::new().analyze(&start, ALL_MARGINS, &|| Duration::ZERO);
    for (xor_mask, policy) in [
        // Such values stay possible gains.
        (0x02, ChecksumPolicy::Verify),
        (0xff, ChecksumPolicy::Verify),
        // Such values are no gains.
        (0x01, ChecksumPolicy::Trust),
        (0x7f, ChecksumPolicy::Trust),
    ] {
        for threads in [1, 2] {
            let cache = file.cache(policy, |values| {
                for value in values {
                    *value ^= xor_mask;
                }
            });
            let observed = Arc::new(Mutex::new(Vec::new()));
            let seen = Arc::clone(&observed);
            let cache =
                cache.with_damage_observer(move |damage| seen.lock().unwrap().push(damage.clone()));
            let mut engine = engine_with(&cache, threads);
            for _ in 0..2 {
                let mut snapshots = Vec::new();
                let report = engine.analyze_with_progress(
                    &start,
                    ALL_MARGINS,
                    &|| Duration::ZERO,
                    &mut |report| snapshots.push(report.clone()),
                );
                assert_eq!(report.move_bounds(), expected.move_bounds(), "{xor_mask:x}");
                let damage = report.table_damage.expect("the damage");
                assert_eq!(damage.path(), file.path);
                let last = snapshots.last().expect("a snapshot");
                assert_eq!(last.table_damage.as_ref(), Some(&damage));
                assert_eq!(*observed.lock().unwrap(), [damage]);
            }
        }
    }
}

#[test]
fn wrong_value_that_is_found_late_discards_all_results_before() {
    let file = SmallTableFile::build();
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let expected = Engine::new().analyze(&start, ALL_MARGINS, &|| Duration::ZERO);
    // The gains get the opposite sign, and one value in a hundred is no gain: the search reads
    // wrong values before it finds one that cannot be.
    let cache = file.cache(ChecksumPolicy::Trust, |values| {
        for (index, value) in values.iter_mut().enumerate() {
            *value = if index % 101 == 100 {
                0
            } else {
                value.wrapping_neg()
            };
        }
    });
    let mut engine = engine_with(&cache, 1);
    let report = engine.analyze(&start, ALL_MARGINS, &|| Duration::ZERO);
    assert!(report.table_damage.is_some());
    assert_eq!(report.move_bounds(), expected.move_bounds());
}

#[test]
fn table_that_is_damaged_between_two_analyses_is_not_used_again() {
    let file = SmallTableFile::build();
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let cache = file.cache(ChecksumPolicy::Verify, |_| ());
    let limits = Limits {
        depth: Some(4),
        ..Limits::default()
    };
    let mut engine = engine_with(&cache, 1);
    let report = engine.analyze(&start, limits, &|| Duration::ZERO);
    assert!(report.table_hits > 0 && report.table_damage.is_none());
    fs::write(&file.path, &file.intact[..5000]).unwrap();
    let report = engine.analyze(&start, limits, &|| Duration::ZERO);
    assert_eq!(report.table_hits, 0);
    let damage = report.table_damage.expect("the damage");
    assert!(
        matches!(damage.fault(), TableFault::Length { has: 5000, .. }),
        "{damage}"
    );
}

/// Changes the values of a file where they are, as another program that writes it.
fn overwrite(file: &SmallTableFile) {
    // Gains of the opposite sign are possible ones.
    let values = file.intact[file.header..].iter();
    let changed: Vec<u8> = values.map(|value| value.wrapping_neg()).collect();
    let mut open = fs::File::options().write(true).open(&file.path).unwrap();
    let header = file.header.try_into().unwrap();
    open.seek(SeekFrom::Start(header)).unwrap();
    open.write_all(&changed).unwrap();
    let later = SystemTime::now() + Duration::from_secs(10);
    open.set_modified(later).unwrap();
}

#[test]
fn results_of_a_table_that_changes_during_the_search_are_discarded() {
    let file = SmallTableFile::build();
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let expected = Engine::new().analyze(&start, ALL_MARGINS, &|| Duration::ZERO);
    for estimates in [Estimates::BestMove, Estimates::AllMoves] {
        let cache = file.cache(ChecksumPolicy::Verify, |_| ());
        let mut engine = engine_with(&cache, 1);
        // Verifies all layers.
        engine.prepare(&start, Duration::from_secs(1), &|| Duration::ZERO);
        let limits = Limits {
            estimates,
            ..ALL_MARGINS
        };
        let mut is_changed = false;
        let report = engine.analyze_with_progress(&start, limits, &|| Duration::ZERO, &mut |_| {
            if !std::mem::replace(&mut is_changed, true) {
                overwrite(&file);
            }
        });
        let damage = report.table_damage.as_ref().expect("the damage");
        // With estimates of all moves the first report precedes the verification.
        assert!(
            matches!(
                damage.fault(),
                TableFault::Changed | TableFault::Checksum { .. }
            ),
            "{damage}"
        );
        assert_eq!(report.move_bounds(), expected.move_bounds());
    }
}

#[test]
fn known_bounds_are_dropped_only_if_they_can_come_from_a_damaged_table() {
    let file = SmallTableFile::build();
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let expected = Engine::new().analyze(&start, ALL_MARGINS, &|| Duration::ZERO);
    // Gains of the opposite sign are possible ones.
    let negate = |values: &mut [u8]| {
        for value in values {
            *value = value.wrapping_neg();
        }
    };
    let mut engine = engine_with(&file.cache(ChecksumPolicy::Trust, negate), 1);
    let wrong = engine.analyze(&start, ALL_MARGINS, &|| Duration::ZERO);
    assert!(wrong.table_hits > 0 && wrong.table_damage.is_none());
    assert_ne!(wrong.move_bounds(), expected.move_bounds());
    fs::write(&file.path, &file.intact[..5000]).unwrap();
    let mut engine = engine.with_known_bounds(wrong.move_bounds());
    let report = engine.analyze(&start, ALL_MARGINS, &|| Duration::ZERO);
    assert!(report.table_damage.is_some());
    assert_eq!(report.move_bounds(), expected.move_bounds());

    // An engine that has found the damage before its first probe keeps the bounds of its caller.
    let cache = file.cache(ChecksumPolicy::Verify, negate);
    let engine = engine_with(&cache, 1).with_known_bounds(expected.move_bounds());
    let report = { engine }.analyze(&start, ALL_MARGINS, &|| Duration::ZERO);
    assert!(report.table_damage.is_some());
    assert_eq!(report.move_bounds(), expected.move_bounds());
    assert!(report.nodes < expected.nodes / 2, "{}", report.nodes);
}

#[test]
fn verification_takes_no_more_than_its_share_of_the_time_and_goes_on_later() {
    let file = SmallTableFile::build();
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let cache = file.cache(ChecksumPolicy::Verify, |_| ());
    let variant = Variant::from_position(&start);
    let usable = || cache.get(variant).map(|table| table.usable_seeds());
    // Each reading of the clock takes a second, so that the time ends in the first layers.
    let seconds = Cell::new(0);
    let clock = || {
        seconds.set(seconds.get() + 1);
        Duration::from_secs(seconds.get())
    };
    let limits = Limits {
        time: Some(Duration::from_secs(10)),
        ..Limits::default()
    };
    let mut engine = engine_with(&cache, 1);
    engine.analyze(&start, limits, &clock);
    let after_first = usable().expect("the table");
    assert!(after_first < 10, "{after_first}");
    engine.analyze(&start, Limits::default(), &|| Duration::ZERO);
    assert_eq!(
        cache.get(variant).map(|table| table.usable_seeds()),
        Some(10)
    );
}
