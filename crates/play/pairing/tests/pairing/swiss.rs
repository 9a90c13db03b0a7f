//! Simulated Swiss tournaments: rematches, byes, sides, late joiners and leavers.

use std::collections::{HashMap, HashSet};

use crate::simulation::{
    add_round, max_side_excess, max_side_run, meetings, play_round, room, sides,
};
use kalah::Side;
use kalah_pairing::{EntrantId, GamesPerPairing, RoomRecord, RoundPairing, Standings, swiss_round};
use rand::RngExt as _;
use rand::SeedableRng as _;
use rand_pcg::Pcg64Mcg;

/// Plays rounds of an unchanged field and returns the record.
fn tournament(people: usize, rounds: usize, games: GamesPerPairing, seed: u64) -> RoomRecord {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut record = room(people, games);
    for _ in 0..rounds {
        let pairing = swiss_round(&record, seed);
        assert_is_complete(&record, &pairing);
        play_round(&mut record, &pairing, &mut rng);
    }
    record
}

/// Asserts that each active person is paired once or has the bye, and that no other is.
fn assert_is_complete(record: &RoomRecord, pairing: &RoundPairing) {
    let pairs = pairing
        .pairs
        .iter()
        .flat_map(|pair| [pair.south, pair.north]);
    let mut people: Vec<_> = pairs.chain(pairing.bye).collect();
    people.sort();
    let active: Vec<_> = record.active().collect();
    assert_eq!(people, active);
    assert_eq!(pairing.bye.is_some(), !active.len().is_multiple_of(2));
    assert!(pairing.resting.is_empty());
}

fn max_meetings(record: &RoomRecord) -> u32 {
    meetings(record).into_values().max().unwrap_or(0)
}

#[test]
fn all_people_of_a_small_field_meet_without_a_rematch() {
    for people in 2..=12_usize {
        for seed in 0..100 {
            let rounds = people.next_multiple_of(2) - 1;
            let record = tournament(people, rounds, GamesPerPairing::One, seed);
            let pairs = people * (people - 1) / 2;
            assert_eq!(
                meetings(&record).len(),
                pairs,
                "{people} people, seed {seed}"
            );
            assert_eq!(max_meetings(&record), 1);
            let byes: HashSet<_> = record.byes().iter().map(|bye| bye.entrant).collect();
            assert_eq!(byes.len(), record.byes().len());
        }
    }
}

/// Returns the side that a person needs: they have played two games more on the other, or else the
/// last two games.
fn needed_side(record: &RoomRecord, person: EntrantId) -> Option<Side> {
    let sides = sides(record, person);
    let count = |side| sides.iter().filter(|&&other| other == side).count();
    let mut candidates = Side::ALL.into_iter();
    if let Some(side) = candidates.find(|&side| count(side) + 2 <= count(side.opponent())) {
        return Some(side);
    }
    match sides[..] {
        [.., one, other] if one == other => Some(one.opponent()),
        _ => None,
    }
}

/// Returns the minimum cost over all pairings of `people`, where each pair costs `cost`.
fn min_cost(people: &[EntrantId], cost: &dyn Fn(EntrantId, EntrantId) -> u32) -> u32 {
    let Some((&one, others)) = people.split_first() else {
        return 0;
    };
    let costs = others.iter().map(|&other| {
        let rest: Vec<_> = (others.iter().copied())
            .filter(|&person| person != other)
            .collect();
        cost(one, other) + min_cost(&rest, cost)
    });
    costs.min().expect("an even number of people")
}

/// Compares a round with all pairings of the people.
struct AllPairings<'a> {
    record: &'a RoomRecord,
    met: HashMap<(EntrantId, EntrantId), u32>,
    active: Vec<EntrantId>,
    min_meetings: u32,
}

impl<'a> AllPairings<'a> {
    fn new(record: &'a RoomRecord) -> Self {
        let met = meetings(record);
        let active: Vec<_> = record.active().collect();
        let pairs = (active.iter().enumerate())
            .flat_map(|(index, &one)| active[..index].iter().map(move |&other| (other, one)));
        let min_meetings = pairs.map(|pair| met.get(&pair).copied().unwrap_or(0)).min();
        Self {
            record,
            min_meetings: min_meetings.unwrap_or(0),
            met,
            active,
        }
    }

    fn is_rematch(&self, one: EntrantId, other: EntrantId) -> bool {
        let met = self.met.get(&(one.min(other), one.max(other)));
        met.copied().unwrap_or(0) > self.min_meetings
    }

