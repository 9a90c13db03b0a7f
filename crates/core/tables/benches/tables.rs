//! Benchmarks of building a table and of probing it.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kalah::{Rules, Variant};
use kalah_tables::Table;

const HOUSES: u8 = 6;
const SEEDS: u8 = 14;

fn build_table() -> Table {
    let variant = Variant::new(HOUSES, Rules::STANDARD);
    Table::build(variant, SEEDS, NonZeroUsize::MIN, &mut |_| {
        ControlFlow::Continue(())
    })
    .expect("a small table")
}

fn build(c: &mut Criterion) {
    let mut group = c.benchmark_group("build");
    let positions =
        Table::positions(Variant::new(HOUSES, Rules::STANDARD), SEEDS).expect("a small table");
    group.throughput(Throughput::Elements(positions));
    group.sample_size(10);
    group.bench_function("6 houses, 14 seeds, one thread", |b| b.iter(build_table));
    group.finish();
}

fn probe(c: &mut Criterion) {
    let table = build_table();
    c.bench_function("probe", |b| {
        b.iter(|| {
            table
                .slot(
                    black_box(0x01_00_02_01_00_03),
                    black_box(0x00_02_01_00_03_01),
                )
                .and_then(|slot| table.gain(slot))
        });
    });
}

criterion_group!(benches, build, probe);
criterion_main!(benches);
