//! Matches between players whose strength is known: the rates of errors that are stated are those that come.

use kalah_arena::{Elo, Estimate, PairScore, Pentanomial, Sprt, Verdict};
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

/// How often players of equal strength make how much of a pair where the first player often wins: mostly one win
/// each.
const EQUALS: [f64; 5] = [0.12, 0.08, 0.6, 0.08, 0.12];

/// Players of which one is that much stronger, over games between equals.
struct Players {
    /// The probabilities of the results, each with all before it.
    up_to: [f64; 5],
}

impl Players {
    fn stronger_by(points: f64) -> Self {
        let wanted = Elo::new(points).expect("finite").expected_score().get();
        // Results are the likelier the more they bring, by powers of a number that is found by halving.
        let tilted = |exponent: f64| {
            let mut shares = EQUALS;
            for (score, share) in PairScore::ALL.into_iter().zip(&mut shares) {
                *share *= (exponent * f64::from(score.half_points())).exp();
            }
            let sum: f64 = shares.iter().sum();
            shares.map(|share| share / sum)
        };
        let mean = |shares: &[f64; 5]| -> f64 {
            let points = PairScore::ALL.map(|score| f64::from(score.half_points()) / 4.0);
            points.iter().zip(shares).map(|(x, p)| x * p).sum()
        };
        let (mut lower, mut upper) = (-10.0, 10.0);
        for _ in 0..64 {
            let middle = f64::midpoint(lower, upper);
            if mean(&tilted(middle)) < wanted {
                lower = middle;
            } else {
                upper = middle;
            }
        }
        let mut sum = 0.0;
        let up_to = tilted(lower).map(|share| {
            sum += share;
            sum
        });
        Self { up_to }
    }

    fn play(&self, generator: &mut Pcg64Mcg) -> PairScore {
        let chance: f64 = generator.random();
        let played = PairScore::ALL.into_iter().zip(self.up_to);
        let mut fallen = played.filter(|(_, up_to)| chance < *up_to);
        fallen.next().map_or(PairScore::Two, |(score, _)| score)
    }
}

/// How far a share of `runs` may be from what it is on the average before it is no chance: four deviations, which one
/// test in 16,000 exceeds.
fn tolerance(share: f64, runs: u32) -> f64 {
    4.0 * (share * (1.0 - share) / f64::from(runs)).sqrt()
}

/// Of how many tests a claim was accepted, and how many pairs they took.
fn accepted(verdict: Verdict, test: &Sprt, points: f64, runs: u32, seed: u64) -> (f64, u64) {
    let players = Players::stronger_by(points);
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let (mut times, mut pairs) = (0_u32, 0);
    for _ in 0..runs {
        let games = std::iter::repeat_with(|| players.play(&mut generator));
        // No test comes near this.
        let (state, played) = test.run(games.take(100_000));
        assert_ne!(state.verdict, Verdict::Continue);
        times += u32::from(state.verdict == verdict);
        pairs += played;
    }
    (f64::from(times) / f64::from(runs), pairs / u64::from(runs))
}

#[test]
fn the_sequential_test_errs_as_often_as_it_says() {
    const RUNS: u32 = 2000;
    for (seed, (elo0, elo1, alpha, beta)) in
        (1..).zip([(0.0, 60.0, 0.05, 0.05), (-30.0, 30.0, 0.02, 0.10)])
    {
        let elo = |points| Elo::new(points).expect("finite");
        let test = Sprt::new(elo(elo0), elo(elo1), alpha, beta).expect("a test");
        for (wrong, points, rate) in [(Verdict::H1, elo0, alpha), (Verdict::H0, elo1, beta)] {
            let (errors, pairs) = accepted(wrong, &test, points, RUNS, seed);
            let most = rate + tolerance(rate, RUNS);
            assert!(
                errors <= most,
                "{test:?} at {points}: {errors} after {pairs} pairs"
            );
            // Wald's bounds are reached, not met, so that less than the whole rate is used up; but not much less.
            assert!(
                errors >= rate / 3.0,
                "{test:?} at {points}: {errors} after {pairs} pairs"
            );
        }
        // Beyond the claims errors are rarer still.
        let (errors, _) = accepted(Verdict::H1, &test, elo0 - 30.0, RUNS / 4, seed);
        assert!(errors < alpha / 2.0, "{test:?}: {errors}");
    }
}

