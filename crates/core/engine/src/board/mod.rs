//! Boards as the search represents them: packed rows or positions, with keys and the evaluation.

pub(crate) mod board_type;
pub(crate) mod key;
pub(crate) mod search_board;
mod wide_board;
