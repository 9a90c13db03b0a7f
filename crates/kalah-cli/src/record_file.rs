use std::path::{Path, PathBuf};

use kalah::record::{Record, RecordError};
use kalah_players::display_path;
use thiserror::Error;

use crate::text_file::{self, TextFileError};

/// Why a file gives no games.
#[derive(Debug, Error)]
pub enum RecordFileError {
    /// It cannot be read as text.
    #[error(transparent)]
    Text(#[from] TextFileError),
    /// Something in it is no game.
    #[error("'{}': {reason}", escaped_path(.path))]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: Box<RecordError>,
    },
    /// It has fewer games than were asked for.
    #[error("'{}' has no game {game}: it holds {games}", escaped_path(.path))]
    NoSuchGame {
        /// The file.
        path: PathBuf,
        /// Which game was asked for, from 1.
        game: usize,
        /// How many there are.
        games: usize,
    },
}

pub(crate) fn escaped_path(path: &Path) -> String {
    display_path(path)
}

/// The games of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Record>, RecordFileError> {
    parse(path, &text_file::read(path)?)
}

/// One game of a file, by its number from 1, and how many games the file has.
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

/// The games of the text of a file.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Vec<Record>, RecordFileError> {
    Record::parse_all(text).map_err(|reason| RecordFileError::Record {
        path: path.to_owned(),
        reason: Box::new(reason),
    })
}
