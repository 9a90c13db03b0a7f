//! Openings, the plies with which the games of a tournament begin.

mod book;
mod text;

pub use book::{Opening, Openings, OpeningsProblem, PliesError, ShuffledOpenings};
pub(crate) use book::{is_possible_margin, parse_plies};
pub use text::OpeningsError;
