//! The difficulty of puzzles, and the progress of the person who solves them. The formulas are
//! those of the page.

use std::ops::RangeInclusive;

use kalah_engine::{PuzzleRating, PuzzleTheme};

/// The rating before the first puzzle, near the median of the puzzles of 6x4.
const FIRST_RATING: i32 = 1000;

/// The greatest change of the rating by one puzzle.
const K_FACTOR: f64 = 20.0;

/// The difference in rating at which the better side is expected to have ten times the score.
const TENFOLD_DIFFERENCE: f64 = 400.0;

/// The distance of the limits of adaptive puzzles from the person's rating.
const ADAPTIVE_RANGE: u16 = 200;

/// Returns the score to expect against an opponent or a puzzle, from 0 to 1, by the formula of Elo:
/// `1 / (1 + 10^((opponent - own) / 400))`.
///
/// ```
/// assert_eq!(kalah_tui::expected_score(1000, 1000), 0.5);
/// assert_eq!(kalah_tui::expected_score(1000, 1400), 1.0 / 11.0);
/// ```
pub fn expected_score(own: i32, opponent: i32) -> f64 {
    let difference = f64::from(opponent - own) / TENFOLD_DIFFERENCE;
    1.0 / (1.0 + 10_f64.powf(difference))
}

/// Returns the rating after a result of 1, 0.5 or 0 against an opponent or a puzzle, by the formula
/// of Elo: the change is `k_factor` times the difference of the result and the expected score,
/// rounded. A rating is at least 0.
pub fn rating_after(own: i32, opponent: i32, result: f64, k_factor: f64) -> i32 {
    let change = k_factor * (result - expected_score(own, opponent));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a change is at most the K factor"
    )]
    let rating = own + change.round() as i32;
    rating.max(0)
}

/// The difficulty of the puzzles that a person asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PuzzleDifficulty {
    /// Near the rating of the person.
    #[default]
    Adaptive,
    /// Ratings up to 1100.
    Easy,
    /// Ratings from 1100 to 1500.
    Medium,
    /// Ratings from 1500 to 1900.
    Hard,
    /// Ratings from 1900.
    Expert,
}

impl PuzzleDifficulty {
    /// All difficulties, the adaptive one first.
    pub const ALL: [Self; 5] = [
        Self::Adaptive,
        Self::Easy,
        Self::Medium,
        Self::Hard,
        Self::Expert,
    ];

    /// Returns the name, such as `adaptive` or `easy`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Adaptive => "adaptive",
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
            Self::Expert => "expert",
        }
    }

    /// Returns the difficulty with a name.
    ///
    /// ```
    /// use kalah_tui::PuzzleDifficulty;
    /// assert_eq!(PuzzleDifficulty::from_name("hard"), Some(PuzzleDifficulty::Hard));
    /// assert_eq!(PuzzleDifficulty::from_name("x"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|difficulty| difficulty.as_str() == name)
    }

    /// Returns the ratings of the puzzles for a person with the rating `own`.
    pub fn ratings(self, own: i32) -> RangeInclusive<PuzzleRating> {
        let [min, max] = [PuzzleRating::MIN, PuzzleRating::MAX].map(PuzzleRating::get);
        let [lower, upper] = match self {
            Self::Adaptive => {
                let own = u16::try_from(own).unwrap_or_default();
                let centre = own.clamp(min + ADAPTIVE_RANGE, max - ADAPTIVE_RANGE);
                [centre - ADAPTIVE_RANGE, centre + ADAPTIVE_RANGE]
            }
            Self::Easy => [min, 1100],
            Self::Medium => [1100, 1500],
            Self::Hard => [1500, 1900],
            Self::Expert => [1900, max],
        };
        let rating = |number, default| PuzzleRating::new(number).unwrap_or(default);
        rating(lower, PuzzleRating::MIN)..=rating(upper, PuzzleRating::MAX)
    }

    /// Returns the next difficulty, in a cycle.
    pub(crate) fn next(self) -> Self {
        let index = Self::ALL.iter().position(|&other| other == self);
        Self::ALL[(index.unwrap_or_default() + 1) % Self::ALL.len()]
    }
}

/// The puzzles that a person asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PuzzleChoices {
    /// The difficulty.
    pub difficulty: PuzzleDifficulty,
    /// A theme that each puzzle has.
    pub theme: Option<PuzzleTheme>,
    /// The least depth in turns.
    pub min_depth: u32,
    /// The least number of moves to find.
    pub min_moves: usize,
    /// The maximum nodes of the proof of a position; `None` for the default.
    pub max_nodes: Option<u64>,
    /// The day, from 1970-01-01 in UTC, whose puzzle is the puzzle of the day.
    pub today: u32,
}

/// The progress of a person who solves puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuzzleProgress {
    /// The rating.
    pub rating: i32,
    /// The number of the last puzzles that were solved at the first try in a row.
    pub streak: u32,
    /// The greatest streak.
    pub best_streak: u32,
    /// The number of puzzles that were solved at the first try.
    pub solved: u32,
    /// The number of puzzles whose first try is known.
    pub played: u32,
    /// The last day whose puzzle has changed the rating.
    pub rated_day: Option<u32>,
    /// The last day whose puzzle was ended.
    pub ended_day: Option<u32>,
    /// The number of days in a row with a solved puzzle of the day, up to that one.
    pub days: u32,
    /// The greatest number of such days.
    pub best_days: u32,
}

