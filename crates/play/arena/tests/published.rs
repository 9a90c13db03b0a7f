//! Estimates and log-likelihood ratios against published values of fastchess and fishtest.

use kalah_arena::{Elo, Estimate, Interval, Pentanomial, Sprt};

/// Statistics of a match, reported by fastchess.
struct Published {
    source: &'static str,
    pairs: [u32; 5],
    /// The Elo difference and half of the width of its interval.
    elo: Option<(f64, f64)>,
    normalized: (f64, f64),
    /// In percent.
    superiority: Option<f64>,
}

/// Sums in the counts: `app/tests/elo_test.cpp` of github.com/Disservin/fastchess counts a win and
/// a loss and two ties separately.
const PUBLISHED: [Published; 9] = [
    Published {
        source: "fastchess, app/tests/elo_test.cpp, EloPentanomial 1",
        pairs: [34, 54, 31 + 32, 64, 75],
        elo: Some((55.58, 27.65)),
        normalized: (57.94, 28.28),
        superiority: Some(100.00),
    },
    Published {
        source: "fastchess, app/tests/elo_test.cpp, EloPentanomial 2",
        pairs: [332, 433, 457 + 41, 333, 334],
        elo: Some((-8.64, 10.33)),
        normalized: (-9.17, 10.96),
        superiority: Some(5.05),
    },
    Published {
        source: "fastchess, app/tests/elo_test.cpp, EloPentanomial 3",
        pairs: [7895, 8757, 5485 + 200, 568, 9999],
        elo: Some((-21.04, 2.95)),
        normalized: (-19.01, 2.65),
        superiority: None,
    },
    Published {
        source: "https://github.com/Disservin/fastchess/pull/783",
        pairs: [379, 10170, 21828, 10640, 343],
        elo: None,
        normalized: (3.05, 2.31),
        superiority: None,
    },
    Published {
        source: "https://github.com/Disservin/fastchess/pull/881",
        pairs: [549, 54, 33, 1, 0],
        elo: Some((-517.92, 38.60)),
        normalized: (-856.15, 19.08),
        superiority: Some(0.00),
    },
    Published {
        source: "https://github.com/Disservin/fastchess/pull/882",
        pairs: [72, 10, 0, 0, 0],
        elo: Some((-600.97, 118.46)),
        normalized: (-1409.98, 53.17),
        superiority: Some(0.00),
    },
    Published {
        source: "https://github.com/brunocodutra/cinder/pull/820",
        pairs: [244, 1980, 3630, 2067, 263],
        elo: Some((2.65, 3.24)),
        normalized: (4.36, 5.32),
        superiority: Some(94.56),
    },
    Published {
        source: "https://github.com/brunocodutra/cinder/pull/836",
        pairs: [835, 6884, 13116, 7201, 852],
        elo: Some((2.11, 1.70)),
        normalized: (3.52, 2.83),
        superiority: Some(99.25),
    },
    Published {
        source: "https://github.com/brunocodutra/cinder/pull/916",
        pairs: [339, 4640, 8717, 4594, 403],
        elo: Some((0.76, 2.01)),
        normalized: (1.33, 3.52),
        superiority: Some(77.11),
    },
];

/// The rounding error of a value with two decimals.
const ROUNDED: f64 = 0.005_000_1;

fn number(elo: Elo) -> f64 {
    elo.points().expect("finite")
}

fn half_width(interval: Interval<Elo>) -> f64 {
    (number(interval.upper) - number(interval.lower)) / 2.0
}

#[test]
fn estimates_match_fastchess() {
    for Published {
        source,
        pairs,
        elo,
        normalized: (n, n_error),
        superiority,
    } in PUBLISHED
    {
        let estimate = Estimate::from_pairs(&Pentanomial::new(pairs)).expect("there are pairs");
        if let Some((value, error)) = elo {
            let computed = number(estimate.elo);
            assert!((computed - value).abs() < ROUNDED, "{source}: {computed}");
            let computed = half_width(estimate.elo_interval);
            assert!((computed - error).abs() < ROUNDED, "{source}: {computed}");
        }
        let normalized = estimate.normalized.expect("not all pairs are alike");
        let computed = number(normalized.value);
        assert!((computed - n).abs() < ROUNDED, "{source}: {computed}");
        let computed = half_width(normalized.interval);
        assert!((computed - n_error).abs() < ROUNDED, "{source}: {computed}");
        if let Some(percent) = superiority {
            let computed = estimate.superiority.get() * 100.0;
            assert!((computed - percent).abs() < ROUNDED, "{source}: {computed}");
        }
    }
}

