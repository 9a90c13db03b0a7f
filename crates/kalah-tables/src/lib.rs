//! Endgame tables for Kalah: the exact gain of every position with few seeds in its houses, computed
//! in one pass from the empty board up.
//!
//! A [`Table`] is about one [`Variant`] of the game: a number of houses, and the rules as far as they
//! matter once a game has begun. It lives in memory or in a file, whose format `docs/tables.md` describes.

mod block;
mod bundle;
mod file;
mod generate;
mod header;
mod lanes;
mod layout;
mod memory;
mod moves;
mod part;
mod prefetch;
mod row_index;
mod rows;
mod sowings;
mod table;
#[cfg_attr(
    any(unix, windows),
    expect(unsafe_code, reason = "the system maps files only on trust")
)]
mod values;
mod variant;
mod verify;

pub use file::OpenError;
pub use header::{Header, HeaderError};
pub use part::{BuildEvent, BuildFileError};
pub use prefetch::prefetch;
pub use table::{BuildError, BuildProgress, Table, TableSlot};
pub use variant::Variant;
pub use verify::VerifyError;
