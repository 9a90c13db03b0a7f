//! Games of players against each other, on a machine made of a clock that counts.
//!
//! Time passes with the work done and not with the machine, so the games are always the same. A
//! look at the clock, which comes after 256 sowings, takes a fifth of a millisecond here: some ten
//! times as long as on a machine of the year 2026.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kalah::{BySide, Game, Player, Position, Referee, Rules, Side, TimedPlayer};
use kalah_engine::RandomPlayer;

const LIMIT: Duration = Duration::from_millis(100);
const MICROSECONDS_PER_LOOK: u64 = 200;
const OPENING_PLIES: usize = 4;

/// A clock that goes on with every look at it.
pub(crate) fn clock() -> impl Fn() -> Duration + Send + 'static {
    let looks = AtomicU64::new(0);
    move || Duration::from_micros(looks.fetch_add(1, Ordering::Relaxed) * MICROSECONDS_PER_LOOK)
}

/// Different openings of random plies.
fn openings(count: usize) -> Vec<Position> {
    let mut random = RandomPlayer::new("openings", 1);
    let mut seen = HashSet::new();
    while seen.len() < count {
        let mut position = Position::start(6, 4, Rules::CS32).unwrap();
        for _ in 0..OPENING_PLIES {
            let choice = random.choose_move(&position, LIMIT).unwrap();
            position.play(choice).unwrap();
        }
        seen.insert(position);
    }
    let mut openings: Vec<_> = seen.into_iter().collect();
    openings.sort_by_key(ToString::to_string);
    openings
}

/// Games of 6x4 that `player` wins against `other`, and ties, from so many openings, each of them
/// played from both sides.
pub(crate) fn wins_and_ties(
    mut player: impl Player,
    mut other: impl Player,
    count: usize,
) -> (usize, usize) {
    let (mut wins, mut ties) = (0, 0);
    for opening in openings(count) {
        for side in Side::ALL {
            let mut seats = [
                TimedPlayer {
                    player: &mut player,
                    limit: LIMIT,
                },
                TimedPlayer {
                    player: &mut other,
                    limit: LIMIT,
                },
            ];
            if side == Side::North {
                seats.reverse();
            }
            let [south, north] = seats;
            let mut referee = Referee::new(Game::new(opening.clone()), BySide::new(false, false));
            let report = |_: &Referee, _: &_| Ok::<(), Infallible>(());
            let Ok(ending) = referee.run(BySide::new(south, north), report);
            assert!(ending.outcome.is_some(), "nobody plays against the rules");
            wins += usize::from(ending.winner == Some(side));
            ties += usize::from(ending.winner.is_none());
        }
    }
    (wins, ties)
}
