use std::path::{Path, PathBuf};

use kalah::record::{Record, TagError};
use kalah::{Ending, Game};
use thiserror::Error;

use crate::record_file::{self, RecordFileError, escaped_path};
use crate::text_file::{self, TextFileError};

/// Keeps the record of a game in a file while it is played: when a call returns, the file holds the
/// game as it is then, and it holds a whole game at every moment.
///
/// Other games of the file stay in front of it. A file that somebody else has changed since is left as
/// it is. Comments and variations of a game that goes on
/// stay as far as it still agrees with them.
///
/// ```
/// use kalah::record::Record;
/// use kalah::{Move, Game, House, Position, Rules};
/// use kalah_cli::Recorder;
///
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("game.kgn");
/// let mut game = Game::new(Position::start(6, 4, Rules::CS32)?);
/// let mut recorder = Recorder::append(&path, Record::from_game(&game))?;
/// game.play(Move::Sow(House::new(3).expect("from 1 to 26")))?;
/// recorder.write(&game, None)?;
/// assert!(std::fs::read_to_string(&path)?.ends_with("\n1. C *\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recorder {
    path: PathBuf,
    /// The games in front.
    preceding_games: String,
    /// The game as it began, or was found.
    record: Record,
    /// What the file holds, unless somebody else changes it.
    known_contents: KnownContents,
}

/// What a [`Recorder`] knows of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum KnownContents {
    /// Nothing yet.
    Unknown,
    /// This text.
    Text(String),
}

/// Why a game is not recorded.
#[derive(Debug, Error)]
pub enum RecorderError {
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] TextFileError),
    /// The file holds something to which no game can be added.
    #[error(transparent)]
    NotARecordFile(#[from] RecordFileError),
    /// Somebody else has changed the file, which is left as it is.
    #[error("cannot record in '{}': another program has changed it", escaped_path(.0))]
    ModifiedExternally(PathBuf),
    /// The game is another one than that of the record.
    #[error(transparent)]
    OtherGame(#[from] TagError),
}

impl Recorder {
    /// Adds `record` to the games of a file, which is made if it is not there.
    ///
    /// # Errors
    /// Why that cannot be; a file that holds anything but games is not touched.
    pub fn append(path: &Path, record: Record) -> Result<Self, RecorderError> {
        let mut before = String::new();
        if text_file::exists(path)? {
            before = text_file::read(path)?;
            record_file::parse(path, &before)?;
        }
        while !before.is_empty() && !before.ends_with("\n\n") {
            before.push('\n');
        }
        let mut recorder = Self {
            path: path.to_owned(),
            preceding_games: before,
            record,
            known_contents: KnownContents::Unknown,
        };
        recorder.write_file(&recorder.record.clone())?;
        Ok(recorder)
    }

    /// Lets a file hold the games `before` and `record` after them, instead of what it holds.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn resume(path: &Path, before: &[Record], record: Record) -> Result<Self, RecorderError> {
        let mut recorder = Self {
            path: path.to_owned(),
            preceding_games: before
                .iter()
                .flat_map(|record| [record.to_string(), "\n".to_owned()])
                .collect(),
            record,
            known_contents: KnownContents::Unknown,
        };
        recorder.write_file(&recorder.record.clone())?;
        Ok(recorder)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets the file hold the game as it is now, and how it ended if it has.
    ///
    /// # Errors
    /// If that cannot be; the file is as before then.
    pub fn write(&mut self, game: &Game, ending: Option<Ending>) -> Result<(), RecorderError> {
        let mut record = self.record.clone();
        record.set_game(game)?;
        if let Some(ending) = ending {
            record.set_ending(ending)?;
        }
        self.write_file(&record)
    }

    fn write_file(&mut self, record: &Record) -> Result<(), RecorderError> {
        if let KnownContents::Text(held) = &self.known_contents
            // A file that is gone has nothing to lose.
            && text_file::exists(&self.path)?
            && text_file::read(&self.path)? != *held
        {
            return Err(RecorderError::ModifiedExternally(self.path.clone()));
        }
        let text = format!("{}{record}", self.preceding_games);
        text_file::replace(&self.path, &text)?;
        self.known_contents = KnownContents::Text(text);
        Ok(())
    }
}