impl Default for PuzzleProgress {
    fn default() -> Self {
        Self {
            rating: FIRST_RATING,
            streak: 0,
            best_streak: 0,
            solved: 0,
            played: 0,
            rated_day: None,
            ended_day: None,
            days: 0,
            best_days: 0,
        }
    }
}

/// A step of a puzzle that counts for the progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PuzzleStep {
    /// The first wrong try or the end of a puzzle.
    FirstTry {
        /// The rating of the puzzle.
        rating: PuzzleRating,
        /// Whether all moves were found at the first try.
        is_solved: bool,
        /// The day, if it is the puzzle of the day.
        day: Option<u32>,
    },
    /// The end of the puzzle of a day.
    DayEnded {
        /// The day.
        day: u32,
        /// Whether the person has found the solution, also after wrong tries.
        is_solved: bool,
    },
}

impl PuzzleProgress {
    /// Returns the progress after a step. The rating changes by the formula of Elo with K = 20. The
    /// puzzle of a day counts once.
    #[must_use]
    pub fn after(self, step: PuzzleStep) -> Self {
        match step {
            PuzzleStep::FirstTry { day: Some(day), .. } if self.rated_day >= Some(day) => self,
            PuzzleStep::FirstTry {
                rating,
                is_solved,
                day,
            } => {
                let streak = if is_solved { self.streak + 1 } else { 0 };
                let result = f64::from(u8::from(is_solved));
                Self {
                    rating: rating_after(self.rating, rating.get().into(), result, K_FACTOR),
                    streak,
                    best_streak: self.best_streak.max(streak),
                    solved: self.solved + u32::from(is_solved),
                    played: self.played + 1,
                    rated_day: day.or(self.rated_day),
                    ..self
                }
            }
            PuzzleStep::DayEnded { day, .. } if self.ended_day >= Some(day) => self,
            PuzzleStep::DayEnded { day, is_solved } => {
                let follows = self.ended_day.is_some_and(|last| last + 1 == day);
                let before = if follows { self.days } else { 0 };
                let days = if is_solved { before + 1 } else { 0 };
                Self {
                    ended_day: Some(day),
                    days,
                    best_days: self.best_days.max(days),
                    ..self
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_try(rating: u16, is_solved: bool, day: Option<u32>) -> PuzzleStep {
        PuzzleStep::FirstTry {
            rating: PuzzleRating::new(rating).expect("a rating"),
            is_solved,
            day,
        }
    }

    #[test]
    fn progress_follows_the_formula_of_the_page() {
        let start = PuzzleProgress::default();
        let solved = start.after(first_try(1000, true, None));
        assert_eq!(
            (solved.rating, solved.streak, solved.best_streak),
            (1010, 1, 1)
        );
        let again = solved.after(first_try(1410, true, None));
        assert_eq!((again.rating, again.streak, again.solved), (1028, 2, 2));
        let failed = again.after(first_try(1000, false, None));
        assert_eq!(
            (failed.rating, failed.streak, failed.best_streak),
            (1017, 0, 2)
        );
        assert_eq!((failed.solved, failed.played), (2, 3));
    }

    #[test]
    fn puzzle_of_a_day_counts_once_and_days_in_a_row_are_counted() {
        let ended = |day, is_solved| PuzzleStep::DayEnded { day, is_solved };
        let one = PuzzleProgress::default().after(first_try(1000, false, Some(7)));
        assert_eq!(one.rating, 990);
        assert_eq!(one.after(first_try(1000, true, Some(7))), one);
        let mut progress = one;
        for (day, is_solved, days) in [
            (7, true, 1),
            (7, false, 1),
            (8, true, 2),
            (10, true, 1),
            (11, false, 0),
            (12, true, 1),
        ] {
            progress = progress.after(ended(day, is_solved));
            assert_eq!(progress.days, days, "{day}");
        }
        assert_eq!(progress.best_days, 2);
    }

    #[test]
    fn difficulties_have_the_limits_of_the_page() {
        let limits = |difficulty: PuzzleDifficulty, own| {
            let ratings = difficulty.ratings(own);
            (ratings.start().get(), ratings.end().get())
        };
        assert_eq!(limits(PuzzleDifficulty::Adaptive, 1300), (1100, 1500));
        assert_eq!(limits(PuzzleDifficulty::Adaptive, 0), (800, 1200));
        assert_eq!(limits(PuzzleDifficulty::Adaptive, 9999), (2000, 2400));
        assert_eq!(limits(PuzzleDifficulty::Easy, 9999), (800, 1100));
        assert_eq!(limits(PuzzleDifficulty::Expert, 0), (1900, 2400));
        let mut difficulty = PuzzleDifficulty::Adaptive;
        for next in PuzzleDifficulty::ALL.into_iter().skip(1) {
            difficulty = difficulty.next();
            assert_eq!(difficulty, next);
        }
        assert_eq!(difficulty.next(), PuzzleDifficulty::Adaptive);
    }
}
