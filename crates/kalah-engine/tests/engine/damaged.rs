//! A table that is not what it should be makes an analysis wrong, and nothing worse.

use std::fs;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Duration;

use kalah::{Margin, Position, Rules};
use kalah_engine::{Engine, Goal, Limits, TableCache};
use kalah_tables::{Table, Variant};

#[test]
fn an_analysis_ends_whatever_a_table_says() {
    let variant = Variant::new(4, Rules::CS32);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a table");
    let threads = NonZeroUsize::MIN;
    Table::build_file(&path, variant, 10, threads, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap();
    let sound = fs::read(&path).unwrap();
    let values = usize::try_from(Table::positions(variant, 10).unwrap()).unwrap();
    let start = Position::start(4, 3, Rules::CS32).unwrap();
    let limits = Limits {
        goal: Goal::AllMargins,
        ..Limits::default()
    };
    for damage in [0x01, 0x02, 0x0b, 0x7f, 0xff] {
        let mut bytes = sound.clone();
        let first = bytes.len() - values;
        for value in &mut bytes[first..] {
            *value ^= damage;
        }
        fs::write(&path, bytes).unwrap();
        let shelf = TableCache::new();
        shelf.insert(Table::open(&path).unwrap());
        for threads in [1, 2] {
            let threads = NonZeroUsize::new(threads).unwrap();
            let engine = Engine::new().with_memory(8 << 20).with_threads(threads);
            let report = engine
                .with_tables(shelf.clone())
                .analyse(&start, limits, &|| Duration::ZERO);
            let most = Margin::new(24);
            assert!(-most <= report.bounds.lower && report.bounds.upper <= most);
            assert!(report.bounds.lower <= report.bounds.upper);
            assert!(report.best_move.is_some());
        }
    }
}
