//! Estimates of a strength difference from game pairs, and the normal distribution behind them.

use std::f64::consts::FRAC_1_SQRT_2;
use std::fmt;

use serde::Serialize;

use super::elo::{ELO_PER_NEPER, Elo, ScoreFraction};
use super::pentanomial::{PairScore, Pentanomial};

/// A 95 % confidence interval.
///
/// Of 100 matches between players of any strength, the intervals of about 95 contain the true
/// value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Interval<T> {
    /// The lower end, inclusive.
    pub lower: T,
    /// The upper end, inclusive.
    pub upper: T,
}

/// The strength of one player against another, estimated from pairs of games.
///
/// Let x be the fraction of its two points that a pair brought the player, and N the number of
/// pairs. The score s is the mean of x, and its variance is V/N, where V is the mean of (x - s)².
/// The intervals follow from s ± 1.96 √(V/N), as in fishtest (`stat_util.py`, `get_elo`) and
/// fastchess (`elo_pentanomial.cpp`). The variance is that of *pairs*, because the two games of a
/// pair depend on each other (M. Van den Bergh,
/// <https://github.com/official-stockfish/fishtest/issues/348>). The intervals rest on the central
/// limit theorem and are unreliable with fewer than [`Estimate::MIN_RELIABLE_PAIRS`].
///
/// If all N pairs have the same score, V is 0, although other scores are possible. The interval is
/// then the exact binomial bound: with 95 % confidence, a result that came N times out of N has a
/// probability of at least 0.05^(1/N), and the remaining pairs may have any score. For a player
/// that won all games the score is thus between 0.05^(1/N) and 1.
///
/// ```
/// use kalah_arena::{Estimate, Pentanomial};
/// let pairs = Pentanomial::new([34, 54, 63, 64, 75]);
/// let estimate = Estimate::from_pairs(&pairs).expect("there are pairs");
/// assert_eq!(estimate.score.to_string(), "57.9 %");
/// assert_eq!(estimate.elo.to_string(), "+55.6");
/// assert_eq!(estimate.elo_interval.to_string(), "from +28.3 to +83.6");
/// assert_eq!(Estimate::from_pairs(&Pentanomial::default()), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The pairs behind the estimate.
    pub pairs: Pentanomial,
    /// The fraction of the points made.
    pub score: ScoreFraction,
    /// The interval of the expected fraction of the points.
    pub score_interval: Interval<ScoreFraction>,
    /// The Elo difference with the expected score `score`.
    pub elo: Elo,
    /// The Elo differences at the ends of `score_interval`.
    pub elo_interval: Interval<Elo>,
    /// The difference in standard deviations of a game; `None` if all pairs have the same score.
    pub normalized: Option<NormalizedElo>,
    /// The likelihood that the player is the stronger one.
    pub superiority: Superiority,
}

/// The distance of the score from 1/2 in standard deviations of a game, times 800 / ln 10.
///
/// Between players of nearly equal strength without ties it equals [`Elo`]. The number of games
/// needed to see a difference depends on it alone, so that it compares differences under other
/// rules, openings and time controls: n = (s - 1/2) / √(2V) · 800 / ln 10 (M. Van den Bergh,
/// *Comments on normalized Elo*,
/// <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>), with V as in [`Estimate`]. The
/// variance of a game is twice that of a pair's fraction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NormalizedElo {
    /// The value for the score.
    pub value: Elo,
    /// The values for the ends of the score's interval.
    pub interval: Interval<Elo>,
}

/// The likelihood of superiority, LOS: one minus the probability that a player that is not stronger
/// makes at least as many points by chance.
///
/// It is Φ((s - 1/2) / √(V/N)), where Φ is the normal distribution, as in fishtest and fastchess.
/// If all pairs have the same score x, as a fraction above 1/2, it is 1 - (1/(2x))^N: by Markov's
/// inequality a player with a mean of 1/2 makes x or more with a probability of at most 1/(2x). For
/// x below 1/2 it is one minus the value for 1 - x.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Superiority(f64);

/// Normalized Elo points for a standard deviation of a game, 800 / ln 10.
///
/// Between equals without ties the standard deviation is half a point.
const NORMALIZED_ELO_SCALE: f64 = 2.0 * ELO_PER_NEPER;

/// The probability that the true value is outside an interval.
const SIGNIFICANCE_LEVEL: f64 = 0.05;

/// The number of standard deviations on either side of the mean that enclose 95 % of a normal
/// distribution.
pub(super) const Z_95: f64 = 1.959_963_984_540_054;

impl Estimate {
    /// The number of pairs below which the intervals, which rest on the central limit theorem, are
    /// unreliable.
    pub const MIN_RELIABLE_PAIRS: u64 = 20;

