//! Round robins: the Berger tables, and simulated rooms with late joiners and leavers.

use std::collections::HashMap;

use kalah::BySide;
use kalah_arena::GameScore;
use kalah_pairing::{EntrantId, GamesPerPairing, RoomRecord, RoundPairing, round_robin_round};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use crate::simulation::{add_round, max_side_excess, meetings, room, side_excess};

/// The Berger tables of FIDE Handbook C.05, annex 1, for 3 or 4, 5 or 6, and 7 or 8 people: in each
/// pair the person with the first move stands first.
const BERGER_TABLES: [&[&str]; 3] = [
    &["1-4 2-3", "4-3 1-2", "2-4 3-1"],
    &[
        "1-6 2-5 3-4",
        "6-4 5-3 1-2",
        "2-6 3-1 4-5",
        "6-5 1-4 2-3",
        "3-6 4-2 5-1",
    ],
    &[
        "1-8 2-7 3-6 4-5",
        "8-5 6-4 7-3 1-2",
        "2-8 3-1 4-7 5-6",
        "8-6 7-5 1-4 2-3",
        "3-8 4-2 5-1 6-7",
        "8-7 1-6 2-5 3-4",
        "4-8 5-3 6-2 7-1",
    ],
];

/// Reads a round of a table with the pairs of people below `people`.
fn read_round(text: &str, people: usize) -> Vec<BySide<EntrantId>> {
    let pairs = text.split(' ').map(|pair| {
        let (south, north) = pair.split_once('-').expect("two people");
        let person = |number: &str| EntrantId(number.parse::<usize>().expect("a number") - 1);
        BySide::new(person(south), person(north))
    });
    pairs
        .filter(|pair| pair.south.0 < people && pair.north.0 < people)
        .collect()
}

#[test]
fn rounds_of_a_fixed_field_are_those_of_the_published_tables() {
    for people in 3..=8_usize {
        let mut record = room(people, GamesPerPairing::One);
        let table = BERGER_TABLES[people.div_ceil(2) - 2];
        for text in table {
            let round = round_robin_round(&record).expect("a round");
            assert_eq!(round.pairs, read_round(text, people), "{people} people");
            assert_eq!(round.resting.len(), people % 2);
            add_round(&mut record, &round, |_| Some(GameScore::Tie));
        }
        assert_eq!(round_robin_round(&record), None);
    }
}

#[test]
fn a_fixed_field_meets_once_in_the_minimum_of_rounds_with_balanced_sides() {
    for people in 0..40_usize {
        let mut record = room(people, GamesPerPairing::One);
        let mut rounds = 0;
        while let Some(round) = round_robin_round(&record) {
            assert_is_valid(&record, &round);
            add_round(&mut record, &round, |_| Some(GameScore::Tie));
            rounds += 1;
        }
        let expected = match people {
            0 | 1 => 0,
            people => people.next_multiple_of(2) - 1,
        };
        assert_eq!(rounds, expected, "{people} people");
        assert_all_have_met_once(&record);
        for person in record.active() {
            assert!(side_excess(&record, person) <= 1, "{people}, {person:?}");
            assert!(
                max_side_excess(&record, person) <= 2,
                "{people}, {person:?}"
            );
        }
    }
}

/// Asserts that the round pairs active people that have not met, each once, and that no two people
/// that rest could play.
fn assert_is_valid(record: &RoomRecord, round: &RoundPairing) {
    let met = meetings(record);
    let pairs = round.pairs.iter().flat_map(|pair| [pair.south, pair.north]);
    let mut people: Vec<_> = pairs.chain(round.resting.iter().copied()).collect();
    people.sort();
    assert_eq!(people, record.active().collect::<Vec<_>>());
    assert_eq!(round.bye, None);
    let key = |one: EntrantId, other: EntrantId| (one.min(other), one.max(other));
    for pair in &round.pairs {
        assert!(!met.contains_key(&key(pair.south, pair.north)), "{pair:?}");
    }
    for (index, &one) in round.resting.iter().enumerate() {
        for &other in &round.resting[..index] {
            assert!(met.contains_key(&key(one, other)), "{one:?}, {other:?}");
        }
    }
    assert!(!round.pairs.is_empty());
}

/// Asserts that each two active people have finished one game, and no two people more.
fn assert_all_have_met_once(record: &RoomRecord) {
    let met = meetings(record);
    assert!(met.values().all(|&count| count == 1));
    let active: Vec<_> = record.active().collect();
    for (index, &one) in active.iter().enumerate() {
        for &other in &active[..index] {
            assert!(met.contains_key(&(other, one)), "{one:?}, {other:?}");
        }
    }
}

/// Returns the number of rounds that the open pairs take at least.
fn min_rounds(record: &RoomRecord) -> usize {
    let met = meetings(record);
    let active: Vec<_> = record.active().collect();
    let mut open = HashMap::<EntrantId, usize>::new();
    for (index, &one) in active.iter().enumerate() {
        for &other in &active[..index] {
            if !met.contains_key(&(other, one)) {
                *open.entry(one).or_default() += 1;
                *open.entry(other).or_default() += 1;
            }
        }
    }
    let pairs = open.values().sum::<usize>() / 2;
    let most = open.values().copied().max().unwrap_or(0);
    most.max(pairs.div_ceil((active.len() / 2).max(1)))
}

#[test]
fn rooms_with_late_joiners_and_leavers_meet_once_in_few_more_rounds_than_the_minimum() {
    let (mut people, mut unbalanced) = (0, 0);
    let mut surplus = HashMap::<usize, u32>::new();
    for seed in 0..1000 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut record = room(rng.random_range(2..16), GamesPerPairing::One);
        let changes = rng.random_range(1..8);
        let mut min_left = None;
        for round in 0.. {
            if round < changes {
                match rng.random_range(0..4) {
                    0 => {
                        record.enter();
                    }
                    1 => {
                        let person = EntrantId(rng.random_range(0..record.entrant_count()));
                        record.leave(person).expect("a person");
                    }
                    2 if rng.random_bool(0.3) => {
                        let person = EntrantId(rng.random_range(0..record.entrant_count()));
                        record.rejoin(person).expect("a person");
                    }
                    _ => {}
                }
            } else if min_left.is_none() {
                min_left = Some(min_rounds(&record) + round);
            }
            let Some(pairing) = round_robin_round(&record) else {
                if round < changes {
                    continue;
                }
                let min = min_left.expect("the field is settled");
                *surplus.entry(round - min).or_default() += 1;
                break;
            };
            assert_is_valid(&record, &pairing);
            add_round(&mut record, &pairing, |_| {
                // A game may be voided while the field changes.
                (round >= changes || rng.random_bool(0.9)).then_some(GameScore::Win)
            });
        }
        for person in record.active() {
            let is_balanced = side_excess(&record, person) <= 2;
            people += 1;
            unbalanced += u32::from(!is_balanced);
        }
        assert_all_have_met_once(&record);
    }
    assert!(20 * unbalanced <= people, "{unbalanced} of {people}");
    // The bound is reached in almost all rooms.
    let above: u32 = surplus
        .iter()
        .filter(|&(&rounds, _)| rounds > 0)
        .map(|(_, rooms)| rooms)
        .sum();
    assert!(above <= 20, "{surplus:?}");
    assert!(surplus.keys().all(|&rounds| rounds <= 1), "{surplus:?}");
}
