//! Files of game records: reading games one after another, appending games, recording a game while
//! it is played, saving a game to other files on command, and keeping all games of a user.
//!
//! [`text_file`] has what these files share with other files of text.

#![forbid(unsafe_code)]

mod append;
mod history;
mod read;
mod recorder;
mod save_files;
mod selector;
#[cfg(test)]
mod tests;
pub mod text_file;
mod undone;

pub use append::{append, check_append};
pub use history::{History, HistoryError, HistoryGame, HistoryId, KeptGame, ParseHistoryIdError};
pub use read::{FileGame, RecordFileError, RecordSource, read, read_one, read_valid};
pub use recorder::{Recorder, RecorderError};
pub use save_files::SaveFiles;
pub use selector::{GameSelector, ParseGameSelectorError};
pub use undone::{set_undone, take_undone};

/// The extension of record files.
pub const EXTENSION: &str = "kgn";
