//! The interface to the caller: configuration, files of the game, and errors.

use std::error::Error;
use std::io;
use std::path::Path;
use std::time::Duration;

use kalah::{Game, Labels};
use kalah_players::{EngineFactory, Shutdown};
use thiserror::Error;

use crate::session::GameSession;
use crate::text::palette::Palette;

/// Configuration of [`run`](crate::run).
pub struct AppConfig<'a> {
    /// The game and its players.
    pub session: GameSession,
    /// The labels of the houses.
    pub labels: Labels,
    /// The colours. [`Palette::PLAIN`] stands for a screen without colours.
    pub palette: Palette,
    /// The files of the game.
    pub files: &'a mut dyn GameFiles,
    /// Returns the factory of engines for a game, or the reason why there is none.
    pub engines: &'a dyn Fn(&Game) -> Result<EngineFactory, String>,
    /// The time for a move of a player whose spec has no time limit.
    pub move_time: Duration,
    /// The time for a hint.
    pub hint_time: Duration,
    /// The seed of players that use randomness.
    pub seed: u64,
    /// Whether the screen shows a sowing seed by seed until the user changes the pace.
    pub is_animated: bool,
    /// Whether two programs wait for a key between turns until the user changes it.
    pub pause_between_turns: bool,
    /// The request to close the screen.
    pub shutdown: Shutdown,
    /// Ends the process at once. The screen calls it if the terminal blocks after a shutdown was
    /// requested.
    pub force_exit: fn() -> !,
}

/// The files of the game on the screen.
pub trait GameFiles {
    /// Returns the file that [`record`](Self::record) writes, if there is one.
    fn recording_path(&self) -> Option<&Path>;

    /// Writes the current state of the game to the file that records it. Does nothing without such
    /// a file.
    ///
    /// # Errors
    /// If the file cannot be written. The screen shows the error and continues.
    fn record(&mut self, session: &GameSession) -> Result<(), GameFilesError>;

    /// Saves the current state of the game to `path`.
    ///
    /// # Errors
    /// If the file cannot be written. The screen shows the error and continues.
    fn save(&mut self, session: &GameSession, path: &Path) -> Result<SaveOutcome, GameFilesError>;

    /// Starts to record and to save a new game, which follows the previous game in the file that
    /// records it.
    ///
    /// # Errors
    /// If the file cannot be written. The error closes the screen.
    fn start_new_game(&mut self, session: &GameSession) -> Result<(), GameFilesError>;
}

/// The result of saving a game to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    /// The file contains the game as it is now.
    Written,
    /// The file is the one in which the game is recorded after every ply.
    AlreadyRecorded,
}

/// The reason why a file of a game was not written.
pub type GameFilesError = Box<dyn Error>;

/// The reason why an interface in the terminal failed.
#[derive(Debug, Error)]
pub enum TuiError {
    /// A shutdown was requested before the player quit.
    #[error("interrupted: the game is not finished")]
    Interrupted,
    /// The input cannot be read.
    #[error("cannot read the input: {0}")]
    Input(#[source] io::Error),
    /// The output cannot be written.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    /// A worker thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    /// A worker thread panicked with this message.
    #[error("a worker thread failed: {0}")]
    Worker(String),
    /// No engine can be created.
    #[error("{0}")]
    Engine(String),
    /// The record of the game cannot be written.
    #[error(transparent)]
    Files(GameFilesError),
}
