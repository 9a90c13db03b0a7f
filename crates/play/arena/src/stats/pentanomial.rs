//! Scores of games and of game pairs, and the pentanomial counts of a match.

use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The result of a game for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameScore {
    /// No point.
    Loss,
    /// Half a point.
    Tie,
    /// One point.
    Win,
}

/// The result, for one of the players, of two games from one opening with sides exchanged.
///
/// Each player has the advantage of the first move once, so that it cancels out in the sum. The
/// statistics count pairs for this reason, not games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairScore {
    /// Two losses.
    Nothing,
    /// A loss and a tie.
    Half,
    /// A win and a loss, or two ties.
    One,
    /// A win and a tie.
    OneAndHalf,
    /// Two wins.
    Two,
}

impl GameScore {
    /// All scores, the worst first.
    pub const ALL: [Self; 3] = [Self::Loss, Self::Tie, Self::Win];

    /// Returns the score of the other player.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Tie => Self::Tie,
            Self::Win => Self::Loss,
        }
    }

    /// Returns the points in halves: 0, 1 or 2.
    pub const fn half_points(self) -> u8 {
        match self {
            Self::Loss => 0,
            Self::Tie => 1,
            Self::Win => 2,
        }
    }
}

impl PairScore {
    /// All scores, the worst first.
    pub const ALL: [Self; 5] = [
        Self::Nothing,
        Self::Half,
        Self::One,
        Self::OneAndHalf,
        Self::Two,
    ];

    /// Adds the scores that one player made in the two games.
    ///
    /// ```
    /// use kalah_arena::{GameScore, PairScore};
    /// assert_eq!(PairScore::from_games(GameScore::Win, GameScore::Tie), PairScore::OneAndHalf);
    /// assert_eq!(PairScore::from_games(GameScore::Win, GameScore::Loss), PairScore::One);
    /// ```
    pub const fn from_games(one: GameScore, other: GameScore) -> Self {
        match one.half_points() + other.half_points() {
            0 => Self::Nothing,
            1 => Self::Half,
            2 => Self::One,
            3 => Self::OneAndHalf,
            _ => Self::Two,
        }
    }

    /// Returns the score of the other player.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        match self {
            Self::Nothing => Self::Two,
            Self::Half => Self::OneAndHalf,
            Self::One => Self::One,
            Self::OneAndHalf => Self::Half,
            Self::Two => Self::Nothing,
        }
    }

    /// Returns the points in halves, from 0 to 4.
    pub const fn half_points(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Half => 1,
            Self::One => 2,
            Self::OneAndHalf => 3,
            Self::Two => 4,
        }
    }

    /// Returns the fraction of the two points: 0, 1/4, 1/2, 3/4 or 1.
    pub(super) fn fraction(self) -> f64 {
        f64::from(self.half_points()) / 4.0
    }

    /// Returns the index in [`PairScore::ALL`].
    pub(super) fn index(self) -> usize {
        usize::from(self.half_points())
    }
}

/// The number of game pairs with each [`PairScore`], from the perspective of one player.
///
/// All statistics of a match are functions of these five counts.
///
/// ```
/// use kalah_arena::{PairScore, Pentanomial};
/// let mut pairs: Pentanomial = [PairScore::Two, PairScore::One].into_iter().collect();
/// pairs.add(PairScore::Two);
/// assert_eq!(pairs.to_string(), "[0, 0, 1, 0, 2]");
/// assert_eq!(pairs.mirrored(), Pentanomial::new([2, 0, 1, 0, 0]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pentanomial([u32; 5]);

impl Pentanomial {
    /// Wraps counts in the order of [`PairScore::ALL`]: two losses first, two wins last.
    pub const fn new(counts: [u32; 5]) -> Self {
        Self(counts)
    }

    /// Returns the counts in the order of [`PairScore::ALL`].
    pub const fn counts(&self) -> [u32; 5] {
        self.0
    }

    /// Returns the number of pairs with this score.
    pub fn count(&self, score: PairScore) -> u32 {
        self.0[score.index()]
    }

    /// Counts one more pair.
    pub fn add(&mut self, score: PairScore) {
        let count = &mut self.0[score.index()];
        *count = count.saturating_add(1);
    }

    /// Returns the number of pairs.
    pub fn pair_count(&self) -> u64 {
        self.0.iter().copied().map(u64::from).sum()
    }

    /// Returns the points in halves, at most four a pair.
    pub fn half_points(&self) -> u64 {
        (PairScore::ALL.iter().zip(self.0))
            .map(|(score, count)| u64::from(score.half_points()) * u64::from(count))
            .sum()
    }

    /// Returns the counts of the other player.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let [nothing, half, one, one_and_half, two] = self.0;
        Self([two, one_and_half, one, half, nothing])
    }

    /// Returns the score of all pairs if they all have the same one.
    pub fn only_score(&self) -> Option<PairScore> {
        let mut scores = (PairScore::ALL.into_iter()).filter(|&score| self.count(score) > 0);
        scores.next().filter(|_| scores.next().is_none())
    }
}

impl FromIterator<PairScore> for Pentanomial {
    fn from_iter<I: IntoIterator<Item = PairScore>>(scores: I) -> Self {
        let mut pairs = Self::default();
        for score in scores {
            pairs.add(score);
        }
        pairs
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Self) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }
}

/// `[13, 37, 50, 25, 3]`, as fastchess prints it under the name `Ptnml(0-2)`.
impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.0.map(|count| count.to_string());
        f.pad(&format!("[{}]", counts.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_players_share_the_points() {
        for one in GameScore::ALL {
            assert_eq!(one.half_points() + one.mirrored().half_points(), 2);
            for other in GameScore::ALL {
                let pair = PairScore::from_games(one, other);
                assert_eq!(pair.half_points(), one.half_points() + other.half_points());
                let mirrored = PairScore::from_games(one.mirrored(), other.mirrored());
                assert_eq!(pair.mirrored(), mirrored);
                assert_eq!(PairScore::ALL[pair.index()], pair);
            }
        }
    }
}
