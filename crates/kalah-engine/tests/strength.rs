//! `SmartPlayer` against the other players.
//!
//! Against `minimax:6` the openings count for much: each is played from both sides, so that with best
//! play nobody wins more than half of these games. The rest are won by the other's mistakes.

mod arena;

use kalah::Player;
use kalah_engine::{FirstMovePlayer, MinimaxPlayer, RandomPlayer, SmartPlayer};

/// Games that `Smart` wins against `other` from so many openings, each of which is played twice.
fn wins(other: impl Player, openings: usize) -> usize {
    let (wins, _) =
        arena::wins_and_ties(SmartPlayer::new("Smart", arena::clock()), other, openings);
    wins
}

/// The same of 100 games.
fn wins_of_100(other: impl Player) -> usize {
    wins(other, 50)
}

/// The sample of the plain test run.
#[test]
fn beats_the_other_players_in_a_few_games() {
    assert_eq!(wins(RandomPlayer::new("Random", 4), 3), 6);
    assert_eq!(wins(FirstMovePlayer::new("First"), 3), 6);
    let wins = wins(MinimaxPlayer::new("Minimax", 6), 3);
    assert!(wins >= 4, "won {wins}");
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn beats_random_in_99_games_of_100() {
    let wins = wins_of_100(RandomPlayer::new("Random", 4));
    assert!(wins >= 99, "won {wins}");
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn beats_first_in_99_games_of_100() {
    let wins = wins_of_100(FirstMovePlayer::new("First"));
    assert!(wins >= 99, "won {wins}");
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn beats_minimax_6_in_three_games_of_four() {
    let wins = wins_of_100(MinimaxPlayer::new("Minimax", 6));
    assert!(wins >= 75, "won {wins}");
}
