//! Endgame tables for Kalah: the exact gain of every position with few seeds in its houses, computed
//! in one pass from the empty board up.
//!
//! A [`Table`] is about one [`Variant`] of the game: a number of houses, and the rules as far as they
//! matter once a game has begun. It lives in memory or in a file, whose format `docs/tables.md` describes.

mod file;
mod generate;
mod index;
mod table;
#[cfg_attr(
    any(unix, windows),
    expect(unsafe_code, reason = "the system maps files only on trust")
)]
mod values;

pub use file::OpenError;
pub use file::build::{BuildEvent, BuildFileError};
pub use file::header::{Header, HeaderError};
pub use file::verify::VerifyError;
pub use table::{BuildError, BuildProgress, Table, TableSlot, Variant};
pub use values::prefetch;
