//! Packed games make the same plies as games that are stored as positions.

use std::num::NonZeroUsize;

use kalah::{
    BySide, CaptureRule, EndRule, FirstPlies, FirstPlyRules, HouseRules, Position, Rules, Setup,
    Side,
};
use kalah_env::{CountType, GameStart, Observations, VectorEnv, VectorEnvOptions};
use proptest::prelude::*;

fn count(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

/// All rules.
fn all_rules() -> impl Iterator<Item = Rules> {
    (0..16).map(|bits: u32| Rules {
        house_rules: HouseRules {
            ends: [EndRule::Stuck, EndRule::Row][(bits & 1) as usize],
            capture: [CaptureRule::Opposite, CaptureRule::Always][(bits >> 1 & 1) as usize],
        },
        first_ply_rules: FirstPlyRules {
            swap: bits >> 2 & 1 == 1,
            first_bonus: bits >> 3 & 1 == 1,
        },
    })
}

/// Everything that an environment writes about its games before a ply.
#[derive(Debug, PartialEq)]
struct View {
    observations: Vec<u8>,
    words: Vec<u16>,
    mask: Vec<bool>,
    sides: Vec<u8>,
}

fn view(env: &VectorEnv) -> View {
    let width = env.games() * env.observation_width();
    let mut view = View {
        observations: vec![0; width],
        words: vec![0; width],
        mask: vec![false; env.games() * env.action_count()],
        sides: vec![0; env.games()],
    };
    if env.count_type() == CountType::U8 {
        env.write_observations(Observations::U8(&mut view.observations))
            .unwrap();
    }
    env.write_observations(Observations::U16(&mut view.words))
        .unwrap();
    env.write_legal_mask(&mut view.mask).unwrap();
    env.write_to_move(&mut view.sides).unwrap();
    view
}

/// Makes one random ply in each game and returns actions, rewards and dones.
fn step(env: &mut VectorEnv) -> (Vec<i64>, Vec<i32>, Vec<bool>) {
    let games = env.games();
    let (mut actions, mut rewards, mut dones) = (vec![0; games], vec![0; games], vec![true; games]);
    env.sample_actions(&mut actions).unwrap();
    env.step(&actions, &mut rewards, &mut dones).unwrap();
    (actions, rewards, dones)
}

/// Plays the same random plies in both representations and compares everything that is written.
#[track_caller]
fn compare(options: &VectorEnvOptions, plies: usize) {
    let mut packed = VectorEnv::new(options.clone()).unwrap();
    let mut positions = VectorEnv::with_positions(options.clone()).unwrap();
    let VectorEnvOptions {
        start,
        seed,
        auto_reset,
        ..
    } = options;
    let rules = start.rules();
    let case = format!("'{start}' under {rules}, seed {seed}, auto_reset {auto_reset}");
    for ply in 0..plies {
        let game = |env: &VectorEnv, game| env.position(game).unwrap();
        for index in 0..packed.games() {
            assert_eq!(
                game(&packed, index),
                game(&positions, index),
                "ply {ply}, {case}"
            );
        }
        assert_eq!(view(&packed), view(&positions), "ply {ply}, {case}");
        assert_eq!(step(&mut packed), step(&mut positions), "ply {ply}, {case}");
    }
    packed.reset();
    positions.reset();
    assert_eq!(view(&packed), view(&positions), "after a reset, {case}");
}

#[test]
fn all_rules_and_sizes_match() {
    for rules in all_rules() {
        for (houses, seeds) in [
            (1, 1),
            (1, 3),
            (1, 127),
            (2, 2),
            (2, 40),
            (3, 3),
            (3, 42),
            (4, 4),
        ]
        .into_iter()
        .chain([
            (5, 5),
            (5, 25),
            (6, 1),
            (6, 4),
            (6, 21),
            (7, 2),
            (7, 7),
            (7, 18),
        ]) {
            for game_start in [GameStart::Fixed, GameStart::RandomPlies(3)] {
                for auto_reset in [false, true] {
                    let start = Position::start(houses, seeds, rules).unwrap();
                    let options = VectorEnvOptions {
                        game_start: game_start.clone(),
                        auto_reset,
                        seed: 11,
                        ..VectorEnvOptions::new(start, count(10))
                    };
                    compare(&options, 60);
                }
            }
        }
    }
}

#[test]
fn presets_match_over_many_plies() {
    for preset in Rules::PRESETS {
        let start = Position::start(6, 4, preset.rules).unwrap();
        for game_start in [GameStart::Fixed, GameStart::RandomPlies(5)] {
            let options = VectorEnvOptions {
                game_start,
                seed: 7,
                ..VectorEnvOptions::new(start.clone(), count(100))
            };
            compare(&options, 300);
        }
    }
}

/// Any rules.
fn any_rules() -> impl Strategy<Value = Rules> {
    prop::sample::select(all_rules().collect::<Vec<_>>())
}

/// Positions with up to 7 houses a side and 255 seeds under given rules: few or many houses with
/// seeds, and now and then nearly all seeds in one house, for laps.
fn any_setup(houses: usize) -> impl Strategy<Value = Setup> {
    let pit = prop_oneof![4 => Just(0_u64), 4 => 0..=3_u64, 4 => 0..=17_u64, 1 => 0..=255_u64];
    let first_plies = [FirstPlies::PlyOne, FirstPlies::PlyTwo, FirstPlies::Later];
    (
        prop::collection::vec(pit, 2 * houses + 2),
        any::<bool>(),
        prop::sample::select(Side::ALL.to_vec()),
        prop::sample::select(first_plies.to_vec()),
    )
        .prop_map(move |(mut pits, from_end, to_move, first_plies)| {
            let mut left = 255;
            let cap = |seeds: &mut u64| {
                *seeds = (*seeds).min(left);
                left -= *seeds;
            };
            if from_end {
                pits.iter_mut().rev().for_each(cap);
            } else {
                pits.iter_mut().for_each(cap);
            }
            Setup {
                stores: BySide::new(pits[0], pits[1]),
                rows: BySide::new(pits[2..2 + houses].to_vec(), pits[2 + houses..].to_vec()),
                to_move,
                first_plies,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_starts_match(
        setups in (1..=7_usize).prop_flat_map(|houses| {
            prop::collection::vec(any_setup(houses), 1..20)
        }),
        rules in any_rules(),
        auto_reset: bool,
        seed: u64,
    ) {
        let positions = setups.iter().map(|setup| setup.position(rules).unwrap());
        let starts: Vec<_> = positions.filter(|position| !position.is_over()).collect();
        if let Some(start) = starts.first() {
            let options = VectorEnvOptions {
                game_start: GameStart::Drawn(starts.clone()),
                auto_reset,
                seed,
                ..VectorEnvOptions::new(start.clone(), count(10))
            };
            compare(&options, 20);
        }
    }

    #[test]
    fn set_positions_match(setup in any_setup(6), rules in any_rules(), seed: u64) {
        let position = setup.position(rules).unwrap();
        let start = Position::start(6, 4, rules).unwrap();
        let options = VectorEnvOptions {
            auto_reset: false,
            seed,
            ..VectorEnvOptions::new(start, count(5))
        };
        let mut packed = VectorEnv::new(options.clone()).unwrap();
        let mut positions = VectorEnv::with_positions(options).unwrap();
        for env in [&mut packed, &mut positions] {
            env.set_position(3, &position).unwrap();
            prop_assert_eq!(env.position(3), Some(position.clone()));
        }
        for _ in 0..20 {
            prop_assert_eq!(view(&packed), view(&positions));
            prop_assert_eq!(step(&mut packed), step(&mut positions));
        }
    }

    #[test]
    fn signed_rewards_add_up_to_the_margin(
        setup in (1..=7_usize).prop_flat_map(any_setup),
        rules in any_rules(),
        seed: u64,
    ) {
        let start = setup.position(rules).unwrap();
        if start.is_over() {
            return Ok(());
        }
        let options = VectorEnvOptions {
            auto_reset: false,
            seed,
            ..VectorEnvOptions::new(start.clone(), count(8))
        };
        let mut env = VectorEnv::new(options).unwrap();
        let south_lead = i32::from(start.store(Side::South)) - i32::from(start.store(Side::North));
        let mut margins = [south_lead; 8];
        loop {
            let sides = view(&env).sides;
            let (_, rewards, dones) = step(&mut env);
            for ((margin, side), reward) in margins.iter_mut().zip(sides).zip(rewards) {
                *margin += if side == 0 { reward } else { -reward };
            }
            if dones.iter().all(|&done| done) {
                break;
            }
        }
        for (game, margin) in margins.into_iter().enumerate() {
            let outcome = env.position(game).unwrap().outcome().unwrap();
            prop_assert_eq!(outcome.margin(Side::South).seeds(), margin);
        }
    }
}

/// Plays games against random opponents in both representations and compares them.
#[track_caller]
fn compare_opponents(options: &VectorEnvOptions, first_player: u8) {
    let mut envs = [
        VectorEnv::new(options.clone()).unwrap(),
        VectorEnv::with_positions(options.clone()).unwrap(),
    ];
    let games = envs[0].games();
    let swap = i64::from(envs[0].houses());
    let mut players = [vec![first_player; games], vec![first_player; games]];
    for call in 0..40 {
        let results = [0, 1].map(|index| {
            let (env, players) = (&mut envs[index], &mut players[index]);
            let mut dones = vec![false; games];
            env.play_opponent(players, &mut dones).unwrap();
            for (game, (&player, &done)) in players.iter().zip(&dones).enumerate() {
                let position = env.position(game).unwrap();
                assert_eq!(position.is_over(), done);
                let side = [Side::South, Side::North][usize::from(player)];
                assert!(done || position.to_move() == side);
            }
            let mut actions = vec![0; games];
            env.sample_actions(&mut actions).unwrap();
            // One game in three waits.
            for action in actions.iter_mut().skip(call % 3).step_by(3) {
                *action = VectorEnv::NO_ACTION;
            }
            let before = view(env);
            let mut rewards = vec![7; games];
            env.step_some(&actions, &mut rewards, &mut dones).unwrap();
            let after = view(env);
            let FirstPlyRules {
                swap: swaps,
                first_bonus: _,
            } = env.rules().first_ply_rules;
            let width = env.observation_width();
            for (game, &action) in actions.iter().enumerate() {
                if action == VectorEnv::NO_ACTION {
                    let row = game * width..(game + 1) * width;
                    assert_eq!(before.words[row.clone()], after.words[row]);
                    assert_eq!(rewards[game], 0);
                } else if swaps && action == swap {
                    players[game] ^= 1;
                }
            }
            env.reset_games(&dones).unwrap();
            for (game, &done) in dones.iter().enumerate() {
                if done {
                    assert!(!env.position(game).unwrap().is_over());
                    players[game] = first_player;
                }
            }
            (view(env), actions, rewards, dones, players.clone())
        });
        assert_eq!(
            results[0],
            results[1],
            "{:?} under {}",
            options.start,
            options.start.rules()
        );
    }
}

#[test]
fn games_against_random_opponents_match() {
    for rules in all_rules() {
        for (houses, seeds) in [(1, 1), (2, 2), (3, 3), (6, 4), (7, 18)] {
            for player in [0, 1] {
                let start = Position::start(houses, seeds, rules).unwrap();
                let options = VectorEnvOptions {
                    auto_reset: false,
                    seed: 5,
                    ..VectorEnvOptions::new(start, count(20))
                };
                compare_opponents(&options, player);
            }
        }
    }
}
