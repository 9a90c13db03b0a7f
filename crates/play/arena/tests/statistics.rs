//! Properties and edge cases of estimates and sequential tests.

use kalah_arena::{Elo, Estimate, PairScore, Pentanomial, ScoreFraction, Sprt, Verdict};
use proptest::prelude::*;

fn counts() -> impl Strategy<Value = Pentanomial> {
    // Zero counts are frequent.
    let count = prop_oneof![Just(0_u32), 1_u32..4, 0_u32..100_000];
    proptest::array::uniform5(count).prop_map(Pentanomial::new)
}

fn sprt() -> impl Strategy<Value = Sprt> {
    (-500.0..500.0, 1.0..500.0, 0.001..0.4, 0.001..0.4).prop_map(|(elo0, more, alpha, beta)| {
        let elo = |points| Elo::new(points).expect("finite");
        Sprt::new(elo(elo0), elo(elo0 + more), alpha, beta).expect("a test")
    })
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-6 * (1.0 + one.abs())
}

fn near_elo(one: Elo, other: Elo) -> bool {
    one == other || (one.points().zip(other.points())).is_some_and(|(one, other)| near(one, other))
}

proptest! {
    #[test]
    fn estimates_of_the_two_players_mirror_each_other(pairs in counts()) {
        prop_assert_eq!(pairs.mirrored().mirrored(), pairs);
        let (Some(one), Some(other)) = (Estimate::from_pairs(&pairs), Estimate::from_pairs(&pairs.mirrored())) else {
            prop_assert_eq!(pairs.pair_count(), 0);
            return Ok(());
        };
        prop_assert!(near(one.score.get(), other.score.mirrored().get()));
        prop_assert!(near_elo(one.elo, -other.elo));
        prop_assert!(near_elo(one.elo_interval.lower, -other.elo_interval.upper));
        prop_assert!(near(one.superiority.get(), 1.0 - other.superiority.get()));
        prop_assert_eq!(one.normalized.is_some(), other.normalized.is_some());
        if let (Some(one), Some(other)) = (one.normalized, other.normalized) {
            prop_assert!(near_elo(one.value, -other.value));
            prop_assert!(near_elo(one.interval.upper, -other.interval.lower));
        }
    }

    #[test]
    fn mirrored_test_accepts_the_other_hypothesis(pairs in counts(), test in sprt()) {
        let state = test.state(&pairs);
        prop_assert!(state.llr.is_finite());
        // Equal error rates make the bounds symmetric.
        let other = Sprt::new(-test.elo1(), -test.elo0(), 0.01, 0.01).expect("a test");
        let same = Sprt::new(test.elo0(), test.elo1(), 0.01, 0.01).expect("a test");
        let (one, other) = (same.state(&pairs), other.state(&pairs.mirrored()));
        prop_assert!(near(one.llr, -other.llr), "{} {}", one.llr, other.llr);
        prop_assert!(near(one.llr, state.llr));
        let mirrored = match other.verdict {
            Verdict::Continue => Verdict::Continue,
            Verdict::H0 => Verdict::H1,
            Verdict::H1 => Verdict::H0,
        };
        prop_assert_eq!(one.verdict, mirrored);
    }

    #[test]
    fn estimates_are_ordered_and_serialize_as_numbers(pairs in counts()) {
        let Some(estimate) = Estimate::from_pairs(&pairs) else { return Ok(()) };
        prop_assert!(estimate.score_interval.contains(&estimate.score));
        prop_assert!(estimate.elo_interval.contains(&estimate.elo));
        prop_assert!((0.0..=1.0).contains(&estimate.superiority.get()));
        let text = serde_json::to_string(&estimate).expect("JSON");
        prop_assert!(!text.to_lowercase().contains("nan"), "{}", text);
        // serde_json writes NaN as null; only `normalized` may be null.
        prop_assert_eq!(text.contains("null"), estimate.normalized.is_none());
        prop_assert_eq!(estimate.normalized.is_none(), pairs.only_score().is_some());
    }

    #[test]
    fn counts_do_not_depend_on_the_order_of_pairs(
        mut scores in proptest::collection::vec(0_usize..5, 0..60).prop_map(|indices| {
            indices.into_iter().map(|index| PairScore::ALL[index]).collect::<Vec<_>>()
        }),
    ) {
        let original: Pentanomial = scores.iter().copied().collect();
        scores.reverse();
        let reversed: Pentanomial = scores.iter().copied().collect();
        scores.sort();
        let sorted: Pentanomial = scores.iter().copied().collect();
        prop_assert_eq!(original, reversed);
        prop_assert_eq!(original, sorted);
    }
}

