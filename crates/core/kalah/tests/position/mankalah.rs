//! The swap and the missing first bonus turn.

use kalah::{
    FirstPlies, FirstPlyRules, IllegalMove, Margin, Move, MoveResult, Position, Rules, Setup, Side,
    SowEffect, perft, reference,
};

use crate::strategies::{all_rules, house, position};

fn start() -> Position {
    Position::start(6, 4, Rules::MANKALAH).unwrap()
}

fn after_ply_one() -> Position {
    let mut position = start();
    position.sow(house('A')).unwrap();
    position
}

#[test]
fn a_start_is_at_ply_one_in_its_text_too() {
    assert_eq!(start().first_plies(), FirstPlies::PlyOne);
    assert_eq!(
        start().to_string(),
        "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s ply=1"
    );
}

#[test]
fn ply_one_gives_no_bonus_turn() {
    let mut position = start();
    let result = position.sow(house('C')).unwrap();
    assert_eq!(result.last, kalah::Pit::Store(Side::South));
    assert_eq!(result.effect, SowEffect::TurnPasses);
    assert_eq!(
        position.to_string(),
        "<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4> n ply=2"
    );
}

#[test]
fn later_plies_give_bonus_turns() {
    let mut position = after_ply_one();
    assert_eq!(
        position.sow(house('c')).unwrap().effect,
        SowEffect::BonusTurn
    );
    assert_eq!(position.to_move(), Side::North);
    assert_eq!(position.first_plies(), FirstPlies::Later);
}

#[test]
fn a_lap_at_ply_one_captures() {
    let mut position = position("<3,0,0,7,1,1,1,1,1> s ply=1", Rules::MANKALAH);
    let result = position.sow(house('A')).unwrap();
    assert!(matches!(result.effect, SowEffect::Capture(_)), "{result:?}");
    assert_eq!(position.first_plies(), FirstPlies::PlyTwo);
}

#[test]
fn the_swap_is_the_last_legal_move_at_ply_two_only() {
    assert!(!start().can_swap());
    assert!(!start().legal_moves().any(|mv| mv == Move::Swap));
    let mut position = after_ply_one();
    assert!(position.can_swap());
    assert_eq!(position.legal_moves().count(), 7);
    assert_eq!(position.legal_moves().last(), Some(Move::Swap));
    assert_eq!(Move::Swap.text(Side::North), "swap");
    position.sow(house('a')).unwrap();
    assert!(!position.can_swap());
    assert_eq!(position.legal_moves().count(), 5);
    assert_eq!(position.play(Move::Swap), Err(IllegalMove::NoSwap));
}

#[test]
fn a_swap_moves_no_seed_and_leaves_north_to_move() {
    let before = after_ply_one();
    let mut after = before.clone();
    assert_eq!(after.play(Move::Swap), Ok(MoveResult::Swapped));
    assert_eq!(after.to_string(), "<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4> n");
    assert_eq!(after.board(), before.board());
    assert_eq!(after.play(Move::Swap), Err(IllegalMove::NoSwap));
}

#[test]
fn a_swap_counts_in_perft() {
    // None of the six sowings gives a bonus turn, and each leaves North six houses and the swap.
    assert_eq!(perft(&start(), 1), 6);
    assert_eq!(perft(&start(), 2), 6 * 7);
    assert_eq!(perft(&after_ply_one(), 1), 7);
    for depth in 0..=5 {
        assert_eq!(
            perft(&start(), depth),
            reference::perft(&reference::ReferencePosition::from(&start()), depth)
        );
    }
}

#[test]
fn the_margin_of_a_swap_is_that_of_the_other_side() {
    // South leads by 20 seeds, so North gains by the swap.
    let before = position("<1,20,0,1,1> n ply=2", Rules::MANKALAH);
    let mut after = before.clone();
    after.play(Move::Swap).unwrap();
    assert_eq!(reference::margin(&after), Margin::new(-20));
    assert_eq!(reference::margin(&before), Margin::new(20));
}

#[test]
fn south_may_swap_if_north_began() {
    let mut position = position("6x4 n ply=1", Rules::MANKALAH);
    position.sow(house('a')).unwrap();
    assert_eq!(position.to_move(), Side::South);
    assert!(position.can_swap());
}

#[test]
fn there_is_no_swap_after_a_bonus_turn_at_ply_one() {
    let rules = Rules {
        first_ply_rules: FirstPlyRules {
            swap: true,
            first_bonus: true,
        },
        house_rules: Rules::MANKALAH.house_rules,
    };
    let mut position = Position::start(6, 4, rules).unwrap();
    assert_eq!(
        position.sow(house('C')).unwrap().effect,
        SowEffect::BonusTurn
    );
    assert!(!position.can_swap());
    position.sow(house('A')).unwrap();
    assert_eq!(position.to_move(), Side::North);
    assert!(!position.can_swap());
}

#[test]
fn a_swap_is_illegal_when_the_game_is_over() {
    let mut position = position("<1,0,0,2,0> n ply=2", Rules::MANKALAH);
    assert_eq!(position.play(Move::Swap), Err(IllegalMove::GameOver));
}

#[test]
fn a_position_keeps_its_ply_only_where_the_rules_depend_on_it() {
    for rules in all_rules() {
        let at = |first_plies| {
            let setup = Setup {
                first_plies,
                ..Setup::start(6, 4)
            };
            setup.position(rules).unwrap().first_plies()
        };
        let FirstPlyRules { swap, first_bonus } = rules.first_ply_rules;
        let asks_at_one = swap || !first_bonus;
        let one = if asks_at_one {
            FirstPlies::PlyOne
        } else {
            FirstPlies::Later
        };
        let two = if swap {
            FirstPlies::PlyTwo
        } else {
            FirstPlies::Later
        };
        assert_eq!(at(FirstPlies::PlyOne), one, "{rules}");
        assert_eq!(at(FirstPlies::PlyTwo), two, "{rules}");
        assert_eq!(at(FirstPlies::Later), FirstPlies::Later, "{rules}");
    }
    // It does not matter once the game is over.
    assert_eq!(
        position("<2,3,4,0,0,0,0> s ply=1", Rules::MANKALAH).first_plies(),
        FirstPlies::Later
    );
}

#[test]
fn a_board_literal_is_at_a_later_ply_unless_it_says_so() {
    for (text, first_plies) in [
        ("<1,0,0,1,1> s", FirstPlies::Later),
        ("<1,0,0,1,1> s ply=1", FirstPlies::PlyOne),
        ("<1,0,0,1,1> n ply=2", FirstPlies::PlyTwo),
        ("<1,0,0,1,1> ply=2", FirstPlies::PlyTwo),
        ("6x4", FirstPlies::PlyOne),
        ("6x4 n", FirstPlies::PlyOne),
        ("6x4 n ply=2", FirstPlies::PlyTwo),
    ] {
        assert_eq!(
            position(text, Rules::MANKALAH).first_plies(),
            first_plies,
            "{text}"
        );
        assert_eq!(
            position(text, Rules::CS32).first_plies(),
            FirstPlies::Later,
            "{text}"
        );
    }
}
