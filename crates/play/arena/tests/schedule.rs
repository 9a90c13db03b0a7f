//! Schedules of round robins, gauntlets and Swiss tournaments.

use std::collections::HashMap;

use kalah::BySide;
use kalah_arena::{
    Contestant, Encounter, GameScore, Leg, Results, Round, Tournament, TournamentFormat,
    TournamentSize, UnknownEncounterError,
};
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand_pcg::Pcg64Mcg;

fn tournament(format: TournamentFormat, contestants: usize, rounds: usize) -> Tournament {
    Tournament::new(format, contestants, rounds, 5)
}

/// Counts the encounters of each two contestants, the lower index first.
fn encounter_counts<'a>(
    rounds: impl IntoIterator<Item = &'a Round>,
) -> HashMap<(usize, usize), u32> {
    let mut encounter_counts = HashMap::new();
    for encounter in rounds.into_iter().flat_map(|round| &round.encounters) {
        let (first, second) = (encounter.first.0, encounter.second.0);
        *encounter_counts
            .entry((first.min(second), first.max(second)))
            .or_default() += 1;
    }
    encounter_counts
}

fn assert_pair_numbers_are_consecutive(rounds: &[Round]) {
    let encounters = rounds.iter().flat_map(|round| &round.encounters);
    for (number, encounter) in encounters.enumerate() {
        assert_eq!(encounter.pair, number);
    }
}

#[test]
fn round_robin_pairs_all_contestants_in_each_round() {
    for contestants in 0..9 {
        let rounds = tournament(TournamentFormat::RoundRobin, contestants, 3)
            .known_rounds(&Results::default());
        assert_pair_numbers_are_consecutive(&rounds);
        for (number, round) in rounds.iter().enumerate() {
            assert_eq!(round.bye, None);
            let encounter_counts = encounter_counts([round]);
            let expected = contestants * contestants.saturating_sub(1) / 2;
            assert_eq!(encounter_counts.len(), expected);
            assert!(
                encounter_counts.values().all(|&count| count == 1),
                "{contestants}: {encounter_counts:?}"
            );
            assert!(
                round
                    .encounters
                    .iter()
                    .all(|encounter| encounter.opening_index() == number)
            );
        }
        // The contestants that begin as South in one round begin as North in the next.
        let firsts = |round: &Round| -> Vec<_> {
            round
                .encounters
                .iter()
                .map(|encounter| (encounter.first, encounter.second))
                .collect()
        };
        for (one, next) in rounds.iter().zip(&rounds[1..]) {
            let exchanged: Vec<_> = firsts(one)
                .into_iter()
                .map(|(first, second)| (second, first))
                .collect();
            assert_eq!(firsts(next), exchanged);
        }
    }
}

#[test]
fn gauntlet_pairs_the_first_contestant_with_all_others() {
    let rounds = tournament(TournamentFormat::Gauntlet, 4, 2).known_rounds(&Results::default());
    assert_pair_numbers_are_consecutive(&rounds);
    assert_eq!(
        encounter_counts(&rounds),
        HashMap::from([((0, 1), 2), ((0, 2), 2), ((0, 3), 2)])
    );
}

#[test]
fn fewer_than_two_contestants_have_no_encounters() {
    for format in [
        TournamentFormat::RoundRobin,
        TournamentFormat::Gauntlet,
        TournamentFormat::Swiss,
    ] {
        for contestants in [0, 1] {
            let due = tournament(format, contestants, 5).due_encounters(&Results::default());
            assert_eq!(due, [], "{format:?} of {contestants}");
        }
    }
}

/// Returns a random score of the encounter's first contestant. Contestants with a lower index win
/// more often.
fn random_score(rng: &mut Pcg64Mcg, encounter: Encounter, leg: Leg) -> GameScore {
    let BySide { south, north } = encounter.players(leg);
    let (south, north) = (south.0, north.0);
    let threshold = 3 + north - north.min(south);
    let south = match rng.random_range(0..6_usize).cmp(&threshold) {
        std::cmp::Ordering::Less => GameScore::Win,
        std::cmp::Ordering::Equal => GameScore::Tie,
        std::cmp::Ordering::Greater => GameScore::Loss,
    };
    match leg {
        Leg::First => south,
        Leg::Second => south.mirrored(),
    }
}

