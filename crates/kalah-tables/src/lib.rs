//! Endgame tables for Kalah: the exact gain of every position with few seeds in its houses, computed
//! in one pass from the empty board up.
//!
//! A [`Table`] is about one [`Variant`] of the game: a number of houses, and the rules as far as they
//! matter once a game has begun.

mod generate;
mod layout;
mod memory;
#[expect(
    unsafe_code,
    reason = "lengths are checked once a list, not once a value"
)]
mod moves;
mod row_index;
mod rows;
mod sowings;
mod table;
mod variant;

pub use table::{BuildError, Progress, Slot, Table};
pub use variant::Variant;
