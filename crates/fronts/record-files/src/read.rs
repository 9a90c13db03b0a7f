//! Reading the games of files.

use std::io::{self, Read};
use std::path::Path;

use kalah::format_count;
use kalah::record::{ReadRecordError, Record, RecordError, RecordReader};
use kalah_files::NotTextError;
use kalah_players::quoted_path;
use thiserror::Error;

use crate::selector::GameSelector;
use crate::text_file::{self, STDIN_NAME, TextFileError};

/// The reason why no game is read from a file.
#[derive(Debug, Error)]
pub enum RecordFileError {
    /// The file cannot be read as text.
    #[error(transparent)]
    Text(#[from] TextFileError),
    /// A game is not valid. Others can be read.
    #[error("{source_name}: {reason}")]
    Record {
        /// The quoted path of the file, or `standard input`.
        source_name: String,
        /// The error with its place in the file.
        reason: Box<RecordError>,
    },
    /// A game is too long.
    #[error("{source_name}: {reason}")]
    TooLong {
        /// The quoted path of the file, or `standard input`.
        source_name: String,
        /// The error.
        reason: Box<ReadRecordError>,
    },
    /// The file has no games.
    #[error("{0} contains no game")]
    NoGame(String),
    /// The file has games, but not the requested one.
    #[error("{source_name} contains {}, but not {game}", format_count(*games as u64, "game"))]
    NoSuchGame {
        /// The quoted path of the file, or `standard input`.
        source_name: String,
        /// The requested game.
        game: GameSelector,
        /// The number of games in the file.
        games: usize,
    },
}

/// The games of a file or of standard input, read one after another. After an error of a game the
/// next game follows.
pub struct RecordSource {
    name: String,
    games: RecordReader<Box<dyn Read>>,
}

impl RecordSource {
    /// Opens a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is UTF-16.
    pub fn open(path: &Path) -> Result<Self, TextFileError> {
        Ok(Self {
            name: quoted_path(path),
            games: RecordReader::new(Box::new(text_file::open(path)?)),
        })
    }

    /// Reads standard input.
    ///
    /// # Errors
    /// Fails if it cannot be read or is UTF-16.
    pub fn stdin() -> Result<Self, TextFileError> {
        let input = text_file::begin(STDIN_NAME, io::stdin().lock())?;
        Ok(Self {
            name: STDIN_NAME.to_owned(),
            games: RecordReader::new(Box::new(input)),
        })
    }

    /// Returns the quoted path of the file, or `standard input`.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Iterator for RecordSource {
    type Item = Result<Record, RecordFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let source_name = || self.name.clone();
        Some(self.games.next()?.map_err(|error| match error {
            ReadRecordError::Record(reason) => RecordFileError::Record {
                source_name: source_name(),
                reason: Box::new(reason),
            },
            ReadRecordError::Io(reason) => RecordFileError::Text(TextFileError::Read {
                source_name: source_name(),
                reason,
            }),
            ReadRecordError::NotUtf8 { line, byte } => {
                RecordFileError::Text(TextFileError::NotText {
                    source_name: source_name(),
                    reason: NotTextError::NotUtf8 { line, byte },
                })
            }
            reason @ ReadRecordError::TooLong(_) => RecordFileError::TooLong {
                source_name: source_name(),
                reason: Box::new(reason),
            },
        }))
    }
}

/// Reads the games of a file, all of which must be valid.
///
/// # Errors
/// Fails if the file cannot be read, or with the first game that is not valid.
pub fn read(path: &Path) -> Result<Vec<Record>, RecordFileError> {
    RecordSource::open(path)?.collect()
}

/// Reads the valid games of a file, and returns the errors of the others.
///
/// # Errors
/// Fails if the file cannot be read, or if it has only games that are not valid.
pub fn read_valid(path: &Path) -> Result<(Vec<Record>, Vec<RecordFileError>), RecordFileError> {
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    for record in RecordSource::open(path)? {
        match record {
            Ok(record) => records.push(record),
            Err(error) => errors.push(error),
        }
    }
    if records.is_empty() && !errors.is_empty() {
        return Err(errors.swap_remove(0));
    }
    Ok((records, errors))
}

/// A game of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileGame {
    /// The game.
    pub record: Record,
    /// Its number in the file, from 1.
    pub number: usize,
    /// The number of games in the file, or of those before an error of the file.
    pub games: usize,
}

/// Reads one game of a file. Errors of other games have no effect.
///
/// # Errors
/// Fails if the file cannot be read up to the game, if it has no such game, or if that game is not
/// valid.
pub fn read_one(
    source: RecordSource,
    selector: &GameSelector,
) -> Result<FileGame, RecordFileError> {
    let source_name = source.name().to_owned();
    let (mut games, mut found) = (0, None);
    for record in source {
        match record {
            // The text behind the game is not needed.
            Err(RecordFileError::Text(_) | RecordFileError::TooLong { .. }) if found.is_some() => {
                break;
            }
            Err(error @ (RecordFileError::Text(_) | RecordFileError::TooLong { .. })) => {
                return Err(error);
            }
            Err(error) => {
                games += 1;
                if *selector == GameSelector::Number(games) {
                    return Err(error);
                }
            }
            Ok(record) => {
                games += 1;
                if found.is_none() && selector.selects(&record, games) {
                    found = Some((record, games));
                }
            }
        }
    }
    match found {
        Some((record, number)) => Ok(FileGame {
            record,
            number,
            games,
        }),
        None if games == 0 => Err(RecordFileError::NoGame(source_name)),
        None => Err(RecordFileError::NoSuchGame {
            source_name,
            game: selector.clone(),
            games,
        }),
    }
}
