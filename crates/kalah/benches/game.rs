//! Sowing and counting. What is counted is asserted, so that a fast wrong answer is no result.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use kalah::{Board, House, Move, Position, Rules, Side, perft, reference};
use std::hint::black_box;

/// Depth and count of the start of 6x4 under `standard`, from tests/data/perft.txt.
const PERFT: (u32, u64) = (8, 563_055);
/// Seeds that go round a board of six houses several times.
const LAPS: u64 = 250;

fn sowing(c: &mut Criterion) {
    let mut group = c.benchmark_group("sow");
    for (name, seeds) in [("6x4", 4), ("laps", LAPS)] {
        let start = Position::start(6, seeds, Rules::STANDARD).expect("a position");
        let house = House::new(1).expect("a house");
        group.bench_function(name, |b| {
            b.iter_batched(
                || start.clone(),
                |mut position| {
                    let sown = position.sow(house).expect("a legal sowing");
                    assert_eq!(u64::from(sown.seeds), seeds);
                    position
                },
                BatchSize::SmallInput,
            );
        });
        group.bench_function(format!("{name}, seed by seed"), |b| {
            b.iter_batched(
                || reference::ReferencePosition::from(&start),
                |mut ring| {
                    ring.play(Move::Sow(house)).expect("a legal sowing");
                    ring
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.bench_function("board of 2147483647 houses", |b| {
        b.iter_batched(
            || Board::new(i32::MAX.unsigned_abs(), 1 << 20).expect("a board"),
            |mut board| {
                assert!(board.sow(Side::South, 7).is_some());
                board
            },
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn counting(c: &mut Criterion) {
    let (depth, count) = PERFT;
    let start = Position::start(6, 4, Rules::STANDARD).expect("a position");
    let mut group = c.benchmark_group("perft");
    group
        .sample_size(20)
        .throughput(Throughput::Elements(count));
    group.bench_function("6x4", |b| {
        b.iter(|| assert_eq!(perft(black_box(&start), depth), count));
    });
    group.finish();
}

criterion_group!(benches, sowing, counting);
criterion_main!(benches);
