//! The interface to the caller: a game with its players and its files, the configuration of the
//! screen, and errors.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kalah::{
    ActionError, BySide, ClockSetting, Ending, Game, Labels, Move, PlayerAction, PlayerId, Ply,
    Position, Referee, Side, Termination,
};
use kalah_players::{EngineFactory, PlayerKind, PlayerSpec, Shutdown};
use thiserror::Error;

use crate::text::Palette;

/// A game and its two players. Specs and names are indexed by the side on which a player began.
#[derive(Clone, Debug)]
pub struct GameSession {
    referee: Referee,
    specs: BySide<PlayerSpec>,
    names: BySide<String>,
}

/// Configuration of [`run`](crate::run).
pub struct AppConfig<'a> {
    /// The game and its players.
    pub session: GameSession,
    /// The clocks of the players, `None` for a game without clocks.
    pub clock: Option<ClockSetting>,
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
    /// How the first game begins.
    pub opening: FirstGame,
    /// The characters that the terminal can show.
    pub symbols: Symbols,
    /// Whether the screen shows a sowing seed by seed until the user changes the speed.
    pub is_animated: bool,
    /// Whether two programs wait for a key between turns until the user changes it.
    pub pause_between_turns: bool,
    /// The request to close the screen.
    pub shutdown: Shutdown,
    /// Ends the process at once. The screen calls it if the terminal blocks after a shutdown was
    /// requested.
    pub force_exit: fn() -> !,
}

/// How the first game on the screen begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstGame {
    /// At once.
    AtOnce,
    /// After a dialog for the players, the rules and the board, which suggests those of the
    /// session.
    NewGameDialog,
}

/// The characters that a terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symbols {
    /// All characters of the screen, in UTF-8.
    #[default]
    Unicode,
    /// ASCII characters, which replace the others.
    Ascii,
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

    /// Saves earlier games, which are finished, and the current state of the game to `path`. Without
    /// a ply, the current game is saved only if there are no earlier ones.
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

    /// Ends the recording until the next new game, because the screen shows a game from a file.
    ///
    /// # Errors
    /// If the names of the players cannot be written to a record.
    fn start_opened_game(&mut self, session: &GameSession) -> Result<(), GameFilesError>;
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
    /// The games, up to the first one that is not valid.
    pub games: Vec<GameSession>,
    /// The error of that game, if there is one.
    pub error: Option<String>,
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
    #[error("interrupted; the game was not finished")]
    Interrupted,
    /// The terminal was closed.
    #[error("the terminal was closed; the game was not finished")]
    TerminalClosed,
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

impl GameSession {
    /// Combines a game with its players, by the side on which they began.
    pub fn new(game: Game, specs: BySide<PlayerSpec>, names: BySide<String>) -> Self {
        Self {
            referee: Referee::new(game, BySide::from_fn(|side| is_human(specs[side]))),
            specs,
            names,
        }
    }

    /// Ends a game that is not over, as a record of it says: on time, by a crash, or by resignation.
    /// The winner is a side at the end of the game.
    pub fn end(&mut self, termination: Termination, winner: Option<Side>) {
        self.referee.end(termination, winner);
    }

    /// Returns the referee of the game.
    pub fn referee(&self) -> &Referee {
        &self.referee
    }

    /// Returns the game.
    pub fn game(&self) -> &Game {
        self.referee.game()
    }

    /// Returns the position after the last ply.
    pub fn position(&self) -> &Position {
        self.referee.position()
    }

    /// Returns the ending of the game, if it is over.
    pub fn ending(&self) -> Option<Ending> {
        self.referee.ending()
    }

    /// Returns the specs of the players, by the side on which they began.
    pub fn specs(&self) -> BySide<PlayerSpec> {
        self.specs
    }

    /// Returns the names of the players, by the side on which they began.
    pub fn names(&self) -> &BySide<String> {
        &self.names
    }

