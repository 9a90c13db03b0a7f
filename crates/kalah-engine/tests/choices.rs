//! Small positions from a published report's test list: a smart player must make an accepted choice.

use std::time::Duration;

use kalah::{BySide, FirstPlies, Labels, Move, Player, Rules, Setup, Side};
use kalah_engine::SmartPlayer;

/// A row of the list, as drawn: columns from left to right.
fn row(columns: &str, side: Side) -> Vec<u64> {
    let mut houses: Vec<u64> = columns
        .split_whitespace()
        .map(|seeds| seeds.parse().unwrap())
        .collect();
    if side == Side::North {
        houses.reverse();
    }
    houses
}

#[test]
fn smart_makes_an_accepted_choice_from_either_side_of_the_table() {
    let mut rows = 0;
    for line in include_str!("../../kalah/tests/data/accepted_moves.csv").lines() {
        if line.starts_with('#') || line.starts_with("south,") {
            continue;
        }
        let [south, north, accepted] = line.split(',').collect::<Vec<_>>()[..] else {
            panic!("{line}: three fields expected");
        };
        let setup = Setup {
            stores: BySide::new(0, 0),
            rows: BySide::new(row(south, Side::South), row(north, Side::North)),
            to_move: Side::South,
            first_plies: FirstPlies::Later,
        };
        let position = setup.position(Rules::CS32).unwrap();
        for position in [position.clone(), position.flipped()] {
            let choice = SmartPlayer::new("Smart", || Duration::ZERO)
                .choose_move(&position, SmartPlayer::DEFAULT_TIME_LIMIT)
                .unwrap();
            let Move::Sow(house) = choice else {
                panic!("no swap in these rules");
            };
            // South's columns; North answers for the position turned round.
            let column = Labels::Columns.label(Side::South, house, position.houses());
            assert!(
                accepted.split_whitespace().any(|label| label == column),
                "kalah show '{position}': column {column}, accepted {accepted}"
            );
        }
        rows += 1;
    }
    assert_eq!(rows, 8);
}
