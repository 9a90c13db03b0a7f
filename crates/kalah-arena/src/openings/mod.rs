//! Openings: how the games of a tournament begin.

mod book;
mod text;

pub use book::{Opening, Openings, OpeningsProblem, PliesError, ShuffledOpenings};
pub(crate) use book::{is_possible, parse_game};
pub use text::OpeningsError;
