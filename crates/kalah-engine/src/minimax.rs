use std::time::Duration;

use kalah::{Choice, Player, Position};

use crate::Worth;
use crate::worth::{after, at_rest};

/// The player of the source documents, and the yardstick for others: plain minimax to a fixed
/// depth on the difference of the stores.
///
/// A level is a whole turn: a bonus turn stays within the level of the sowing that gave it. Among
/// equals it takes the first in sowing order. It looks at no clock. Lines that cannot matter are left
/// out (alpha-beta), which changes the time it takes and nothing else; [`Tree`](crate::Tree) leaves out none.
#[derive(Clone, Debug)]
pub struct Minimax {
    name: String,
    levels: u32,
}

impl Minimax {
    /// A player of that name who looks `levels` turns ahead, one at least.
    pub fn new(name: impl Into<String>, levels: u32) -> Self {
        Self {
            name: name.into(),
            levels,
        }
    }
}

impl Player for Minimax {
    fn name(&self) -> &str {
        &self.name
    }

    fn choose(&mut self, position: &Position, _limit: Duration) -> Option<Choice> {
        let mut best = None;
        for choice in position.choices() {
            let least = best.map_or(Worth::Lost, |(least, _)| least);
            let worth = worth_of_choice(position, choice, self.levels.max(1), least, Worth::Won);
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, choice));
            }
        }
        best.map(|(_, choice)| choice)
    }
}

/// What a position is worth for its side to move, `levels` turns deep, if that lies between `alpha`
/// and `beta`; else one of these two, the nearer.
fn worth(position: &Position, levels: u32, mut alpha: Worth, beta: Worth) -> Worth {
    if let Some(worth) = at_rest(position, levels) {
        return worth.clamp(alpha, beta);
    }
    for choice in position.choices() {
        if alpha >= beta {
            break;
        }
        alpha = worth_of_choice(position, choice, levels, alpha, beta);
    }
    alpha
}

/// What a legal choice is worth for the player who makes it, on the terms of [`worth`]; `levels` is
/// at least 1.
fn worth_of_choice(
    position: &Position,
    choice: Choice,
    levels: u32,
    alpha: Worth,
    beta: Worth,
) -> Worth {
    let (next, same_player) = after(position, choice);
    if same_player {
        worth(&next, levels, alpha, beta)
    } else {
        -worth(&next, levels - 1, -beta, -alpha)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Random, Tree};
    use kalah::Rules;

    /// Trees of this many levels are grown in full.
    const LEVELS: u32 = 3;
    const MOST_POSITIONS: usize = 100_000;

    #[test]
    fn the_player_answers_what_the_whole_tree_says() {
        let mut compared = 0;
        for (seed, preset) in (0..60).zip(Rules::PRESETS.iter().cycle()) {
            let mut position = Position::start(4, 3, preset.rules).unwrap();
            let mut random = Random::new("Random", seed);
            while let Some(choice) = random.choose(&position, Duration::ZERO) {
                for levels in 1..=LEVELS {
                    let tree = Tree::grow(&position, levels, MOST_POSITIONS).unwrap();
                    let expected = tree.best.and_then(|best| tree.branches[best].choice);
                    let answer = Minimax::new("Minimax", levels).choose(&position, Duration::ZERO);
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
}
