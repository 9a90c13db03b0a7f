//! The sequential probability ratio test (SPRT), which decides when a match may stop.

use serde::Serialize;
use thiserror::Error;

use super::elo::{Elo, ScoreFraction};
use super::pentanomial::{PairScore, Pentanomial};

/// A sequential test of two hypotheses about a player's strength: H0, that it is `elo0` points
/// stronger than its opponent, against H1, that it is `elo1` points stronger.
///
/// After every pair of games the log-likelihood ratio (LLR) of H1 against H0 is compared with two
/// bounds (A. Wald, *Sequential Tests of Statistical Hypotheses*, 1945):
///
/// - below ln(β / (1 - α)), H0 is accepted,
/// - above ln((1 - β) / α), H1 is accepted,
/// - between them the test continues.
///
/// The probability of accepting H1 is at most about α if the player is no more than `elo0`
/// stronger, and that of accepting H0 is at most about β if it is at least `elo1` stronger. For a
/// strength between the two, either hypothesis may be accepted.
///
/// A hypothesis fixes the expected score but not the distribution of the five pair scores, so the
/// most likely distribution with that mean is used (the generalized test, GSPRT). Let n\_i be the
/// counts of the five fractions a\_i, N = Σ n\_i and p\_i = n\_i / N. The most likely distribution
/// with mean s is p\_i / (1 + θ(a\_i - s)), where θ solves
/// Σ p\_i (a\_i - s) / (1 + θ(a\_i - s)) = 0, and LLR = Σ n\_i ln(p\_i(s1) / p\_i(s0))
/// (M. Van den Bergh, *Comparing the approximations for the generalized log likelihood ratio of a
/// multinomial distribution*, <https://www.cantate.be/Fishtest/comparing_approximations.pdf>,
/// proposition 1.1). A score with a count of zero counts as 1/1000 of a pair, as in fishtest and
/// fastchess, because it is not impossible.
///
/// Both hypotheses are in logistic [`Elo`], as with fastchess' `model=logistic`.
///
/// ```
/// use kalah_arena::{Elo, Pentanomial, Sprt, Verdict};
/// let elo = |points| Elo::new(points).expect("a number");
/// let test = Sprt::new(elo(0.0), elo(10.0), 0.05, 0.05)?;
/// let state = test.state(&Pentanomial::new([60, 150, 400, 190, 90]));
/// assert!(state.to_string().starts_with("LLR 4.07 (-2.94 to 2.94): H1 accepted"));
/// assert_eq!(state.verdict, Verdict::H1);
/// # Ok::<(), kalah_arena::SprtError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    elo0: Elo,
    elo1: Elo,
    alpha: f64,
    beta: f64,
}

/// Parameters that [`Sprt::new`] rejects.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    /// A difference that games cannot tell from winning all points.
    #[error("{0} Elo is out of range: at most {MAX_ELO} in either direction")]
    EloOutOfRange(Elo),
    /// H1 does not exceed H0.
    #[error("elo1 must be greater than elo0, but {elo1} is not greater than {elo0}")]
    Order {
        /// The strength under H0.
        elo0: Elo,
        /// The strength under H1.
        elo1: Elo,
    },
    /// An error rate out of range.
    #[error("{name} must be a probability above 0 and below 1/2, not {rate}")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// The rejected value.
        rate: f64,
    },
}

/// The state of a test after some pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtState {
    /// The test.
    pub test: Sprt,
    /// The log-likelihood ratio: positive values favor H1.
    pub llr: f64,
    /// The bound at which H0 is accepted.
    pub lower: f64,
    /// The bound at which H1 is accepted.
    pub upper: f64,
    /// The decision so far.
    pub verdict: Verdict,
}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// More pairs have to be played.
    Continue,
    /// H0 is accepted.
    H0,
    /// H1 is accepted.
    H1,
}

/// The largest Elo difference of a hypothesis: the weaker player expects one point in 100,000.
const MAX_ELO: f64 = 2000.0;

/// The exclusive upper limit of error rates; above it the bounds would change places.
const MAX_ERROR_RATE: f64 = 0.5;

