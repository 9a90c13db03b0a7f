//! Tests of the tables that an engine makes.

use kalah::Rules;

use super::*;

/// The sizes of the transposition table and of the endgame table, in bytes and in seeds.
fn table_sizes(engine: &Engine, position: &Position) -> (Option<usize>, Option<u8>) {
    let tt_bytes = engine.hash_tables.as_ref().map(|tables| tables.tt_bytes);
    let table = engine.table_builder.cached(position);
    (tt_bytes, table.map(|table| table.seeds()))
}

#[test]
fn stopped_analysis_makes_no_large_tables() {
    let start = |seeds| Position::start(6, seeds, Rules::CS32).expect("a valid start");
    let limits = Limits {
        goal: AnalysisGoal::AllMargins,
        ..Limits::default()
    };
    let analyze = |engine: &mut Engine, position: &Position| {
        let report = engine.analyze(position, limits, &|| Duration::ZERO);
        assert!(report.best_move.is_some());
    };
    let stop_flag = Arc::new(AtomicBool::new(true));
    let mut engine = Engine::new().with_stop_flag(Arc::clone(&stop_flag));
    analyze(&mut engine, &start(6));
    assert_eq!(table_sizes(&engine, &start(6)), (Some(0), None));

    stop_flag.store(false, Ordering::Relaxed);
    analyze(&mut engine, &start(1));
    let sizes = table_sizes(&engine, &start(1));
    assert!(sizes.0.is_some_and(|bytes| bytes > 0), "{sizes:?}");

    stop_flag.store(true, Ordering::Relaxed);
    analyze(&mut engine, &start(6));
    assert_eq!(table_sizes(&engine, &start(6)), sizes);
}
