//! Boards as the search represents them: packed rows, sowing by table, keys and the evaluation.

pub(crate) mod key;
mod packed;
pub(crate) mod search_board;
mod sow_table;

pub(crate) use packed::PackedBoard;
pub use sow_table::perft;
