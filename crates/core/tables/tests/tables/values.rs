//! The values of tables, against the reference solver and against each other by the rules.

use kalah::{
    BySide, CaptureRule, EndRule, FirstPlyRules, Gain, HouseRules, Position, Rules, Setup, Side,
    Variant, reference,
};
use kalah_tables::Table;
use proptest::prelude::*;

use super::common::{build, fillings, pack_row};

/// All rules that a table distinguishes.
const RULES: [Rules; 4] = [
    Rules::CS32,
    Rules::STANDARD,
    Rules::EMPTY_CAPTURE,
    Rules {
        house_rules: HouseRules {
            ends: EndRule::Stuck,
            capture: CaptureRule::Always,
        },
        first_ply_rules: FirstPlyRules::NONE,
    },
];

fn build_table(houses: u8, seeds: u8, rules: Rules, threads: usize) -> Table {
    build(Variant::new(houses, rules), seeds, threads)
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

/// Returns the gain of the side to move in the table, which includes the sweep at the end of the
/// game.
fn gain(table: &Table, filling: &[u64], to_move: Side) -> i32 {
    let (south, north) = filling.split_at(filling.len() / 2);
    let (mover, other) = match to_move {
        Side::South => (south, north),
        Side::North => (north, south),
    };
    let slot = table.slot(pack_row(mover), pack_row(other)).unwrap();
    table.gain(slot).unwrap().into()
}

#[test]
fn every_value_of_small_tables_is_the_reference_margin() {
    for rules in RULES {
        for (houses, seeds) in [
            (1, 20),
            (2, 10),
            (3, 7),
            (4, 6),
            (5, 5),
            (6, 4),
            (7, 4),
            (8, 3),
        ] {
            let table = build_table(houses, seeds, rules, 2);
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
                    assert_eq!(table.probe(&position), Ok(Some(Gain::new(margin))));
                }
            }
        }
    }
}

/// Returns the gain that the next positions in the table imply; 0 at the end of the game.
fn implied_gain(table: &Table, position: &Position) -> i32 {
    let lead = position.lead().seeds();
    let after = position.legal_moves().map(|mv| {
        let mut next = position.clone();
        next.play(mv).unwrap();
        let margin = next.margin(table.probe(&next).unwrap().unwrap()).seeds();
        (if next.to_move() == position.to_move() {
            margin
        } else {
            -margin
        }) - lead
    });
    after.max().unwrap_or(0)
}

#[test]
fn values_of_larger_tables_agree_with_those_of_the_next_positions() {
    for rules in RULES {
        for (houses, seeds) in [
            (1, 40),
            (2, 26),
            (3, 20),
            (4, 16),
            (5, 14),
            (6, 13),
            (7, 11),
            (8, 10),
        ] {
            let table = build_table(houses, seeds, rules, 2);
            let runner_config = ProptestConfig::with_cases(2000);
            let mut runner = proptest::test_runner::TestRunner::new(runner_config);
            let fillings = prop::collection::vec(0..u64::from(seeds), 2 * usize::from(houses));
            let case = (
                fillings,
                prop::sample::select(Side::ALL.to_vec()),
                0..=u64::from(seeds),
            );
            let result = runner.run(&case, |(mut filling, to_move, max_seeds)| {
                // At most `max_seeds` seeds in all, from the first house on.
                let mut left = max_seeds;
                for seeds in &mut filling {
                    *seeds = left.min(*seeds % 8);
                    left -= *seeds;
                }
                let position = position(&filling, to_move, rules);
                let swept = i32::from(position.is_over()) * position.lead().seeds();
                let known = gain(&table, &filling, to_move);
                prop_assert_eq!(
                    known,
                    swept + implied_gain(&table, &position),
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
fn values_do_not_depend_on_the_number_of_threads() {
    let one = build_table(6, 12, Rules::STANDARD, 1);
    let three = build_table(6, 12, Rules::STANDARD, 3);
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

#[test]
fn setup_is_the_inverse_of_probe() {
    for rules in RULES {
        let table = build_table(3, 7, rules, 1);
        for seeds in 0..=table.seeds() {
            let values = table.layer(seeds).unwrap();
            for (index, &value) in values.iter().enumerate() {
                let setup = table.setup(seeds, index).unwrap();
                let [mover, other] = Side::ALL.map(|side| pack_row(&setup.rows[side]));
                let slot = table.slot(mover, other).unwrap();
                let gain = i16::from(table.gain(slot).unwrap());
                assert_eq!(gain, i16::from(value) - Table::GAIN_OFFSET, "{setup}");
                assert_eq!(setup.to_move, Side::South);
            }
            assert_eq!(table.setup(seeds, values.len()), None);
        }
        assert_eq!(table.setup(8, 0), None);
        assert_eq!(table.setup(7, usize::MAX), None);
    }
}
