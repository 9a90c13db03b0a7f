//! Files of game records.

use std::path::{Path, PathBuf};

use kalah::record::{Record, RecordError};
use kalah_players::display_path;
use thiserror::Error;

use super::text_file::{self, TextFileError};

/// The reason why no game is read from a file.
#[derive(Debug, Error)]
pub(crate) enum RecordFileError {
    /// The file cannot be read as text.
    #[error(transparent)]
    Text(#[from] TextFileError),
    /// The text is not a list of records.
    #[error("'{}': {reason}", display_path(.path))]
    Record {
        /// The path of the file.
        path: PathBuf,
        /// The error with its place in the file.
        reason: Box<RecordError>,
    },
    /// The file has no game with the requested number.
    #[error("'{}' has no game {game}: it holds {games}", display_path(.path))]
    NoSuchGame {
        /// The path of the file.
        path: PathBuf,
        /// The requested number, from 1.
        game: usize,
        /// The number of games in the file.
        games: usize,
    },
}

/// Reads the games of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Record>, RecordFileError> {
    parse(path, &text_file::read(path)?)
}

/// Reads one game of a file by its number from 1. Returns it with the number of games in the file.
pub(crate) fn read_one(path: &Path, number: usize) -> Result<(Record, usize), RecordFileError> {
    let mut records = read(path)?;
    let games = records.len();
    if !(1..=games).contains(&number) {
        return Err(RecordFileError::NoSuchGame {
            path: path.to_owned(),
            game: number,
            games,
        });
    }
    Ok((records.swap_remove(number - 1), games))
}

/// Parses the text of the file at `path`.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Vec<Record>, RecordFileError> {
    Record::parse_all(text).map_err(|reason| RecordFileError::Record {
        path: path.to_owned(),
        reason: Box::new(reason),
    })
}
