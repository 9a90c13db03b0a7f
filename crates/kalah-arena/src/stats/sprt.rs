use serde::Serialize;
use thiserror::Error;

use super::elo::{Elo, ScoreFraction};
use super::pentanomial::{PairScore, Pentanomial};

/// A sequential test that plays until it is known which of two claims about a player's strength holds: H0, that it is
/// `elo0` points stronger than its opponent, or H1, that it is `elo1` points stronger.
///
/// After every pair of games the evidence for H1 against H0, the log-likelihood ratio (LLR), is compared with two
/// bounds (A. Wald, *Sequential Tests of Statistical Hypotheses*, 1945):
///
/// - below ln(β / (1 - α)), H0 is accepted,
/// - above ln((1 - β) / α), H1 is accepted,
/// - between them the test goes on.
///
/// H1 is accepted with a probability of at most about α though the player is no more than `elo0` stronger, and H0
/// with at most about β though it is `elo1` stronger or more. If its strength lies between, either may come out.
///
/// A claim about strength says how many points to expect, and nothing of how they are spread over the five results
/// of a pair; so that is taken to be what makes the results most likely (the generalised test, GSPRT). With counts
/// n\_i of the five shares a\_i, N = Σ n\_i and p\_i = n\_i / N, the distribution of mean s that is most likely is
/// p\_i / (1 + θ(a\_i - s)), θ the solution of Σ p\_i (a\_i - s) / (1 + θ(a\_i - s)) = 0, and LLR = Σ n\_i
/// ln(p\_i(s1) / p\_i(s0)) (M. Van den Bergh, *Comparing the approximations for the generalized log likelihood
/// ratio of a multinomial distribution*, <https://www.cantate.be/Fishtest/comparing_approximations.pdf>, proposition
/// 1.1). A result that has not come counts as 1/1000 of a pair, as in fishtest and fastchess: what has not come yet
/// is not impossible.
///
/// Both claims are in [`Elo`], fastchess' `model=logistic`.
///
/// ```
/// use kalah_arena::{Elo, Pentanomial, Sprt, Verdict};
/// let elo = |points| Elo::new(points).expect("a number");
/// let test = Sprt::new(elo(0.0), elo(10.0), 0.05, 0.05)?;
/// let state = test.state(&Pentanomial::new([60, 150, 400, 190, 90]));
/// assert_eq!(state.to_string(), "LLR 4.07 (-2.94 to 2.94): H1 accepted, the player is stronger by +10.0 Elo rather than by 0.0");
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

/// Why something is no test.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    /// A claim of more points than can be told from all.
    #[error("a claim of {0} Elo is beyond the {MAX_ELO} that games can tell from winning all")]
    EloOutOfRange(Elo),
    /// H1 claims no more than H0.
    #[error("elo1 must be more than elo0, and {elo1} is not more than {elo0}")]
    Order {
        /// What H0 claims.
        elo0: Elo,
        /// What H1 claims.
        elo1: Elo,
    },
    /// A rate of errors that is none.
    #[error("{name} is the probability of an error, above 0 and below 1/2, and {rate} is not")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What was asked for.
        rate: f64,
    },
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtState {
    /// The test.
    pub test: Sprt,
    /// The evidence for H1 against H0, negative for H0.
    pub llr: f64,
    /// Where H0 is accepted.
    pub lower: f64,
    /// Where H1 is accepted.
    pub upper: f64,
    /// What that comes to.
    pub verdict: Verdict,
}

/// What a test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// More pairs have to be played.
    #[serde(rename = "goes-on")]
    Continue,
    /// H0 is accepted.
    H0,
    /// H1 is accepted.
    H1,
}

/// The most points that can be claimed, of either player: one point in 100,000 is left.
const MAX_ELO: f64 = 2000.0;

/// Rates of errors are below this; with more, the bounds would change places.
const MAX_ERROR_RATE: f64 = 0.5;

/// What a result counts that has not come, in pairs; that of fishtest (`LLRcalc.py`, `regularize`).
const UNSEEN_RESULT_WEIGHT: f64 = 1e-3;

/// Halvings after which an interval of floating-point numbers is as short as it gets.
const BISECTION_STEPS: u32 = 64;

