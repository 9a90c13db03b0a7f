//! `SmartPlayer` against the other players.
//!
//! Against `minimax:6` the openings count for much: each is played from both sides, so that with best
//! play nobody wins more than half of these games. The rest are won by the other's mistakes.

use crate::arena;

use kalah::Player;
use kalah_engine::{FirstMovePlayer, MinimaxPlayer, RandomPlayer, SmartPlayer};

/// Each is played twice.
const OPENINGS: usize = 50;

/// Games that `SmartPlayer` wins of 100 against `other`.
fn wins_of_100(other: impl Player) -> usize {
    let (wins, _) =
        arena::wins_and_ties(SmartPlayer::new("Smart", arena::clock()), other, OPENINGS);
    wins
}

#[test]
fn beats_random_in_99_games_of_100() {
    let wins = wins_of_100(RandomPlayer::new("Random", 4));
    assert!(wins >= 99, "won {wins}");
}

#[test]
fn beats_first_in_99_games_of_100() {
    let wins = wins_of_100(FirstMovePlayer::new("First"));
    assert!(wins >= 99, "won {wins}");
}

#[test]
fn beats_minimax_6_in_three_games_of_four() {
    let wins = wins_of_100(MinimaxPlayer::new("Minimax", 6));
    assert!(wins >= 75, "won {wins}");
}
