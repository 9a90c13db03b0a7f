//! A game as `position` tells it: where it starts, by which rules, and the plies made.

use std::fmt;

use kalah::{Game, IllegalMove, ParseSetupError, Ply, Position, Rules, Setup};

use super::words::{Words, unexpected};
use super::{Awaited, MessageError, NamedChoice};
use crate::Quoted;

/// The word before a start.
const START: &str = "startpos";
const RULES: &str = "rules";
const MOVES: &str = "moves";

/// Reads what stands behind `position`.
pub(super) fn read(mut words: Words) -> Result<Game, MessageError> {
    let awaited = if words.peek() == Some(START) {
        words.take();
        Awaited::Start
    } else {
        Awaited::Position
    };
    let text = words.up_to(&[RULES, MOVES]);
    if text.is_empty() {
        return Err(MessageError::Missing(awaited));
    }
    // A start is one word and begins with a number, and anything else with a bracket.
    let is_start = text.split_whitespace().nth(1).is_none() && !text.starts_with('<');
    if is_start != (awaited == Awaited::Start) {
        return Err(unexpected(text, awaited));
    }
    let setup: Setup = (text.parse()).map_err(|error: ParseSetupError| MessageError::Position {
        text: Quoted::new(text),
        reason: error.reason,
    })?;
    let mut rules = Rules::default();
    if words.peek() == Some(RULES) {
        words.take();
        let word = words.require(Awaited::Rules)?;
        if word.chars().any(char::is_control) {
            return Err(unexpected(word, Awaited::Rules));
        }
        rules = word.parse().map_err(MessageError::Rules)?;
    }
    let start = (setup.position(rules)).map_err(|reason| MessageError::Unplayable {
        text: Quoted::new(text),
        reason,
    })?;
    let mut game = Game::new(start);
    if let Some(word) = words.take() {
        if word != MOVES {
            return Err(unexpected(word, Awaited::RulesOrMoves));
        }
        while let Some(word) = words.take() {
            for choice in NamedChoice::all_of(word)? {
                play(&mut game, choice)?;
            }
        }
    }
    Ok(game)
}

fn play(game: &mut Game, choice: NamedChoice) -> Result<(), MessageError> {
    let ply = game.plies().len() + 1;
    let to_move = game.position().to_move();
    let illegal = |reason| MessageError::Illegal {
        ply,
        choice,
        reason,
    };
    if game.position().is_over() {
        return Err(illegal(IllegalMove::GameOver));
    }
    let Some(made) = choice.made_by(to_move) else {
        return Err(MessageError::WrongSide {
            ply,
            choice,
            to_move,
        });
    };
    match game.play(made) {
        Ok(_) => Ok(()),
        Err(reason) => Err(illegal(reason)),
    }
}

/// Writes what stands behind `position`.
pub(super) fn write(game: &Game, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let start = game.start();
    match seeds_of_start(start) {
        Some(seeds) => write!(f, "{START} {}x{seeds}", start.houses())?,
        None => write!(f, "{start}")?,
    }
    write!(f, " {RULES} {}", start.rules())?;
    if !game.plies().is_empty() {
        write!(f, " {MOVES}")?;
        for &Ply {
            side, mv: choice, ..
        } in game.plies()
        {
            write!(f, " {}", NamedChoice::new(side, choice))?;
        }
    }
    Ok(())
}

/// Seeds in each house, if that is how a game starts.
fn seeds_of_start(position: &Position) -> Option<u64> {
    let seeds = position.houses_of(position.to_move()).first()?.get().into();
    let start = Position::start(position.houses(), seeds, position.rules()).ok()?;
    (start == *position).then_some(seeds)
}
