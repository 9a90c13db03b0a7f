//! The slow obvious twin and `Position` do the same.

use kalah::reference::{self, ReferencePosition};
use kalah::{House, Move, Outcome, Position, Rules, Setup, perft};
use proptest::prelude::*;

use crate::samples::{all_rules, any_rules, dice, playable_setups, tiny_setups};

/// Everything that can be seen of both is the same.
fn same(ring: &ReferencePosition, position: &Position) -> Result<(), TestCaseError> {
    let what = format!("\"{position}\" --rules {}", position.rules());
    prop_assert_eq!(ring, position, "{}", what);
    prop_assert_eq!(ring.houses(), position.houses(), "{}", what);
    prop_assert_eq!(ring.to_move(), position.to_move(), "{}", what);
    prop_assert_eq!(ring.is_over(), position.is_over(), "{}", what);
    prop_assert_eq!(ring.outcome(), position.outcome(), "{}", what);
    prop_assert_eq!(
        ring.legal_moves(),
        position.legal_moves().collect::<Vec<_>>(),
        "{}",
        what
    );
    Ok(())
}

/// Every choice there could be, legal or not.
fn every_choice() -> impl Iterator<Item = Move> {
    House::all(House::MAX).map(Move::Sow).chain([Move::Swap])
}

fn compare_every_choice(setup: &Setup, rules: Rules) -> Result<(), TestCaseError> {
    let before = setup.position(rules).unwrap();
    let ring_before = ReferencePosition::from_setup(setup, rules).expect("what the gate lets pass");
    same(&ring_before, &before)?;
    for choice in every_choice() {
        let what = format!(
            "\"{setup}\" --rules {rules}: {}",
            choice.text(before.to_move())
        );
        let (mut after, mut ring) = (before.clone(), ring_before.clone());
        let played = after.play(choice);
        prop_assert_eq!(&played, &ring.play(choice), "{}", what);
        prop_assert_eq!(before.check_legal(choice), played.map(|_| ()), "{}", what);
        prop_assert_eq!(after.total(), before.total(), "{}: seeds are lost", what);
        same(&ring, &after)?;
        if played.is_err() {
            prop_assert_eq!(&after, &before, "{}: refused, but changed", what);
        }
        if let (Move::Sow(house), mut sown) = (choice, before.clone()) {
            let details = sown.sow(house).map(kalah::MoveResult::Sown);
            prop_assert_eq!(details, played, "{}", what);
            prop_assert_eq!(sown, after, "{}", what);
        }
    }
    Ok(())
}

fn compare_whole_game(setup: &Setup, rules: Rules, seed: u64) -> Result<(), TestCaseError> {
    let mut position = setup.position(rules).unwrap();
    let mut ring = ReferencePosition::from_setup(setup, rules).expect("what the gate lets pass");
    let mut next = dice(seed);
    while !ring.is_over() {
        let choices = ring.legal_moves();
        let choice = choices[next(choices.len())];
        let what = format!(
            "\"{position}\" --rules {rules}: {}",
            choice.text(position.to_move())
        );
        prop_assert_eq!(position.play(choice), ring.play(choice), "{}", what);
        same(&ring, &position)?;
    }
    let Outcome { stores } = position.outcome().expect("the game is over");
    prop_assert_eq!(
        u32::from(stores.south) + u32::from(stores.north),
        u32::from(position.total())
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn every_choice_in_any_position(setup in playable_setups(), rules in any_rules()) {
        compare_every_choice(&setup, rules)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn games_from_any_position(setup in playable_setups(), rules in any_rules(), seed: u64) {
        compare_whole_game(&setup, rules, seed)?;
    }

    #[test]
    fn games_from_a_start(houses in 1..=House::MAX, seeds in 0..=12_u64, rules in any_rules(), seed: u64) {
        compare_whole_game(&Setup::start(houses, seeds), rules, seed)?;
    }

    #[test]
    fn the_twin_and_the_gate_refuse_the_same(
        south in prop::collection::vec(0..=1300_u64, 0..30),
        north in prop::collection::vec(0..=1300_u64, 0..30),
        even: bool,
        in_store in prop_oneof![Just(0), 50_000..=66_000_u64, any::<u64>()],
        rules in any_rules(),
    ) {
        let mut setup = Setup::start(0, 0);
        setup.rows.south = south.clone();
        setup.rows.north = if even { south } else { north };
        setup.stores.north = in_store;
        match (setup.position(rules), ReferencePosition::from_setup(&setup, rules)) {
            (Ok(position), Some(ring)) => same(&ring, &position)?,
            (Err(_), None) => (),
            (gate, twin) => prop_assert!(false, "{setup} {rules}: {gate:?}, but {twin:?}"),
        }
    }

    #[test]
    fn sequences_from_any_tiny_position(setup in tiny_setups(), rules in any_rules(), depth in 0..=5_u32) {
        let position = setup.position(rules).unwrap();
        prop_assert_eq!(
            perft(&position, depth),
            reference::perft(&ReferencePosition::from(&position), depth),
            "kalah perft --rules {} \"{}\" {}", rules, position, depth
        );
    }
}

/// Every position of two houses a side with few seeds, under all rules: nothing is left to chance.
#[test]
fn every_position_of_a_tiny_board() {
    const MOST_IN_A_HOUSE: u64 = 5;
    let mut setup = Setup::start(2, 0);
    for number in 0..(MOST_IN_A_HOUSE + 1).pow(4) {
        let digit = |place| number / (MOST_IN_A_HOUSE + 1).pow(place) % (MOST_IN_A_HOUSE + 1);
        setup.rows.south = vec![digit(0), digit(1)];
        setup.rows.north = vec![digit(2), digit(3)];
        for rules in all_rules() {
            compare_every_choice(&setup, rules).unwrap();
        }
    }
}
