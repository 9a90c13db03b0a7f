//! The games of a record file, as a command line gives them.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah::record::{Record, Tags};
use kalah_record_files::{FileGame, GameSelector, RecordSource, read_one};

use super::values::STDIN_ARGUMENT;
use crate::batch::BatchGames;
use crate::error::CliError;

/// The name of a player without a name in the record.
pub(crate) const UNNAMED: &str = "?";

/// A record file, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RecordFile {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl From<PathBuf> for RecordFile {
    fn from(path: PathBuf) -> Self {
        if path.as_os_str() == STDIN_ARGUMENT {
            Self::Stdin
        } else {
            Self::File(path)
        }
    }
}

impl RecordFile {
    /// Opens the source of the games.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if it cannot be read.
    pub(crate) fn open(&self) -> Result<RecordSource, CliError> {
        Ok(match self {
            Self::Stdin => RecordSource::stdin()?,
            Self::File(path) => RecordSource::open(path)?,
        })
    }
}

/// One game of a record file, or many of them.
#[derive(Clone, Debug, Args)]
pub(crate) struct RecordedGamesArgs {
    /// The record file, or `-` for standard input
    #[arg(value_name = "FILE.kgn|-", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// The game: its number in the file, from 1, or its round, such as 1.10.2 [default: 1]
    #[arg(long, value_name = "N|ROUND")]
    game: Option<GameSelector>,
    /// All games: the output has a row of JSON or CSV for each of them
    #[arg(long, conflicts_with = "game")]
    all: bool,
    /// All games of a player whose name contains this text, in capital or small letters
    #[arg(long, value_name = "TEXT", conflicts_with = "game")]
    player: Option<String>,
}

/// The games that a command line selects.
pub(crate) enum RecordedGames {
    /// One game.
    One(FileGame),
    /// Many games.
    Many(BatchGames),
}

impl RecordedGamesArgs {
    /// Returns the game, or the source of the games.
    ///
    /// # Errors
    /// [`CliError::Runtime`] if the game cannot be read.
    pub(crate) fn to_games(&self) -> Result<RecordedGames, CliError> {
        let file = RecordFile::from(self.file.clone());
        if self.all || self.player.is_some() {
            let player = self.player.clone();
            return Ok(RecordedGames::Many(BatchGames { file, player }));
        }
        let selector = self.game.clone().unwrap_or_default();
        Ok(RecordedGames::One(read_one(file.open()?, &selector)?))
    }
}

/// Returns whether the name of a player contains `name`, which has small letters.
pub(crate) fn has_player(record: &Record, name: &str) -> bool {
    let names = [Tags::SOUTH, Tags::NORTH].map(|tag| record.tags().get(tag));
    let mut names = names.into_iter().flatten();
    names.any(|player| player.to_lowercase().contains(name))
}