/// Plays a whole tournament with the due games in random order.
fn play(tournament: &Tournament, seed: u64) -> Results {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut results = Results::default();
    loop {
        let due = tournament.due_encounters(&results);
        if due.is_empty() {
            return results;
        }
        let encounter = due[rng.random_range(0..due.len())];
        let leg = Leg::ALL[rng.random_range(0..2)];
        if !results.is_finished(encounter.pair, leg) {
            let score = random_score(&mut rng, encounter, leg);
            assert!(results.add(encounter, leg, score));
        }
    }
}

/// Returns the minimum number of rematches over all pairings of `places`, by brute force.
fn min_rematches(places: &[usize], is_rematch: &dyn Fn(usize, usize) -> bool) -> usize {
    let Some((&one, others)) = places.split_first() else {
        return 0;
    };
    let rematches = others.iter().map(|&other| {
        let rest: Vec<_> = others
            .iter()
            .copied()
            .filter(|&place| place != other)
            .collect();
        usize::from(is_rematch(one, other)) + min_rematches(&rest, is_rematch)
    });
    rematches.min().unwrap_or(0)
}

/// Returns the pairs of a round, including the bye as a pair with the place after the last one.
fn pairs_with_bye(round: &Round, contestants: usize) -> Vec<(usize, usize)> {
    let mut pairs: Vec<_> = round
        .encounters
        .iter()
        .map(|encounter| (encounter.first.0, encounter.second.0))
        .collect();
    pairs.extend(round.bye.map(|Contestant(index)| (index, contestants)));
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn swiss_rounds_have_the_minimum_number_of_rematches(
        contestants in 2_usize..9,
        rounds in 1_usize..12,
        seed in any::<u64>(),
    ) {
        let tournament = Tournament::new(TournamentFormat::Swiss, contestants, rounds, seed);
        let results = play(&tournament, seed);
        let known_rounds = tournament.known_rounds(&results);
        prop_assert_eq!(known_rounds.len(), rounds);
        assert_pair_numbers_are_consecutive(&known_rounds);
        let places = contestants.next_multiple_of(2);
        let mut encounter_counts = vec![vec![0_u32; places]; places];
        for round in &known_rounds {
            let pairs = pairs_with_bye(round, contestants);
            let mut paired: Vec<_> = pairs.iter().flat_map(|&(one, other)| [one, other]).collect();
            paired.sort_unstable();
            prop_assert_eq!(&paired, &(0..places).collect::<Vec<_>>());
            let counts = (0..places).flat_map(|one| encounter_counts[one][..one].to_vec());
            let min_encounters = counts.min().unwrap_or(0);
            let is_rematch = |one: usize, other: usize| encounter_counts[one][other] > min_encounters;
            let rematches = pairs.iter().filter(|(one, other)| is_rematch(*one, *other)).count();
            prop_assert_eq!(rematches, min_rematches(&paired, &is_rematch));
            for (one, other) in pairs {
                encounter_counts[one][other] += 1;
                encounter_counts[other][one] += 1;
            }
        }
    }

    #[test]
    fn schedule_does_not_depend_on_the_order_of_results(
        format in prop_oneof![Just(TournamentFormat::RoundRobin), Just(TournamentFormat::Gauntlet), Just(TournamentFormat::Swiss)],
        contestants in 2_usize..7,
        seed in any::<u64>(),
    ) {
        let tournament = Tournament::new(format, contestants, 4, seed);
        let results = play(&tournament, seed);
        prop_assert_eq!(tournament.check(&results), Ok(()));
        prop_assert_eq!(results.finished_pairs().count(), results.encounters().count());
        // Add all results again in the order of the schedule.
        let rounds = tournament.known_rounds(&results);
        let mut ordered = Results::default();
        for encounter in rounds.iter().flat_map(|round| &round.encounters) {
            prop_assert!(tournament.due_encounters(&ordered).contains(encounter));
            let score = results.score(encounter.pair).expect("a finished pair").half_points();
            // Any two games with this sum.
            let first = GameScore::ALL[usize::from(score.div_ceil(2))];
            let second = GameScore::ALL[usize::from(score / 2)];
            prop_assert!(ordered.add(*encounter, Leg::Second, second));
            prop_assert!(!ordered.add(*encounter, Leg::Second, second));
            prop_assert!(tournament.due_encounters(&ordered).contains(encounter));
            prop_assert!(ordered.add(*encounter, Leg::First, first));
            prop_assert!(!tournament.due_encounters(&ordered).contains(encounter));
        }
        prop_assert_eq!(tournament.known_rounds(&ordered), rounds);
        prop_assert_eq!(tournament.due_encounters(&ordered), []);
    }
}