/// The count, in pairs, of a score that has not occurred, from fishtest (`LLRcalc.py`,
/// `regularize`).
const UNSEEN_RESULT_WEIGHT: f64 = 1e-3;

/// Bisection steps after which an interval of `f64` numbers cannot shrink any more.
const BISECTION_STEPS: u32 = 64;

impl Sprt {
    /// Creates a test of H0 (`elo0`) against H1 (`elo1`), where `alpha` is the probability of
    /// wrongly accepting H1 and `beta` that of wrongly accepting H0.
    ///
    /// # Errors
    /// If `elo1` is not greater than `elo0`, one of the two is beyond 2000 points in either
    /// direction, or a rate is not between 0 and 1/2.
    pub fn new(elo0: Elo, elo1: Elo, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        for elo in [elo0, elo1] {
            if elo.points().is_none_or(|points| points.abs() > MAX_ELO) {
                return Err(SprtError::EloOutOfRange(elo));
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        for (name, rate) in [("alpha", alpha), ("beta", beta)] {
            if !(rate > 0.0 && rate < MAX_ERROR_RATE) {
                return Err(SprtError::Rate { name, rate });
            }
        }
        Ok(Self {
            elo0,
            elo1,
            alpha,
            beta,
        })
    }

    /// Returns the strength under H0.
    pub fn elo0(&self) -> Elo {
        self.elo0
    }

    /// Returns the strength under H1.
    pub fn elo1(&self) -> Elo {
        self.elo1
    }

    /// Returns the probability of wrongly accepting H1.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Returns the probability of wrongly accepting H0.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// Computes the state after these pairs, which are counted for the player that the hypotheses
    /// are about.
    pub fn state(&self, pairs: &Pentanomial) -> SprtState {
        let llr = self.llr(pairs);
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let verdict = if llr >= upper {
            Verdict::H1
        } else if llr <= lower {
            Verdict::H0
        } else {
            Verdict::Continue
        };
        SprtState {
            test: *self,
            llr,
            lower,
            upper,
            verdict,
        }
    }

    /// Runs the test over pairs in the order in which they finished. Returns the state when a bound
    /// is first reached, or after the last pair, and the number of pairs used.
    ///
    /// Pairs that finish after a bound is reached do not change the decision.
    ///
    /// ```
    /// use kalah_arena::{Elo, PairScore, Sprt, Verdict};
    /// let elo = |points| Elo::new(points).expect("a number");
    /// let test = Sprt::new(elo(0.0), elo(100.0), 0.05, 0.05)?;
    /// let (state, pairs) = test.run([PairScore::Two; 40]);
    /// assert_eq!((state.verdict, pairs), (Verdict::H1, 12));
    /// # Ok::<(), kalah_arena::SprtError>(())
    /// ```
    pub fn run(&self, scores: impl IntoIterator<Item = PairScore>) -> (SprtState, u64) {
        let mut pairs = Pentanomial::default();
        let mut state = self.state(&pairs);
        for score in scores {
            if state.verdict != Verdict::Continue {
                break;
            }
            pairs.add(score);
            state = self.state(&pairs);
        }
        (state, pairs.pair_count())
    }

    /// Returns the log-likelihood ratio; 0 without pairs.
    fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pair_count() == 0 {
            return 0.0;
        }
        let counts = pairs
            .counts()
            .map(|count| f64::from(count).max(UNSEEN_RESULT_WEIGHT));
        let [under_h0, under_h1] = [self.elo0, self.elo1]
            .map(|elo| TiltedDistribution::with_mean(elo.expected_score(), &counts));
        // p_i / (1 + θ1 d1) over p_i / (1 + θ0 d0): the p_i cancel out.
        let terms = (PairScore::ALL.iter().zip(counts)).map(|(&score, count)| {
            count * (under_h0.divisor(score) / under_h1.divisor(score)).ln()
        });
        terms.sum()
    }
}

/// The most likely distribution with a given mean, relative to the observed one.
struct TiltedDistribution {
    mean: f64,
    theta: f64,
}

impl TiltedDistribution {
    /// Solves the equation for θ. Its left-hand side falls from plus to minus infinity between the
    /// two poles, so bisection finds the only solution.
    fn with_mean(mean: ScoreFraction, counts: &[f64; 5]) -> Self {
        let mean = mean.get();
        let excess = |theta: f64| -> f64 {
            let terms = PairScore::ALL.iter().zip(counts).map(|(score, count)| {
                let distance = score.fraction() - mean;
                count * distance / (1.0 + theta * distance)
            });
            terms.sum()
        };
        let mut lower = -1.0 / (PairScore::Two.fraction() - mean);
        let mut upper = 1.0 / (mean - PairScore::Nothing.fraction());
        for _ in 0..BISECTION_STEPS {
            let middle = f64::midpoint(lower, upper);
            if excess(middle) > 0.0 {
                lower = middle;
            } else {
                upper = middle;
            }
        }
        Self {
            mean,
            theta: f64::midpoint(lower, upper),
        }
    }

