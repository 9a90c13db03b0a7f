//! Simulated matches between players of known strength, which check error rates and intervals.

use kalah_arena::{Elo, Estimate, PairScore, Pentanomial, Sprt, Verdict};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use test_tools::sample_or_all;

/// The probabilities of the pair scores between equals in a game in which the first player often
/// wins, so that most pairs are one win each.
const EQUALS: [f64; 5] = [0.12, 0.08, 0.6, 0.08, 0.12];

/// Two players with a known difference in strength.
struct Players {
    /// The cumulative probabilities of the pair scores.
    cumulative: [f64; 5],
}

impl Players {
    fn stronger_by(points: f64) -> Self {
        let target = Elo::new(points).expect("finite").expected_score().get();
        // Exponential tilting; bisection finds the exponent with the target mean.
        let tilted = |exponent: f64| {
            let mut probabilities = EQUALS;
            for (score, probability) in PairScore::ALL.into_iter().zip(&mut probabilities) {
                *probability *= (exponent * f64::from(score.half_points())).exp();
            }
            let sum: f64 = probabilities.iter().sum();
            probabilities.map(|probability| probability / sum)
        };
        let mean = |probabilities: &[f64; 5]| -> f64 {
            let points = PairScore::ALL.map(|score| f64::from(score.half_points()) / 4.0);
            points.iter().zip(probabilities).map(|(x, p)| x * p).sum()
        };
        let (mut lower, mut upper) = (-10.0, 10.0);
        for _ in 0..64 {
            let middle = f64::midpoint(lower, upper);
            if mean(&tilted(middle)) < target {
                lower = middle;
            } else {
                upper = middle;
            }
        }
        let mut sum = 0.0;
        let cumulative = tilted(lower).map(|probability| {
            sum += probability;
            sum
        });
        Self { cumulative }
    }

    fn play_pair(&self, rng: &mut Pcg64Mcg) -> PairScore {
        let random: f64 = rng.random();
        let mut scores = PairScore::ALL.into_iter().zip(self.cumulative);
        let score = scores.find(|(_, cumulative)| random < *cumulative);
        score.map_or(PairScore::Two, |(score, _)| score)
    }
}

/// Returns the tolerance of a frequency with the given probability in `runs` runs: four standard
/// deviations, which one test in 16,000 exceeds.
fn tolerance(probability: f64, runs: u32) -> f64 {
    4.0 * (probability * (1.0 - probability) / f64::from(runs)).sqrt()
}

/// Runs a test `runs` times. Returns the frequency of `verdict` and the mean number of pairs.
fn run_tests(verdict: Verdict, test: &Sprt, points: f64, runs: u32, seed: u64) -> (f64, u64) {
    let players = Players::stronger_by(points);
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let (mut accepted, mut total_pairs) = (0_u32, 0);
    for _ in 0..runs {
        let scores = std::iter::repeat_with(|| players.play_pair(&mut rng));
        // Far more pairs than any test needs.
        let (state, pairs) = test.run(scores.take(100_000));
        assert_ne!(state.verdict, Verdict::Continue);
        accepted += u32::from(state.verdict == verdict);
        total_pairs += pairs;
    }
    (
        f64::from(accepted) / f64::from(runs),
        total_pairs / u64::from(runs),
    )
}

/// Checks that tests accept the wrong hypothesis as rarely as `alpha` and `beta` say.
#[test]
fn sequential_test_keeps_its_error_rates() {
    let runs = sample_or_all(200, 2000);
    for (seed, (elo0, elo1, alpha, beta)) in
        (1..).zip([(0.0, 60.0, 0.05, 0.05), (-30.0, 30.0, 0.02, 0.10)])
    {
        let elo = |points| Elo::new(points).expect("finite");
        let test = Sprt::new(elo(elo0), elo(elo1), alpha, beta).expect("a test");
        for (wrong, points, rate) in [(Verdict::H1, elo0, alpha), (Verdict::H0, elo1, beta)] {
            let (errors, pairs) = run_tests(wrong, &test, points, runs, seed);
            assert!(
                errors <= rate + tolerance(rate, runs),
                "{test:?} at {points}: {errors} after {pairs} pairs"
            );
            // The LLR overshoots Wald's bounds, so that the error rate is somewhat smaller.
            assert!(
                errors >= rate / 3.0,
                "{test:?} at {points}: {errors} after {pairs} pairs"
            );
        }
        // Errors are rarer if the player is weaker than under H0.
        let (errors, _) = run_tests(Verdict::H1, &test, elo0 - 30.0, runs / 4, seed);
        assert!(errors < alpha / 2.0, "{test:?}: {errors}");
    }
}

