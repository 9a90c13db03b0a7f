//! `Position` against the reference implementation.

use kalah::reference::{self, ReferencePosition};
use kalah::{House, Move, Outcome, Position, Rules, Setup, perft};
use proptest::prelude::*;

use crate::strategies::{all_rules, any_rules, dice, playable_setups, tiny_setups};

/// Checks that all public state of both is equal.
fn assert_equal_state(
    reference: &ReferencePosition,
    position: &Position,
) -> Result<(), TestCaseError> {
    let context = format!("\"{position}\" --rules {}", position.rules());
    prop_assert_eq!(reference, position, "{}", context);
    prop_assert_eq!(reference.houses(), position.houses(), "{}", context);
    prop_assert_eq!(reference.to_move(), position.to_move(), "{}", context);
    prop_assert_eq!(reference.is_over(), position.is_over(), "{}", context);
    prop_assert_eq!(reference.outcome(), position.outcome(), "{}", context);
    prop_assert_eq!(
        reference.legal_moves(),
        position.legal_moves().collect::<Vec<_>>(),
        "{}",
        context
    );
    Ok(())
}

/// Returns all moves, legal or not.
fn all_moves() -> impl Iterator<Item = Move> {
    House::all(House::MAX).map(Move::Sow).chain([Move::Swap])
}

fn compare_all_moves(setup: &Setup, rules: Rules) -> Result<(), TestCaseError> {
    let before = setup.position(rules).unwrap();
    let reference_before = ReferencePosition::from_setup(setup, rules).expect("a valid setup");
    assert_equal_state(&reference_before, &before)?;
    for mv in all_moves() {
        let context = format!("\"{setup}\" --rules {rules}: {}", mv.text(before.to_move()));
        let (mut after, mut reference) = (before.clone(), reference_before.clone());
        let result = after.play(mv);
        prop_assert_eq!(&result, &reference.play(mv), "{}", context);
        prop_assert_eq!(before.check_legal(mv), result.map(|_| ()), "{}", context);
        prop_assert_eq!(after.total(), before.total(), "{}: seeds are lost", context);
        assert_equal_state(&reference, &after)?;
        if result.is_err() {
            prop_assert_eq!(&after, &before, "{}: refused but changed", context);
        }
        if let (Move::Sow(house), mut sown) = (mv, before.clone()) {
            let details = sown.sow(house).map(kalah::MoveResult::Sown);
            prop_assert_eq!(details, result, "{}", context);
            prop_assert_eq!(sown, after, "{}", context);
        }
    }
    Ok(())
}

fn compare_whole_game(setup: &Setup, rules: Rules, seed: u64) -> Result<(), TestCaseError> {
    let mut position = setup.position(rules).unwrap();
    let mut reference = ReferencePosition::from_setup(setup, rules).expect("a valid setup");
    let mut next = dice(seed);
    while !reference.is_over() {
        let moves = reference.legal_moves();
        let mv = moves[next(moves.len())];
        let context = format!(
            "\"{position}\" --rules {rules}: {}",
            mv.text(position.to_move())
        );
        prop_assert_eq!(position.play(mv), reference.play(mv), "{}", context);
        assert_equal_state(&reference, &position)?;
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
    fn all_moves_agree_in_any_position(setup in playable_setups(), rules in any_rules()) {
        compare_all_moves(&setup, rules)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn games_from_any_position_agree(setup in playable_setups(), rules in any_rules(), seed: u64) {
        compare_whole_game(&setup, rules, seed)?;
    }

    #[test]
    fn games_from_any_start_agree(houses in 1..=House::MAX, seeds in 0..=12_u64, rules in any_rules(), seed: u64) {
        compare_whole_game(&Setup::start(houses, seeds), rules, seed)?;
    }

    #[test]
    fn invalid_setups_are_refused_by_both(
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
            (Ok(position), Some(reference)) => assert_equal_state(&reference, &position)?,
            (Err(_), None) => (),
            (position, reference) => {
                prop_assert!(false, "{setup} {rules}: {position:?}, but {reference:?}");
            },
        }
    }

    #[test]
    fn perft_agrees_from_any_tiny_position(setup in tiny_setups(), rules in any_rules(), depth in 0..=5_u32) {
        let position = setup.position(rules).unwrap();
        prop_assert_eq!(
            perft(&position, depth),
            reference::perft(&ReferencePosition::from(&position), depth),
            "kalah perft --rules {} \"{}\" {}", rules, position, depth
        );
    }
}

/// Compares all positions of two houses a side with up to five seeds each under all rules.
#[test]
fn all_moves_agree_in_every_position_of_a_tiny_board() {
    const MAX_IN_A_HOUSE: u64 = 5;
    let mut setup = Setup::start(2, 0);
    for number in 0..(MAX_IN_A_HOUSE + 1).pow(4) {
        let digit = |place| number / (MAX_IN_A_HOUSE + 1).pow(place) % (MAX_IN_A_HOUSE + 1);
        setup.rows.south = vec![digit(0), digit(1)];
        setup.rows.north = vec![digit(2), digit(3)];
        for rules in all_rules() {
            compare_all_moves(&setup, rules).unwrap();
        }
    }
}
