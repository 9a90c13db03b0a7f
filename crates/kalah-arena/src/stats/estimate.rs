use std::f64::consts::FRAC_1_SQRT_2;
use std::fmt;

use serde::Serialize;

use super::elo::{ELO_PER_NEPER, Elo, ScoreFraction};
use super::pentanomial::{PairScore, Pentanomial};

/// From where to where something lies with a probability of 95 %.
///
/// Of 100 matches between players of any strength, the intervals of some 95 contain the true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Interval<T> {
    /// Not below this.
    pub lower: T,
    /// Not above this.
    pub upper: T,
}

/// What pairs of games tell of the strength of one player against another.
///
/// With x of a pair's points for each of N pairs, as shares of two points from 0 to 1, the score is their mean s,
/// and its variance is V/N, where V is the mean of (x - s)^2. From s ± 1.96 √(V/N) come the intervals, as fishtest
/// (`stat_util.py`, `get_elo`) and fastchess (`elo_pentanomial.cpp`) have it; the variance between *pairs* is right
/// where that between games is not, because the two games of a pair depend on each other (M. Van den Bergh,
/// <https://github.com/official-stockfish/fishtest/issues/348>). These rest on the central limit theorem: with
/// fewer than [`Estimate::ENOUGH_PAIRS`] they are only a hint.
///
/// Where all N pairs have ended alike, V is 0 and says nothing of what else could have come. Then the interval is
/// from the exact binomial bound: a result that came N times of N has a probability of at least 0.05^(1/N), with 95
/// % confidence, and all else of the points may be anything. For players who won everything that is from 0.05^(1/N)
/// to 1.
///
/// ```
/// use kalah_arena::{Estimate, Pentanomial};
/// let estimate = Estimate::of(&Pentanomial::new([34, 54, 63, 64, 75])).expect("there are pairs");
/// assert_eq!(estimate.score.to_string(), "57.9 %");
/// assert_eq!(estimate.elo.to_string(), "+55.6");
/// assert_eq!(estimate.elo_interval.to_string(), "from +28.3 to +83.6");
/// assert_eq!(Estimate::of(&Pentanomial::default()), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// What it rests on.
    pub pairs: Pentanomial,
    /// The share of the points made.
    pub score: ScoreFraction,
    /// The share of the points that can be expected.
    pub score_interval: Interval<ScoreFraction>,
    /// The strength by which the score is the one to expect.
    pub elo: Elo,
    /// The strengths by which the ends of `score_interval` are.
    pub elo_interval: Interval<Elo>,
    /// The strength in deviations of a game, `None` where all pairs have ended alike.
    pub normalized: Option<NormalizedElo>,
    /// How likely it is that the player is the stronger one.
    pub superiority: Superiority,
}

/// The score's distance from one half in standard deviations of a game, times 800 / ln 10: for players of nearly
/// equal strength who never draw, the same as [`Elo`].
///
/// How many games it takes to see a difference depends on this alone, so that it compares differences under other
/// rules, openings and times for thought. n = (s - 1/2) / √(2V) · 800 / ln 10 (M. Van den Bergh, *Comments on
/// normalized Elo*, <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>), with V as in [`Estimate`]:
/// twice the variance of a pair's share is that of a game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NormalizedElo {
    /// What the score gives.
    pub value: Elo,
    /// What the ends of its interval give.
    pub interval: Interval<Elo>,
}

/// The likelihood of superiority, LOS: one minus the probability that a player no stronger than the other would
/// have made as many points by chance.
///
/// It is Φ((s - 1/2) / √(V/N)), Φ the normal distribution, as fishtest and fastchess have it. Where all pairs have
/// ended alike with more than half of the points, x, it is 1 - (1/(2x))^N, since a player with a mean of 1/2 makes
/// x or more with a probability of at most 1/(2x) (Markov's inequality); with less, the mirror of it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Superiority(f64);

/// What a deviation of a game is on the normalized scale, 800 / ln 10: without draws and between equals the
/// deviation is half a point.
const NORMALIZED_ELO_SCALE: f64 = 2.0 * ELO_PER_NEPER;

/// What 95 % confidence leaves.
const SIGNIFICANCE_LEVEL: f64 = 0.05;

impl Estimate {
    /// With fewer pairs than this the intervals are only a hint, as they rest on the central limit theorem.
    pub const MIN_RELIABLE_PAIRS: u64 = 20;

