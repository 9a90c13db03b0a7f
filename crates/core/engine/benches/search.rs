//! Search, minimax and sowing. Node counts are asserted: they change only with a deliberate change
//! of the search.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kalah::{Margin, Player, Position, Rules};
use kalah_board::perft;
use kalah_engine::{Certainty, Engine, Limits, MinimaxPlayer};
use std::hint::black_box;

/// Depth in turns of a search from the start of 6x4, and its node count.
const DEPTH: u32 = 9;
const NODES: u64 = 28572;
/// Nodes to solve 4x3; its margin is in tests/data/values.csv.
const SOLVE_NODES: u64 = 4190;

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
            let report = Engine::new().analyze(black_box(&start), limits, &no_clock);
            assert_eq!(report.nodes, NODES);
        });
    });

    let small = Position::start(4, 3, Rules::CS32).expect("a position");
    group.throughput(Throughput::Elements(SOLVE_NODES));
    group.bench_function("4x3, solved", |b| {
        b.iter(|| {
            let report = Engine::new().analyze(black_box(&small), Limits::default(), &no_clock);
            assert_eq!(report.certainty, Certainty::Exact);
            assert_eq!(report.margin(), Margin::new(6));
            assert_eq!(report.nodes, SOLVE_NODES);
        });
    });
    group.finish();
}

fn minimax(c: &mut Criterion) {
    let start = Position::start(6, 4, Rules::CS32).expect("a position");
    c.bench_function("minimax:5 on 6x4", |b| {
        b.iter(|| {
            let mv = MinimaxPlayer::new("Minimax", 5).choose_move(black_box(&start), Duration::MAX);
            assert_eq!(mv.map(|mv| mv.text(start.to_move())).as_deref(), Some("F"));
        });
    });
}

/// All plies but the last one are sown: some 680,000 sowings.
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
