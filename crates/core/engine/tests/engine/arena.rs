//! Matches between players with a simulated clock.
//!
//! Time passes with every read of the clock and not with the speed of the machine, so the games are
//! reproducible. A read, which comes after 256 sowings, takes a fifth of a millisecond: some ten
//! times as long as on a machine of the year 2026.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kalah::{BySide, Game, Player, Position, Referee, Rules, Side, TimedPlayer};
use kalah_engine::RandomPlayer;

const TIME_LIMIT: Duration = Duration::from_millis(100);
const MICROSECONDS_PER_READ: u64 = 200;
const OPENING_PLIES: usize = 4;

/// Returns a clock that advances with every read.
pub(crate) fn clock() -> impl Fn() -> Duration + Send + 'static {
    let reads = AtomicU64::new(0);
    move || Duration::from_micros(reads.fetch_add(1, Ordering::Relaxed) * MICROSECONDS_PER_READ)
}

/// Returns different openings of random plies.
fn openings(opening_count: usize) -> Vec<Position> {
    let mut random = RandomPlayer::new("openings", 1);
    let mut positions = HashSet::new();
    while positions.len() < opening_count {
        let mut position = Position::start(6, 4, Rules::CS32).unwrap();
        for _ in 0..OPENING_PLIES {
            let mv = random.choose_move(&position, TIME_LIMIT).unwrap();
            position.play(mv).unwrap();
        }
        positions.insert(position);
    }
    let mut openings: Vec<_> = positions.into_iter().collect();
    openings.sort_by_key(ToString::to_string);
    openings
}

/// Plays games of 6x4 from `opening_count` openings, each from both sides. Returns how many
/// `player` wins and how many are tied.
pub(crate) fn wins_and_ties(
    mut player: impl Player,
    mut other: impl Player,
    opening_count: usize,
) -> (usize, usize) {
    let (mut wins, mut ties) = (0, 0);
    for opening in openings(opening_count) {
        for side in Side::ALL {
            let mut players = [
                TimedPlayer {
                    player: &mut player,
                    limit: TIME_LIMIT,
                },
                TimedPlayer {
                    player: &mut other,
                    limit: TIME_LIMIT,
                },
            ];
            if side == Side::North {
                players.reverse();
            }
            let [south, north] = players;
            let mut referee = Referee::new(Game::new(opening.clone()), BySide::new(false, false));
            let report = |_: &Referee, _: &_| Ok::<(), Infallible>(());
            let Ok(ending) = referee.run(BySide::new(south, north), report);
            assert!(ending.outcome.is_some(), "both players obey the rules");
            wins += usize::from(ending.winner == Some(side));
            ties += usize::from(ending.winner.is_none());
        }
    }
    (wins, ties)
}
