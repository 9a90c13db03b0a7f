//! Recording a game in a file while it is played.

use std::path::{Path, PathBuf};

use kalah::record::{PlyTimes, Record, TagError};
use kalah::{Ending, Game};
use kalah_players::quoted_path;
use thiserror::Error;

use crate::read::{self, RecordFileError};
use crate::text_file::{self, LockedFile, TextFileError};

/// Records a game in a file while it is played. When a call returns, the file contains the current
/// game, and at every moment it contains a complete record.
///
/// The games that precede it in the file are kept. A file that another program has changed in the
/// meantime is not written. The comments and variations of a resumed game are kept as far as the
/// game still contains their plies.
#[derive(Clone, Debug)]
pub struct Recorder {
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
pub enum RecorderError {
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] TextFileError),
    /// The file contains text that is not a record.
    #[error(transparent)]
    NotARecordFile(#[from] RecordFileError),
    /// Another program has changed the file, which is not written.
    #[error("cannot record in {}: another program has changed it", quoted_path(.0))]
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
    pub fn append(path: &Path, record: Record) -> Result<Self, RecorderError> {
        let mut recorder = Self::new(path, String::new(), record);
        loop {
            let file = LockedFile::lock(path)?;
            if file.exists() {
                recorder.preceding_games = games_before_another(path)?;
            }
            if recorder.replace(file, &recorder.record.clone())? {
                return Ok(recorder);
            }
        }
    }

    /// Replaces the last game of a file, after `preceding_games`, by `record`.
    ///
    /// # Errors
    /// Fails if the file cannot be written, or has other games before the last one.
    pub fn resume(
        path: &Path,
        preceding_games: &[Record],
        record: Record,
    ) -> Result<Self, RecorderError> {
        let file = LockedFile::lock(path)?;
        let games = preceding_games.iter();
        let text = games
            .flat_map(|record| [record.to_string(), "\n".to_owned()])
            .collect();
        let mut recorder = Self::new(path, text, record);
        let is_unchanged = !file.exists()
            || (read::read(path)?.split_last())
                .is_some_and(|(_, preceding)| preceding == preceding_games);
        if is_unchanged && recorder.replace(file, &recorder.record.clone())? {
            return Ok(recorder);
        }
        Err(RecorderError::ModifiedExternally(recorder.path))
    }

    fn new(path: &Path, preceding_games: String, record: Record) -> Self {
        Self {
            path: path.to_owned(),
            preceding_games,
            record,
            last_text: None,
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Sets a tag of the record, which the next [`Self::write`] writes.
    ///
    /// # Errors
    /// [`RecorderError::OtherGame`] if the game does not match the tag.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) -> Result<(), RecorderError> {
        Ok(self.record.set_tag(name, value)?)
    }

    /// Writes the current game, with its ending if it has ended and the known times of its plies.
    ///
    /// # Errors
    /// Fails if the file cannot be written or was changed by another program. The file is unchanged
    /// then.
    pub fn write(
        &mut self,
        game: &Game,
        ending: Option<Ending>,
        times: &[PlyTimes],
    ) -> Result<(), RecorderError> {
        let mut record = self.record.clone();
        record.set_game(game)?;
        record.set_ply_times(times);
        if let Some(ending) = ending {
            record.set_ending(ending)?;
        }
        self.write_file(&record)
    }

    fn write_file(&mut self, record: &Record) -> Result<(), RecorderError> {
        let path = self.path.clone();
        let file = LockedFile::lock(&path)?;
        // A file that was deleted is written again.
        let is_unchanged =
            !file.exists() || Some(text_file::read_any_size(&path)?) == self.last_text;
        if is_unchanged && self.replace(file, record)? {
            return Ok(());
        }
        Err(RecorderError::ModifiedExternally(path))
    }

    /// Writes the games to the file. Returns whether no other program has created it meanwhile.
    fn replace(&mut self, file: LockedFile<'_>, record: &Record) -> Result<bool, RecorderError> {
        let text = format!("{}{record}", self.preceding_games);
        let is_written = file.replace(&text)?;
        if is_written {
            self.last_text = Some(text);
        }
        Ok(is_written)
    }
}

/// Returns the text of a file of games, to which another game can be appended.
fn games_before_another(path: &Path) -> Result<String, RecorderError> {
    let mut text = text_file::read_any_size(path)?;
    Record::parse_all(&text).map_err(|reason| RecordFileError::Record {
        source_name: quoted_path(path),
        reason: Box::new(reason),
    })?;
    while !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    Ok(text)
}
