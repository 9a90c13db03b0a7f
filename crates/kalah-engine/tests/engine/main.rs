//! Analyses, players, puzzles and reviews through the public interface of the crate.

mod arena;
mod choices;
mod damaged;
mod exact;
mod knowing;
mod puzzles;
mod review;
mod strength;
mod ties;