    /// Returns the divisor of the observed frequency of a score.
    fn divisor(&self, score: PairScore) -> f64 {
        1.0 + self.theta * (score.fraction() - self.mean)
    }
}

/// `LLR 1.20 (-2.94 to 2.94): undecided between ...`, or the accepted hypothesis.
impl std::fmt::Display for SprtState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            test: Sprt { elo0, elo1, .. },
            llr,
            lower,
            upper,
            verdict,
        } = self;
        write!(f, "LLR {llr:.2} ({lower:.2} to {upper:.2}): ")?;
        match verdict {
            Verdict::Continue => write!(f, "undecided between {elo0} (H0) and {elo1} Elo (H1)"),
            Verdict::H0 => write!(
                f,
                "H0 accepted, the player is stronger by {elo0} Elo rather than by {elo1}"
            ),
            Verdict::H1 => write!(
                f,
                "H1 accepted, the player is stronger by {elo1} Elo rather than by {elo0}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the log-likelihood of the counts under these probabilities of the five scores.
    fn log_likelihood(counts: &[f64; 5], probabilities: &[f64; 5]) -> f64 {
        (counts.iter().zip(probabilities))
            .map(|(n, p)| n * p.ln())
            .sum()
    }

    proptest! {
        /// The probabilities add up to 1 and have the given mean, and no neighbor with the same
        /// mean is more likely, which suffices because the log-likelihood is concave.
        #[test]
        fn tilted_distribution_is_the_most_likely_one_with_its_mean(
            counts in proptest::array::uniform5(0_u32..200),
            points in -300.0..300.0,
            direction in proptest::array::uniform3(-1.0..1.0),
        ) {
            let counts = counts.map(|count| f64::from(count).max(UNSEEN_RESULT_WEIGHT));
            let pairs: f64 = counts.iter().sum();
            let mean = Elo::new(points).expect("finite").expected_score();
            let tilt = TiltedDistribution::with_mean(mean, &counts);
            let mut likeliest = [0.0; 5];
            for (score, count) in PairScore::ALL.into_iter().zip(counts) {
                likeliest[score.index()] = count / pairs / tilt.divisor(score);
            }
            prop_assert!((likeliest.iter().sum::<f64>() - 1.0).abs() < 1e-6);
            let actual_mean: f64 = (PairScore::ALL.iter().zip(likeliest))
                .map(|(score, p)| score.fraction() * p)
                .sum();
            prop_assert!((actual_mean - mean.get()).abs() < 1e-6, "{actual_mean} {}", mean.get());

            // Second differences change neither sum nor mean.
            let mut neighbor = likeliest;
            let min_probability = likeliest.iter().copied().fold(1.0, f64::min);
            for (index, step) in direction.into_iter().enumerate() {
                for (offset, weight) in [1.0, -2.0, 1.0].into_iter().enumerate() {
                    neighbor[index + offset] += weight * step * min_probability / 10.0;
                }
            }
            prop_assert!(
                log_likelihood(&counts, &neighbor)
                    <= log_likelihood(&counts, &likeliest) + 1e-9 * pairs
            );
        }
    }
}
