//! Published margins, by the reference implementation and by a search of `Position` with gains.

use std::collections::HashMap;

use kalah::{FirstPlies, Gain, House, Margin, MoveResult, Position, Rules, Side, reference};
use proptest::prelude::*;

use crate::strategies::{any_rules, tiny_setups};

/// The maximum number of seeds of a start whose margin takes seconds. Wider boards have far more
/// positions with equally many seeds, and the reference visits each with every pair of stores.
struct Reach {
    narrow: u8,
    wide: u8,
}

/// The maximum number of houses of a narrow board.
const NARROW: u8 = 4;
const REACH_OF_REFERENCE: Reach = Reach {
    narrow: 18,
    wide: 10,
};
const REACH_WITHOUT_STORES: Reach = Reach {
    narrow: 24,
    wide: 12,
};

impl Reach {
    fn holds(&self, start: &Position) -> bool {
        let max_seeds = if start.houses() <= NARROW {
            self.narrow
        } else {
            self.wide
        };
        start.total().get() <= max_seeds.into()
    }
}

/// The state on which a gain depends after ply 2: the side to move and the houses, a byte each.
type Key = (Side, u128);

fn key(position: &Position) -> Key {
    let mut houses = 0;
    for side in Side::ALL {
        for house in House::all(position.houses()) {
            houses = houses << u8::BITS | u128::from(position.seeds(side, house).get());
        }
    }
    (position.to_move(), houses)
}

/// Returns the margin of the side to move, with gains stored by the houses alone.
///
/// Unlike the reference it plays on `Position`, and it relies on gains not depending on stores.
fn margin(position: &Position, known: &mut HashMap<Key, Gain>) -> Margin {
    let key = key(position);
    let past = position.first_plies() == FirstPlies::Later;
    if let (true, Some(&gain)) = (past, known.get(&key)) {
        return position.margin(gain);
    }
    let margins = position.legal_moves().map(|mv| {
        let mut next = position.clone();
        let result = next.play(mv).unwrap();
        let margin = margin(&next, known);
        let same_player = result != MoveResult::Swapped && next.to_move() == position.to_move();
        if same_player { margin } else { -margin }
    });
    let best = margins.max().unwrap_or(position.lead());
    if past {
        known.insert(key, position.gain(best));
    }
    best
}

/// Compares `margin` with every row of the table in `reach` and returns the number of these rows.
fn compare_with_the_table(reach: &Reach, mut margin: impl FnMut(&Position) -> Margin) -> usize {
    let mut compared = 0;
    for line in include_str!("../data/values.csv").lines() {
        if line.starts_with('#') || line.starts_with("rules,") {
            continue;
        }
        let fields: Vec<&str> = line.split(',').collect();
        let [rules, houses, seeds, expected, _source] = fields[..] else {
            panic!("not five fields: {line}");
        };
        let start = Position::start(
            houses.parse().unwrap(),
            seeds.parse().unwrap(),
            rules.parse().unwrap(),
        );
        let start = start.unwrap();
        if reach.holds(&start) {
            let expected = Margin::new(expected.parse().unwrap());
            assert_eq!(margin(&start), expected, "{line}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn the_reference_agrees_with_published_margins() {
    assert_eq!(
        compare_with_the_table(&REACH_OF_REFERENCE, reference::margin),
        5
    );
}

#[test]
fn stored_gains_agree_with_published_margins() {
    let compared = compare_with_the_table(&REACH_WITHOUT_STORES, |start| {
        margin(start, &mut HashMap::new())
    });
    assert_eq!(compared, 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_reference_and_stored_gains_agree_on_tiny_positions(setup in tiny_setups(), rules in any_rules()) {
        let position = setup.position(rules).unwrap();
        prop_assert_eq!(
            reference::margin(&position), margin(&position, &mut HashMap::new()), "\"{}\" --rules {}", position, rules
        );
    }
}

#[test]
fn a_finished_game_has_the_margin_of_its_stores() {
    for (text, margin) in [("<2,5,3,0,0,0,0> s", 2), ("<2,5,3,0,0,0,0> n", -2)] {
        let position = crate::strategies::position(text, Rules::CS32);
        assert_eq!(reference::margin(&position), Margin::new(margin), "{text}");
    }
}

/// The moves that a published report accepts in its small positions keep the best margin.
#[test]
fn accepted_moves_keep_the_margin() {
    let mut rows = 0;
    for line in include_str!("../data/accepted_moves.csv").lines() {
        if line.starts_with('#') || line.starts_with("south,") {
            continue;
        }
        let fields: Vec<Vec<u8>> = line
            .split(',')
            .map(|field| field.split(' ').map(|n| n.parse().unwrap()).collect())
            .collect();
        let [south, north, accepted] = &fields[..] else {
            panic!("not three fields: {line}");
        };
        let mut setup = kalah::Setup::start(0, 0);
        setup.rows.south = south.iter().copied().map(u64::from).collect();
        // Columns are in the reverse of North's sowing order.
        setup.rows.north = north.iter().rev().copied().map(u64::from).collect();
        let position = setup.position(Rules::CS32).unwrap();
        let best = reference::margin(&position);
        for &number in accepted {
            let house = House::new(number.into()).unwrap();
            let mut after = position.clone();
            after.sow(house).unwrap();
            let margin = reference::margin(&after);
            let margin = if after.to_move() == Side::South {
                margin
            } else {
                -margin
            };
            assert_eq!(margin, best, "house {house} of \"{position}\"");
        }
        rows += 1;
    }
    assert_eq!(rows, 8);
}