    fn is_conflict(&self, one: EntrantId, other: EntrantId) -> bool {
        let (one, other) = (
            needed_side(self.record, one),
            needed_side(self.record, other),
        );
        one.is_some() && one == other
    }

    fn byes(&self, person: EntrantId) -> usize {
        let byes = self.record.byes().iter();
        byes.filter(|bye| bye.entrant == person).count()
    }

    fn without(&self, bye: Option<EntrantId>) -> Vec<EntrantId> {
        let people = self.active.iter().copied();
        people.filter(|&person| Some(person) != bye).collect()
    }

    /// Asserts that the bye goes to a person with the fewest, and that the round has the minimum of
    /// rematches.
    fn assert_fewest_rematches(&self, round: &RoundPairing) {
        let byes: Vec<Option<EntrantId>> = if round.bye.is_some() {
            let fewest = self.active.iter().map(|&person| self.byes(person)).min();
            let candidates = self.active.iter().copied();
            (candidates
                .filter(|&person| Some(self.byes(person)) == fewest)
                .map(Some))
            .collect()
        } else {
            vec![None]
        };
        assert!(byes.contains(&round.bye));
        let cost = |one, other| u32::from(self.is_rematch(one, other));
        let minimum = byes
            .into_iter()
            .map(|bye| min_cost(&self.without(bye), &cost))
            .min();
        let rematches = round
            .pairs
            .iter()
            .map(|pair| cost(pair.south, pair.north))
            .sum();
        assert_eq!(Some(rematches), minimum);
    }

    /// Returns whether two people of a pair need the same side or meet again although another
    /// pairing of the same people has neither.
    fn has_avoidable_conflict(&self, round: &RoundPairing) -> bool {
        let cost =
            |one, other| u32::from(self.is_rematch(one, other) || self.is_conflict(one, other));
        let costs = round.pairs.iter().map(|pair| cost(pair.south, pair.north));
        costs.sum::<u32>() > 0 && min_cost(&self.without(round.bye), &cost) == 0
    }

    /// Asserts that each person that needs a side gets it, unless the other needs the same.
    fn assert_sides(&self, round: &RoundPairing) {
        for &pair in &round.pairs {
            if !self.is_conflict(pair.south, pair.north) {
                for side in Side::ALL {
                    let need = needed_side(self.record, pair[side]);
                    assert!(need.is_none_or(|need| need == side), "{pair:?}");
                }
            }
        }
    }
}

#[test]
fn rounds_of_changing_small_rooms_have_the_fewest_rematches_and_side_conflicts() {
    for seed in 0..500 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut record = room(rng.random_range(2..9), GamesPerPairing::One);
        for _ in 0..rng.random_range(1..12) {
            match rng.random_range(0..8) {
                0 if record.entrant_count() < 9 => {
                    record.enter();
                }
                1 | 2 => {
                    let person = EntrantId(rng.random_range(0..record.entrant_count()));
                    record.leave(person).expect("a person");
                }
                3 => {
                    let person = EntrantId(rng.random_range(0..record.entrant_count()));
                    record.rejoin(person).expect("a person");
                }
                _ => {}
            }
            let round = swiss_round(&record, seed);
            if record.active().count() < 2 {
                assert_eq!(round, RoundPairing::default());
                continue;
            }
            assert_is_complete(&record, &round);
            assert_eq!(round, swiss_round(&record, seed), "seed {seed}");
            let pairings = AllPairings::new(&record);
            pairings.assert_fewest_rematches(&round);
            pairings.assert_sides(&round);
            assert!(!pairings.has_avoidable_conflict(&round), "seed {seed}");
            play_round(&mut record, &round, &mut rng);
        }
    }
}

#[test]
fn larger_fields_have_no_rematch_and_balanced_sides() {
    for (people, rounds) in [(13, 5), (20, 7), (30, 20), (60, 9), (61, 9), (100, 9)] {
        for seed in 0..20 {
            let record = tournament(people, rounds, GamesPerPairing::One, seed);
            assert_eq!(max_meetings(&record), 1, "{people} people, seed {seed}");
            for person in record.active() {
                assert!(
                    max_side_excess(&record, person) <= 2,
                    "{people}, seed {seed}"
                );
                assert!(max_side_run(&record, person) <= 2, "{people}, seed {seed}");
            }
        }
    }
}

