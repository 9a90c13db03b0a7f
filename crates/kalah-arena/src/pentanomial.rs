use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::PairScore;

/// How many pairs of games brought how much, told of one of the two players: the five counts that all statistics
/// of a match go by.
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
    /// Of counts in the order of [`PairScore::ALL`]: both lost first, both won last.
    pub const fn new(counts: [u32; 5]) -> Self {
        Self(counts)
    }

    /// The counts in the order of [`PairScore::ALL`].
    pub const fn counts(&self) -> [u32; 5] {
        self.0
    }

    /// How many pairs brought that.
    pub fn count(&self, score: PairScore) -> u32 {
        self.0[score.index()]
    }

    /// Counts one more pair.
    pub fn add(&mut self, score: PairScore) {
        let count = &mut self.0[score.index()];
        *count = count.saturating_add(1);
    }

    /// The pairs.
    pub fn pair_count(&self) -> u64 {
        self.0.iter().copied().map(u64::from).sum()
    }

    /// The points in halves; a pair has four to share.
    pub fn half_points(&self) -> u64 {
        let counted = PairScore::ALL.iter().zip(self.0);
        counted
            .map(|(score, count)| u64::from(score.half_points()) * u64::from(count))
            .sum()
    }

    /// The same pairs, told of the other player.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let [nothing, half, one, one_and_half, two] = self.0;
        Self([two, one_and_half, one, half, nothing])
    }

    /// The one score that all pairs have, where there is one.
    pub fn only_score(&self) -> Option<PairScore> {
        let mut there = (PairScore::ALL.into_iter()).filter(|&score| self.count(score) > 0);
        there.next().filter(|_| there.next().is_none())
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

/// `[13, 37, 50, 25, 3]`, as other arenas write it under the name `Ptnml(0-2)`.
impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.0.map(|count| count.to_string());
        f.pad(&format!("[{}]", counts.join(", ")))
    }
}
