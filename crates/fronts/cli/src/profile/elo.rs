//! Ratings by the formula of Elo: of games against levels.

use kalah_engine::LevelNumber;
use kalah_tui::rating_after;
use serde::{Deserialize, Serialize};

/// The rating before the first game: a little above level 2.
const FIRST_RATING: i32 = 1000;

/// The greatest change of the rating by one of the first games, and by one of the others, as FIDE
/// has them.
const FIRST_K_FACTOR: f64 = 40.0;
const K_FACTOR: f64 = 20.0;

/// The number of the first games.
const FIRST_GAMES: u32 = 30;

/// The ratings of the levels: level 1 has 800 by definition, and each other level as many more than
/// the one below as its score against that one on 6x4 gives, which `docs/levels.md` has.
const LEVEL_RATINGS: [i32; 10] = [800, 975, 1090, 1281, 1428, 1520, 1629, 1770, 1876, 1960];

/// Returns the rating of a level.
pub(crate) fn level_rating(level: LevelNumber) -> i32 {
    let index = usize::from(level.get()).saturating_sub(1);
    LEVEL_RATINGS[index.min(LEVEL_RATINGS.len() - 1)]
}

/// The rating of the user in games against levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GameRating {
    /// The rating.
    pub(crate) rating: i32,
    /// The number of rated games.
    pub(crate) games: u32,
}

impl Default for GameRating {
    fn default() -> Self {
        Self {
            rating: FIRST_RATING,
            games: 0,
        }
    }
}

impl GameRating {
    /// Returns the rating after a game with a score of 1, 0.5 or 0 points.
    pub(crate) fn after(self, opponent: i32, score: f64) -> Self {
        let k_factor = if self.games < FIRST_GAMES {
            FIRST_K_FACTOR
        } else {
            K_FACTOR
        };
        Self {
            rating: rating_after(self.rating, opponent, score, k_factor),
            games: self.games + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The difference in rating at which the better side is expected to have ten times the score.
    const TENFOLD_DIFFERENCE: f64 = 400.0;

    #[test]
    fn ratings_of_levels_follow_from_their_scores() {
        // The points of each level against the one below on 6x4, in percent: docs/levels.md.
        let scores: [f64; 9] = [73.2, 66.0, 75.0, 70.0, 63.0, 65.2, 69.2, 64.8, 61.8];
        let document = include_str!("../../../../../docs/levels.md");
        let mut rating = f64::from(LEVEL_RATINGS[0]);
        for ((level, score), rounded) in (2..).zip(scores).zip(&LEVEL_RATINGS[1..]) {
            let row = format!("| level {level} against {} | {score:.1} %", level - 1);
            assert!(document.contains(&row), "{row}");
            rating += TENFOLD_DIFFERENCE * (score / (100.0 - score)).log10();
            assert!(
                (rating - f64::from(*rounded)).abs() <= 0.5,
                "{level}: {rating}"
            );
        }
    }

    #[test]
    fn rating_changes_by_the_formula_of_elo() {
        let rating = GameRating::default();
        assert_eq!(
            rating.after(1000, 1.0),
            GameRating {
                rating: 1020,
                games: 1
            }
        );
        assert_eq!(
            rating.after(1000, 0.5),
            GameRating {
                rating: 1000,
                games: 1
            }
        );
        // An expectation of 1/11.
        assert_eq!(rating.after(1400, 0.0).rating, 996);
        assert_eq!(rating.after(1400, 1.0).rating, 1036);
        let experienced = GameRating {
            rating: 1000,
            games: 30,
        };
        assert_eq!(experienced.after(1000, 0.0).rating, 990);
        let weak = GameRating {
            rating: 3,
            games: 0,
        };
        assert_eq!(weak.after(0, 0.0).rating, 0);
    }
}
