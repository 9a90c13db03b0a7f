//! Tournaments: who meets whom, whatever comes of the games.

use std::collections::HashMap;

use kalah_arena::{
    Contestant, Encounter, GameScore, Leg, PairingSystem, Results, Round, Tournament,
    UnknownEncounterError,
};
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_pcg::Pcg64Mcg;

fn tournament(format: PairingSystem, contestants: usize, rounds: usize) -> Tournament {
    Tournament {
        format,
        contestants,
        rounds,
        seed: 5,
    }
}

/// How often each two have met, the lower number first.
fn meetings<'a>(rounds: impl IntoIterator<Item = &'a Round>) -> HashMap<(usize, usize), u32> {
    let mut met = HashMap::new();
    for encounter in rounds.into_iter().flat_map(|round| &round.encounters) {
        let (first, second) = (encounter.first.0, encounter.second.0);
        *met.entry((first.min(second), first.max(second)))
            .or_default() += 1;
    }
    met
}

fn numbers_are_in_order(rounds: &[Round]) {
    let encounters = rounds.iter().flat_map(|round| &round.encounters);
    for (number, encounter) in encounters.enumerate() {
        assert_eq!(encounter.pair, number);
    }
}

#[test]
fn in_a_round_robin_all_meet_all_in_every_round() {
    for contestants in 0..9 {
        let rounds =
            tournament(PairingSystem::RoundRobin, contestants, 3).known_rounds(&Results::default());
        numbers_are_in_order(&rounds);
        for (number, round) in rounds.iter().enumerate() {
            assert_eq!(round.bye, None);
            let met = meetings([round]);
            assert_eq!(met.len(), contestants * contestants.saturating_sub(1) / 2);
            assert!(
                met.values().all(|&times| times == 1),
                "{contestants}: {met:?}"
            );
            assert!(
                round
                    .encounters
                    .iter()
                    .all(|encounter| encounter.opening_index() == number)
            );
        }
        // Whoever is South first in one round is North first in the next.
        let firsts = |round: &Round| -> Vec<_> {
            round
                .encounters
                .iter()
                .map(|encounter| (encounter.first, encounter.second))
                .collect()
        };
        for (one, next) in rounds.iter().zip(&rounds[1..]) {
            let turned: Vec<_> = firsts(one)
                .into_iter()
                .map(|(first, second)| (second, first))
                .collect();
            assert_eq!(firsts(next), turned);
        }
    }
}

#[test]
fn in_a_gauntlet_the_first_meets_all() {
    let rounds = tournament(PairingSystem::Gauntlet, 4, 2).known_rounds(&Results::default());
    numbers_are_in_order(&rounds);
    let met = meetings(&rounds);
    assert_eq!(met, HashMap::from([((0, 1), 2), ((0, 2), 2), ((0, 3), 2)]));
}

#[test]
fn nobody_plays_alone() {
    for format in [
        PairingSystem::RoundRobin,
        PairingSystem::Gauntlet,
        PairingSystem::Swiss,
    ] {
        for contestants in [0, 1] {
            let due = tournament(format, contestants, 5).due_encounters(&Results::default());
            assert_eq!(due, [], "{format:?} of {contestants}");
        }
    }
}

/// A player of known strength wins more often, by chance.
fn game(generator: &mut Pcg64Mcg, encounter: Encounter, leg: Leg) -> GameScore {
    let (south, north) = (encounter.south(leg).0, encounter.north(leg).0);
    let chance = 3 + north - north.min(south);
    let drawn = generator.random_range(0..6_usize);
    let south = match drawn.cmp(&chance) {
        std::cmp::Ordering::Less => GameScore::Win,
        std::cmp::Ordering::Equal => GameScore::Draw,
        std::cmp::Ordering::Greater => GameScore::Loss,
    };
    match leg {
        Leg::First => south,
        Leg::Second => south.mirrored(),
    }
}

/// Plays all that is due, in any order.
fn play(tournament: &Tournament, seed: u64) -> Results {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let mut results = Results::default();
    loop {
        let due = tournament.due_encounters(&results);
        if due.is_empty() {
            return results;
        }
        let encounter = due[generator.random_range(0..due.len())];
        let leg = Leg::ALL[generator.random_range(0..2)];
        if !results.is_finished(encounter.pair, leg) {
            assert!(results.add(encounter, leg, game(&mut generator, encounter, leg)));
        }
    }
}

/// The fewest pairs among `left` that have met before, whoever is paired with whom; slow and obvious.
fn fewest_again(left: &[usize], is_again: &dyn Fn(usize, usize) -> bool) -> usize {
    let Some((&one, others)) = left.split_first() else {
        return 0;
    };
    let moves = others.iter().map(|&other| {
        let rest: Vec<_> = others
            .iter()
            .copied()
            .filter(|&place| place != other)
            .collect();
        usize::from(is_again(one, other)) + fewest_again(&rest, is_again)
    });
    moves.min().unwrap_or(0)
}

