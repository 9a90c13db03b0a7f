//! Moves on a command line, in the letters of records.

use kalah::{IllegalMove, Position, Quoted};
use kalah_api::{RequestError, parse_move};
use thiserror::Error;

/// The reason why moves cannot be played.
#[derive(Clone, Debug, PartialEq, Error)]
pub(crate) enum PlayMovesError {
    /// A part of the text names no move of the side to move.
    #[error("move {number}: {reason}")]
    NoMove {
        /// The number of the move in the text, from 1.
        number: usize,
        /// The reason of the parser.
        reason: RequestError,
    },
    /// A move is not legal.
    #[error("move {number}, {}: {reason}", Quoted::new(.text))]
    Illegal {
        /// The number of the move in the text, from 1.
        number: usize,
        /// The move.
        text: String,
        /// The reason why it is not legal.
        reason: IllegalMove,
    },
}

/// The name of the move that exchanges the sides.
const SWAP: &str = "swap";

/// Plays moves such as `CF a`, which may have the turn numbers of records, as in `1. CF a 2. B`.
/// Returns the position after them.
///
/// # Errors
/// Fails at the first text that is no legal move.
pub(crate) fn play_moves(mut position: Position, text: &str) -> Result<Position, PlayMovesError> {
    for (index, name) in text.split_whitespace().flat_map(move_names).enumerate() {
        let number = index + 1;
        let mv = parse_move(&name, &position);
        let mv = mv.map_err(|reason| PlayMovesError::NoMove { number, reason })?;
        position
            .play(mv)
            .map_err(|reason| PlayMovesError::Illegal {
                number,
                text: name,
                reason,
            })?;
    }
    Ok(position)
}

/// Returns the names of the moves of a word: none of a turn number, `swap`, or each letter.
fn move_names(word: &str) -> Vec<String> {
    let moves = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let moves = match moves.strip_prefix('.') {
        Some(moves) if moves.len() < word.len() - 1 => moves.trim_start_matches('.'),
        _ => word,
    };
    if moves == SWAP {
        return vec![SWAP.to_owned()];
    }
    moves.chars().map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    fn play(rules: Rules, text: &str) -> Result<String, String> {
        let start = Position::start(6, 4, rules).expect("a valid start");
        let played = play_moves(start, text);
        (played.map(|position| position.to_string())).map_err(|reason| reason.to_string())
    }

    #[test]
    fn moves_are_played_with_and_without_turn_numbers() {
        let expected = "<6,2,0,4,4,0,5,5,0,0,6,6,6,5,5> s";
        for text in ["CF a", " C F  a ", "1. CF a", "1. C F 1... a", "1.CF a 2."] {
            let played = play(Rules::CS32, text);
            assert_eq!(played.as_deref(), Ok(expected), "{text}");
        }
        assert!(play(Rules::MANKALAH, "C swap").is_ok());
        assert!(play(Rules::CS32, "").is_ok());
    }

    #[test]
    fn errors_name_the_move() {
        for (text, message) in [
            ("CF A", "move 3: `A` is a house of South: North is to move"),
            ("CC", "move 2, `C`: house C is empty"),
            (
                "C swap",
                "move 2, `swap`: sides can be exchanged only instead of ply 2, and only under rules with a swap",
            ),
        ] {
            assert_eq!(play(Rules::CS32, text), Err(message.to_owned()), "{text}");
        }
    }
}
