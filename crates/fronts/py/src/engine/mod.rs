//! Analyses, players, reviews and puzzles.

pub(crate) mod analysis;
pub(crate) mod factory;
pub(crate) mod players;
pub(crate) mod puzzle;
pub(crate) mod report;
pub(crate) mod review;
