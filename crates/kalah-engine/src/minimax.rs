use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kalah::{Move, Player, Position};

use crate::MinimaxScore;
use crate::worth::{leaf_score, play};

/// The player of the source documents, and the yardstick for others: plain minimax to a fixed
/// depth on the difference of the stores.
///
/// A level is a whole turn: a bonus turn stays within the level of the sowing that gave it. Among
/// equals it takes the first in sowing order. It looks at no clock. Lines that cannot matter are left
/// out (alpha-beta), which changes the time it takes and nothing else; [`MinimaxTree`](crate::MinimaxTree) leaves out none.
#[derive(Clone, Debug)]
pub struct MinimaxPlayer {
    name: String,
    depth: u32,
    stop_flag: Arc<AtomicBool>,
}

/// What looks ahead, until a flag is set.
struct MinimaxSearch<'a> {
    stop_flag: &'a AtomicBool,
}

/// The flag was set before there was a worth.
struct Aborted;

impl MinimaxPlayer {
    /// A player of that name who looks `levels` turns ahead, one at least.
    pub fn new(name: impl Into<String>, depth: u32) -> Self {
        Self {
            name: name.into(),
            depth,
            stop_flag: Arc::default(),
        }
    }

    /// The same player, who answers soon once this is set, with the best of those choices that it has come to.
    #[must_use]
    pub fn with_stop_flag(self, flag: Arc<AtomicBool>) -> Self {
        Self {
            stop_flag: flag,
            ..self
        }
    }
}

impl Player for MinimaxPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose_move(&mut self, position: &Position, _limit: Duration) -> Option<Move> {
        let lookahead = MinimaxSearch {
            stop_flag: &self.stop_flag,
        };
        let mut best = None;
        for choice in position.legal_moves() {
            let least = best.map_or(MinimaxScore::Loss, |(least, _)| least);
            let levels = self.depth.max(1);
            match lookahead.move_score(position, choice, levels, least, MinimaxScore::Win) {
                Ok(worth) if best.is_none_or(|(most, _)| worth > most) => {
                    best = Some((worth, choice));
                }
                Ok(_) => {}
                Err(Aborted) => break,
            }
        }
        best.map(|(_, choice)| choice)
            .or_else(|| position.legal_moves().next())
    }
}

impl MinimaxSearch<'_> {
    /// What a position is worth for its side to move, `levels` turns deep, if that lies between `alpha`
    /// and `beta`; else one of these two, the nearer.
    fn score(
        &self,
        position: &Position,
        levels: u32,
        mut alpha: MinimaxScore,
        beta: MinimaxScore,
    ) -> Result<MinimaxScore, Aborted> {
        if let Some(worth) = leaf_score(position, levels) {
            return Ok(worth.clamp(alpha, beta));
        }
        if self.stop_flag.load(Ordering::Relaxed) {
            return Err(Aborted);
        }
        for choice in position.legal_moves() {
            if alpha >= beta {
                break;
            }
            alpha = self.move_score(position, choice, levels, alpha, beta)?;
        }
        Ok(alpha)
    }

    /// What a legal choice is worth for the player who makes it, on the terms of [`Self::worth`]; `levels` is
    /// at least 1.
    fn move_score(
        &self,
        position: &Position,
        choice: Move,
        levels: u32,
        alpha: MinimaxScore,
        beta: MinimaxScore,
    ) -> Result<MinimaxScore, Aborted> {
        let (next, same_player) = play(position, choice);
        if same_player {
            self.score(&next, levels, alpha, beta)
        } else {
            Ok(-self.score(&next, levels - 1, -beta, -alpha)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MinimaxTree, RandomPlayer};
    use kalah::Rules;

    /// Trees of this many levels are grown in full.
    const LEVELS: u32 = 3;
    const MOST_POSITIONS: usize = 100_000;

    #[test]
    fn the_player_answers_what_the_whole_tree_says() {
        let mut compared = 0;
        for (seed, preset) in (0..60).zip(Rules::PRESETS.iter().cycle()) {
            let mut position = Position::start(4, 3, preset.rules).unwrap();
            let mut random = RandomPlayer::new("Random", seed);
            while let Some(choice) = random.choose_move(&position, Duration::ZERO) {
                for levels in 1..=LEVELS {
                    let tree = MinimaxTree::build(&position, levels, MOST_POSITIONS).unwrap();
                    let expected = tree.best_child.and_then(|best| tree.children[best].mv);
                    let answer = MinimaxPlayer::new("Minimax", levels)
                        .choose_move(&position, Duration::ZERO);
                    assert_eq!(
                        answer,
                        expected.map(|(_, choice)| choice),
                        "kalah tree --rules {} '{position}' {levels}",
                        preset.name
                    );
                    compared += 1;
                }
                position.play(choice).unwrap();
            }
        }
        assert!(compared > 1000);
    }

    #[test]
    fn who_is_told_to_answer_does() {
        let start = Position::start(6, 4, Rules::CS32).unwrap();
        let flag = Arc::new(AtomicBool::new(true));
        // To look so far ahead would take longer than anybody waits.
        let mut minimax = MinimaxPlayer::new("Minimax", 100).with_stop_flag(Arc::clone(&flag));
        let told = minimax
            .choose_move(&start, Duration::ZERO)
            .expect("not over");
        assert_eq!(start.check_legal(told), Ok(()));
        std::thread::scope(|scope| {
            flag.store(false, Ordering::Relaxed);
            let thinking = scope.spawn(|| minimax.choose_move(&start, Duration::ZERO));
            std::thread::sleep(Duration::from_millis(20));
            flag.store(true, Ordering::Relaxed);
            let told = thinking.join().unwrap().expect("not over");
            assert_eq!(start.check_legal(told), Ok(()));
        });
    }
}
