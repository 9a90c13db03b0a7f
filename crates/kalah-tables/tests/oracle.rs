//! Tables against the naive solver, entry by entry, and against the rules.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use kalah::{BySide, CaptureRule, EndRule, Gain, Position, Rules, Setup, Side, reference};
use kalah_tables::{Table, Variant};
use proptest::prelude::*;

/// All rules that make a difference to a table.
const RULES: [Rules; 4] = [
    Rules::CS32,
    Rules::STANDARD,
    Rules::EMPTY_CAPTURE,
    Rules {
        ends: EndRule::Stuck,
        capture: CaptureRule::Always,
        ..Rules::CS32
    },
];

fn table(houses: u8, seeds: u8, rules: Rules, threads: usize) -> Table {
    let threads = NonZeroUsize::new(threads).unwrap();
    let variant = Variant::new(houses, rules);
    Table::build(variant, seeds, threads, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// All ways to put up to `seeds` seeds into so many houses.
fn fillings(houses: u8, seeds: u64) -> Vec<Vec<u64>> {
    if houses == 0 {
        return vec![vec![]];
    }
    let with_last = |last| {
        let rest = fillings(houses - 1, seeds - last).into_iter();
        rest.map(move |mut filling| {
            filling.push(last);
            filling
        })
    };
    (0..=seeds).flat_map(with_last).collect()
}

fn position(filling: &[u64], to_move: Side, rules: Rules) -> Position {
    let (south, north) = filling.split_at(filling.len() / 2);
    let setup = Setup {
        stores: BySide { south: 0, north: 0 },
        rows: BySide {
            south: south.to_vec(),
            north: north.to_vec(),
        },
        to_move,
        first_plies: kalah::FirstPlies::Later,
    };
    setup.position(rules).unwrap()
}

/// One byte a house, the last in the lowest.
fn packed(row: &[u64]) -> u64 {
    row.iter().fold(0, |packed, seeds| packed << 8 | seeds)
}

/// The gain of the side to move, rows that are swept counted.
fn gain(table: &Table, filling: &[u64], to_move: Side) -> i32 {
    let (south, north) = filling.split_at(filling.len() / 2);
    let (mover, other) = match to_move {
        Side::South => (south, north),
        Side::North => (north, south),
    };
    let slot = table.slot(packed(mover), packed(other)).unwrap();
    table.gain(slot).into()
}

#[test]
fn every_entry_of_small_tables_is_the_naive_margin() {
    for rules in RULES {
        for (houses, seeds) in [(1, 20), (2, 10), (3, 7), (4, 6), (5, 5), (6, 4), (7, 4)] {
            let table = table(houses, seeds, rules, 2);
            let fillings = fillings(2 * houses, seeds.into());
            assert_eq!(
                fillings.len() as u64,
                Table::positions(table.variant(), seeds).unwrap()
            );
            for filling in fillings {
                let position = position(&filling, Side::South, rules);
                let margin = reference::margin(&position).seeds();
                assert_eq!(
                    gain(&table, &filling, Side::South),
                    margin,
                    "{rules}: {position} of {filling:?}"
                );
                if !position.is_over() {
                    assert_eq!(table.probe(&position), Some(Gain::new(margin)));
                }
            }
        }
    }
}

/// The best that the table knows of what follows, or what the sweep brings.
fn gain_by_table(table: &Table, position: &Position) -> i32 {
    let lead = position.lead().seeds();
    let after = position.legal_moves().map(|choice| {
        let mut next = position.clone();
        next.play(choice).unwrap();
        let margin = next.margin(table.probe(&next).unwrap()).seeds();
        (if next.to_move() == position.to_move() {
            margin
        } else {
            -margin
        }) - lead
    });
    after.max().unwrap_or(0)
}

#[test]
fn entries_of_larger_tables_follow_from_each_other() {
    for rules in RULES {
        for (houses, seeds) in [
            (1, 40),
            (2, 26),
            (3, 20),
            (4, 16),
            (5, 14),
            (6, 13),
            (7, 11),
        ] {
            let table = table(houses, seeds, rules, 2);
            let runner_config = ProptestConfig::with_cases(2000);
            let mut runner = proptest::test_runner::TestRunner::new(runner_config);
            let fillings = prop::collection::vec(0..u64::from(seeds), 2 * usize::from(houses));
            let case = (
                fillings,
                prop::sample::select(Side::ALL.to_vec()),
                0..=u64::from(seeds),
            );
            let result = runner.run(&case, |(mut filling, to_move, most)| {
                // As many seeds as may be, from the first house on.
                let mut left = most;
                for seeds in &mut filling {
                    *seeds = left.min(*seeds % 8);
                    left -= *seeds;
                }
                let position = position(&filling, to_move, rules);
                let swept = i32::from(position.is_over()) * position.lead().seeds();
                let known = gain(&table, &filling, to_move);
                prop_assert_eq!(
                    known,
                    swept + gain_by_table(&table, &position),
                    "{}: {}",
                    rules,
                    position
                );
                Ok(())
            });
            result.unwrap();
        }
    }
}

#[test]
fn threads_make_no_difference() {
    let one = table(6, 12, Rules::STANDARD, 1);
    let three = table(6, 12, Rules::STANDARD, 3);
    for filling in fillings(6, 6) {
        let filling: Vec<_> = filling
            .iter()
            .chain(filling.iter().rev())
            .copied()
            .collect();
        assert_eq!(
            gain(&one, &filling, Side::South),
            gain(&three, &filling, Side::South)
        );
    }
}
