//! What is true of every position.

use kalah::{BySide, MoveResult, Pit, Position, Rules, Side, SowEffect, SowResult, reference};
use proptest::prelude::*;

use crate::samples::{any_rules, dice, playable_setups, tiny_setups};

/// What a choice did, told from the other side of the table.
fn turned(played: MoveResult) -> MoveResult {
    match played {
        MoveResult::Swapped => MoveResult::Swapped,
        MoveResult::Sown(sown) => MoveResult::Sown(SowResult {
            side: sown.side.opponent(),
            last: match sown.last {
                Pit::House(owner, house) => Pit::House(owner.opponent(), house),
                Pit::Store(owner) => Pit::Store(owner.opponent()),
            },
            swept: sown.swept.map(BySide::swapped),
            ..sown
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn turned_twice_is_the_same(setup in playable_setups(), rules in any_rules()) {
        let position = setup.position(rules).unwrap();
        prop_assert_eq!(position.flipped().flipped(), position);
    }

    #[test]
    fn turned_round_everything_is_mirrored(setup in playable_setups(), rules in any_rules()) {
        let position = setup.position(rules).unwrap();
        let mirror = position.flipped();
        prop_assert_eq!(mirror.to_move(), position.to_move().opponent());
        prop_assert_eq!(mirror.first_plies(), position.first_plies());
        prop_assert_eq!(mirror.lead(), position.lead());
        for side in Side::ALL {
            prop_assert_eq!(mirror.store(side), position.store(side.opponent()));
            prop_assert_eq!(mirror.row_total(side), position.row_total(side.opponent()));
        }
        let choices: Vec<_> = position.legal_moves().collect();
        prop_assert_eq!(&choices, &mirror.legal_moves().collect::<Vec<_>>());
        for choice in choices {
            let (mut here, mut there) = (position.clone(), mirror.clone());
            let played = here.play(choice).unwrap();
            prop_assert_eq!(turned(played), there.play(choice).unwrap());
            prop_assert_eq!(here.flipped(), there);
        }
    }

    /// A sowing that banks nothing moves seeds nearer to the store, so that nothing comes back.
    #[test]
    fn no_position_comes_back(setup in playable_setups(), rules in any_rules(), seed: u64) {
        /// Plies enough for many turns, and few enough for positions with ten thousands of seeds.
        const PLIES: usize = 60;
        let mut position = setup.position(rules).unwrap();
        let mut next = dice(seed);
        let mut seen = Vec::new();
        for _ in 0..PLIES {
            let choices: Vec<_> = position.legal_moves().collect();
            if choices.is_empty() {
                break;
            }
            seen.push(position.clone());
            position.play(choices[next(choices.len())]).unwrap();
            prop_assert!(!seen.contains(&position), "{} came back", position);
        }
    }

    #[test]
    fn a_finished_game_is_swept_and_an_unfinished_one_has_a_choice(
        setup in playable_setups(), rules in any_rules(),
    ) {
        let position = setup.position(rules).unwrap();
        let in_rows = u32::from(position.row_total(Side::South)) + u32::from(position.row_total(Side::North));
        prop_assert_eq!(position.is_over(), in_rows == 0);
        prop_assert_eq!(position.is_over(), position.legal_moves().next().is_none());
        prop_assert_eq!(position.is_over(), position.outcome().is_some());
        if let Some(outcome) = position.outcome() {
            prop_assert_eq!(outcome.margin(position.to_move()), position.lead());
        }
    }

    #[test]
    fn seeds_fall_along_the_path(setup in playable_setups(), rules in any_rules()) {
        let position = setup.position(rules).unwrap();
        let side = position.to_move();
        for house in position.legal_houses() {
            let path: Vec<Pit> = position.path(house).collect();
            let mut board = position.board().clone();
            board.sow(side, house.number().into());
            for pit in reference::ReferencePosition::from(&position).pits() {
                let fell = path.iter().filter(|&&on_path| on_path == pit).count() as u64;
                let (before, after) = match pit {
                    Pit::House(owner, own) if (owner, own) == (side, house) => (0, board.house(owner, own.number().into())),
                    Pit::House(owner, own) => (position.seeds(owner, own).into(), board.house(owner, own.number().into())),
                    Pit::Store(owner) => (position.store(owner).into(), Some(board.store(owner))),
                };
                prop_assert_eq!(after, Some(before + fell));
            }
            let sown = position.clone().sow(house).unwrap();
            prop_assert_eq!(path.last(), Some(&sown.last));
        }
    }

    #[test]
    fn what_a_sowing_banks_is_in_its_details(setup in playable_setups(), rules in any_rules()) {
        let position = setup.position(rules).unwrap();
        for house in position.legal_houses() {
            let mut after = position.clone();
            let sown = after.sow(house).unwrap();
            let (side, other) = (sown.side, sown.side.opponent());
            let lap = u32::from(position.houses()) * 2 + 1;
            let to_store = u32::from(house.distance(position.houses()).unwrap());
            let seeds = u32::from(sown.seeds);
            let sown_into_store = (seeds + lap - to_store) / lap;
            let captured = match sown.effect {
                SowEffect::Capture(capture) => u32::from(capture.seeds),
                SowEffect::TurnPasses | SowEffect::BonusTurn => 0,
            };
            let swept = |side| sown.swept.map_or(0, |swept| u32::from(swept[side]));
            let banked = |side| u32::from(after.store(side)) - u32::from(position.store(side));
            prop_assert_eq!(banked(side), sown_into_store + captured + swept(side));
            prop_assert_eq!(banked(other), swept(other));
        }
    }
}

fn with_stores(position: &Position, stores: BySide<u64>) -> Position {
    let mut setup = kalah::Setup::from(position);
    setup.stores = stores;
    setup.position(position.rules()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn margins_are_the_same_on_either_side_of_the_table(setup in tiny_setups(), rules in any_rules()) {
        let position = setup.position(rules).unwrap();
        prop_assert_eq!(
            reference::margin(&position), reference::margin(&position.flipped()), "{} {}", position, rules
        );
    }

    #[test]
    fn stores_change_no_gain(setup in tiny_setups(), rules in any_rules(), south in 0..9_u64, north in 0..9_u64) {
        let position = setup.position(rules).unwrap();
        let other = with_stores(&position, BySide::new(south, north));
        // At ply 2 a swap exchanges the stores too, so that they do matter.
        if !position.can_swap() && position.first_plies() != kalah::FirstPlies::PlyOne {
            prop_assert_eq!(
                position.gain(reference::margin(&position)), other.gain(reference::margin(&other)), "{} {}", position, rules
            );
        }
    }

    #[test]
    fn a_swap_takes_the_other_seat(setup in tiny_setups(), ends in prop::bool::ANY) {
        let rules = Rules { swap: true, ..if ends { Rules::CS32 } else { Rules::MANKALAH } };
        let position = setup.position(rules).unwrap();
        if position.can_swap() {
            let mut after = position.clone();
            after.play(kalah::Move::Swap).unwrap();
            let swapped = -reference::margin(&after);
            let margin = reference::margin(&position);
            prop_assert!(margin >= swapped, "{} {}", position, rules);
            prop_assert_eq!(margin, swapped.max(reference::margin(&after)), "{} {}", position, rules);
        }
    }
}
