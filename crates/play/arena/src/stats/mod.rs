//! Statistics of matches: scores, strengths, sequential tests and rating lists.

mod bradley_terry;
mod cross_table;
mod elo;
mod estimate;
mod pentanomial;
mod rating;
mod sprt;

pub use cross_table::{Contestant, CrossTable, HeadToHead, Standing, Tally};
pub use elo::{Elo, ScoreFraction};
pub use estimate::{Estimate, Interval, NormalizedElo, Superiority};
pub use pentanomial::{GameScore, PairScore, Pentanomial};
pub use rating::{Anchor, Rating, RatingEntry, RatingList};
pub use sprt::{Sprt, SprtError, SprtState, Verdict};
