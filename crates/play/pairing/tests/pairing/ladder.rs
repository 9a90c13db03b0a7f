//! The ladder.

use std::collections::VecDeque;

use kalah::BySide;
use kalah_arena::GameScore;
use kalah_pairing::{EntrantId, GamesPerPairing, Ladder, PlayedGame, RoomRecord};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use crate::simulation::room;

fn people(numbers: &[usize]) -> Vec<EntrantId> {
    numbers.iter().copied().map(EntrantId).collect()
}

fn play(record: &mut RoomRecord, south: usize, north: usize, score: Option<GameScore>) {
    let players = BySide::new(EntrantId(south), EntrantId(north));
    record
        .add_game(PlayedGame::challenge(players, score))
        .expect("people of the room");
}

#[test]
fn winner_from_below_takes_the_place_of_the_other() {
    let mut record = room(5, GamesPerPairing::One);
    play(&mut record, 1, 4, Some(GameScore::Loss));
    assert_eq!(
        Ladder::from_record(&record).people(),
        people(&[0, 4, 1, 2, 3])
    );
    // The higher one wins, a tie, and a game that was voided.
    play(&mut record, 0, 3, Some(GameScore::Win));
    play(&mut record, 3, 0, Some(GameScore::Tie));
    play(&mut record, 3, 0, None);
    assert_eq!(
        Ladder::from_record(&record).people(),
        people(&[0, 4, 1, 2, 3])
    );
}

#[test]
fn newcomers_enter_at_the_bottom_and_leavers_are_left_out() {
    let mut record = room(3, GamesPerPairing::One);
    play(&mut record, 2, 0, Some(GameScore::Win));
    record.enter();
    record.leave(EntrantId(0)).expect("a person");
    let ladder = Ladder::from_record(&record);
    assert_eq!(ladder.people(), people(&[2, 1, 3]));
    assert_eq!(ladder.place(EntrantId(3)), Some(3));
    assert_eq!(ladder.place(EntrantId(0)), None);
    record.rejoin(EntrantId(0)).expect("a person");
    assert_eq!(Ladder::from_record(&record).people(), people(&[2, 0, 1, 3]));
}

#[test]
fn challenges_go_up_by_a_limited_number_of_places() {
    let ladder = Ladder::from_record(&room(6, GamesPerPairing::One));
    let may = |one, other| ladder.may_challenge(EntrantId(one), EntrantId(other), 3);
    let allowed: Vec<_> = (0..6).filter(|&other| may(4, other)).collect();
    assert_eq!(allowed, [1, 2, 3]);
    assert!(!may(4, 6) && !may(6, 4));
}

/// The ladder with one exchange of neighbours after another.
fn naive_ladder(record: &RoomRecord) -> Vec<EntrantId> {
    let mut order: VecDeque<_> = (0..record.entrant_count()).map(EntrantId).collect();
    for game in record.games() {
        let (winner, loser) = match game.score {
            Some(GameScore::Win) => (game.players.south, game.players.north),
            Some(GameScore::Loss) => (game.players.north, game.players.south),
            _ => continue,
        };
        let place = |order: &VecDeque<_>, person| order.iter().position(|&other| other == person);
        while place(&order, winner) > place(&order, loser) {
            let from = place(&order, winner).expect("a person");
            order.swap(from, from - 1);
        }
    }
    order.retain(|person| record.active().any(|other| other == *person));
    order.into()
}

#[test]
fn ladder_equals_the_naive_one() {
    for seed in 0..1000 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut record = room(2, GamesPerPairing::One);
        for _ in 0..rng.random_range(0..40) {
            match rng.random_range(0..8) {
                0 => {
                    record.enter();
                }
                1 => {
                    let person = EntrantId(rng.random_range(0..record.entrant_count()));
                    record.leave(person).expect("a person");
                }
                _ => {
                    let count = record.entrant_count();
                    let south = rng.random_range(0..count);
                    let north = (south + rng.random_range(1..count)) % count;
                    let score = GameScore::ALL[rng.random_range(0..3)];
                    play(&mut record, south, north, Some(score));
                }
            }
        }
        assert_eq!(
            Ladder::from_record(&record).people(),
            naive_ladder(&record),
            "seed {seed}"
        );
    }
}
