//! The puzzle of a day.

use kalah::{Position, Rules};

use super::{PuzzleGenerator, PuzzleRating};

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

impl PuzzleGenerator {
    /// Creates a generator whose first puzzle is that of a day, the same for everybody: on 6x4 with
    /// the rules [`Rules::STANDARD`], with a rating that rises from Monday to Sunday. `day` counts
    /// the days in UTC since 1970-01-01.
    ///
    /// ```
    /// use kalah_engine::PuzzleGenerator;
    ///
    /// const MONDAY: u32 = 20_786; // 2026-11-30
    /// let puzzle = PuzzleGenerator::daily(MONDAY).next().expect("each day has a puzzle");
    /// assert!((800..=1000).contains(&puzzle.rating.get()));
    /// ```
    ///
    /// # Panics
    /// Never: the ratings are constants.
    pub fn daily(day: u32) -> Self {
        let day_of_week = (day as usize % RATINGS.len() + FIRST_DAY_OF_WEEK) % RATINGS.len();
        let [min, max] = RATINGS[day_of_week]
            .map(|rating| PuzzleRating::new(rating).expect("a rating of a puzzle"));
        Self::new(Self::daily_start(), FIRST_SEED + u64::from(day)).with_ratings(min..=max)
    }

    /// Returns the position in which the games of the puzzles of days begin.
    ///
    /// # Panics
    /// Never: the board is a constant.
    pub fn daily_start() -> Position {
        Position::start(HOUSES, SEEDS, Rules::STANDARD).expect("6x4 is playable")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_rise_from_monday_to_sunday() {
        // 2026-11-23 is a Monday.
        const MONDAY: u32 = 20_780;
        for (days, [min, max]) in (0_u32..).zip(RATINGS) {
            let generator = PuzzleGenerator::daily(MONDAY + days);
            let numbers = (
                generator.ratings.start().get(),
                generator.ratings.end().get(),
            );
            assert_eq!(numbers, (min, max));
        }
        assert!(RATINGS.is_sorted());
    }
}