impl Sprt {
    /// The test of `elo0` against `elo1`, in which H1 is accepted wrongly with a probability of `alpha` and H0 with
    /// one of `beta`.
    ///
    /// # Errors
    /// If `elo1` is not above `elo0`, one of the two is beyond 2000 points either way, or a rate is not between 0
    /// and 1/2.
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

    /// What H0 claims.
    pub fn elo0(&self) -> Elo {
        self.elo0
    }

    /// What H1 claims.
    pub fn elo1(&self) -> Elo {
        self.elo1
    }

    /// How often H1 may be accepted wrongly.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// How often H0 may be accepted wrongly.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// Where the test stands after these pairs, told of the player that the claims are about.
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

    /// Where the test stands after pairs that were finished in this order, and after how many: when a bound was
    /// reached first, it was over, and what was being played then changes nothing.
    ///
    /// ```
    /// use kalah_arena::{Elo, PairScore, Sprt, Verdict};
    /// let elo = |points| Elo::new(points).expect("a number");
    /// let test = Sprt::new(elo(0.0), elo(100.0), 0.05, 0.05)?;
    /// let (state, pairs) = test.follow([PairScore::Two; 40]);
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

    /// The log-likelihood ratio; 0 without pairs.
    fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pair_count() == 0 {
            return 0.0;
        }
        let counts = pairs
            .counts()
            .map(|count| f64::from(count).max(UNSEEN_RESULT_WEIGHT));
        let [under_h0, under_h1] = [self.elo0, self.elo1]
            .map(|elo| TiltedDistribution::with_mean(elo.expected_score(), &counts));
        // p_i / (1 + θ1 d1) over p_i / (1 + θ0 d0): the shares p_i cancel out.
        let terms = (PairScore::ALL.iter().zip(counts)).map(|(&score, count)| {
            count * (under_h0.divisor(score) / under_h1.divisor(score)).ln()
        });
        terms.sum()
    }
}

/// How the most likely distribution of a given mean differs from what was counted.
struct TiltedDistribution {
    mean: f64,
    theta: f64,
}

impl TiltedDistribution {
    /// Solves the equation for θ. What it says falls from plus to minus infinity between the two θ at which a result
    /// would become infinitely likely, so halving finds the one solution.
    fn with_mean(mean: ScoreFraction, counts: &[f64; 5]) -> Self {
        let mean = mean.get();
        let excess = |theta: f64| -> f64 {
            let terms = PairScore::ALL.iter().zip(counts).map(|(score, count)| {
                let distance = score.share() - mean;
                count * distance / (1.0 + theta * distance)
            });
            terms.sum()
        };
        let mut lower = -1.0 / (PairScore::Two.share() - mean);
        let mut upper = 1.0 / (mean - PairScore::Nothing.share());
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

    /// By what the share of a result is divided.
    fn divisor(&self, score: PairScore) -> f64 {
        1.0 + self.theta * (score.share() - self.mean)
    }
}

/// `LLR 1.20 (-2.94 to 2.94): goes on`, or which claim is accepted and what it says.
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
            Verdict::Continue => write!(f, "goes on, between {elo0} (H0) and {elo1} Elo (H1)"),
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

    /// The likelihood of what was counted, if these are the probabilities of the five results.
    fn likelihood(counts: &[f64; 5], shares: &[f64; 5]) -> f64 {
        counts.iter().zip(shares).map(|(n, p)| n * p.ln()).sum()
    }

    proptest! {
        /// The distribution is one, has the mean that is claimed, and none of that mean is likelier: the likelihood
        /// is concave, so that it is enough to look around.
        #[test]
        fn nothing_of_the_same_mean_is_likelier(
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
            let found: f64 = PairScore::ALL.iter().zip(likeliest).map(|(score, p)| score.share() * p).sum();
            prop_assert!((found - mean.get()).abs() < 1e-6, "{found} {}", mean.get());

            // Directions that change neither sum nor mean: second differences.
            let mut other = likeliest;
            let least = likeliest.iter().copied().fold(1.0, f64::min);
            for (place, step) in direction.into_iter().enumerate() {
                for (offset, weight) in [1.0, -2.0, 1.0].into_iter().enumerate() {
                    other[place + offset] += weight * step * least / 10.0;
                }
            }
            prop_assert!(likelihood(&counts, &other) <= likelihood(&counts, &likeliest) + 1e-9 * pairs);
        }
    }
}