#[test]
fn swiss_pairs_contestants_with_equal_points() {
    // Of eight contestants the one with the lower index wins every game.
    let tournament = tournament(TournamentFormat::Swiss, 8, 3);
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
    // If opponents have equal points in each of three rounds, three of eight contestants win two
    // of their three pairs.
    assert_eq!(
        standings.iter().filter(|row| row.games.wins == 4).count(),
        3
    );
}

#[test]
fn each_of_five_contestants_has_one_bye_in_five_swiss_rounds() {
    let tournament = tournament(TournamentFormat::Swiss, 5, 5);
    let rounds = tournament.known_rounds(&play(&tournament, 3));
    let mut byes: Vec<_> = rounds
        .iter()
        .map(|round| round.bye.expect("an odd number of contestants").0)
        .collect();
    byes.sort_unstable();
    assert_eq!(byes, [0, 1, 2, 3, 4]);
    assert!(encounter_counts(&rounds).values().all(|&count| count == 1));
}

#[test]
fn results_of_another_tournament_are_rejected() {
    let four = tournament(TournamentFormat::RoundRobin, 4, 2);
    let five = tournament(TournamentFormat::RoundRobin, 5, 2);
    let results = play(&four, 1);
    let UnknownEncounterError(encounter) = five.check(&results).expect_err("another tournament");
    assert_eq!(encounter.pair, 0);
    assert_eq!(
        UnknownEncounterError(encounter).to_string(),
        "pair 1 of round 1 between contestants 3 and 0 does not belong to this tournament"
    );
}

#[test]
fn tournament_round_trips_as_json() {
    let tournament = tournament(TournamentFormat::RoundRobin, 4, 2);
    let text = serde_json::to_string(&tournament).expect("JSON");
    assert_eq!(
        text,
        r#"{"format":"round-robin","contestants":4,"rounds":2,"seed":5}"#
    );
    assert_eq!(
        serde_json::from_str::<Tournament>(&text).expect("a tournament"),
        tournament
    );
}

proptest! {
    #[test]
    fn extensions_keep_the_numbers_of_pairs(
        is_gauntlet in any::<bool>(),
        contestants in 2_usize..6,
        rounds in 1_usize..4,
        extensions in proptest::collection::vec((0_usize..3, 0_usize..3), 0..4),
    ) {
        let format = if is_gauntlet { TournamentFormat::Gauntlet } else { TournamentFormat::RoundRobin };
        let mut extended = tournament(format, contestants, rounds);
        let encounters = |tournament: &Tournament| {
            let rounds = tournament.known_rounds(&Results::default()).into_iter();
            let mut all: Vec<Encounter> = rounds.flat_map(|round| round.encounters).collect();
            all.sort_by_key(|encounter| encounter.pair);
            all
        };
        for (more_contestants, more_rounds) in extensions {
            let before = encounters(&extended);
            extended.extend(TournamentSize {
                contestants: extended.contestants + more_contestants,
                rounds: extended.rounds + more_rounds,
            });
            let after = encounters(&extended);
            prop_assert_eq!(&after[..before.len()], &before[..]);
            prop_assert!(after.iter().enumerate().all(|(number, it)| it.pair == number));
            // A tournament that begins with this size has the same pairs in each round.
            let whole = tournament(format, extended.contestants, extended.rounds);
            let pairs = |tournament: &Tournament| {
                let rounds = tournament.known_rounds(&Results::default());
                rounds.iter().map(|round| encounter_counts([round])).collect::<Vec<_>>()
            };
            prop_assert_eq!(pairs(&extended), pairs(&whole));
        }
        extended.withdrawn.push(Contestant(1));
        let due = extended.due_encounters(&Results::default());
        let active = extended.contestants - 1;
        let per_round = if is_gauntlet { active - 1 } else { active * (active - 1) / 2 };
        prop_assert_eq!(due.len(), extended.rounds * per_round);
    }
}
