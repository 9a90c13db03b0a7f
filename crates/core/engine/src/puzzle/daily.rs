//! The puzzle of a day.

use std::ops::RangeInclusive;

use kalah::{Position, Rules};

use super::{Puzzle, PuzzleGenerator, PuzzleRating};

/// The houses a side and the seeds in each house of the puzzles of days.
const HOUSES: u8 = 6;
const SEEDS: u64 = 4;

/// The seed of the games of day 0.
const FIRST_SEED: u64 = 0x6461_696C_7900_0000;

/// The least and the greatest rating of each day of the week, from Monday to Sunday.
const RATINGS: [[u16; 2]; 7] = [
    [800, 1000],
    [900, 1200],
    [1000, 1400],
    [1100, 1500],
    [1300, 1700],
    [1500, 2000],
    [1700, 2400],
];

/// The place of 1970-01-01, a Thursday, among the days of the week, from Monday as 0.
const FIRST_DAY_OF_WEEK: usize = 3;

/// The work of the games for a puzzle with the rating of the day, and that of the games for any
/// puzzle if they have none, as [`PuzzleGenerator::with_max_work`] counts it. Of 105 days, one had
/// no puzzle with its rating.
const RATED_WORK: u64 = 300_000_000;
const UNRATED_WORK: u64 = 100_000_000;

impl Puzzle {
    /// The maximum work of [`Self::daily`].
    pub const MAX_DAILY_WORK: u64 = RATED_WORK + UNRATED_WORK;

    /// Returns the puzzle of a day, the same for all players: on 6x4 with the rules
    /// [`Rules::STANDARD`], with a rating that rises from Monday to Sunday. `day` counts the days
    /// in UTC since 1970-01-01. If the games of the day have no puzzle of this rating, the puzzle
    /// has any; `None` if they have none at all.
    ///
    /// ```
    /// use kalah_engine::Puzzle;
    ///
    /// const MONDAY: u32 = 20_787; // 2026-11-30
    /// let puzzle = Puzzle::daily(MONDAY).expect("the day has a puzzle");
    /// assert!((800..=1000).contains(&puzzle.rating.get()));
    /// ```
    pub fn daily(day: u32) -> Option<Self> {
        let games =
            || PuzzleGenerator::new(Self::daily_start(), FIRST_SEED.wrapping_add(day.into()));
        let mut rated = games().with_ratings(ratings(day)).with_max_work(RATED_WORK);
        let mut unrated = games().with_max_work(UNRATED_WORK);
        rated.next().or_else(|| unrated.next())
    }

    /// Returns the position in which the games of the puzzles of days begin.
    ///
    /// # Panics
    /// Never: the board is a constant.
    pub fn daily_start() -> Position {
        Position::start(HOUSES, SEEDS, Rules::STANDARD).expect("6x4 is playable")
    }
}

/// Returns the range of the ratings of a day.
fn ratings(day: u32) -> RangeInclusive<PuzzleRating> {
    let day_of_week = (day as usize % RATINGS.len() + FIRST_DAY_OF_WEEK) % RATINGS.len();
    let [min, max] = RATINGS[day_of_week].map(PuzzleRating::new);
    min.unwrap_or(PuzzleRating::MIN)..=max.unwrap_or(PuzzleRating::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_rise_from_monday_to_sunday() {
        // 2026-11-23.
        const MONDAY: u32 = 20_780;
        for (days, expected) in (0_u32..).zip(RATINGS) {
            let range = ratings(MONDAY + days);
            assert_eq!([range.start().get(), range.end().get()], expected);
        }
        assert!(RATINGS.is_sorted());
    }
}
