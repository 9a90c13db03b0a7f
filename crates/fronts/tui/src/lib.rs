//! Kalah on the full screen of a terminal.
//!
//! [`run`] plays games. The crate reads and writes no files: the caller provides them as
//! [`GameFiles`]. The state of the screen is a model that only `update` changes and `view` draws
//! (`screen/`); the event loop (`app/`) connects both with the terminal and the worker threads.

#![forbid(unsafe_code)]

mod app;
mod game;
mod screen;

pub use app::config::{AppConfig, FirstGame, Symbols, TuiError};
pub use app::run;
pub use app::terminal::{closing_sequence, is_screen_supported};
pub use game::{
    ClockTimes, FileEntry, GameFiles, GameFilesError, GameSession, HistoryEntry, KeptGameId,
    NewGameChoices, OpenedFile, Preferences, Profile, PuzzleChoices, PuzzleDifficulty,
    PuzzleProgress, PuzzleStep, RatedGame, RatingChange, RatingOutcome, StartHelp, UnratedReason,
    expected_score, rating_after, rating_note,
};
pub use screen::model::animation::AnimationSpeed;
