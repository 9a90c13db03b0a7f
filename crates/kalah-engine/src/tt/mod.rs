//! The hash tables of a search: the transposition table and the table of proof numbers.

mod cluster;
pub(crate) mod proof;
pub(crate) mod transposition;
