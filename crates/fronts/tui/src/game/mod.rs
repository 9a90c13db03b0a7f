//! The game on the screen: its players, clocks and files.

pub(crate) mod clock;
mod files;
mod history;
mod profile;
mod puzzles;
mod session;

pub use files::{FileEntry, GameFiles, GameFilesError, OpenedFile};
pub use history::{ClockTimes, HistoryEntry, KeptGameId};
pub use profile::{
    NewGameChoices, Preferences, Profile, RatedGame, RatingChange, RatingOutcome, UnratedReason,
    rating_note,
};
pub use puzzles::{
    PuzzleChoices, PuzzleDifficulty, PuzzleProgress, PuzzleStep, expected_score, rating_after,
};
pub use session::GameSession;
