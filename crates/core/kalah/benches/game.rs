//! Times of sowing and of perft. The results are asserted, so that a fast wrong answer fails.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use kalah::{House, Move, Position, Rules, perft, reference};
use std::hint::black_box;

/// Depth and count of the start of 6x4 under `standard`, from tests/data/perft.txt.
const PERFT: (u32, u64) = (8, 563_055);
/// Seeds of a house of 6x250: a sowing of several laps.
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
                    let result = position.sow(house).expect("a legal sowing");
                    assert_eq!(u64::from(result.seeds), seeds);
                    position
                },
                BatchSize::SmallInput,
            );
        });
        group.bench_function(format!("{name}, reference"), |b| {
            b.iter_batched(
                || reference::ReferencePosition::from(&start),
                |mut position| {
                    position.play(Move::Sow(house)).expect("a legal sowing");
                    position
                },
                BatchSize::SmallInput,
            );
        });
    }
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
