//! Events that change the model, and effects that an update requests.

use std::path::PathBuf;
use std::time::Duration;

use kalah::{Game, PlayerAction, Position, Side};
use kalah_engine::{Report, Review};
use ratatui::crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::Size;

use crate::config::SaveOutcome;
use crate::text::hint::Hint;

/// The number of a request to a worker. A response to an earlier request is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequestId(pub(crate) u64);

/// Input of the screen.
#[derive(Clone, Debug)]
pub(crate) enum AppEvent {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Resized(Size),
    /// The time since the screen was opened.
    Tick(Duration),
    /// A program has answered a request for a move.
    PlayerActed(RequestId, PlayerAction),
    /// The hint, `None` if the game is over.
    HintFound(RequestId, Option<Hint>),
    /// The margins of the moves, as far as they are known.
    Analyzed(RequestId, Report),
    /// The number of positions that the review has analyzed.
    ReviewProgressed(RequestId, usize),
    Reviewed(RequestId, Box<Review>),
    /// The result of saving the game to a file.
    Saved(PathBuf, Result<SaveOutcome, String>),
    /// The result of writing the record of the game.
    Recorded(Result<(), String>),
}

/// Work for the event loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AppEffect {
    /// Requests a move of the program that began on this side.
    RequestMove {
        request_id: RequestId,
        player: Side,
        position: Position,
    },
    /// Makes the program return its best move so far.
    MoveNow,
    /// Cancels the request for a move.
    CancelMove,
    RequestHint(RequestId, Position),
    /// Requests the margins of all moves.
    Analyze(RequestId, Position),
    /// Cancels the request for a hint or for margins.
    StopAnalysis,
    Review(RequestId, Game),
    /// Cancels the request for a review.
    StopReview,
    /// Writes the record of the game, which has changed or ended.
    Record,
    /// Saves the game to a file.
    Save(PathBuf),
    /// Starts workers and records for the new game of the model.
    StartNewGame,
    /// Closes the screen.
    Quit,
}
