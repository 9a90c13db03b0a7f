//! Sowings, captures, ends and invalid setups, worked out by hand.

use kalah::{
    BySide, Capture, FirstPlies, House, IllegalMove, Move, Outcome, Pit, Position, Preset, Rules,
    SeedCount, Setup, SetupProblem, Side, SowEffect, SowResult,
};

use crate::strategies::{all_rules, house, position};

fn seeds(seeds: u64) -> SeedCount {
    SeedCount::new(seeds).unwrap()
}

fn outcome_of(south: u64, north: u64) -> Outcome {
    Outcome {
        stores: BySide::new(seeds(south), seeds(north)),
    }
}

/// Sows the house of a letter. Returns the result and the position after it.
fn sow(text: &str, rules: Rules, letter: char) -> (SowResult, Position) {
    let mut position = position(text, rules);
    let (side, house) = House::from_letter(letter).unwrap();
    assert_eq!(position.to_move(), side);
    let result = position.sow(house).unwrap();
    (result, position)
}

#[test]
fn a_lap_of_exactly_one_round_captures_in_its_own_starting_house() {
    for rules in all_rules() {
        let (result, after) = sow("<3,0,0,7,1,1,1,1,1> s", rules, 'A');
        assert_eq!(result.last, Pit::House(Side::South, house('A')));
        let capture = Capture {
            house: house('A'),
            from: house('c'),
            seeds: seeds(3),
        };
        assert_eq!(result.effect, SowEffect::Capture(capture), "{rules}");
        assert_eq!(after.to_string(), "<3,4,0,0,2,2,2,2,0> n", "{rules}");
    }
}

#[test]
fn a_lap_of_two_rounds_does_not_capture_in_its_starting_house() {
    for rules in all_rules() {
        let (result, after) = sow("<3,0,0,14,0,0,0,0,1> s", rules, 'A');
        assert_eq!(result.last, Pit::House(Side::South, house('A')));
        assert_eq!(result.effect, SowEffect::TurnPasses, "{rules}");
        assert_eq!(after.to_string(), "<3,2,0,2,2,2,2,2,3> n", "{rules}");
    }
}

#[test]
fn several_laps_and_a_remainder_are_sown() {
    // Three rounds of five, then one seed for B and one for the store.
    let (result, after) = sow("<2,0,0,17,0,0,1> s", Rules::CS32, 'A');
    assert_eq!(result.seeds, seeds(17));
    assert_eq!(result.last, Pit::Store(Side::South));
    assert_eq!(result.effect, SowEffect::BonusTurn);
    assert_eq!(after.to_string(), "<2,4,0,3,4,3,4> s");
}

#[test]
fn the_maximum_number_of_seeds_can_be_sown() {
    // 65,535 seeds are 1236 rounds of 53 and 27 more: through the own row and past the store to a.
    let text = format!("<26,0,0,65535{}> s", ",0".repeat(51));
    let (result, after) = sow(&text, Rules::CS32, 'A');
    assert_eq!(result.last, Pit::House(Side::North, house('a')));
    assert_eq!(after.store(Side::South), seeds(1237));
    assert_eq!(after.seeds(Side::South, house('A')), seeds(1236));
    assert_eq!(after.seeds(Side::South, house('Z')), seeds(1237));
    assert_eq!(after.seeds(Side::North, house('a')), seeds(1237));
    assert_eq!(after.seeds(Side::North, house('b')), seeds(1236));
    assert_eq!(after.total(), SeedCount::MAX);
}

#[test]
fn a_bonus_turn_with_an_empty_row_ends_the_game() {
    for rules in all_rules() {
        let (result, after) = sow("<2,0,0,0,1,3,0> s", rules, 'B');
        assert_eq!(result.effect, SowEffect::BonusTurn, "{rules}");
        assert_eq!(
            result.swept,
            Some(BySide::new(seeds(0), seeds(3))),
            "{rules}"
        );
        assert!(result.is_game_over());
        assert_eq!(after.outcome(), Some(outcome_of(1, 3)), "{rules}");
        assert_eq!(after.legal_moves().count(), 0);
    }
}

#[test]
fn a_side_that_empties_its_own_row_ends_standard_but_not_cs32() {
    let text = "<2,0,0,0,2,1,1> s";
    let (result, after) = sow(text, Rules::CS32, 'B');
    assert_eq!(result.swept, None);
    assert_eq!(after.to_string(), "<2,1,0,0,0,2,1> n");
    for rules in [Rules::STANDARD, Rules::EMPTY_CAPTURE, Rules::MANKALAH] {
        let (result, after) = sow(text, rules, 'B');
        assert_eq!(result.effect, SowEffect::TurnPasses);
        assert_eq!(result.swept, Some(BySide::new(seeds(0), seeds(3))));
        assert_eq!(after.outcome(), Some(outcome_of(1, 3)), "{rules}");
    }
}

