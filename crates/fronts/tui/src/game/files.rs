//! The files of games, which the caller provides.

use std::error::Error;
use std::path::{Path, PathBuf};

use kalah_text::SaveOutcome;

use super::history::{ClockTimes, HistoryEntry, KeptGameId};
use super::session::GameSession;

/// The files of the game on the screen.
pub trait GameFiles {
    /// Returns the file that [`record`](Self::record) writes, if there is one.
    fn recording_path(&self) -> Option<&Path>;

    /// Returns whether games without a file that records them are kept in the history.
    fn keeps_games(&self) -> bool;

    /// Writes the current state of the game to the file that records it or, without such a file, to
    /// the history. Does nothing without both. `clock` has the clocks after the last ply.
    ///
    /// # Errors
    /// If the file cannot be written. The screen shows the error and continues.
    fn record(
        &mut self,
        session: &GameSession,
        clock: Option<ClockTimes>,
    ) -> Result<(), GameFilesError>;

    /// Saves earlier games, which are finished, and the current state of the game to `path`.
    /// Without a ply, the current game is saved only if there are no earlier ones.
    ///
    /// # Errors
    /// If the file cannot be written. The screen shows the error and continues.
    fn save(
        &mut self,
        earlier_games: &[GameSession],
        session: &GameSession,
        path: &Path,
    ) -> Result<SaveOutcome, GameFilesError>;

    /// Returns the folder whose files the user first chooses from.
    fn folder(&self) -> PathBuf;

    /// Lists the folders and the files of games in a folder, beginning with the folder above.
    ///
    /// # Errors
    /// If the folder cannot be read. The screen shows the error and continues.
    fn list(&self, folder: &Path) -> Result<Vec<FileEntry>, GameFilesError>;

    /// Reads the games of a file.
    ///
    /// # Errors
    /// If the file cannot be read, or if it begins with something other than a game. The screen
    /// shows the error and continues.
    fn open(&self, path: &Path) -> Result<OpenedFile, GameFilesError>;

    /// Starts to record and to save a new game, which follows the previous game in the file that
    /// records it.
    ///
    /// # Errors
    /// If the file cannot be written. The screen shows the error, and the game is not recorded.
    fn start_new_game(&mut self, session: &GameSession) -> Result<(), GameFilesError>;

    /// Ends the recording until the next new game, because the screen shows a game from a file or
    /// from the history. The history keeps the game once it is played on: as the game `kept` if it
    /// continues this one, and otherwise as another game.
    ///
    /// # Errors
    /// If the names of the players cannot be written to a record.
    fn start_opened_game(
        &mut self,
        session: &GameSession,
        kept: Option<KeptGameId>,
    ) -> Result<(), GameFilesError>;

    /// Returns the games of the history, the newest first, without the current one unless it is
    /// finished.
    ///
    /// # Errors
    /// If they cannot be read, or if the history is switched off. The screen shows the error and
    /// continues.
    fn history(&mut self) -> Result<Vec<HistoryEntry>, GameFilesError>;

    /// Deletes a game of the history.
    ///
    /// # Errors
    /// If the game is played in another window, or if the history cannot be written. The screen
    /// shows the error and continues.
    fn delete_kept(&mut self, id: KeptGameId) -> Result<(), GameFilesError>;
}

/// A folder or a file of games in a list of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// The name to show, `..` for the folder above.
    pub name: String,
    /// The path.
    pub path: PathBuf,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// The games of a file.
#[derive(Clone, Debug)]
pub struct OpenedFile {
    /// The valid games.
    pub games: Vec<GameSession>,
    /// The error of the first other game, if there is one.
    pub error: Option<String>,
}

/// The reason why a file of a game was not written.
pub type GameFilesError = Box<dyn Error>;
