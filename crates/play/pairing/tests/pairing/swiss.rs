//! Simulated Swiss tournaments: rematches, byes, sides, late joiners and leavers.

use std::collections::HashSet;

use crate::simulation::{meetings, play_round, room};
use kalah_pairing::{GamesPerPairing, RoomRecord, RoundPairing, swiss_round};
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
