//! The commands about a position, and the measurement of searches.

pub(crate) mod analyze;
mod batch_analysis;
pub(crate) mod bench;
pub(crate) mod perft;
pub(crate) mod puzzle;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod tree;