/// The places that meet, a bye as a meeting with the place after the last.
fn with_bye(round: &Round, contestants: usize) -> Vec<(usize, usize)> {
    let mut pairs: Vec<_> = round
        .encounters
        .iter()
        .map(|encounter| (encounter.first.0, encounter.second.0))
        .collect();
    pairs.extend(round.bye.map(|Contestant(who)| (who, contestants)));
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_swiss_tournament_repeats_no_more_than_it_must(
        contestants in 2_usize..9,
        rounds in 1_usize..12,
        seed in any::<u64>(),
    ) {
        let tournament = Tournament { format: PairingSystem::Swiss, contestants, rounds, seed };
        let results = play(&tournament, seed);
        let played = tournament.known_rounds(&results);
        prop_assert_eq!(played.len(), rounds);
        numbers_are_in_order(&played);
        let places = contestants.next_multiple_of(2);
        let mut met = vec![vec![0_u32; places]; places];
        for round in &played {
            let pairs = with_bye(round, contestants);
            let mut busy: Vec<_> = pairs.iter().flat_map(|&(one, other)| [one, other]).collect();
            busy.sort_unstable();
            prop_assert_eq!(&busy, &(0..places).collect::<Vec<_>>());
            let fewest = (0..places).flat_map(|one| met[one][..one].to_vec()).min().unwrap_or(0);
            let is_again = |one: usize, other: usize| met[one][other] > fewest;
            let again = pairs.iter().filter(|(one, other)| is_again(*one, *other)).count();
            prop_assert_eq!(again, fewest_again(&busy, &is_again));
            for (one, other) in pairs {
                met[one][other] += 1;
                met[other][one] += 1;
            }
        }
    }

    #[test]
    fn a_tournament_that_was_broken_off_goes_on_as_if_it_had_not_been(
        format in prop_oneof![Just(PairingSystem::RoundRobin), Just(PairingSystem::Gauntlet), Just(PairingSystem::Swiss)],
        contestants in 2_usize..7,
        seed in any::<u64>(),
    ) {
        let tournament = Tournament { format, contestants, rounds: 4, seed };
        let results = play(&tournament, seed);
        prop_assert_eq!(tournament.check(&results), Ok(()));
        prop_assert_eq!(results.finished_pairs().count(), results.encounters().count());
        // Everything is counted once more, in another order.
        let rounds = tournament.known_rounds(&results);
        let mut again = Results::default();
        for encounter in rounds.iter().flat_map(|round| &round.encounters) {
            prop_assert!(tournament.due_encounters(&again).contains(encounter));
            let score = results.score(encounter.pair).expect("it is whole").half_points();
            // Any two games of that score.
            let first = GameScore::ALL[usize::from(score.div_ceil(2))];
            let second = GameScore::ALL[usize::from(score / 2)];
            prop_assert!(again.add(*encounter, Leg::Second, second));
            prop_assert!(!again.add(*encounter, Leg::Second, second));
            prop_assert!(tournament.due_encounters(&again).contains(encounter));
            prop_assert!(again.add(*encounter, Leg::First, first));
            prop_assert!(!tournament.due_encounters(&again).contains(encounter));
        }
        prop_assert_eq!(tournament.known_rounds(&again), rounds);
        prop_assert_eq!(tournament.due_encounters(&again), []);
    }
}

#[test]
fn whoever_leads_meets_whoever_is_next() {
    // Of eight the lower number wins everything.
    let tournament = tournament(PairingSystem::Swiss, 8, 3);
    let mut results = Results::default();
    loop {
        let due = tournament.due_encounters(&results);
        let Some(encounter) = due.first() else { break };
        let score = if encounter.first < encounter.second {
            GameScore::Win
        } else {
            GameScore::Loss
        };
        for leg in Leg::ALL {
            assert!(results.add(*encounter, leg, score));
        }
    }
    let standings = results.cross_table(8).standings();
    assert_eq!(
        (standings[0].contestant, standings[7].contestant),
        (Contestant(0), Contestant(7))
    );
    assert_eq!(standings[0].games.wins, 6);
    // In each round those who meet have as many points: nobody has met all the others, and eight halve three times.
    assert_eq!(
        standings.iter().filter(|line| line.games.wins == 4).count(),
        3
    );
}

#[test]
fn an_odd_one_has_a_bye_once() {
    let tournament = tournament(PairingSystem::Swiss, 5, 5);
    let rounds = tournament.known_rounds(&play(&tournament, 3));
    let mut byes: Vec<_> = rounds
        .iter()
        .map(|round| round.bye.expect("five are odd").0)
        .collect();
    byes.sort_unstable();
    assert_eq!(byes, [0, 1, 2, 3, 4]);
    assert!(meetings(&rounds).values().all(|&times| times == 1));
}

#[test]
fn what_is_finished_of_another_tournament_is_noticed() {
    let four = tournament(PairingSystem::RoundRobin, 4, 2);
    let five = Tournament {
        contestants: 5,
        ..four
    };
    let results = play(&four, 1);
    let refused = five.check(&results);
    assert!(
        matches!(refused, Err(UnknownEncounterError(encounter)) if encounter.pair == 0),
        "{refused:?}"
    );
    assert_eq!(
        refused.expect_err("another one").to_string(),
        "pair 0 of round 0, contestants 3 and 0, is none of this tournament"
    );
}

#[test]
fn a_tournament_is_text_that_reads_back() {
    let tournament = tournament(PairingSystem::RoundRobin, 4, 2);
    let text = serde_json::to_string(&tournament).expect("JSON");
    assert_eq!(
        text,
        r#"{"format":"round-robin","contestants":4,"rounds":2,"seed":5}"#
    );
    assert_eq!(
        serde_json::from_str::<Tournament>(&text).expect("it reads back"),
        tournament
    );
}
