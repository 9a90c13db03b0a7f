//! The events that change the model, and the effects that an update requests from the event loop.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use kalah::{Game, MoveTime, PlayerAction, Position, Side};
use kalah_engine::{Puzzle, PuzzleRating, Report};
use ratatui::crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::Size;

use crate::game::{
    FileEntry, HistoryEntry, KeptGameId, OpenedFile, PuzzleChoices, PuzzleProgress, PuzzleStep,
    RatingOutcome,
};
use kalah_text::Hint;
use kalah_text::SaveOutcome;

/// The number of a request to a worker. A response to an earlier request is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorkerRequestId(pub(crate) u64);

/// A puzzle that the screen needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WantedPuzzle {
    /// A puzzle from games that begin with a position, as the user has chosen.
    Chosen {
        start: Position,
        ratings: RangeInclusive<PuzzleRating>,
        choices: PuzzleChoices,
    },
    /// The puzzle of a day, from 1970-01-01 in UTC.
    Daily(u32),
}

/// Input of the screen.
#[derive(Clone, Debug)]
pub(crate) enum AppEvent {
    Key(KeyEvent),
    Mouse(MouseEvent),
    /// A pasted text.
    Paste(String),
    Resized(Size),
    /// The time since the screen was opened.
    Tick(Duration),
    /// A program has answered a request for a move.
    PlayerActed(WorkerRequestId, PlayerAction),
    /// A program has failed to answer a request for a move, for this reason.
    PlayerFailed(WorkerRequestId, String),
    /// The program that began on this side has written lines to its standard error.
    ProgramPrinted(Side, Vec<String>),
    /// The hint, `None` if the game is over.
    HintFound(WorkerRequestId, Option<Hint>),
    /// The margins of the moves, as far as they are known.
    Analyzed(WorkerRequestId, Report),
    /// The number of positions that the review has analyzed.
    ReviewProgressed(WorkerRequestId, usize),
    /// The reports about the start of a game and about the position after each ply.
    Reviewed(WorkerRequestId, Vec<Report>),
    /// The result of saving the game to a file.
    Saved(PathBuf, Result<SaveOutcome, String>),
    /// The next puzzle, `None` if the generator finds none.
    PuzzleFound(WorkerRequestId, Option<Box<Puzzle>>),
    /// Puzzles are shown from the start of the screen.
    PuzzleOpened {
        is_daily: bool,
    },
    /// The progress of the user in puzzles, after a step was counted.
    PuzzleCounted(PuzzleProgress),
    /// The folder whose files the user chooses from.
    FolderFound(PathBuf),
    /// The files of a folder.
    FilesListed(PathBuf, Result<Vec<FileEntry>, String>),
    /// The games of a file.
    GamesRead(PathBuf, Result<OpenedFile, String>),
    /// The games of the history, the newest first.
    HistoryListed(Result<Vec<HistoryEntry>, String>),
    /// The effect of the finished game on the rating of the user.
    GameRated(RatingOutcome),
    /// The profile of the user cannot be written, for this reason.
    ProfileFailed(String),
    /// The result of writing the record of the game.
    Recorded(Result<(), String>),
}

/// Work for the event loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AppEffect {
    /// Requests a move of the program that began on this side.
    RequestMove {
        request_id: WorkerRequestId,
        player: Side,
        game: Game,
        /// The time that its clock leaves for the move.
        clock_time: Option<MoveTime>,
    },
    /// Starts workers for other players of the same game.
    ReplacePlayers,
    /// Makes the program return its best move so far.
    MoveNow,
    /// Cancels the request for a move.
    CancelMove,
    RequestHint(WorkerRequestId, Position),
    /// Requests the margins of all moves.
    Analyze(WorkerRequestId, Position),
    /// Cancels the request for a hint or for margins.
    StopAnalysis,
    Review(WorkerRequestId, Game),
    /// Cancels the request for a review.
    StopReview,
    RequestPuzzle(WorkerRequestId, WantedPuzzle),
    /// Counts a step of a puzzle for the progress of the user.
    CountPuzzle(PuzzleStep),
    /// Writes the record of the game, which has changed or ended.
    Record,
    /// Saves the game to a file.
    Save(PathBuf),
    /// Finds the folder whose files the user chooses from.
    ChooseFile,
    ListFiles(PathBuf),
    ReadGames(PathBuf),
    /// Starts workers and records for the new game of the model.
    StartNewGame,
    /// Starts workers for the opened game of the model, which is not recorded. It may continue a
    /// game of the history.
    StartOpenedGame(Option<KeptGameId>),
    ListHistory,
    /// Deletes a game of the history, and lists the others.
    DeleteKept(KeptGameId),
    /// Remembers the preferences of the user.
    SavePreferences,
    /// Counts the finished game for the rating of the user.
    RateGame,
    /// Copies a text to the clipboard of the terminal.
    Copy(String),
    /// Draws the whole screen again.
    Redraw,
    /// Stops the process until the shell continues it.
    Suspend,
    /// Closes the screen.
    Quit,
}
