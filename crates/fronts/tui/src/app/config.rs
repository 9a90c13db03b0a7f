//! The configuration of the screen, and its errors.

use std::io::{self, ErrorKind};
use std::time::Duration;

use kalah::{Game, Labels};
use kalah_players::{EngineFactory, EngineProtocol, Shutdown};
use kalah_text::Palette;
use thiserror::Error;

use crate::game::{
    ClockTimes, GameFiles, GameFilesError, GameSession, Preferences, Profile, PuzzleChoices,
    PuzzleProgress,
};

/// Configuration of [`run`](crate::run).
pub struct AppConfig<'a> {
    /// The game and its players.
    pub session: GameSession,
    /// The clocks of the players, `None` for a game without clocks.
    pub clock: Option<ClockTimes>,
    /// The labels of the houses.
    pub labels: Labels,
    /// The colours. [`Palette::PLAIN`] stands for a screen without colours.
    pub palette: Palette,
    /// The protocols of programs that play.
    pub protocols: &'static [&'static EngineProtocol],
    /// The files of the game.
    pub files: &'a mut dyn GameFiles,
    /// The profile of the user; `None` if nothing is remembered.
    pub profile: Option<&'a mut dyn Profile>,
    /// The preferences of the user.
    pub preferences: Preferences,
    /// The puzzles that the user asks for.
    pub puzzles: PuzzleChoices,
    /// The progress of the user in puzzles.
    pub puzzle_progress: PuzzleProgress,
    /// Returns the factory of engines for a game, or the reason why there is none.
    pub engines: &'a dyn Fn(&Game) -> Result<EngineFactory, String>,
    /// The time for a move of a player whose spec has no time limit.
    pub move_time: Duration,
    /// The time for a hint.
    pub hint_time: Duration,
    /// Whether these times limit built-in players and hints, and others limit reviews. If not, the
    /// limits of the engines alone end their searches.
    pub is_time_limited: bool,
    /// The seed of players that use randomness.
    pub seed: u64,
    /// How the first game begins.
    pub opening: FirstGame,
    /// A message for the user, which the screen shows at its start.
    pub notice: Option<String>,
    /// Problems of files, such as a damaged history, which a dialog shows at the start.
    pub warnings: Vec<String>,
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
    /// Behind puzzles.
    Puzzles,
    /// Behind the puzzle of the day.
    DailyPuzzle,
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
    Output(#[source] io::Error),
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

impl TuiError {
    /// Returns the error of reading the terminal.
    pub(crate) fn from_input(error: io::Error) -> Self {
        if error.kind() == ErrorKind::UnexpectedEof || is_of_closed_terminal(&error) {
            Self::TerminalClosed
        } else {
            Self::Input(error)
        }
    }
}

/// Converts an error of writing to the terminal.
impl From<io::Error> for TuiError {
    fn from(error: io::Error) -> Self {
        if is_of_closed_terminal(&error) {
            Self::TerminalClosed
        } else {
            Self::Output(error)
        }
    }
}

/// Returns whether an error is that of a terminal that was closed: reading and writing fail with
/// `EIO`, also before the signal of the terminal arrives.
#[cfg(unix)]
fn is_of_closed_terminal(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error())
}

#[cfg(not(unix))]
fn is_of_closed_terminal(_error: &io::Error) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn closed_terminal_is_no_fault_of_input_or_output() {
        let closed = || rustix::io::Errno::IO.into();
        assert!(matches!(
            TuiError::from_input(closed()),
            TuiError::TerminalClosed
        ));
        assert!(matches!(TuiError::from(closed()), TuiError::TerminalClosed));
        let full = || rustix::io::Errno::NOSPC.into();
        assert!(matches!(TuiError::from_input(full()), TuiError::Input(_)));
        assert!(matches!(TuiError::from(full()), TuiError::Output(_)));
    }
}
