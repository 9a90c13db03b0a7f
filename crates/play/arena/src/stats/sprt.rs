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
/// # One-sided results
///
/// If a player loses nearly all games, both hypotheses are almost equally unlikely, and the LLR
/// changes by only ln((1 - s1) / (1 - s0)) for each pair: for 0 against 10 Elo it needs 101 lost
/// pairs. Such a player is found by a bet against H1: of a capital of 1, half is staked on each
/// pair at odds that are fair for the score s1, so that a pair with the fraction a multiplies the
/// capital by 1 + (s1 - a) / (2 (1 - s1)). If the expected score is s1 or higher, whatever the
/// distribution, the capital ever reaches c with a probability of at most 1 / c (J. Ville, *Étude
/// critique de la notion de collectif*, 1939; I. Waudby-Smith and A. Ramdas, *Estimating means of
/// bounded random variables by betting*, Journal of the Royal Statistical Society B 86, 2024,
/// <https://arxiv.org/abs/2010.09686>). H0 is accepted when it reaches 20 / β, which adds at most β
/// / 20 to the error rate, and H1 likewise when the bet against H0 reaches 20 / α.
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
    /// Whether the results are so one-sided that they exclude a hypothesis, although the LLR is
    /// between its bounds.
    pub is_one_sided: bool,
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

/// The part of the capital that is staked on each pair in the test of one-sided results.
const STAKE: f64 = 0.5;

/// The part of each error rate that the test of one-sided results adds.
const ONE_SIDED_ERROR_SHARE: f64 = 0.05;

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
        let is_decided = llr >= upper || llr <= lower;
        let one_sided = (!is_decided)
            .then(|| self.one_sided_verdict(pairs))
            .flatten();
        let verdict = if llr >= upper {
            Verdict::H1
        } else if llr <= lower {
            Verdict::H0
        } else {
            one_sided.unwrap_or(Verdict::Continue)
        };
        SprtState {
            test: *self,
            llr,
            lower,
            upper,
            is_one_sided: one_sided.is_some(),
            verdict,
        }
    }

    /// Returns the hypothesis that is left if the results are too one-sided for the other one.
    fn one_sided_verdict(&self, pairs: &Pentanomial) -> Option<Verdict> {
        let [s0, s1] = [self.elo0, self.elo1].map(|elo| elo.expected_score().get());
        let against_h1 = log_capital(pairs, |score| (s1 - score) / (1.0 - s1));
        let against_h0 = log_capital(pairs, |score| (score - s0) / s0);
        let is_excluded =
            |log_capital: f64, rate: f64| log_capital >= -(rate * ONE_SIDED_ERROR_SHARE).ln();
        if is_excluded(against_h1, self.beta) {
            Some(Verdict::H0)
        } else if is_excluded(against_h0, self.alpha) {
            Some(Verdict::H1)
        } else {
            None
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

/// Returns the logarithm of the capital after bets of [`STAKE`] on each pair. `gain` is the gain of
/// a stake of 1 on a pair with a score, at least -1.
fn log_capital(pairs: &Pentanomial, gain: impl Fn(f64) -> f64) -> f64 {
    let terms = PairScore::ALL.iter().zip(pairs.counts());
    let terms = terms.map(|(score, count)| {
        let factor = 1.0 + STAKE * gain(score.fraction());
        f64::from(count) * factor.ln()
    });
    terms.sum()
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
            is_one_sided,
            verdict,
        } = self;
        write!(f, "LLR {llr:.2} ({lower:.2} to {upper:.2}): ")?;
        match verdict {
            Verdict::H0 if *is_one_sided => write!(
                f,
                "H0 accepted, the results are too bad for a player that is stronger by {elo1} Elo"
            ),
            Verdict::H1 if *is_one_sided => write!(
                f,
                "H1 accepted, the results are too good for a player that is stronger by {elo0} Elo"
            ),
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

    #[test]
    fn lopsided_results_stop_within_20_pairs() {
        use PairScore::{Half, Nothing, One, Two};

        let elo = |points| Elo::new(points).expect("a number");
        for (elo0, elo1) in [(0.0, 5.0), (0.0, 10.0), (-30.0, 30.0), (0.0, 200.0)] {
            let test = Sprt::new(elo(elo0), elo(elo1), 0.05, 0.05).expect("a test");
            for other in [Nothing, Half, One, Two] {
                // One pair of twenty is another one, wherever it is.
                for at in 0..20 {
                    let mut scores = [Nothing; 20];
                    scores[at] = other;
                    let (state, pairs) = test.run(scores);
                    assert_eq!(state.verdict, Verdict::H0, "{test:?}: {scores:?}");
                    assert!(pairs <= 18, "{test:?}: {pairs}");
                    let mirrored = Sprt::new(elo(-elo1), elo(-elo0), 0.05, 0.05).expect("a test");
                    let (mirrored, same_pairs) = mirrored.run(scores.map(PairScore::mirrored));
                    assert_eq!((mirrored.verdict, same_pairs), (Verdict::H1, pairs));
                }
            }
        }
        let test = Sprt::new(elo(0.0), elo(10.0), 0.05, 0.05).expect("a test");
        let (state, pairs) = test.run([Nothing; 20]);
        assert!(state.is_one_sided);
        assert_eq!(pairs, 15);
        assert_eq!(
            state.to_string(),
            "LLR -0.44 (-2.94 to 2.94): H0 accepted, the results are too bad for a player that is \
             stronger by +10.0 Elo"
        );
    }

    proptest! {
        /// The bet is fair: the expected capital after a pair is that before it if the mean is the
        /// score of the hypothesis, for any distribution, and no pair loses more than the stake.
        #[test]
        fn bets_are_fair_under_the_hypothesis(
            weights in proptest::array::uniform5(0.01..1.0),
            points in -300.0..300.0,
        ) {
            let mean = Elo::new(points).expect("finite").expected_score();
            let tilt = TiltedDistribution::with_mean(mean, &weights);
            let sum: f64 = weights.iter().sum();
            let mean = mean.get();
            let (mut against_h1, mut against_h0) = (0.0, 0.0);
            for (score, weight) in PairScore::ALL.into_iter().zip(weights) {
                let probability = weight / sum / tilt.divisor(score);
                let pair = Pentanomial::from_iter([score]);
                let lower = log_capital(&pair, |score| (mean - score) / (1.0 - mean)).exp();
                let higher = log_capital(&pair, |score| (score - mean) / mean).exp();
                prop_assert!(lower.min(higher) > 1.0 - STAKE - 1e-9);
                against_h1 += probability * lower;
                against_h0 += probability * higher;
            }
            prop_assert!((against_h1 - 1.0).abs() < 1e-6, "{against_h1}");
            prop_assert!((against_h0 - 1.0).abs() < 1e-6, "{against_h0}");
        }

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
