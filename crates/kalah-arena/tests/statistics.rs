//! What has to hold of the statistics of any match.

use kalah_arena::{Elo, Estimate, PairScore, Pentanomial, ScoreFraction, Sprt, Verdict};
use proptest::prelude::*;

fn counts() -> impl Strategy<Value = Pentanomial> {
    // Many matches without some of the results.
    let count = prop_oneof![Just(0_u32), 1_u32..4, 0_u32..100_000];
    proptest::array::uniform5(count).prop_map(Pentanomial::new)
}

fn test() -> impl Strategy<Value = Sprt> {
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
    fn what_one_player_is_told_is_the_mirror_of_what_the_other_is(pairs in counts()) {
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
    fn a_test_told_of_the_other_player_accepts_the_other_claim(pairs in counts(), test in test()) {
        let state = test.state(&pairs);
        prop_assert!(state.llr.is_finite());
        // With equal rates, so that the bounds are mirrors too.
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
    fn everything_is_a_number_and_in_order(pairs in counts()) {
        let Some(estimate) = Estimate::from_pairs(&pairs) else { return Ok(()) };
        prop_assert!(estimate.score_interval.contains(&estimate.score));
        prop_assert!(estimate.elo_interval.contains(&estimate.elo));
        prop_assert!((0.0..=1.0).contains(&estimate.superiority.get()));
        let text = serde_json::to_string(&estimate).expect("JSON");
        prop_assert!(!text.to_lowercase().contains("nan"), "{}", text);
        // What JSON cannot write it writes as null: only what is not known may be.
        prop_assert_eq!(text.contains("null"), estimate.normalized.is_none());
        prop_assert_eq!(estimate.normalized.is_none(), pairs.only_score().is_some());
    }

    #[test]
    fn the_order_of_pairs_changes_nothing(
        mut scores in proptest::collection::vec(0_usize..5, 0..60).prop_map(|places| {
            places.into_iter().map(|place| PairScore::ALL[place]).collect::<Vec<_>>()
        }),
    ) {
        let played: Pentanomial = scores.iter().copied().collect();
        scores.reverse();
        let reversed: Pentanomial = scores.iter().copied().collect();
        scores.sort();
        let sorted: Pentanomial = scores.iter().copied().collect();
        prop_assert_eq!(played, reversed);
        prop_assert_eq!(played, sorted);
    }
}

#[test]
fn no_pairs_tell_nothing() {
    assert_eq!(Estimate::from_pairs(&Pentanomial::default()), None);
    let test = Sprt::new(Elo::ZERO, Elo::new(5.0).expect("finite"), 0.05, 0.05).expect("a test");
    let state = test.state(&Pentanomial::default());
    assert_eq!((state.llr.to_bits(), state.verdict), (0, Verdict::Continue));
}

#[test]
fn one_pair_tells_little() {
    let pairs: Pentanomial = [PairScore::Two].into_iter().collect();
    let estimate = Estimate::from_pairs(&pairs).expect("a pair");
    assert_eq!(estimate.elo, Elo::INFINITE);
    // A score of 5 % or more.
    assert_eq!(
        estimate.elo_interval.to_string(),
        "from -511.5 to +infinite"
    );
    assert_eq!(estimate.superiority.to_string(), "50.0 %");
    assert_eq!(estimate.normalized, None);
}

#[test]
fn a_hundred_pairs_won_tell_much() {
    let estimate = Estimate::from_pairs(&Pentanomial::new([0, 0, 0, 0, 100])).expect("pairs");
    assert_eq!(estimate.score, ScoreFraction::new(1.0).expect("a share"));
    assert_eq!(
        estimate.elo_interval.to_string(),
        "from +606.8 to +infinite"
    );
    assert_eq!(estimate.superiority.to_string(), "100.0 %");
}

#[test]
fn even_pairs_say_even() {
    let estimate = Estimate::from_pairs(&Pentanomial::new([0, 0, 30, 0, 0])).expect("pairs");
    assert_eq!(estimate.elo, Elo::ZERO);
    assert_eq!(estimate.elo_interval.to_string(), "from -33.1 to +33.1");
    assert_eq!(estimate.superiority.to_string(), "50.0 %");
}

#[test]
fn what_is_no_test_is_refused() {
    let elo = |points| Elo::new(points).expect("finite");
    let error = |elo0, elo1, alpha, beta| {
        let refused = Sprt::new(elo0, elo1, alpha, beta).expect_err("no test");
        refused.to_string()
    };
    assert_eq!(
        error(elo(5.0), elo(5.0), 0.05, 0.05),
        "elo1 must be more than elo0, and +5.0 is not more than +5.0"
    );
    assert_eq!(
        error(Elo::ZERO, Elo::INFINITE, 0.05, 0.05),
        "a claim of +infinite Elo is beyond the 2000 that games can tell from winning all"
    );
    for rate in [0.0, -0.1, 0.5, f64::NAN] {
        let text = error(Elo::ZERO, elo(5.0), 0.05, rate);
        assert!(
            text.starts_with("beta is the probability of an error"),
            "{text}"
        );
    }
}