    /// Computes the estimate; `None` if there are no pairs.
    pub fn from_pairs(pairs: &Pentanomial) -> Option<Self> {
        if pairs.pair_count() == 0 {
            return None;
        }
        let statistics = PairStatistics::from_pairs(pairs);
        let (score_interval, normalized, superiority) = match pairs.only_score() {
            Some(score) => {
                let identical = IdenticalPairs {
                    score,
                    pairs: statistics.pairs,
                };
                (identical.interval(), None, identical.superiority())
            }
            None => (
                statistics.interval(),
                Some(statistics.normalized()),
                statistics.superiority(),
            ),
        };
        let score = ScoreFraction::clamped(statistics.mean);
        Some(Self {
            pairs: *pairs,
            score,
            score_interval,
            elo: score.elo(),
            elo_interval: score_interval.map(ScoreFraction::elo),
            normalized,
            superiority: Superiority(superiority.clamp(0.0, 1.0)),
        })
    }
}

/// Mean and variance of the fractions of pairs.
struct PairStatistics {
    pairs: f64,
    mean: f64,
    /// Positive unless all pairs have the same score.
    variance: f64,
}

impl PairStatistics {
    fn from_pairs(counts: &Pentanomial) -> Self {
        let pairs: f64 = counts.counts().map(f64::from).iter().sum();
        let mean_of = |value: &dyn Fn(f64) -> f64| {
            let weighted = (PairScore::ALL.into_iter())
                .map(|score| f64::from(counts.count(score)) * value(score.fraction()));
            weighted.sum::<f64>() / pairs
        };
        let mean = mean_of(&|fraction| fraction);
        let variance = mean_of(&|fraction| (fraction - mean).powi(2));
        Self {
            pairs,
            mean,
            variance,
        }
    }

    /// Returns the standard deviation of the mean.
    fn standard_error(&self) -> f64 {
        (self.variance / self.pairs).sqrt()
    }

    fn interval(&self) -> Interval<ScoreFraction> {
        let half_width = Z_95 * self.standard_error();
        Interval {
            lower: ScoreFraction::clamped(self.mean - half_width),
            upper: ScoreFraction::clamped(self.mean + half_width),
        }
    }

    fn normalized(&self) -> NormalizedElo {
        let points = |score: f64| {
            let deviations = (score - ScoreFraction::EVEN.get()) / (2.0 * self.variance).sqrt();
            Elo::from_points(deviations * NORMALIZED_ELO_SCALE)
        };
        let half_width = Z_95 * self.standard_error();
        NormalizedElo {
            value: points(self.mean),
            interval: Interval {
                lower: points(self.mean - half_width),
                upper: points(self.mean + half_width),
            },
        }
    }

    fn superiority(&self) -> f64 {
        normal_cdf((self.mean - ScoreFraction::EVEN.get()) / self.standard_error())
    }
}

/// Pairs with one and the same score.
struct IdenticalPairs {
    score: PairScore,
    pairs: f64,
}

impl IdenticalPairs {
    fn interval(&self) -> Interval<ScoreFraction> {
        let min_probability = SIGNIFICANCE_LEVEL.powf(self.pairs.recip());
        let lower = self.score.fraction() * min_probability;
        Interval {
            lower: ScoreFraction::clamped(lower),
            upper: ScoreFraction::clamped(lower + (1.0 - min_probability)),
        }
    }

    fn superiority(&self) -> f64 {
        // Upper bound of the probability that an even player makes this fraction in every pair.
        let by_chance = |fraction: f64| (ScoreFraction::EVEN.get() / fraction).powf(self.pairs);
        match self.score {
            PairScore::Nothing | PairScore::Half => by_chance(self.score.mirrored().fraction()),
            PairScore::One => ScoreFraction::EVEN.get(),
            PairScore::OneAndHalf | PairScore::Two => 1.0 - by_chance(self.score.fraction()),
        }
    }
}

impl<T> Interval<T> {
    /// Applies `convert` to both ends. It must be monotonically increasing.
    pub(super) fn map<U>(self, convert: impl Fn(T) -> U) -> Interval<U> {
        Interval {
            lower: convert(self.lower),
            upper: convert(self.upper),
        }
    }
}

impl<T: PartialOrd> Interval<T> {
    /// Returns whether `value` lies in the interval.
    pub fn contains(&self, value: &T) -> bool {
        self.lower <= *value && *value <= self.upper
    }
}

impl Superiority {
    /// Returns the probability, from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// `from -3.1 to +12.0`; the precision applies to both ends.
impl<T: fmt::Display> fmt::Display for Interval<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(1);
        write!(
            f,
            "from {:.decimals$} to {:.decimals$}",
            self.lower, self.upper
        )
    }
}

/// `97.5 %`; the precision sets the number of decimals.
impl fmt::Display for Superiority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(1);
        write!(f, "{:.decimals$} %", self.0 * 100.0)
    }
}

/// Returns the standard normal distribution function Φ at x standard deviations: 1/2 erfc(-x/√2),
/// NIST's Digital Library of Mathematical Functions, section 7.20(iii).
fn normal_cdf(deviations: f64) -> f64 {
    libm::erfc(-deviations * FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_cdf_matches_published_values() {
        // Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.1.
        for (deviations, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (2.0, 0.977_249_868_051_821),
            (-3.0, 0.001_349_898_031_630),
            (Z_95, 0.975),
        ] {
            let probability = normal_cdf(deviations);
            assert!(
                (probability - expected).abs() < 1e-14,
                "{deviations}: {probability}"
            );
        }
    }
}