#[test]
fn rematches_and_byes_of_long_tournaments_are_distributed_evenly() {
    for people in 2..=15_usize {
        for seed in 0..10 {
            let record = tournament(people, 3 * people, GamesPerPairing::One, seed);
            let met = meetings(&record);
            assert_eq!(
                met.len(),
                people * (people - 1) / 2,
                "{people} people, seed {seed}"
            );
            let fewest = met.values().copied().min().unwrap_or(0);
            assert!(
                max_meetings(&record) <= fewest + 2,
                "{people} people, seed {seed}"
            );
            let byes = |person| {
                let byes = record.byes().iter();
                byes.filter(|bye| bye.entrant == person).count()
            };
            let expected = 3 * (people % 2);
            assert!(record.active().all(|person| byes(person) == expected));
            for person in record.active() {
                assert!(
                    max_side_excess(&record, person) <= 3,
                    "{people}, seed {seed}"
                );
            }
        }
    }
}

#[test]
fn late_joiners_begin_without_points_and_leavers_are_not_paired() {
    for seed in 0..200 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut record = room(rng.random_range(20..40), GamesPerPairing::One);
        for round in 0..7 {
            let entered = rng.random_range(0..3);
            for _ in 0..entered {
                record.enter();
            }
            for _ in 0..rng.random_range(0..2) {
                let person = EntrantId(rng.random_range(0..record.entrant_count()));
                record.leave(person).expect("a person");
            }
            let pairing = swiss_round(&record, seed);
            assert_is_complete(&record, &pairing);
            if round == 1 && entered == 2 {
                // The newcomers are at the bottom, with people that have lost: no leader meets
                // them.
                let standings = Standings::from_record(&record);
                let has_won = |person| {
                    let mut rows = standings.rows().iter();
                    rows.any(|row| row.entrant == person && row.games.wins > 0)
                };
                let newcomers = record.entrant_count() - entered..record.entrant_count();
                let pairs = pairing.pairs.iter();
                let between = pairs.filter(|pair| {
                    (has_won(pair.south) && newcomers.contains(&pair.north.0))
                        || (has_won(pair.north) && newcomers.contains(&pair.south.0))
                });
                assert!(between.count() <= 1, "seed {seed}");
            }
            play_round(&mut record, &pairing, &mut rng);
        }
        assert_eq!(max_meetings(&record), 1, "seed {seed}");
        let byes: HashSet<_> = record.byes().iter().map(|bye| bye.entrant).collect();
        assert_eq!(byes.len(), record.byes().len(), "seed {seed}");
    }
}

#[test]
fn bye_goes_to_the_lowest_points_and_voided_games_may_be_repeated() {
    let mut record = room(5, GamesPerPairing::One);
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    for round in 0..3 {
        let pairing = swiss_round(&record, 3);
        let bye = pairing.bye.expect("five people");
        let standings = Standings::from_record(&record);
        let points = |person| {
            let mut rows = standings.rows().iter();
            rows.find(|row| row.entrant == person)
                .expect("a row")
                .points
        };
        let had_bye: HashSet<_> = record.byes().iter().map(|bye| bye.entrant).collect();
        let lowest = (record.active())
            .filter(|person| !had_bye.contains(person))
            .map(points)
            .min();
        assert_eq!(Some(points(bye)), lowest, "round {round}");
        play_round(&mut record, &pairing, &mut rng);
    }
    let mut record = room(2, GamesPerPairing::One);
    for _ in 0..2 {
        let pairing = swiss_round(&record, 3);
        assert_eq!(pairing.pairs.len(), 1);
        add_round(&mut record, &pairing, |_| None);
    }
    assert_eq!(meetings(&record).len(), 0);
}

#[test]
fn pairings_of_two_games_alternate_the_first_side() {
    for seed in 0..50 {
        let record = tournament(9, 7, GamesPerPairing::Two, seed);
        assert!(
            meetings(&record).values().all(|&games| games == 2),
            "seed {seed}"
        );
        let games = record.games().chunks(2).map(|games| &games[0]);
        let firsts: Vec<_> = games.map(|game| game.players).collect();
        for person in record.active() {
            let count = |side: Side| {
                firsts
                    .iter()
                    .filter(|players| players[side] == person)
                    .count()
            };
            let excess = count(Side::South).abs_diff(count(Side::North));
            assert!(excess <= 2, "seed {seed}, {person:?}");
        }
    }
}

#[test]
fn two_thousand_people_are_paired_without_rematches() {
    let record = tournament(2001, 6, GamesPerPairing::One, 1);
    assert_eq!(max_meetings(&record), 1);
    for person in record.active() {
        assert!(max_side_excess(&record, person) <= 2, "{person:?}");
        assert!(max_side_run(&record, person) <= 2, "{person:?}");
    }
}

#[test]
fn seed_changes_the_pairs() {
    let record = room(20, GamesPerPairing::One);
    assert_ne!(swiss_round(&record, 1), swiss_round(&record, 2));
}
