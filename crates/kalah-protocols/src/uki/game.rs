//! A game as `position` tells it: where it starts, by which rules, and the plies made.

use std::fmt;

use kalah::{Game, IllegalMove, ParseSetupError, Ply, Position, Rules, Setup};

use super::words::{Tokens, unexpected};
use super::{Expected, ParseUkiError, UkiMove};
use crate::Quoted;

/// The word before a start.
const STARTPOS: &str = "startpos";
const RULES: &str = "rules";
const MOVES: &str = "moves";

/// Reads what stands behind `position`.
pub(super) fn parse(mut words: Tokens) -> Result<Game, ParseUkiError> {
    let awaited = if words.peek() == Some(STARTPOS) {
        words.next_token();
        Expected::Start
    } else {
        Expected::Position
    };
    let text = words.take_until(&[RULES, MOVES]);
    if text.is_empty() {
        return Err(ParseUkiError::Missing(awaited));
    }
    // A start is one word and begins with a number, and anything else with a bracket.
    let is_start = text.split_whitespace().nth(1).is_none() && !text.starts_with('<');
    if is_start != (awaited == Expected::Start) {
        return Err(unexpected(text, awaited));
    }
    let setup: Setup =
        (text.parse()).map_err(|error: ParseSetupError| ParseUkiError::Position {
            text: Quoted::new(text),
            reason: error.reason,
        })?;
    let mut rules = Rules::default();
    if words.peek() == Some(RULES) {
        words.next_token();
        let word = words.require(Expected::Rules)?;
        if word.chars().any(char::is_control) {
            return Err(unexpected(word, Expected::Rules));
        }
        rules = word.parse().map_err(ParseUkiError::Rules)?;
    }
    let start = (setup.position(rules)).map_err(|reason| ParseUkiError::Unplayable {
        text: Quoted::new(text),
        reason,
    })?;
    let mut game = Game::new(start);
    if let Some(word) = words.next_token() {
        if word != MOVES {
            return Err(unexpected(word, Expected::RulesOrMoves));
        }
        while let Some(word) = words.next_token() {
            for mv in UkiMove::parse_all(word)? {
                play(&mut game, mv)?;
            }
        }
    }
    Ok(game)
}

fn play(game: &mut Game, mv: UkiMove) -> Result<(), ParseUkiError> {
    let ply = game.plies().len() + 1;
    let to_move = game.position().to_move();
    let illegal = |reason| ParseUkiError::Illegal { ply, mv, reason };
    if game.position().is_over() {
        return Err(illegal(IllegalMove::GameOver));
    }
    let Some(made) = mv.for_side(to_move) else {
        return Err(ParseUkiError::WrongSide { ply, mv, to_move });
    };
    match game.play(made) {
        Ok(_) => Ok(()),
        Err(reason) => Err(illegal(reason)),
    }
}

/// Writes what stands behind `position`.
pub(super) fn write(game: &Game, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let start = game.start();
    match start_seeds(start) {
        Some(seeds) => write!(f, "{STARTPOS} {}x{seeds}", start.houses())?,
        None => write!(f, "{start}")?,
    }
    write!(f, " {RULES} {}", start.rules())?;
    if !game.plies().is_empty() {
        write!(f, " {MOVES}")?;
        for &Ply { side, mv, .. } in game.plies() {
            write!(f, " {}", UkiMove::new(side, mv))?;
        }
    }
    Ok(())
}

/// Seeds in each house, if that is how a game starts.
fn start_seeds(position: &Position) -> Option<u64> {
    let seeds = position.houses_of(position.to_move()).first()?.get().into();
    let start = Position::start(position.houses(), seeds, position.rules()).ok()?;
    (start == *position).then_some(seeds)
}
