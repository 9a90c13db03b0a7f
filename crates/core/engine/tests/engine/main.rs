//! Analyses, players, puzzles and reviews through the public interface of the crate.

mod analysis;
mod arena;
mod books;
mod chances;
mod estimates;
mod goals;
mod naive_margin;
mod positions;
mod puzzle_themes;
mod puzzles;
mod reasons;
mod review;
mod root_moves;
mod smart;
