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
const NODES: u64 = 3078;
/// Nodes to solve 4x3; its margin is in tests/data/values.csv.
const SOLVE_NODES: u64 = 3_102;

/// Depth and count of the start of 6x4 under `standard`, from tests/data/perft.txt.
const PERFT: (u32, u64) = (9, 2_763_490);

/// Boards of each layout in a search: 8 bits a house, and 16 bits for up to 15 and 26 houses.
const LARGE_BOARDS: [(u8, u64); 4] = [(10, 10), (12, 12), (26, 6), (26, 20)];
/// The limit of nodes of a search of a large board.
const LARGE_BOARD_NODES: u64 = 100_000;

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

/// The rates of the boards with 16 bits a house compare with that of 10x10.
fn large_boards(c: &mut Criterion) {
    let mut group = c.benchmark_group("large boards");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(LARGE_BOARD_NODES));
    let limits = Limits {
        nodes: Some(LARGE_BOARD_NODES),
        ..Limits::default()
    };
    for (houses, seeds) in LARGE_BOARDS {
        let start = Position::start(houses, seeds, Rules::STANDARD).expect("a position");
        group.bench_function(
            format!("{houses}x{seeds}, {LARGE_BOARD_NODES} nodes"),
            |b| {
                b.iter(|| {
                    let report = Engine::new().analyze(black_box(&start), limits, &no_clock);
                    assert_eq!(report.nodes, LARGE_BOARD_NODES);
                });
            },
        );
    }
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

criterion_group!(benches, sowing, search, large_boards, minimax);
criterion_main!(benches);
