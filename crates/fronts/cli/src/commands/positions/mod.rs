//! The commands about a position, and the measurement of searches.

mod analysis;
pub(crate) mod analyze;
pub(crate) mod bench;
pub(crate) mod perft;
pub(crate) mod puzzle;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod tree;
