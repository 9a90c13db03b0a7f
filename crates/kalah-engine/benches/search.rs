//! Search and minimax. Node counts are asserted: they change only when the search is changed on
//! purpose, and then here too.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kalah::{Margin, Player, Position, Rules};
use kalah_engine::{Certainty, Engine, Limits, MinimaxPlayer, perft};
use std::hint::black_box;

/// Turns to look ahead from the start of 6x4, and positions that takes.
const DEPTH: u32 = 9;
const NODES: u64 = 28572;
/// Positions it takes to solve 4x3, whose margin is in tests/data/values.csv.
const SOLVE_NODES: u64 = 4687;

/// Depth and count of the start of 6x4 under `standard`, from tests/data/perft.txt.
const PERFT: (u32, u64) = (9, 2_763_490);

fn no_clock() -> Duration {
    Duration::ZERO
}

fn search(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    group.sample_size(10);

    let start = Position::start(6, 4, Rules::CS32).expect("a position");
    let limits = Limits {
        depth: Some(DEPTH),
        ..Limits::default()
    };
    group.throughput(Throughput::Elements(NODES));
    group.bench_function("6x4, nine turns", |b| {
        b.iter(|| {
            let report = Engine::new().analyse(black_box(&start), limits, &no_clock);
            assert_eq!(report.nodes, NODES);
        });
    });

    let small = Position::start(4, 3, Rules::CS32).expect("a position");
    group.throughput(Throughput::Elements(SOLVE_NODES));
    group.bench_function("4x3, solved", |b| {
        b.iter(|| {
            let report = Engine::new().analyse(black_box(&small), Limits::default(), &no_clock);
            assert_eq!(report.certainty, Certainty::Exact);
            assert_eq!(report.margin, Margin::new(6));
            assert_eq!(report.nodes, SOLVE_NODES);
        });
    });
    group.finish();
}

fn minimax(c: &mut Criterion) {
    let start = Position::start(6, 4, Rules::CS32).expect("a position");
    c.bench_function("minimax:5 on 6x4", |b| {
        b.iter(|| {
            let choice =
                MinimaxPlayer::new("Minimax", 5).choose_move(black_box(&start), Duration::MAX);
            assert_eq!(
                choice.map(|choice| choice.text(start.to_move())).as_deref(),
                Some("F")
            );
        });
    });
}

/// Every sequence but the last ply of it is sown: some 680,000 sowings.
fn sowing(c: &mut Criterion) {
    let (depth, count) = PERFT;
    let start = Position::start(6, 4, Rules::STANDARD).expect("a position");
    let mut group = c.benchmark_group("perft");
    group
        .sample_size(20)
        .throughput(Throughput::Elements(count));
    group.bench_function("6x4, packed", |b| {
        b.iter(|| assert_eq!(perft(black_box(&start), depth), count));
    });
    group.finish();
}

criterion_group!(benches, sowing, search, minimax);
criterion_main!(benches);
