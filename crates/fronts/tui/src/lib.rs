//! Kalah in a terminal.
//!
//! [`run`] plays a game on the full screen. [`HumanPlayer`] asks a person for moves in plain mode,
//! and [`GamePrinter`] prints a game while a [`Referee`](kalah::Referee) runs it. Both interfaces
//! use the text of [`BoardDrawing`], [`EventDescriber`], [`Notation`], [`Hint`] and
//! [`ReviewOutput`].
//!
//! The crate reads and writes no files: the caller provides them as [`GameFiles`]. The state of the
//! screen is a model that only `update` changes and `view` draws; the event loop in `app.rs`
//! connects both with the terminal and the worker threads.

#![forbid(unsafe_code)]

mod animation;
mod app;
mod clock;
mod dialog;
mod event;
mod game_printer;
mod game_review;
mod human_player;
mod input;
mod job_control;
mod keys;
mod model;
mod position_editor;
mod puzzle;
mod session;
mod terminal;
#[cfg(test)]
mod tests;
mod text;
mod update;
mod variation;
mod view;
mod workers;

pub use app::run;
pub use game_printer::{GamePrinter, print_game};
pub use human_player::{Echo, HumanPlayer, PromptContext};
pub use session::{
    AppConfig, FileEntry, FirstGame, GameFiles, GameFilesError, GameSession, OpenedFile,
    SaveOutcome, Symbols, TuiError,
};
pub use terminal::is_screen_supported;
pub use text::{
    BoardDrawing, EventDescriber, Hint, Notation, Palette, ReviewOutput, describe_bounds,
    format_cost, format_ply_count, review_summary,
};