    /// Returns the names by the side of the players after `plies`, which begin at the start.
    pub(crate) fn names_after(&self, plies: &[Ply]) -> BySide<&str> {
        let is_swapped = plies.iter().any(|ply| ply.mv == Move::Swap);
        BySide::from_fn(|side| {
            let player = PlayerId::at_side(side, is_swapped);
            &*self.names[player.started_as]
        })
    }

    /// Returns the current side of the player who began on `started_as`.
    pub(crate) fn current_side(&self, started_as: Side) -> Side {
        PlayerId::new(started_as).side(self.game().is_swapped())
    }

    /// Returns whether a person plays.
    pub(crate) fn has_human(&self) -> bool {
        Side::ALL.iter().any(|&side| is_human(self.specs[side]))
    }

    /// Returns the side to move if a person plays it.
    pub(crate) fn human_to_move(&self) -> Option<Side> {
        let side = self.referee.side_to_act()?;
        self.is_human_on(side, self.game()).then_some(side)
    }

    /// Returns the program to move, by the side on which it began.
    pub(crate) fn computer_to_move(&self) -> Option<Side> {
        let side = self.referee.side_to_act()?;
        let player = self.game().player_on(side).started_as;
        (!is_human(self.specs[player])).then_some(player)
    }

    /// Performs an action of the side to move, and returns its ply.
    ///
    /// # Errors
    /// If the referee rejects the action, or if it is not a move.
    pub(crate) fn play(&mut self, action: PlayerAction) -> Result<&Ply, ActionError> {
        self.referee.apply(action)?;
        self.game().plies().last().ok_or(ActionError::NoMove)
    }

    /// Resigns the game for the person to move. Returns whether there is one.
    pub(crate) fn resign_human(&mut self) -> bool {
        self.human_to_move().is_some() && self.resign_side_to_move()
    }

    /// Resigns the game for the side to move, if the game is not over. Returns whether it was not.
    fn resign_side_to_move(&mut self) -> bool {
        self.ending().is_none() && self.referee.apply(PlayerAction::Resign).is_ok()
    }

    /// Ends the game as unfinished, if it is not over.
    pub(crate) fn abandon(&mut self) {
        if self.ending().is_none() {
            // The referee never rejects this action.
            let _ = self.referee.apply(PlayerAction::Quit);
        }
    }

    /// Undoes the end of a game that was not over by the rules, or all plies since the last decision of a person.
    ///
    /// # Errors
    /// [`ActionError::NothingToUndo`] if no person has moved.
    pub(crate) fn undo(&mut self) -> Result<(), ActionError> {
        let mut game = self.game().clone();
        // A resignation, or a loss on time.
        let is_ended_early = self.ending().is_some() && game.outcome().is_none();
        if is_ended_early {
            self.restart_referee(game);
            return Ok(());
        }
        while game.undo().is_some() {
            if self.is_human_on(game.position().to_move(), &game) {
                self.restart_referee(game);
                return Ok(());
            }
        }
        Err(ActionError::NothingToUndo)
    }

    /// Plays the undone plies again, up to the next decision of a person.
    ///
    /// # Errors
    /// [`ActionError::NothingToRedo`] if there is no undone ply.
    pub(crate) fn redo(&mut self) -> Result<(), ActionError> {
        let mut game = self.game().clone();
        if !self.has_human() || game.redo().is_none() {
            return Err(ActionError::NothingToRedo);
        }
        while !self.is_human_on(game.position().to_move(), &game) && game.redo().is_some() {}
        self.restart_referee(game);
        Ok(())
    }

    fn restart_referee(&mut self, game: Game) {
        let interactive = BySide::from_fn(|side| is_human(self.specs[side]));
        self.referee = Referee::new(game, interactive);
    }

    fn is_human_on(&self, side: Side, game: &Game) -> bool {
        is_human(self.specs[game.player_on(side).started_as])
    }
}

fn is_human(spec: PlayerSpec) -> bool {
    spec.kind == PlayerKind::Human
}