/// Checks that results are as rarely found to be one-sided as the share of the error rate says, if
/// the hypothesis that they exclude is true: for players that often win or lose both games of a
/// pair, and under the distribution with the largest variance, in which all pairs are.
#[test]
fn one_sided_results_are_rare_under_the_excluded_hypothesis() {
    const MAX_PAIRS: usize = 60;

    let runs = sample_or_all(2000, 20_000);
    let elo = |points| Elo::new(points).expect("finite");
    // Large error rates make errors frequent enough to be counted.
    let rate = 0.4;
    let test = Sprt::new(elo(0.0), elo(10.0), rate, rate).expect("a test");
    let win = elo(10.0).expected_score().get();
    let decisive = Players {
        cumulative: [1.0 - win, 1.0 - win, 1.0 - win, 1.0 - win, 1.0],
    };
    for (seed, players) in (1..).zip([Players::stronger_by(10.0), decisive]) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut errors = 0;
        for _ in 0..runs {
            let scores = std::iter::repeat_with(|| players.play_pair(&mut rng));
            let (state, _) = test.run(scores.take(MAX_PAIRS));
            errors += u32::from(state.is_one_sided && state.verdict == Verdict::H0);
        }
        let frequency = f64::from(errors) / f64::from(runs);
        let share = rate / 20.0;
        assert!(
            frequency <= share + tolerance(share, runs),
            "{frequency} of {share}"
        );
        if seed == 2 {
            // The test is not idle.
            assert!(errors > 0);
        }
    }
}

/// Checks that 95 % of the intervals contain the true strength, and that 5 % of the matches between
/// equals have a likelihood of superiority above 95 %.
#[test]
fn intervals_contain_the_true_strength_in_95_of_100_matches() {
    let runs = sample_or_all(400, 4000);
    for (seed, points) in (1..).zip([0.0, 40.0, -200.0]) {
        let truth = Elo::new(points).expect("finite");
        let players = Players::stronger_by(points);
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (mut covered, mut superior) = (0, 0);
        for _ in 0..runs {
            let pairs: Pentanomial = (0..200).map(|_| players.play_pair(&mut rng)).collect();
            let estimate = Estimate::from_pairs(&pairs).expect("there are pairs");
            covered += u32::from(estimate.elo_interval.contains(&truth));
            superior += u32::from(estimate.superiority.get() > 0.95);
        }
        let coverage = f64::from(covered) / f64::from(runs);
        // The additional 0.003 is the error of the normal approximation with 200 pairs.
        assert!(
            (coverage - 0.95).abs() < tolerance(0.95, runs) + 0.003,
            "{points}: {coverage}"
        );
        if truth == Elo::ZERO {
            let frequency = f64::from(superior) / f64::from(runs);
            assert!(
                (frequency - 0.05).abs() < tolerance(0.05, runs) + 0.003,
                "{frequency}"
            );
        }
    }
}

/// Checks the formula of docs/arena-statistics.md: 5.3 V / (s1 - s0)^2 pairs if a hypothesis is
/// true, slightly more because the last pair overshoots the bound, and 1.6 times as many between
/// the hypotheses.
#[test]
fn sequential_test_needs_the_documented_number_of_pairs() {
    let runs = sample_or_all(100, 1000);
    let elo = |points| Elo::new(points).expect("finite");
    let test = Sprt::new(elo(-15.0), elo(15.0), 0.05, 0.05).expect("a test");
    let deviations = PairScore::ALL.map(|score| f64::from(score.half_points()) / 4.0 - 0.5);
    let variance: f64 = deviations.iter().zip(EQUALS).map(|(x, p)| p * x * x).sum();
    let distance = 2.0 * (elo(15.0).expected_score().get() - 0.5);
    let expected = 5.3 * variance / (distance * distance);
    for (points, factor) in [(-15.0, 1.0), (15.0, 1.0), (0.0, 1.6)] {
        let (_, pairs) = run_tests(Verdict::H1, &test, points, runs, 17);
        let pairs = f64::from(u32::try_from(pairs).expect("few"));
        let ratio = pairs / (expected * factor);
        assert!(
            (0.9..1.2).contains(&ratio),
            "{points}: {pairs} pairs, {ratio}"
        );
    }
}

/// The interval must contain the true strength even if the few pairs of a match all have the same
/// score.
#[test]
fn intervals_of_identical_pairs_contain_the_true_strength() {
    let runs = sample_or_all(400, 4000);
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    for points in [300.0, 600.0, 900.0] {
        let truth = Elo::new(points).expect("finite");
        let players = Players::stronger_by(points);
        let mut missed = 0;
        for _ in 0..runs {
            let pairs: Pentanomial = (0..5).map(|_| players.play_pair(&mut rng)).collect();
            let identical = pairs.only_score().is_some();
            let estimate = Estimate::from_pairs(&pairs).expect("there are pairs");
            missed += u32::from(identical && !estimate.elo_interval.contains(&truth));
        }
        let frequency = f64::from(missed) / f64::from(runs);
        assert!(
            frequency <= 0.05 + tolerance(0.05, runs),
            "{points}: {frequency}"
        );
    }
}