#[test]
fn no_pairs_give_no_estimate_and_no_verdict() {
    assert_eq!(Estimate::from_pairs(&Pentanomial::default()), None);
    let test = Sprt::new(Elo::ZERO, Elo::new(5.0).expect("finite"), 0.05, 0.05).expect("a test");
    let state = test.state(&Pentanomial::default());
    assert_eq!((state.llr.to_bits(), state.verdict), (0, Verdict::Continue));
}

#[test]
fn one_won_pair_has_a_wide_interval() {
    let pairs: Pentanomial = [PairScore::Two].into_iter().collect();
    let estimate = Estimate::from_pairs(&pairs).expect("a pair");
    assert_eq!(estimate.elo, Elo::INFINITE);
    // The lower end is a score of 5 %.
    assert_eq!(
        estimate.elo_interval.to_string(),
        "from -511.5 to +infinite"
    );
    assert_eq!(estimate.superiority.to_string(), "50.0 %");
    assert_eq!(estimate.normalized, None);
}

#[test]
fn a_hundred_won_pairs_have_a_narrow_interval() {
    let estimate = Estimate::from_pairs(&Pentanomial::new([0, 0, 0, 0, 100])).expect("pairs");
    assert_eq!(estimate.score, ScoreFraction::new(1.0).expect("a fraction"));
    assert_eq!(
        estimate.elo_interval.to_string(),
        "from +606.8 to +infinite"
    );
    assert_eq!(estimate.superiority.to_string(), "100.0 %");
}

/// An even player makes the same fraction of each pair with a probability of at most
/// `(0.5 / fraction)^pairs`.
#[test]
fn pairs_with_one_score_have_the_superiority_of_an_improbable_chance() {
    for (pairs, superiority) in [
        ([0, 0, 0, 3, 0], 1.0 - 8.0 / 27.0),
        ([0, 3, 0, 0, 0], 8.0 / 27.0),
        ([0, 0, 0, 0, 3], 1.0 - 1.0 / 8.0),
        ([3, 0, 0, 0, 0], 1.0 / 8.0),
    ] {
        let estimate = Estimate::from_pairs(&Pentanomial::new(pairs)).expect("pairs");
        let computed = estimate.superiority.get();
        assert!(near(computed, superiority), "{pairs:?}: {computed}");
    }
}

#[test]
fn even_pairs_give_an_even_estimate() {
    let estimate = Estimate::from_pairs(&Pentanomial::new([0, 0, 30, 0, 0])).expect("pairs");
    assert_eq!(estimate.elo, Elo::ZERO);
    assert_eq!(estimate.elo_interval.to_string(), "from -33.1 to +33.1");
    assert_eq!(estimate.superiority.to_string(), "50.0 %");
}

#[test]
fn invalid_test_parameters_are_rejected() {
    let elo = |points| Elo::new(points).expect("finite");
    let error = |elo0, elo1, alpha, beta| {
        let error = Sprt::new(elo0, elo1, alpha, beta).expect_err("invalid parameters");
        error.to_string()
    };
    assert_eq!(
        error(elo(5.0), elo(5.0), 0.05, 0.05),
        "elo1 must be greater than elo0, but +5.0 is not greater than +5.0"
    );
    assert_eq!(
        error(Elo::ZERO, Elo::INFINITE, 0.05, 0.05),
        "+infinite Elo is out of range: at most 2000 in either direction"
    );
    for rate in [0.0, -0.1, 0.5, f64::NAN] {
        let text = error(Elo::ZERO, elo(5.0), 0.05, rate);
        assert!(text.starts_with("beta must be a probability"), "{text}");
    }
}
