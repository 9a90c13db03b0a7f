//! Files of game records: reading games, recording a game in a file while it is played, and saving
//! it to other files on command.

#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{error, fs};

use kalah::record::{ReadRecordError, Record, RecordError, RecordReader, TagError};
use kalah::{Ending, Game, format_count};
use kalah_players::display_path;
use kalah_text::SaveOutcome;
use kalah_tui::FileEntry;
use thiserror::Error;

use super::text_file::{self, STDIN_NAME, TextFileError};
use crate::output::messages::quoted_path;

/// The reason why no game is read from a file.
#[derive(Debug, Error)]
pub(crate) enum RecordFileError {
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
    /// The file has games, but none with the requested number.
    #[error("{source_name} contains {}, not {game}", format_count(*games as u64, "game"))]
    NoSuchGame {
        /// The quoted path of the file.
        source_name: String,
        /// The requested number, from 1.
        game: usize,
        /// The number of games in the file.
        games: usize,
    },
}

/// The games of a file or of standard input, read one after another. After an error of a game the
/// next game follows.
pub(crate) struct RecordSource {
    name: String,
    games: RecordReader<Box<dyn Read>>,
}

impl RecordSource {
    pub(crate) fn open(path: &Path) -> Result<Self, TextFileError> {
        Ok(Self {
            name: quoted_path(path),
            games: RecordReader::new(Box::new(text_file::open(path)?)),
        })
    }

    pub(crate) fn stdin() -> Result<Self, TextFileError> {
        let input = text_file::begin(STDIN_NAME, io::stdin().lock())?;
        Ok(Self {
            name: STDIN_NAME.to_owned(),
            games: RecordReader::new(Box::new(input)),
        })
    }

