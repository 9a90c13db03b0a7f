//! Properties of every position.

use kalah::{
    BySide, FirstPlyRules, MoveResult, Pit, Position, Rules, Side, SowEffect, SowResult, reference,
};
use proptest::prelude::*;

use crate::strategies::{any_rules, dice, playable_setups, tiny_setups};

/// Returns the same result with the sides exchanged.
fn flipped(result: MoveResult) -> MoveResult {
    match result {
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
    fn flipping_twice_is_the_identity(setup in playable_setups(), rules in any_rules()) {
        let position = setup.position(rules).unwrap();
        prop_assert_eq!(position.flipped().flipped(), position);
    }

    #[test]
    fn a_flipped_position_is_played_alike(setup in playable_setups(), rules in any_rules()) {
        let position = setup.position(rules).unwrap();
        let mirror = position.flipped();
        prop_assert_eq!(mirror.to_move(), position.to_move().opponent());
        prop_assert_eq!(mirror.first_plies(), position.first_plies());
        prop_assert_eq!(mirror.lead(), position.lead());
        for side in Side::ALL {
            prop_assert_eq!(mirror.store(side), position.store(side.opponent()));
            prop_assert_eq!(mirror.row_total(side), position.row_total(side.opponent()));
        }
        let moves: Vec<_> = position.legal_moves().collect();
        prop_assert_eq!(&moves, &mirror.legal_moves().collect::<Vec<_>>());
        for mv in moves {
            let (mut here, mut there) = (position.clone(), mirror.clone());
            let result = here.play(mv).unwrap();
            prop_assert_eq!(flipped(result), there.play(mv).unwrap());
            prop_assert_eq!(here.flipped(), there);
        }
    }

    /// A sowing that banks nothing moves seeds nearer to the store, so there are no cycles.
    #[test]
    fn no_position_repeats(setup in playable_setups(), rules in any_rules(), seed: u64) {
        /// Enough plies for many turns, and few enough for positions with 65,535 seeds.
        const PLIES: usize = 60;
        let mut position = setup.position(rules).unwrap();
        let mut next = dice(seed);
        let mut seen = Vec::new();
        for _ in 0..PLIES {
            let moves: Vec<_> = position.legal_moves().collect();
            if moves.is_empty() {
                break;
            }
            seen.push(position.clone());
            position.play(moves[next(moves.len())]).unwrap();
            prop_assert!(!seen.contains(&position), "{} repeats", position);
        }
    }

    #[test]
    fn a_finished_game_is_swept_and_an_unfinished_one_has_a_legal_move(
        setup in playable_setups(), rules in any_rules(),
    ) {
        let position = setup.position(rules).unwrap();
        let in_rows = Side::ALL.map(|side| u32::from(position.row_total(side))).iter().sum::<u32>();
        prop_assert_eq!(u32::from(position.seeds_in_play()), in_rows);
        prop_assert_eq!(position.is_over(), in_rows == 0);
        let moves: Vec<_> = position.legal_moves().collect();
        let only_move = if let [only] = moves[..] { Some(only) } else { None };
        prop_assert_eq!(position.only_move(), only_move);
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
    fn the_result_of_a_sowing_accounts_for_all_banked_seeds(setup in playable_setups(), rules in any_rules()) {
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
    fn flipping_keeps_the_margin(setup in tiny_setups(), rules in any_rules()) {
        let position = setup.position(rules).unwrap();
        prop_assert_eq!(
            reference::margin(&position), reference::margin(&position.flipped()), "{} {}", position, rules
        );
    }

    #[test]
    fn gains_do_not_depend_on_the_stores(setup in tiny_setups(), rules in any_rules(), south in 0..9_u64, north in 0..9_u64) {
        let position = setup.position(rules).unwrap();
        let other = with_stores(&position, BySide::new(south, north));
        // A swap exchanges the stores too, so that gains depend on them before it.
        if !position.can_swap() && position.first_plies() != kalah::FirstPlies::PlyOne {
            prop_assert_eq!(
                position.gain(reference::margin(&position)), other.gain(reference::margin(&other)), "{} {}", position, rules
            );
        }
    }

    #[test]
    fn a_swap_gives_the_margin_of_the_other_side(setup in tiny_setups(), ends in prop::bool::ANY) {
        let rules = if ends {
            let first_ply_rules = FirstPlyRules { swap: true, first_bonus: true };
            Rules { house_rules: Rules::CS32.house_rules, first_ply_rules }
        } else {
            Rules::MANKALAH
        };
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