#[test]
fn intervals_contain_the_true_strength_in_95_of_100_matches() {
    const RUNS: u32 = 4000;
    for (seed, points) in (1..).zip([0.0, 40.0, -200.0]) {
        let truth = Elo::new(points).expect("finite");
        let players = Players::stronger_by(points);
        let mut generator = Pcg64Mcg::seed_from_u64(seed);
        let (mut within, mut superior) = (0, 0);
        for _ in 0..RUNS {
            let pairs: Pentanomial = (0..200).map(|_| players.play(&mut generator)).collect();
            let estimate = Estimate::from_pairs(&pairs).expect("there are pairs");
            within += u32::from(estimate.elo_interval.contains(&truth));
            superior += u32::from(estimate.superiority.get() > 0.95);
        }
        let share = f64::from(within) / f64::from(RUNS);
        // The normal distribution is not quite that of 200 pairs.
        assert!(
            (share - 0.95).abs() < tolerance(0.95, RUNS) + 0.003,
            "{points}: {share}"
        );
        if truth == Elo::ZERO {
            let share = f64::from(superior) / f64::from(RUNS);
            assert!(
                (share - 0.05).abs() < tolerance(0.05, RUNS) + 0.003,
                "{share}"
            );
        }
    }
}

/// As long as docs/arena-statistics.md says: 5.3 V / (s1 - s0)^2 pairs where a claim is true, a little more as the
/// last pair goes beyond the bound, and 1.6 times as many between the claims.
#[test]
fn the_sequential_test_takes_as_long_as_it_says() {
    const RUNS: u32 = 1000;
    let elo = |points| Elo::new(points).expect("finite");
    let test = Sprt::new(elo(-15.0), elo(15.0), 0.05, 0.05).expect("a test");
    let shares = PairScore::ALL.map(|score| f64::from(score.half_points()) / 4.0 - 0.5);
    let variance: f64 = shares.iter().zip(EQUALS).map(|(x, p)| p * x * x).sum();
    let distance = 2.0 * (elo(15.0).expected_score().get() - 0.5);
    let expected = 5.3 * variance / (distance * distance);
    for (points, times) in [(-15.0, 1.0), (15.0, 1.0), (0.0, 1.6)] {
        let (_, pairs) = accepted(Verdict::H1, &test, points, RUNS, 17);
        let pairs = f64::from(u32::try_from(pairs).expect("few"));
        let found = pairs / (expected * times);
        assert!(
            (0.9..1.2).contains(&found),
            "{points}: {pairs} pairs, {found}"
        );
    }
}

/// A match of few pairs that all end alike is where the interval must not pretend: it contains the truth whatever
/// else can come.
#[test]
fn pairs_that_all_end_alike_do_not_pretend() {
    const RUNS: u32 = 4000;
    let mut generator = Pcg64Mcg::seed_from_u64(7);
    for points in [300.0, 600.0, 900.0] {
        let truth = Elo::new(points).expect("finite");
        let players = Players::stronger_by(points);
        let mut missed = 0;
        for _ in 0..RUNS {
            let pairs: Pentanomial = (0..5).map(|_| players.play(&mut generator)).collect();
            let alike = pairs.only_score().is_some();
            let estimate = Estimate::from_pairs(&pairs).expect("there are pairs");
            missed += u32::from(alike && !estimate.elo_interval.contains(&truth));
        }
        let share = f64::from(missed) / f64::from(RUNS);
        assert!(share <= 0.05 + tolerance(0.05, RUNS), "{points}: {share}");
    }
}
