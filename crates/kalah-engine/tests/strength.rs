//! `Smart` against the other players, on a machine made of a clock that counts.
//!
//! Time passes with the work done and not with the machine, so the games are always the same. A
//! look at the clock, which comes after 256 sowings, takes a fifth of a millisecond here: some ten
//! times as long as on a machine of the year 2026.
//!
//! Against `minimax:6` the openings count for much: each is played from both sides, so that with best
//! play nobody wins more than half of these games. The rest are won by the other's mistakes.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kalah::{BySide, Game, Player, Position, Referee, Rules, Seat, Side};
use kalah_engine::{First, Minimax, Random, Smart};

const LIMIT: Duration = Duration::from_millis(100);
const MICROSECONDS_PER_LOOK: u64 = 200;
const OPENINGS: usize = 50;
const OPENING_PLIES: usize = 4;

fn smart() -> Smart {
    let looks = AtomicU64::new(0);
    Smart::new("Smart", move || {
        Duration::from_micros(looks.fetch_add(1, Ordering::Relaxed) * MICROSECONDS_PER_LOOK)
    })
}

/// Different openings of random plies.
fn openings() -> Vec<Position> {
    let mut random = Random::new("openings", 1);
    let mut seen = HashSet::new();
    while seen.len() < OPENINGS {
        let mut position = Position::start(6, 4, Rules::CS32).unwrap();
        for _ in 0..OPENING_PLIES {
            let choice = random.choose(&position, LIMIT).unwrap();
            position.play(choice).unwrap();
        }
        seen.insert(position);
    }
    let mut openings: Vec<_> = seen.into_iter().collect();
    openings.sort_by_key(ToString::to_string);
    openings
}

/// Games that `Smart` wins of 100 against `other`, each opening played from both sides.
fn wins_of_100(mut other: impl Player) -> usize {
    let mut wins = 0;
    let mut smart = smart();
    for opening in openings() {
        for side in Side::ALL {
            let mut seats = [
                Seat {
                    player: &mut smart,
                    limit: LIMIT,
                },
                Seat {
                    player: &mut other,
                    limit: LIMIT,
                },
            ];
            if side == Side::North {
                seats.reverse();
            }
            let [south, north] = seats;
            let mut referee = Referee::new(Game::new(opening.clone()), BySide::new(false, false));
            let report = |_: &Referee, _: &_| Ok::<(), std::convert::Infallible>(());
            let Ok(ending) = referee.run(BySide::new(south, north), report);
            assert!(ending.outcome.is_some(), "nobody plays against the rules");
            wins += usize::from(ending.winner == Some(side));
        }
    }
    wins
}

#[test]
fn beats_random_in_99_games_of_100() {
    let wins = wins_of_100(Random::new("Random", 4));
    assert!(wins >= 99, "won {wins}");
}

#[test]
fn beats_first_in_99_games_of_100() {
    let wins = wins_of_100(First::new("First"));
    assert!(wins >= 99, "won {wins}");
}

#[test]
fn beats_minimax_6_in_three_games_of_four() {
    let wins = wins_of_100(Minimax::new("Minimax", 6));
    assert!(wins >= 75, "won {wins}");
}
