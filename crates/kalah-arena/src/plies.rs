use kalah::record::{Record, RecordError, RecordProblem};
use kalah::{Game, Position};
use thiserror::Error;

/// Why a text is no line of plies.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PliesError {
    /// Something other than houses and swaps.
    #[error("`{}` cannot stand among plies: expected letters of houses and the word swap", .0.escape_debug())]
    Character(char),
    /// A ply that the rules forbid, or a letter of the wrong side.
    #[error(transparent)]
    Illegal(Box<RecordProblem>),
}

/// The game in which the plies of a text are made from `start`, in the form of [`kalah::record::line_text`].
pub(crate) fn parse_game(start: &Position, plies: &str) -> Result<Game, PliesError> {
    if let Some(other) = (plies.chars()).find(|&it| it != ' ' && !it.is_ascii_alphabetic()) {
        return Err(PliesError::Character(other));
    }
    let rules = start.rules();
    let text = format!("[Rules \"{rules}\"]\n[Position \"{start}\"]\n\n{plies} *");
    // Where in that text is of no use to anybody.
    let record: Record = text
        .parse()
        .map_err(|RecordError { problem, .. }| PliesError::Illegal(Box::new(problem)))?;
    Ok(record.game())
}