    /// `None` if there are no pairs.
    pub fn from_pairs(pairs: &Pentanomial) -> Option<Self> {
        if pairs.pair_count() == 0 {
            return None;
        }
        let spread = PairStatistics::from_pairs(pairs);
        let (score_interval, normalized, superiority) = match pairs.only_score() {
            Some(only) => {
                let alike = IdenticalPairs {
                    score: only,
                    pairs: spread.pairs,
                };
                (alike.interval(), None, alike.superiority())
            }
            None => (
                spread.interval(),
                Some(spread.normalized()),
                spread.superiority(),
            ),
        };
        let score = ScoreFraction::clamped(spread.mean);
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

/// Mean and variance of the shares of pairs.
struct PairStatistics {
    pairs: f64,
    mean: f64,
    /// More than 0, unless all pairs have ended alike.
    variance: f64,
}

impl PairStatistics {
    fn from_pairs(counted: &Pentanomial) -> Self {
        let pairs: f64 = counted.counts().map(f64::from).iter().sum();
        let mean_of = |worth: &dyn Fn(f64) -> f64| {
            let weighed = (PairScore::ALL.into_iter())
                .map(|score| f64::from(counted.count(score)) * worth(score.share()));
            weighed.sum::<f64>() / pairs
        };
        let mean = mean_of(&|share| share);
        let variance = mean_of(&|share| (share - mean).powi(2));
        Self {
            pairs,
            mean,
            variance,
        }
    }

    /// The standard deviation of the mean.
    fn standard_error(&self) -> f64 {
        (self.variance / self.pairs).sqrt()
    }

    fn interval(&self) -> Interval<ScoreFraction> {
        let reach = Z_95 * self.standard_error();
        Interval {
            lower: ScoreFraction::clamped(self.mean - reach),
            upper: ScoreFraction::clamped(self.mean + reach),
        }
    }

    fn normalized(&self) -> NormalizedElo {
        let points = |score: f64| {
            let deviations = (score - ScoreFraction::EVEN.get()) / (2.0 * self.variance).sqrt();
            Elo::from_points(deviations * NORMALIZED_ELO_SCALE)
        };
        let reach = Z_95 * self.standard_error();
        NormalizedElo {
            value: points(self.mean),
            interval: Interval {
                lower: points(self.mean - reach),
                upper: points(self.mean + reach),
            },
        }
    }

    fn superiority(&self) -> f64 {
        cdf((self.mean - ScoreFraction::EVEN.get()) / self.standard_error())
    }
}

/// Pairs that all brought the same.
struct IdenticalPairs {
    score: PairScore,
    pairs: f64,
}

impl IdenticalPairs {
    fn interval(&self) -> Interval<ScoreFraction> {
        let at_least = SIGNIFICANCE_LEVEL.powf(self.pairs.recip());
        let sure = self.score.share() * at_least;
        Interval {
            lower: ScoreFraction::clamped(sure),
            upper: ScoreFraction::clamped(sure + (1.0 - at_least)),
        }
    }

    fn superiority(&self) -> f64 {
        // With what probability, at the most, an even player has as many points more, or fewer.
        let by_chance = |share: f64| (ScoreFraction::EVEN.get() / share).powf(self.pairs);
        match self.score {
            PairScore::Nothing | PairScore::Half => by_chance(self.score.mirrored().share()),
            PairScore::One => ScoreFraction::EVEN.get(),
            PairScore::OneAndHalf | PairScore::Two => 1.0 - by_chance(self.score.share()),
        }
    }
}

impl<T> Interval<T> {
    /// The interval of what `make` makes of the ends, which must keep their order.
    pub(crate) fn map<U>(self, make: impl Fn(T) -> U) -> Interval<U> {
        Interval {
            lower: make(self.lower),
            upper: make(self.upper),
        }
    }
}

impl<T: PartialOrd> Interval<T> {
    /// Whether `value` is in it.
    pub fn contains(&self, value: &T) -> bool {
        self.lower <= *value && *value <= self.upper
    }
}

impl Superiority {
    /// The probability, from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// `from -3.1 to +12.0`; a precision is that of both.
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

/// `97.5 %`; with a precision, so many decimals.
impl fmt::Display for Superiority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(1);
        write!(f, "{:.decimals$} %", self.0 * 100.0)
    }
}

/// Between plus and minus so many standard deviations lie 95 % of a normal distribution.
pub(crate) const Z_95: f64 = 1.959_963_984_540_054;

/// How much of the distribution lies below `deviations`, Φ: 1/2 erfc(-x/√2), NIST's Digital Library of Mathematical
/// Functions, section 7.20(iii).
pub(crate) fn cdf(deviations: f64) -> f64 {
    libm::erfc(-deviations * FRAC_1_SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values_of_the_distribution() {
        // Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.1.
        for (deviations, share) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (2.0, 0.977_249_868_051_821),
            (-3.0, 0.001_349_898_031_630),
            (Z_95, 0.975),
        ] {
            let found = cdf(deviations);
            assert!((found - share).abs() < 1e-14, "{deviations}: {found}");
        }
    }
}