    /// Returns the quoted path of the file, or `standard input`.
    pub(crate) fn name(&self) -> &str {
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
                RecordFileError::Text(TextFileError::NotUtf8 {
                    source_name: source_name(),
                    line,
                    byte,
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
pub(crate) fn read(path: &Path) -> Result<Vec<Record>, RecordFileError> {
    RecordSource::open(path)?.collect()
}

/// Reads the valid games of a file, and returns the errors of the others.
///
/// # Errors
/// Fails if the file cannot be read, or if it has only games that are not valid.
pub(crate) fn read_valid(
    path: &Path,
) -> Result<(Vec<Record>, Vec<RecordFileError>), RecordFileError> {
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

/// Reads one game of a file by its number from 1. Returns it with the number of games in the file.
/// Errors of other games have no effect.
pub(crate) fn read_one(path: &Path, number: usize) -> Result<(Record, usize), RecordFileError> {
    let (mut games, mut found) = (0, None);
    for record in RecordSource::open(path)? {
        match record {
            // The text behind the game is not needed.
            Err(RecordFileError::Text(_) | RecordFileError::TooLong { .. }) if found.is_some() => {
                break;
            }
            Err(error @ (RecordFileError::Text(_) | RecordFileError::TooLong { .. })) => {
                return Err(error);
            }
            record => {
                games += 1;
                if games == number {
                    found = Some(record?);
                }
            }
        }
    }
    match found {
        Some(record) => Ok((record, games)),
        None if games == 0 => Err(RecordFileError::NoGame(quoted_path(path))),
        None => Err(RecordFileError::NoSuchGame {
            source_name: quoted_path(path),
            game: number,
            games,
        }),
    }
}

/// The extension of record files.
pub(crate) const EXTENSION: &str = "kgn";

/// Lists the folder above a folder, its folders, and its record files. Hidden files are left out.
///
/// # Errors
/// Fails if the folder cannot be read.
pub(crate) fn list(folder: &Path) -> Result<Vec<FileEntry>, TextFileError> {
    let cannot_read = |reason| TextFileError::Read {
        source_name: quoted_path(folder),
        reason,
    };
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot_read)? {
        let path = entry.map_err(cannot_read)?.path();
        // The target of a link decides. A file that has gone in the meantime is left out.
        let Ok(metadata) = fs::metadata(&path) else {
            continue;
        };
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_record = path
            .extension()
            .is_some_and(|extension| extension == EXTENSION);
        if !name.starts_with('.') && (metadata.is_dir() || metadata.is_file() && is_record) {
            entries.push(FileEntry {
                name,
                path,
                is_folder: metadata.is_dir(),
            });
        }
    }
    entries.sort_by_key(|entry| (!entry.is_folder, entry.name.to_lowercase()));
    if let Some(parent) = folder.parent() {
        let above = FileEntry {
            name: "..".to_owned(),
            path: parent.to_owned(),
            is_folder: true,
        };
        entries.insert(0, above);
    }
    Ok(entries)
}

/// Parses the text of the file at `path`.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Vec<Record>, RecordFileError> {
    Record::parse_all(text).map_err(|reason| RecordFileError::Record {
        source_name: quoted_path(path),
        reason: Box::new(reason),
    })
}

/// Appends records to the games of a file, and creates the file if it does not exist.
///
/// # Errors
/// Fails if the file cannot be read or written. A file with anything but games is not changed.
pub(crate) fn append(path: &Path, records: &[Record]) -> Result<(), RecorderError> {
    let mut text = read_games_before_another(path)?;
    let records: Vec<String> = records.iter().map(Record::to_string).collect();
    text += &records.join("\n");
    Ok(text_file::replace(path, &text)?)
}

/// Returns the text of a file of games, to which another game can be appended; an empty text if the
/// file does not exist.
fn read_games_before_another(path: &Path) -> Result<String, RecorderError> {
    let mut text = String::new();
    if text_file::exists(path)? {
        text = text_file::read(path)?;
        parse(path, &text)?;
    }
    while !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    Ok(text)
}

/// Records a game in a file while it is played. When a call returns, the file contains the current
/// game, and at every moment it contains a complete record.
///
/// The games that precede it in the file are kept. A file that another program has changed in the
/// meantime is not written. The comments and variations of a resumed game are kept as far as the
/// game still contains their plies.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    path: PathBuf,
    /// The text of the games that precede the game in the file.
    preceding_games: String,
    /// The record of the game when recording began.
    record: Record,
    /// The text that the recorder wrote last; `None` before the first write.
    last_text: Option<String>,
}

/// The reason why a game is not recorded.
#[derive(Debug, Error)]
pub(crate) enum RecorderError {
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] TextFileError),
    /// The file contains text that is not a record.
    #[error(transparent)]
    NotARecordFile(#[from] RecordFileError),
    /// Another program has changed the file, which is not written.
    #[error("cannot record in '{}': another program has changed it", display_path(.0))]
    ModifiedExternally(PathBuf),
    /// The game does not match the tags of the record.
    #[error(transparent)]
    OtherGame(#[from] TagError),
}

impl Recorder {
    /// Appends `record` to the games of a file and creates the file if it does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written. A file with anything but games is not changed.
    pub(crate) fn append(path: &Path, record: Record) -> Result<Self, RecorderError> {
        Self::create(path, read_games_before_another(path)?, record)
    }

    /// Replaces the contents of a file by `preceding_games` and `record`.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn resume(
        path: &Path,
        preceding_games: &[Record],
        record: Record,
    ) -> Result<Self, RecorderError> {
        let preceding_games = preceding_games
            .iter()
            .flat_map(|record| [record.to_string(), "\n".to_owned()])
            .collect();
        Self::create(path, preceding_games, record)
    }

    fn create(path: &Path, preceding_games: String, record: Record) -> Result<Self, RecorderError> {
        let mut recorder = Self {
            path: path.to_owned(),
            preceding_games,
            record,
            last_text: None,
        };
        recorder.write_file(&recorder.record.clone())?;
        Ok(recorder)
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the current game, with its ending if it has ended.
    ///
    /// # Errors
    /// Fails if the file cannot be written or was changed by another program. The file is unchanged
    /// then.
    pub(crate) fn write(
        &mut self,
        game: &Game,
        ending: Option<Ending>,
    ) -> Result<(), RecorderError> {
        let mut record = self.record.clone();
        record.set_game(game)?;
        if let Some(ending) = ending {
            record.set_ending(ending)?;
        }
        self.write_file(&record)
    }

    fn write_file(&mut self, record: &Record) -> Result<(), RecorderError> {
        if let Some(last_text) = &self.last_text
            // A file that was deleted is written again.
            && text_file::exists(&self.path)?
            && text_file::read(&self.path)? != *last_text
        {
            return Err(RecorderError::ModifiedExternally(self.path.clone()));
        }
        let text = format!("{}{record}", self.preceding_games);
        text_file::replace(&self.path, &text)?;
        self.last_text = Some(text);
        Ok(())
    }
}

/// The files to which a game was saved.
///
/// The first save to a file appends the game to the games in it. The next save replaces what was
/// saved before if the game continues it, and else appends the game again.
pub(crate) struct SaveFiles {
    /// The record of the game at its start, with the tags of saved records.
    record: Record,
    /// The file in which the game is recorded after every ply, if any.
    recording_path: Option<PathBuf>,
    /// The last save to each file.
    saved_games: Vec<SavedGame>,
}

/// The game as a file contains it.
struct SavedGame {
    recorder: Recorder,
    game: Game,
    ending: Option<Ending>,
}

impl SavedGame {
    /// Returns whether `game` continues the saved game, so that replacing it loses no ply.
    fn is_continued_by(&self, game: &Game, ending: Option<Ending>) -> bool {
        let (saved, plies) = (self.game.plies(), game.plies());
        match self.ending {
            Some(_) => saved == plies && self.ending == ending,
            None => plies.starts_with(saved),
        }
    }
}

impl SaveFiles {
    pub(crate) fn new(record: Record, recording_path: Option<PathBuf>) -> Self {
        Self {
            record,
            recording_path,
            saved_games: Vec::new(),
        }
    }

    /// Saves the game to `path`, with its ending if it has ended.
    ///
    /// # Errors
    /// Fails if the file cannot be written. A file with anything but games is not changed.
    pub(crate) fn save(
        &mut self,
        game: &Game,
        ending: Option<Ending>,
        path: &Path,
    ) -> Result<SaveOutcome, Box<dyn error::Error>> {
        let is_target = |other: &Path| text_file::is_same_file(other, path);
        if self.recording_path.as_deref().is_some_and(is_target) {
            return Ok(SaveOutcome::AlreadyRecorded);
        }
        let previous = self
            .saved_games
            .iter()
            .position(|saved| is_target(saved.recorder.path()));
        let previous = previous.map(|index| self.saved_games.swap_remove(index));
        let mut recorder = match previous {
            Some(saved) if saved.is_continued_by(game, ending) => saved.recorder,
            _ => Recorder::append(path, self.record.clone())?,
        };
        recorder.write(game, ending)?;
        self.saved_games.push(SavedGame {
            recorder,
            game: game.clone(),
            ending,
        });
        Ok(SaveOutcome::Written)
    }
}
