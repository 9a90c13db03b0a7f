//! Prints the times of rounds, standings and ratings of rooms of several sizes.
//!
//! ```text
//! cargo run --release --package kalah-pairing --example pairing_times
//! ```

use std::time::Instant;

use kalah_arena::GameScore;
use kalah_pairing::{
    EntrantId, GamesPerPairing, Performances, PlayedGame, RoomRecord, Standings, round_robin_round,
    swiss_round,
};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

/// The seed of the pairings and of the scores.
const SEED: u64 = 1;

/// The rounds of the Swiss tournaments.
const ROUNDS: usize = 12;

/// The rounds of a round robin after which people leave.
const ROUNDS_BEFORE_LEAVERS: usize = 3;

/// Each person whose number is a multiple of this leaves.
const LEAVER_STEP: usize = 7;

fn main() {
    println!("people  slowest Swiss round  standings  ratings  Berger round  round after leavers");
    for people in [8, 60, 300, 2000] {
        let mut record = room(people);
        let mut rng = Pcg64Mcg::seed_from_u64(SEED);
        let mut slowest = 0.0_f64;
        for round in 0..ROUNDS {
            let (milliseconds, pairing) = timed(|| swiss_round(&record, SEED));
            slowest = slowest.max(milliseconds);
            for pair in pairing.pairs {
                let score = GameScore::ALL[rng.random_range(0..GameScore::ALL.len())];
                add(&mut record, PlayedGame::new(round, pair, Some(score)));
            }
        }
        let (standings, _) = timed(|| Standings::from_record(&record));
        let (ratings, _) = timed(|| Performances::from_record(&record));

        let mut record = room(people);
        let mut berger = 0.0_f64;
        for round in 0..ROUNDS_BEFORE_LEAVERS {
            let (milliseconds, pairing) = timed(|| round_robin_round(&record));
            berger = berger.max(milliseconds);
            for pair in pairing.into_iter().flat_map(|pairing| pairing.pairs) {
                add(
                    &mut record,
                    PlayedGame::new(round, pair, Some(GameScore::Tie)),
                );
            }
        }
        for person in (0..people).step_by(LEAVER_STEP) {
            let left = record.leave(EntrantId(person));
            left.expect("the person has entered");
        }
        let (leavers, _) = timed(|| round_robin_round(&record));
        println!(
            "{people:6}  {slowest:16.1} ms  {standings:6.1} ms  {ratings:4.0} ms  \
             {berger:9.1} ms  {leavers:18.1} ms"
        );
    }
}

fn room(people: usize) -> RoomRecord {
    let mut record = RoomRecord::new(GamesPerPairing::One);
    for _ in 0..people {
        record.enter();
    }
    record
}

fn add(record: &mut RoomRecord, game: PlayedGame) {
    record.add_game(game).expect("the players have entered");
}

/// Returns the result of a call and its time in milliseconds.
fn timed<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = call();
    (start.elapsed().as_secs_f64() * 1e3, result)
}
