use std::path::PathBuf;
use std::time::Duration;

use kalah::{Game, PlayerAction, Position, Side};
use kalah_engine::{Report, Review};
use ratatui::crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::Size;

use crate::{Hint, SaveOutcome};

/// Tells a question from all others, so that an answer that nobody waits for any more is known as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequestId(pub(crate) u64);

/// What comes to the screen from outside.
#[derive(Clone, Debug)]
pub(crate) enum AppEvent {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Resized(Size),
    /// So much time has passed since the screen was opened.
    Tick(Duration),
    /// What a program says to the question that it was asked.
    PlayerActed(RequestId, PlayerAction),
    /// What is advised.
    HintFound(RequestId, Option<Hint>),
    /// What is known of the choices by now.
    Analyzed(RequestId, Report),
    /// So many positions of the game have been looked into.
    ReviewProgressed(RequestId, usize),
    /// The game was looked back on.
    Reviewed(RequestId, Box<Review>),
    /// What became of a game that was to be saved.
    Saved(PathBuf, Result<SaveOutcome, String>),
    /// Whether the file that keeps the game ply by ply has it as it is now.
    Recorded(Result<(), String>),
}

/// What the screen wants done outside of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AppEffect {
    /// Asks the program that began on this side.
    RequestMove {
        request_id: RequestId,
        player: Side,
        position: Position,
    },
    /// The answer under way is wanted at once.
    MoveNow,
    /// The answer under way is not wanted any more.
    CancelMove,
    /// Asks what to do.
    RequestHint(RequestId, Position),
    /// Asks for the margin of every choice.
    Analyze(RequestId, Position),
    /// Nobody waits for hints and margins any more.
    StopAnalysis,
    /// Asks what the plies of the game cost.
    Review(RequestId, Game),
    /// Nobody waits for that any more.
    StopReview,
    /// The game has changed, or ended.
    Record,
    /// Saves the game.
    Save(PathBuf),
    /// Another game has begun, with players of its own.
    StartNewGame,
    /// Closes the screen.
    Quit,
}
