//! The game on the screen: its players, clocks and files.

pub(crate) mod clock;
mod files;
mod history;
mod profile;
mod puzzles;
mod session;

pub use files::{FileEntry, GameFiles, GameFilesError, OpenedFile};
pub use history::{ClockTimes, HistoryEntry, KeptGameId};
pub(crate) use profile::HELPED_NOTE;
pub use profile::{
    NewGameChoices, Preferences, Profile, RatedGame, RatingChange, RatingOutcome, StartHelp,
    UnratedReason, rating_note,
};
pub use puzzles::{
    PuzzleChoices, PuzzleDifficulty, PuzzleProgress, PuzzleStep, expected_score, rating_after,
};
pub use session::GameSession;
