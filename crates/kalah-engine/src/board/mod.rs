//! Board representations of the search.

pub(crate) mod evaluation;
pub(crate) mod key;
mod packed;
pub(crate) mod search_board;
mod sow_table;

pub(crate) use packed::PackedBoard;
pub use sow_table::perft;