#[test]
fn a_capture_of_all_seeds_ends_the_game() {
    for rules in all_rules() {
        let (result, after) = sow("<2,0,0,1,0,3,0> s", rules, 'A');
        let capture = Capture {
            house: house('B'),
            from: house('a'),
            seeds: seeds(4),
        };
        assert_eq!(result.effect, SowEffect::Capture(capture), "{rules}");
        assert_eq!(
            result.swept,
            Some(BySide::new(seeds(0), seeds(0))),
            "{rules}"
        );
        assert_eq!(after.outcome(), Some(outcome_of(4, 0)), "{rules}");
    }
}

#[test]
fn an_empty_opposite_house_prevents_a_capture_except_under_empty_capture() {
    let text = "<3,0,0,1,0,1,1,0,1> s";
    for rules in [Rules::CS32, Rules::STANDARD, Rules::MANKALAH] {
        let (result, after) = sow(text, rules, 'A');
        assert_eq!(result.last, Pit::House(Side::South, house('B')));
        assert_eq!(result.effect, SowEffect::TurnPasses, "{rules}");
        assert_eq!(after.to_string(), "<3,0,0,0,1,1,1,0,1> n", "{rules}");
    }
    let (result, after) = sow(text, Rules::EMPTY_CAPTURE, 'A');
    let capture = Capture {
        house: house('B'),
        from: house('b'),
        seeds: seeds(1),
    };
    assert_eq!(result.effect, SowEffect::Capture(capture));
    assert_eq!(after.to_string(), "<3,1,0,0,0,1,1,0,1> n");
}

#[test]
fn a_last_seed_in_an_empty_house_of_the_other_side_captures_nothing() {
    for rules in all_rules() {
        let (result, _) = sow("<2,0,0,1,2,0,1> s", rules, 'B');
        assert_eq!(result.last, Pit::House(Side::North, house('a')));
        assert_eq!(result.effect, SowEffect::TurnPasses, "{rules}");
    }
}

#[test]
fn north_sows_past_souths_store_and_captures_as_south_does() {
    let (result, after) = sow("<2,5,0,1,0,0,2> n", Rules::CS32, 'b');
    assert_eq!(result.last, Pit::House(Side::South, house('A')));
    assert_eq!(after.to_string(), "<2,5,1,2,0,0,0> s");
    let (result, after) = sow("<2,5,0,0,7,1,0> n", Rules::CS32, 'a');
    let capture = Capture {
        house: house('b'),
        from: house('A'),
        seeds: seeds(1),
    };
    // A is empty, so that `cs32` captures nothing; `empty-capture` takes the last seed.
    assert_eq!(result.effect, SowEffect::TurnPasses);
    assert_eq!(after.to_string(), "<2,5,0,0,7,0,1> s");
    let (result, after) = sow("<2,5,0,0,7,1,0> n", Rules::EMPTY_CAPTURE, 'a');
    assert_eq!(result.effect, SowEffect::Capture(capture));
    // North's row is empty, which ends the game.
    assert_eq!(after.outcome(), Some(outcome_of(12, 1)));
}

#[test]
fn a_start_without_seeds_for_south_is_over() {
    for rules in all_rules() {
        let mut start = position("<2,0,0,0,0,1,1> s ply=1", rules);
        assert_eq!(start.outcome(), Some(outcome_of(0, 2)), "{rules}");
        assert_eq!(start.outcome().unwrap().winner(), Some(Side::North));
        assert_eq!(start.to_string(), "<2,0,2,0,0,0,0> s", "{rules}");
        assert_eq!(start.sow(house('A')), Err(IllegalMove::GameOver));
    }
    // With North to move it is over only where an empty row ends the game.
    let rows = "<2,0,0,0,0,1,1> n";
    assert_eq!(position(rows, Rules::CS32).outcome(), None);
    assert_eq!(
        position(rows, Rules::STANDARD).outcome(),
        Some(outcome_of(0, 2))
    );
}

