//! Kalah in a terminal: the parts of which the command `kalah` is made, for other programs too.
//!
//! A [`Human`] is a player who is asked line by line; a [`Teller`] draws a game and tells it in
//! words while a [`Referee`](kalah::Referee) leads it; a [`Drawing`] is a position as text.

#![forbid(unsafe_code)]

mod drawing;
mod failure;
mod hint;
mod human;
mod line;
mod naming;
mod palette;
mod record_file;
mod recorder;
mod said;

mod shown;
mod teller;
mod text_file;
mod words;

pub use drawing::Drawing;
pub use failure::Failure;
pub use hint::Hint;
pub use human::{Echo, Human};
pub use naming::Naming;
pub use palette::Palette;
pub use record_file::RecordFileError;
pub use recorder::{Recorder, RecorderError};
pub use teller::{Teller, tell_game};
pub use text_file::TextFileError;
pub use words::Words;
