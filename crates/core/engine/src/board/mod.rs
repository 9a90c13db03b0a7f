//! Boards as the search represents them: packed rows, sowing by table, keys and the evaluation.

pub(crate) mod board_type;
pub(crate) mod key;
pub(crate) mod packed;
pub(crate) mod search_board;
mod sow_table;

pub use sow_table::perft;
