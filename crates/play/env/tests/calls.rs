//! Calls of an environment: refused arguments, random numbers, threads and the starts of games.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use kalah::{House, IllegalMove, Position, Rules, Setup, Side, Variant};
use kalah_env::{
    CountType, GainsError, GameStart, LengthError, Observations, ObservationsError, OptionsError,
    PositionProblem, SetPositionError, StepError, VectorEnv, VectorEnvOptions,
};
use kalah_tables::Table;

fn count(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

fn position(text: &str, rules: Rules) -> Position {
    text.parse::<Setup>().unwrap().position(rules).unwrap()
}

fn options(start: &str, games: usize) -> VectorEnvOptions {
    VectorEnvOptions::new(position(start, Rules::STANDARD), count(games))
}

/// The environment in both representations.
fn both(options: &VectorEnvOptions) -> [VectorEnv; 2] {
    [
        VectorEnv::new(options.clone()).unwrap(),
        VectorEnv::with_positions(options.clone()).unwrap(),
    ]
}

fn positions(env: &VectorEnv) -> Vec<Position> {
    (0..env.games())
        .map(|game| env.position(game).unwrap())
        .collect()
}

fn sample(env: &mut VectorEnv) -> Vec<i64> {
    let mut actions = vec![0; env.games()];
    env.sample_actions(&mut actions).unwrap();
    actions
}

/// Makes a random ply and returns the rewards and which games have ended.
fn make_random_ply(env: &mut VectorEnv) -> (Vec<i32>, Vec<bool>) {
    let actions = sample(env);
    let (mut rewards, mut dones) = (vec![0; env.games()], vec![false; env.games()]);
    env.step(&actions, &mut rewards, &mut dones).unwrap();
    (rewards, dones)
}

#[test]
fn a_refused_action_changes_nothing() {
    for threads in [1, 3] {
        for mut env in both(&VectorEnvOptions {
            threads: count(threads),
            ..options("6x4", 8)
        }) {
            let before = position("<6,0,1,4,0,4,4,4,4,4,4,4,4,4,3> s", Rules::STANDARD);
            env.set_position(5, &before).unwrap();
            let legal = sample(&mut env.clone());
            let house = House::new(2).unwrap();
            let reason = IllegalMove::EmptyHouse {
                side: Side::South,
                house,
            };
            let before = positions(&env);
            for action in [1, 6, 7, 8, -1, 255, 256, i64::MIN, i64::MAX] {
                let mut actions = legal.clone();
                (actions[5], actions[7]) = (action, 99);
                let (mut rewards, mut dones) = ([77; 8], [true; 8]);
                let error = env.step(&actions, &mut rewards, &mut dones).unwrap_err();
                let expected = if action == 1 {
                    StepError::IllegalAction {
                        game: 5,
                        action,
                        reason,
                    }
                } else {
                    StepError::NoSuchAction {
                        game: 5,
                        action,
                        actions: 6,
                    }
                };
                assert_eq!(error, expected);
                assert_eq!((rewards, dones), ([77; 8], [true; 8]));
                assert_eq!(positions(&env), before);
                assert_eq!(sample(&mut env.clone()), legal);
            }
        }
    }
}

#[test]
fn a_swap_is_legal_only_at_ply_two() {
    let start = Position::start(7, 4, Rules::MANKALAH).unwrap();
    for mut env in both(&VectorEnvOptions::new(start, count(1))) {
        let (mut rewards, mut dones, mut mask) = ([5], [true], [false; 8]);
        let swap = env.step(&[7], &mut rewards, &mut dones).unwrap_err();
        let refusal = StepError::IllegalAction {
            game: 0,
            action: 7,
            reason: IllegalMove::NoSwap,
        };
        assert_eq!(swap, refusal);
        env.step(&[3], &mut rewards, &mut dones).unwrap();
        assert_eq!((rewards, dones), ([1], [false]));
        env.write_legal_mask(&mut mask).unwrap();
        assert_eq!(mask, [true; 8]);
        let before = env.position(0).unwrap();
        assert_eq!(before.to_move(), Side::North);
        env.step(&[7], &mut rewards, &mut dones).unwrap();
        assert_eq!((rewards, dones), ([0], [false]));
        env.write_legal_mask(&mut mask).unwrap();
        assert_eq!(mask, [true, true, true, true, true, true, true, false]);
        let after = env.position(0).unwrap();
        assert_eq!(
            (after.to_move(), after.board()),
            (Side::North, before.board())
        );
    }
}

#[test]
fn wrong_lengths_are_refused() {
    let mut env = VectorEnv::new(options("6x4", 4)).unwrap();
    let error = |argument, expected, actual| LengthError {
        argument,
        expected,
        actual,
    };
    let step = |env: &mut VectorEnv, actions, rewards, dones| {
        env.step(
            &vec![0; actions],
            &mut vec![0; rewards],
            &mut vec![false; dones],
        )
    };
    assert_eq!(step(&mut env, 3, 4, 4), Err(error("actions", 4, 3).into()));
    assert_eq!(step(&mut env, 4, 5, 4), Err(error("rewards", 4, 5).into()));
    assert_eq!(step(&mut env, 4, 4, 0), Err(error("dones", 4, 0).into()));
    assert_eq!(env.sample_actions(&mut [0; 2]), Err(error("actions", 4, 2)));
    assert_eq!(
        env.write_legal_mask(&mut [true; 25]),
        Err(error("mask", 24, 25))
    );
    assert_eq!(env.write_to_move(&mut [0; 5]), Err(error("sides", 4, 5)));
    let observations = env.write_observations(Observations::U8(&mut [0; 55]));
    assert_eq!(
        observations,
        Err(ObservationsError::Length(error("observations", 56, 55)))
    );
    let variant = Variant::new(6, Rules::STANDARD);
    let table =
        Table::build_single_threaded(variant, 1, &mut |_| std::ops::ControlFlow::Continue(()));
    let gains = env.write_exact_gains(&table.unwrap(), &mut [0; 23]);
    assert_eq!(gains, Err(GainsError::Length(error("gains", 24, 23))));
    let message = error("mask", 24, 25).to_string();
    assert_eq!(message, "mask: expected 24 elements, not 25");
}

#[test]
fn large_games_count_in_sixteen_bits() {
    let env = VectorEnv::new(options("7x19", 1)).unwrap();
    assert_eq!(env.count_type(), CountType::U16);
    let bytes = env.write_observations(Observations::U8(&mut [0; 16]));
    assert_eq!(bytes, Err(ObservationsError::CountType));
    let mut words = [0; 16];
    env.write_observations(Observations::U16(&mut words))
        .unwrap();
    assert_eq!(
        words,
        [19, 19, 19, 19, 19, 19, 19, 0, 19, 19, 19, 19, 19, 19, 19, 0]
    );

    // One start with more seeds is sufficient.
    let standard = |text| position(text, Rules::STANDARD);
    let mixed = VectorEnv::new(VectorEnvOptions {
        game_start: GameStart::Drawn(vec![standard("6x4"), standard("6x22")]),
        ..options("6x4", 1)
    });
    assert_eq!(mixed.unwrap().count_type(), CountType::U16);

    let wide = VectorEnv::new(options("12x4", 1)).unwrap();
    assert_eq!(
        (wide.count_type(), wide.observation_width()),
        (CountType::U8, 26)
    );
    assert_eq!(
        (wide.action_count(), wide.houses(), wide.auto_reset()),
        (12, 12, true)
    );
}

#[test]
fn large_boards_are_played_to_the_end() {
    for start in ["26x3", "8x4", "7x300"] {
        let mut env = VectorEnv::new(VectorEnvOptions {
            threads: count(2),
            auto_reset: false,
            ..options(start, 5)
        })
        .unwrap();
        while make_random_ply(&mut env).1 != [true; 5] {}
        assert!(positions(&env).iter().all(Position::is_over));
    }
}

#[test]
fn invalid_options_are_refused() {
    let refusal = |options| VectorEnv::new(options).unwrap_err();
    assert_eq!(
        refusal(options("<1,1,0,0,1> s", 1)),
        OptionsError::StartIsOver
    );
    let drawn = |positions| VectorEnvOptions {
        game_start: GameStart::Drawn(positions),
        ..options("6x4", 1)
    };
    assert_eq!(refusal(drawn(Vec::new())), OptionsError::NoPositions);
    let standard = |text| position(text, Rules::STANDARD);
    for (other, problem) in [
        (
            standard("5x4"),
            PositionProblem::OtherHouses {
                actual: 5,
                expected: 6,
            },
        ),
        (
            position("6x4", Rules::CS32),
            PositionProblem::OtherRules {
                actual: Rules::CS32,
                expected: Rules::STANDARD,
            },
        ),
        (
            standard("<6,1,1,0,0,0,0,0,0,0,0,0,0,0,1> s"),
            PositionProblem::GameOver,
        ),
    ] {
        let error = refusal(drawn(vec![standard("6x4"), standard("6x30"), other]));
        assert_eq!(error, OptionsError::InvalidPosition { index: 2, problem });
    }
    let games = count(usize::MAX);
    let error = refusal(VectorEnvOptions {
        games,
        ..options("6x4", 1)
    });
    assert_eq!(error, OptionsError::TooManyGames(games));
}

#[test]
fn set_position_refuses_other_variants() {
    let mut env = VectorEnv::new(options("6x4", 3)).unwrap();
    let before = positions(&env);
    let standard = |text| position(text, Rules::STANDARD);
    let missing = env.set_position(3, &before[0]);
    assert_eq!(
        missing,
        Err(SetPositionError::NoSuchGame { game: 3, games: 3 })
    );
    assert_eq!(env.position(3), None);
    assert_eq!(env.position(usize::MAX), None);
    for (other, problem) in [
        (
            standard("5x4"),
            PositionProblem::OtherHouses {
                actual: 5,
                expected: 6,
            },
        ),
        (
            standard("6x22"),
            PositionProblem::TooManySeeds {
                actual: 264,
                max: 255,
            },
        ),
        (
            standard("<6,1,1,0,0,0,0,0,0,0,0,0,0,0,1> s"),
            PositionProblem::GameOver,
        ),
    ] {
        let error = env.set_position(1, &other).unwrap_err();
        assert_eq!(
            error,
            SetPositionError::InvalidPosition { game: 1, problem }
        );
        assert_eq!(positions(&env), before);
    }
    let other = standard("<6,7,100,0,1,2,3,4,5,0,0,0,0,0,1> n");
    env.set_position(1, &other).unwrap();
    assert_eq!(
        positions(&env),
        [before[0].clone(), other, before[2].clone()]
    );
}

#[test]
fn finished_games_stay_finished_without_auto_reset() {
    for mut env in both(&VectorEnvOptions {
        auto_reset: false,
        ..options("3x2", 20)
    }) {
        while make_random_ply(&mut env).1 != [true; 20] {}
        let before = positions(&env);
        let (mut rewards, mut dones, mut mask) = ([7; 20], [false; 20], [true; 60]);
        env.step(&[-99; 20], &mut rewards, &mut dones).unwrap();
        env.write_legal_mask(&mut mask).unwrap();
        assert_eq!((rewards, dones, mask), ([0; 20], [true; 20], [false; 60]));
        assert_eq!(sample(&mut env), [0; 20]);
        assert_eq!(positions(&env), before);
        env.reset();
        assert_eq!(env.position(7), Some(position("3x2", Rules::STANDARD)));
    }
}

#[test]
fn threads_and_clones_change_no_result() {
    let run = |threads, clone: bool| {
        let mut env = VectorEnv::new(VectorEnvOptions {
            seed: 5,
            threads: count(threads),
            game_start: GameStart::RandomPlies(2),
            ..options("4x3", 13)
        })
        .unwrap();
        let mut results = Vec::new();
        for ply in 0..100 {
            results.push((make_random_ply(&mut env), positions(&env)));
            if clone && ply == 50 {
                env = env.clone();
            }
        }
        results
    };
    let expected = run(1, false);
    assert_eq!(VectorEnv::new(options("6x4", 2)).unwrap().threads(), 1);
    let threads = count(9);
    let two_games = VectorEnv::new(VectorEnvOptions {
        threads,
        ..options("6x4", 2)
    })
    .unwrap();
    assert_eq!((two_games.threads(), two_games.clone().threads()), (2, 2));
    for threads in [2, 3, 13, 40] {
        assert_eq!(run(threads, false), expected, "{threads} threads");
    }
    assert_eq!(run(1, true), expected);
    assert_eq!(run(3, true), expected);
}

#[test]
fn a_seed_determines_all_games() {
    let start = VectorEnvOptions {
        game_start: GameStart::RandomPlies(4),
        ..options("6x4", 10)
    };
    let play = |env: &mut VectorEnv| {
        let plies: Vec<_> = (0..80)
            .map(|_| (sample(env), make_random_ply(env)))
            .collect();
        (plies, positions(env))
    };
    let mut env = VectorEnv::new(VectorEnvOptions {
        seed: 3,
        ..start.clone()
    })
    .unwrap();
    let first = play(&mut env);
    env.reset();
    assert_ne!(play(&mut env), first);
    env.reset_with_seed(3);
    assert_eq!(play(&mut env), first);
    env.reset_with_seed(4);
    assert_ne!(play(&mut env), first);

    // A game does not depend on the number of games.
    let mut more = VectorEnv::new(VectorEnvOptions {
        seed: 3,
        games: count(50),
        ..start
    })
    .unwrap();
    assert_eq!(play(&mut more).1[..10], first.1);
}

/// The 0.999 quantiles of the chi-square distribution with 1 to 7 degrees of freedom.
const CHI_SQUARE_QUANTILES: [f64; 7] = [10.83, 13.82, 16.27, 18.47, 20.52, 22.46, 24.32];

/// Checks that all counts are about equal, by a chi-square test.
#[track_caller]
fn assert_uniform(counts: &[u32]) {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.iter().map(|_| 1.0).sum::<f64>();
    let statistic: f64 = (counts.iter().copied().map(f64::from))
        .map(|count| (count - expected).powi(2) / expected)
        .sum();
    assert!(
        statistic < CHI_SQUARE_QUANTILES[counts.len() - 2],
        "{counts:?}: {statistic}"
    );
}

#[test]
fn sampled_actions_are_legal_and_uniform() {
    for (text, rules) in [
        ("6x4", Rules::STANDARD),
        ("<6,1,2,0,3,0,0,1,1,1,1,1,1,1,1> n", Rules::STANDARD),
        (
            "<7,0,1,1,0,2,3,4,5,6,1,1,1,1,1,1,1> n ply=2",
            Rules::MANKALAH,
        ),
        ("<2,0,1,5,3,1,1> s", Rules::CS32),
    ] {
        let start = position(text, rules);
        for mut env in both(&VectorEnvOptions::new(start, count(300))) {
            let width = env.action_count();
            let mut mask = vec![false; 300 * width];
            env.write_legal_mask(&mut mask).unwrap();
            let mut counts = vec![0; width];
            for _ in 0..100 {
                for action in sample(&mut env) {
                    counts[usize::try_from(action).unwrap()] += 1;
                }
            }
            for (action, &count) in counts.iter().enumerate() {
                assert_eq!(count > 0, mask[action], "action {action} of '{text}'");
            }
            counts.retain(|&count| count > 0);
            assert_uniform(&counts);
        }
    }
}

#[test]
fn drawn_starts_are_uniform() {
    let starts: Vec<_> = ["2x1", "2x2", "2x3"]
        .map(|text| position(text, Rules::CS32))
        .into();
    let env = VectorEnv::new(VectorEnvOptions {
        game_start: GameStart::Drawn(starts.clone()),
        ..VectorEnvOptions::new(starts[0].clone(), count(9000))
    });
    let games = positions(&env.unwrap());
    let count = |start| games.iter().map(|game| u32::from(game == start)).sum();
    let counts: Vec<u32> = starts.iter().map(count).collect();
    assert_eq!(counts.iter().sum::<u32>(), 9000);
    assert_uniform(&counts);
}

#[test]
fn random_starts_have_the_number_of_plies() {
    /// Adds all positions after `plies` plies in which the game is not over.
    fn add_reachable(position: &Position, plies: u32, reachable: &mut HashSet<Position>) {
        if plies == 0 {
            reachable.insert(position.clone());
            return;
        }
        for mv in position.legal_moves() {
            let mut next = position.clone();
            next.play(mv).unwrap();
            if !next.is_over() {
                add_reachable(&next, plies - 1, reachable);
            }
        }
    }
    for preset in Rules::PRESETS {
        let start = position("3x2", preset.rules);
        let mut reachable = HashSet::new();
        add_reachable(&start, 3, &mut reachable);
        for mut env in both(&VectorEnvOptions {
            game_start: GameStart::RandomPlies(3),
            ..VectorEnvOptions::new(start.clone(), count(2000))
        }) {
            let drawn: HashSet<_> = positions(&env).into_iter().collect();
            assert_eq!(drawn, reachable, "{}", preset.name);
            for _ in 0..20 {
                let (_, dones) = make_random_ply(&mut env);
                for (game, done) in dones.into_iter().enumerate() {
                    assert!(!done || reachable.contains(&env.position(game).unwrap()));
                }
            }
        }
        // No game lasts as long, so that all begin with the start.
        let long = VectorEnv::new(VectorEnvOptions {
            game_start: GameStart::RandomPlies(1000),
            ..VectorEnvOptions::new(start.clone(), count(5))
        });
        assert_eq!(positions(&long.unwrap()), vec![start; 5]);
    }
}
