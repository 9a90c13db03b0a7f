//! Kalah boards packed into words, and their sowing by table look-up.
//!
//! There are three layouts, all seen from the side to move:
//!
//! - [`PackedBoard`] has the houses alone, up to 15 a side, with the house next to the store in the
//!   lowest byte. Searches use it: the value of the houses does not depend on the stores, and the
//!   lowest bytes are the moves to try first. [`SowTable`] has its sowings.
//! - [`WideBoard`] has the houses alone in the same order, up to 26 a side, with 16 bits each, so
//!   that they hold any number of seeds. Searches use it where a [`PackedBoard`] does not suffice.
//!   [`WideSowTable`] has its sowings.
//! - [`PackedPits`] has up to 7 houses a side and the stores, with house 1 in the lowest byte, the
//!   order of observations. Environments use it: [`PitSowTable`] sows it without a branch that
//!   depends on the board.
//!
//! All tables are computed by [`kalah::Board::sow`] and the rules of `kalah`, and tests compare
//! them with [`kalah::Position`] under all presets.
//!
//! ```
//! use kalah::{Position, Rules};
//! use kalah_board::{PackedBoard, SowTable};
//!
//! let start = Position::start(6, 4, Rules::CS32)?;
//! let board = PackedBoard::<u64>::from_position(&start).expect("at most 7 houses");
//! let table = SowTable::from_position(&start).expect("at most 7 houses");
//! let mut bonus_turns = 0;
//! table.for_each_move(board, |_, successor| bonus_turns += u32::from(successor.same_player));
//! assert_eq!(bonus_turns, 1);
//! # Ok::<(), kalah::SetupError>(())
//! ```

#![forbid(unsafe_code)]

mod bytes;
mod lone_sowing;
mod perft;
mod pit_sow_table;
mod pits;
mod row;
mod sow_table;
#[cfg(test)]
mod test_cases;
mod wide_row;
mod wide_sow_table;

pub use perft::perft;
pub use pit_sow_table::{PitSowTable, SownPits};
pub use pits::{PackedPits, TurnFlags, occupied_pits};
pub use row::{PackedBoard, PackedRow};
pub use sow_table::{SowTable, Successor};
pub use wide_row::{WideBoard, WideRow};
pub use wide_sow_table::WideSowTable;