/// fastchess prints `-997.10 +/- nan` here: <https://github.com/Disservin/fastchess/pull/882>.
#[test]
fn interval_with_a_lower_score_of_zero_is_infinite() {
    let estimate =
        Estimate::from_pairs(&Pentanomial::new([77, 1, 0, 0, 0])).expect("there are pairs");
    assert!((number(estimate.elo) + 997.10).abs() < ROUNDED);
    assert_eq!(estimate.elo_interval.lower, -Elo::INFINITE);
    assert!(estimate.elo_interval.upper.points().is_some());
}

/// A published log-likelihood ratio.
struct Ratio {
    source: &'static str,
    pairs: [u32; 5],
    elo0: f64,
    elo1: f64,
    llr: f64,
    tolerance: f64,
}

const RATIOS: [Ratio; 3] = [
    Ratio {
        source: "fastchess, app/tests/sprt_test.cpp, logistic pentanomial 1",
        pairs: [223, 9863, 20279 + 1000, 10037, 246],
        elo0: 0.5,
        elo1: 2.5,
        llr: -3.07,
        tolerance: ROUNDED,
    },
    Ratio {
        source: "fastchess, app/tests/sprt_test.cpp, logistic pentanomial 2",
        pairs: [871, 26175, 55003 + 980, 26678, 821],
        elo0: 0.0,
        elo1: 2.0,
        llr: -4.98,
        tolerance: ROUNDED,
    },
    Ratio {
        // "Logistic (exact)" in the raw statistics of a fishtest server, which rounds elo1.
        source: "https://montytest.muzhen.org/tests/stats/69d3c8dc7c5b3724e29d2712",
        pairs: [13, 37, 50, 25, 3],
        elo0: 0.0,
        elo1: 2.716,
        llr: -0.53772,
        tolerance: 0.000_11,
    },
];

#[test]
fn log_likelihood_ratios_match_fastchess_and_fishtest() {
    for case in RATIOS {
        let elo = |points| Elo::new(points).expect("finite");
        let test = Sprt::new(elo(case.elo0), elo(case.elo1), 0.05, 0.05).expect("a test");
        let state = test.state(&Pentanomial::new(case.pairs));
        let error = (state.llr - case.llr).abs();
        assert!(error < case.tolerance, "{}: {}", case.source, state.llr);
        // Both programs print these bounds.
        assert_eq!(
            format!("{:.2} {:.2}", state.lower, state.upper),
            "-2.94 2.94"
        );
    }
}

/// The fishtest page of [`RATIOS`]: "Expected value 0.43750", "Normalized Elo -63.97".
#[test]
fn score_and_normalized_elo_match_fishtest() {
    let estimate =
        Estimate::from_pairs(&Pentanomial::new([13, 37, 50, 25, 3])).expect("there are pairs");
    assert!((estimate.score.get() - 0.4375).abs() < 1e-12);
    let normalized = estimate.normalized.expect("not all pairs are alike");
    assert!((number(normalized.value) + 63.97).abs() < ROUNDED);
}

/// "(-2.25, 2.89)" in <https://github.com/brunocodutra/cinder/pull/820>, with alpha=0.05 beta=0.10.
#[test]
fn bounds_with_unequal_error_rates_match_fastchess() {
    let elo = |points| Elo::new(points).expect("finite");
    let test = Sprt::new(elo(-3.0), elo(1.0), 0.05, 0.10).expect("a test");
    let state = test.state(&Pentanomial::default());
    assert_eq!(
        format!("{:.2} {:.2}", state.lower, state.upper),
        "-2.25 2.89"
    );
}
