//! Exact gains equal those of a search to the end of the game.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use kalah::{
    CaptureRule, EndRule, FirstPlies, FirstPlyRules, HouseRules, Move, Position, Rules, Setup,
    Variant,
};
use kalah_env::{GainsError, VectorEnv, VectorEnvOptions};
use kalah_tables::Table;

fn build_table(start: &Position, seeds: u8) -> Table {
    let variant = Variant::from_position(start);
    Table::build(variant, seeds, NonZeroUsize::MIN, &mut |_| {
        ControlFlow::Continue(())
    })
    .unwrap()
}

/// Returns the margin of the player that makes `mv`, with best play of both players after it.
fn margin_after(position: &Position, mv: Move, margins: &mut HashMap<Position, i32>) -> i32 {
    let mut next = position.clone();
    next.play(mv).unwrap();
    let margin = best_margin(&next, margins);
    if next.to_move() == position.to_move() && mv != Move::Swap {
        margin
    } else {
        -margin
    }
}

/// Returns the margin of the player to move with best play of both players.
fn best_margin(position: &Position, margins: &mut HashMap<Position, i32>) -> i32 {
    if let Some(outcome) = position.outcome() {
        return outcome.margin(position.to_move()).seeds();
    }
    if let Some(&margin) = margins.get(position) {
        return margin;
    }
    let moves: Vec<_> = position.legal_moves().collect();
    let after = moves
        .into_iter()
        .map(|mv| margin_after(position, mv, margins));
    let margin = after.max().unwrap();
    margins.insert(position.clone(), margin);
    margin
}

/// Returns the gain that the environment should write for a legal move.
fn expected_gain(
    position: &Position,
    mv: Move,
    table: &Table,
    margins: &mut HashMap<Position, i32>,
) -> i16 {
    let mut next = position.clone();
    next.play(mv).unwrap();
    let is_in_table = next.first_plies() == FirstPlies::Later
        && next.seeds_in_play().get() <= table.seeds().into();
    if is_in_table || next.is_over() {
        let gain = margin_after(position, mv, margins) - position.lead().seeds();
        i16::try_from(gain).unwrap()
    } else {
        VectorEnv::UNKNOWN_GAIN
    }
}

/// Compares the gains in random games from `start` with a table of `seeds` seeds.
fn check(start: &Position, seeds: u8, plies: usize, margins: &mut HashMap<Position, i32>) {
    const GAMES: usize = 20;
    let table = build_table(start, seeds);
    let options = VectorEnvOptions {
        auto_reset: false,
        ..VectorEnvOptions::new(start.clone(), NonZeroUsize::new(GAMES).unwrap())
    };
    let packed = VectorEnv::new(options.clone()).unwrap();
    for mut env in [packed, VectorEnv::with_positions(options).unwrap()] {
        let width = env.action_count();
        let mut gains = vec![0; GAMES * width];
        for _ in 0..plies {
            env.write_exact_gains(&table, &mut gains).unwrap();
            for (game, gains) in gains.chunks(width).enumerate() {
                let position = env.position(game).unwrap();
                let mut expected = vec![VectorEnv::UNKNOWN_GAIN; width];
                for mv in position.legal_moves() {
                    let action = match mv {
                        Move::Sow(house) => house.number() - 1,
                        Move::Swap => position.houses(),
                    };
                    expected[usize::from(action)] = expected_gain(&position, mv, &table, margins);
                }
                let rules = position.rules();
                assert_eq!(gains, expected, "'{position}' under {rules}, {seeds} seeds");
            }
            let (mut actions, mut rewards, mut dones) = ([0; GAMES], [0; GAMES], [false; GAMES]);
            env.sample_actions(&mut actions).unwrap();
            env.step(&actions, &mut rewards, &mut dones).unwrap();
        }
    }
}

#[test]
fn gains_on_small_boards_match_a_search() {
    for bits in 0..16_u32 {
        let rules = Rules {
            house_rules: HouseRules {
                ends: [EndRule::Stuck, EndRule::Row][(bits & 1) as usize],
                capture: [CaptureRule::Opposite, CaptureRule::Always][(bits >> 1 & 1) as usize],
            },
            first_ply_rules: FirstPlyRules {
                swap: bits >> 2 & 1 == 1,
                first_bonus: bits >> 3 & 1 == 1,
            },
        };
        let mut margins = HashMap::new();
        let starts = [
            "1x4",
            "2x2",
            "2x4",
            "3x2",
            "3x3",
            "4x1",
            "<2,30,0,2,1,3,0> n ply=2",
        ];
        let starts = starts.into_iter().chain(["<3,0,9,1,4,0,2,2,0> s ply=2"]);
        for start in starts.map(|start| start.parse::<Setup>().unwrap().position(rules).unwrap()) {
            for seeds in [3, 12] {
                check(&start, seeds, 16, &mut margins);
            }
        }
    }
}

#[test]
fn gains_on_seven_houses_match_a_search() {
    for rules in [Rules::CS32, Rules::STANDARD] {
        let start = "<7,40,20,0,1,0,0,2,0,1,1,0,1,0,0,1,1> s"
            .parse::<Setup>()
            .unwrap();
        check(&start.position(rules).unwrap(), 8, 12, &mut HashMap::new());
    }
}

#[test]
fn gains_beyond_sixteen_bits_are_unknown() {
    let start = "<2,60000,0,0,1,1,0> s"
        .parse::<Setup>()
        .unwrap()
        .position(Rules::CS32)
        .unwrap();
    let env = VectorEnv::new(VectorEnvOptions::new(start.clone(), NonZeroUsize::MIN)).unwrap();
    let mut gains = [0; 2];
    env.write_exact_gains(&build_table(&start, 2), &mut gains)
        .unwrap();
    assert_eq!(gains, [VectorEnv::UNKNOWN_GAIN, 1 - 1]);
    let far = "<2,0,0,0,1,40000,0> s"
        .parse::<Setup>()
        .unwrap()
        .position(Rules::STANDARD)
        .unwrap();
    let env = VectorEnv::new(VectorEnvOptions::new(far.clone(), NonZeroUsize::MIN)).unwrap();
    env.write_exact_gains(&build_table(&far, 2), &mut gains)
        .unwrap();
    assert_eq!(gains, [VectorEnv::UNKNOWN_GAIN; 2]);
}

#[test]
fn a_table_of_another_variant_is_refused() {
    let start = Position::start(3, 2, Rules::CS32).unwrap();
    let env = VectorEnv::new(VectorEnvOptions::new(start, NonZeroUsize::MIN)).unwrap();
    for other in [
        Position::start(3, 2, Rules::STANDARD).unwrap(),
        Position::start(2, 2, Rules::CS32).unwrap(),
    ] {
        let error = env
            .write_exact_gains(&build_table(&other, 2), &mut [0; 3])
            .unwrap_err();
        assert!(
            matches!(error, GainsError::OtherVariant { houses: 3, .. }),
            "{error}"
        );
    }
}
