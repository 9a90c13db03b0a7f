//! Endgame tables for Kalah: the exact gain of every position with few seeds in its houses,
//! computed in one pass from the empty board up.
//!
//! A [`Table`] belongs to one [`Variant`](kalah::Variant): a number of houses, and the rules that
//! still matter after the first plies. It lives in memory or in a file, whose format
//! `docs/tables.md` describes. A [`PackedTable`] is the same table in an eighth to a tenth of the
//! bytes, from which [`PackedTable::unpack`] makes the file again.

mod file;
mod generate;
mod index;
mod packed;
mod table;
mod values;

pub use file::build::{BuildEvent, BuildFileError};
pub use file::damage::{TableDamage, TableFault};
pub use file::header::{Header, HeaderError};
pub use file::verify::{FileRevision, VerifyError};
pub use file::{ChecksumPolicy, OpenError};
pub use packed::PackedTable;
pub use packed::chunk::PackedFault;
pub use packed::pack::PackError;
pub use packed::unpack::UnpackError;
pub use table::{BuildError, BuildMemory, BuildProgress, Table, TableSlot};
pub use values::prefetch;