#[test]
fn boards_of_one_house_a_side_are_played() {
    // The seed goes to the store, and nothing is left for the bonus turn.
    for Preset { rules, .. } in Rules::PRESETS {
        let mut position = Position::start(1, 1, rules).unwrap();
        assert!(position.sow(house('A')).unwrap().is_game_over(), "{rules}");
        assert_eq!(position.outcome(), Some(outcome_of(1, 1)), "{rules}");
        assert_eq!(position.outcome().unwrap().winner(), None);
    }
    // 1x2: the store and a; South has no seeds left. Under `cs32` North continues: its three seeds
    // are a whole lap, which ends in a and captures A.
    let mut standard = Position::start(1, 2, Rules::STANDARD).unwrap();
    standard.sow(house('A')).unwrap();
    assert_eq!(standard.outcome(), Some(outcome_of(1, 3)));
    let mut cs32 = Position::start(1, 2, Rules::CS32).unwrap();
    cs32.sow(house('A')).unwrap();
    let result = cs32.sow(house('a')).unwrap();
    let capture = Capture {
        house: house('a'),
        from: house('A'),
        seeds: seeds(2),
    };
    assert_eq!(result.effect, SowEffect::Capture(capture));
    assert_eq!(cs32.outcome(), Some(outcome_of(1, 3)));
    // 100 seeds are 33 rounds and one more.
    let (result, after) = sow("<1,0,0,100,0> s", Rules::CS32, 'A');
    assert_eq!(result.last, Pit::Store(Side::South));
    assert_eq!(after.to_string(), "<1,34,0,33,33> s");
}

#[test]
fn a_board_without_seeds_is_a_finished_game() {
    for rules in all_rules() {
        for text in ["6x0", "<1,0,0,0,0> n", "26x0 s ply=2"] {
            let mut position = position(text, rules);
            assert!(position.is_over(), "{text} {rules}");
            assert_eq!(position.outcome(), Some(outcome_of(0, 0)), "{text} {rules}");
            assert_eq!(position.outcome().unwrap().winner(), None);
            assert_eq!(position.legal_moves().count(), 0);
            assert_eq!(position.first_plies(), FirstPlies::Later);
            assert_eq!(position.play(Move::Swap), Err(IllegalMove::GameOver));
        }
    }
}

#[test]
fn a_position_set_up_when_the_game_is_over_is_swept() {
    for rules in all_rules() {
        let position = position("<3,1,2,0,0,0,4,5,6> s", rules);
        assert_eq!(position.to_string(), "<3,1,17,0,0,0,0,0,0> s", "{rules}");
    }
}

#[test]
fn an_illegal_move_is_refused_with_its_reason() {
    let mut position = position("<3,0,0,0,1,1,1,1,1> s", Rules::CS32);
    let before = position.clone();
    for (letter, reason) in [
        ('A', "house A is empty"),
        ('D', "there is no house D on a board of 3 houses a side"),
        ('Z', "there is no house Z on a board of 3 houses a side"),
    ] {
        let refused = position.sow(house(letter)).unwrap_err();
        assert_eq!(refused.to_string(), reason);
        assert_eq!(position, before);
    }
    let refused = position.play(Move::Swap).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "sides can be exchanged only instead of ply 2, and only under rules with a swap"
    );
    assert_eq!(position, before);
    assert_eq!(IllegalMove::GameOver.to_string(), "the game is over");
    let north = self::position("<1,0,0,5,0> n", Rules::CS32);
    assert_eq!(
        north.check_legal(Move::Sow(house('a'))),
        Err(IllegalMove::GameOver)
    );
}

#[test]
fn an_invalid_setup_reports_every_problem() {
    let setup = Setup {
        stores: BySide::new(u64::MAX, 1),
        rows: BySide::new(vec![], vec![u64::MAX; 30]),
        to_move: Side::South,
        first_plies: FirstPlies::Later,
    };
    let error = setup.position(Rules::CS32).unwrap_err();
    let total = u128::from(u64::MAX) * 31 + 1;
    assert_eq!(
        error.problems(),
        [
            SetupProblem::NoHouses,
            SetupProblem::TooManyHouses(30),
            SetupProblem::UnequalRows {
                south: 0,
                north: 30
            },
            SetupProblem::TooManySeeds(total),
        ]
    );
    assert_eq!(
        error.to_string(),
        format!(
            "a row has no houses: it must have from 1 to 26; \
             30 houses a side are too many: at most 26 can be played; \
             South has 0 houses and North 30: both rows must be of one length; \
             {total} seeds are too many: at most 65535 can be played, stores included"
        )
    );
}

#[test]
fn setups_at_the_limits_are_valid() {
    assert!(
        "26x1260"
            .parse::<Setup>()
            .unwrap()
            .position(Rules::CS32)
            .is_ok()
    );
    let full = "<1,65534,0,1,0> s".parse::<Setup>().unwrap();
    assert!(full.position(Rules::CS32).is_ok());
    let one_more = "<1,65534,1,1,0> s".parse::<Setup>().unwrap();
    assert_eq!(
        one_more.position(Rules::CS32).unwrap_err().problems(),
        [SetupProblem::TooManySeeds(65_536)]
    );
    let none = "<0,0,0> s".parse::<Setup>().unwrap();
    assert_eq!(
        none.position(Rules::CS32).unwrap_err().problems(),
        [SetupProblem::NoHouses]
    );
}
