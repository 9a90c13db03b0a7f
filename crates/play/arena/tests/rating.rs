//! Rating lists and standings: published values, closed forms, and a slower algorithm.

use kalah_arena::{
    Anchor, Contestant, CrossTable, Elo, Estimate, GameScore, Interval, PairScore, Rating,
    RatingList,
};
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_pcg::Pcg64Mcg;

fn elo(points: f64) -> Elo {
    Elo::new(points).expect("finite")
}

fn number(list: &RatingList, contestant: usize) -> (f64, Option<Interval<Elo>>) {
    match list.rating(Contestant(contestant)) {
        Some(Rating::Number { elo, interval }) => (elo.points().expect("finite"), interval),
        other => panic!("contestant {contestant} has no number but {other:?}"),
    }
}

fn points(list: &RatingList, contestant: usize) -> f64 {
    number(list, contestant).0
}

/// Two contestants, and the scores of the first one in their two games.
type Pair = (usize, usize, GameScore, GameScore);

fn table(contestants: usize, pairs: &[Pair]) -> CrossTable {
    let mut table = CrossTable::new(contestants);
    for &(one, other, first, second) in pairs {
        table.add_pair(Contestant(one), Contestant(other), first, second);
    }
    table
}

/// Adds wins, ties and losses of `one` against `other` as games without partners.
fn add_singles(table: &mut CrossTable, one: usize, other: usize, games: [u32; 3]) {
    for (score, count) in [GameScore::Win, GameScore::Tie, GameScore::Loss]
        .into_iter()
        .zip(games)
    {
        for _ in 0..count {
            table.add_single(Contestant(one), Contestant(other), score);
        }
    }
}

/// "`EloStat`, Bayeselo and Ordo", talkchess, 24 June 2012: three quarters of the points against
/// the next contestant and nine tenths against the one after it give +191, 0 and -191.
#[test]
fn ratings_match_a_published_list() {
    let mut table = CrossTable::new(3);
    add_singles(&mut table, 0, 1, [18, 9, 3]);
    add_singles(&mut table, 1, 2, [18, 9, 3]);
    add_singles(&mut table, 0, 2, [24, 6, 0]);
    let list = RatingList::from_table(&table, Anchor::Mean);
    for (contestant, expected) in [190.8485, 0.0, -190.8485].into_iter().enumerate() {
        let (points, interval) = number(&list, contestant);
        assert!((points - expected).abs() < 1e-4, "{contestant}: {points}");
        assert!(interval.is_some_and(|interval| interval.contains(&elo(expected))));
    }
    let order: Vec<_> = list
        .entries()
        .iter()
        .map(|entry| entry.contestant.0)
        .collect();
    assert_eq!(order, [0, 1, 2]);
}

#[test]
fn ratings_of_two_contestants_match_their_estimate() {
    use GameScore::{Loss, Tie, Win};
    let mut pairs = vec![(0, 1, Win, Win); 300];
    pairs.extend([(1, 0, Win, Loss); 500]);
    pairs.extend([(0, 1, Tie, Loss); 70]);
    pairs.extend([(1, 0, Win, Win); 200]);
    let table = table(2, &pairs);
    let estimate = Estimate::from_pairs(&table.head_to_head(Contestant(0), Contestant(1)).pairs)
        .expect("pairs");
    let list = RatingList::from_table(&table, Anchor::Fixed(Contestant(1), elo(1000.0)));
    let (rating, interval) = number(&list, 0);
    let expected = estimate.elo.points().expect("finite");
    assert!((rating - 1000.0 - expected).abs() < 1e-6, "{rating}");
    let interval = interval.expect("a positive variance");
    let ends = |interval: Interval<Elo>| [interval.lower, interval.upper].map(Elo::points);
    for (end, other) in ends(interval).into_iter().zip(ends(estimate.elo_interval)) {
        let (end, other) = (end.expect("finite"), other.expect("finite"));
        // The interval of the estimate is slightly asymmetric, see RatingList.
        assert!((end - 1000.0 - other).abs() < 0.1, "{end} {other}");
    }
    // The anchor has its given rating. Without one, the ratings are symmetric around 0.
    assert_eq!(
        number(&list, 1),
        (
            1000.0,
            Some(Interval {
                lower: elo(1000.0),
                upper: elo(1000.0)
            })
        )
    );
    let list = RatingList::from_table(&table, Anchor::Mean);
    let (one, other) = (points(&list, 0), points(&list, 1));
    assert!((one + other).abs() < 1e-9 && (one - other - expected).abs() < 1e-6);
}

/// Computes ratings with mean 0 by Zermelo's fixed-point iteration, which is slow and simple: the
/// strength of a contestant is its points, divided by the sum over its games of 1 / (its strength +
/// the opponent's).
fn zermelo(table: &CrossTable) -> Vec<f64> {
    let contestants = table.contestants();
    let mut strengths = vec![1.0_f64; contestants];
    for _ in 0..20_000 {
        let mut next = Vec::new();
        for one in 0..contestants {
            let (mut points, mut divisor) = (0.0, 0.0);
            for other in (0..contestants).filter(|&other| other != one) {
                let games = table.head_to_head(Contestant(one), Contestant(other)).games;
                points += f64::from(games.wins) + f64::from(games.ties) / 2.0;
                let count = f64::from(games.wins) + f64::from(games.ties) + f64::from(games.losses);
                divisor += count / (strengths[one] + strengths[other]);
            }
            next.push(points / divisor);
        }
        strengths = next;
    }
    let points: Vec<_> = strengths
        .iter()
        .map(|strength| 400.0 * strength.log10())
        .collect();
    let mean = points.iter().sum::<f64>() / points.iter().map(|_| 1.0).sum::<f64>();
    points.iter().map(|one| one - mean).collect()
}

fn pairs_among(contestants: usize) -> impl Strategy<Value = Vec<Pair>> {
    let score = || (0_usize..3).prop_map(|index| GameScore::ALL[index]);
    let pair = (0..contestants, 0..contestants, score(), score());
    let distinct = pair.prop_filter("a game against itself", |(one, other, ..)| one != other);
    proptest::collection::vec(distinct, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn ratings_match_zermelos_iteration(pairs in pairs_among(4)) {
        // A tie between each two contestants makes all of them comparable.
        let mut table = table(4, &pairs);
        for one in 0..4 {
            for other in 0..one {
                table.add_single(Contestant(one), Contestant(other), GameScore::Tie);
            }
        }
        let list = RatingList::from_table(&table, Anchor::Mean);
        for (contestant, slow) in zermelo(&table).into_iter().enumerate() {
            let (fast, interval) = number(&list, contestant);
            prop_assert!((fast - slow).abs() < 1e-4, "{}: {} {}", contestant, fast, slow);
            prop_assert!(interval.is_none_or(|interval| interval.contains(&elo(fast))));
        }
        // Every contestant has made its expected points.
        for one in 0..4 {
            let mut residual = 0.0;
            for other in (0..4).filter(|&other| other != one) {
                let games = table.head_to_head(Contestant(one), Contestant(other)).games;
                let count = f64::from(games.wins) + f64::from(games.ties) + f64::from(games.losses);
                let difference = elo(points(&list, one) - points(&list, other));
                let expected = count * difference.expected_score().get();
                residual += f64::from(games.wins) + f64::from(games.ties) / 2.0 - expected;
            }
            prop_assert!(residual.abs() < 1e-8, "{}: {}", one, residual);
        }
    }

    #[test]
    fn list_does_not_depend_on_the_order_or_perspective_of_pairs(
        mut pairs in pairs_among(5),
        seed in any::<u64>(),
    ) {
        let before = table(5, &pairs);
        pairs.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
        for (one, other, first, second) in &mut pairs {
            std::mem::swap(one, other);
            (*first, *second) = (second.mirrored(), first.mirrored());
        }
        let after = table(5, &pairs);
        prop_assert_eq!(&before, &after);
        prop_assert_eq!(before.standings(), after.standings());
        prop_assert_eq!(RatingList::from_table(&before, Anchor::Mean), RatingList::from_table(&after, Anchor::Mean));
    }

    #[test]
    fn ratings_do_not_depend_on_the_order_of_contestants(pairs in pairs_among(5)) {
        let reversed: Vec<Pair> = pairs.iter()
            .map(|&(one, other, first, second)| (4 - one, 4 - other, first, second))
            .collect();
        // An anchor determines which group has numbers, independently of the order.
        let list = |pairs: &[Pair], anchor| {
            RatingList::from_table(&table(5, pairs), Anchor::Fixed(Contestant(anchor), Elo::ZERO))
        };
        let (list, reversed) = (list(&pairs, 0), list(&reversed, 4));
        let near = |one: Elo, other: Elo| {
            let (one, other) = (one.points().expect("finite"), other.points().expect("finite"));
            (one - other).abs() < 1e-6 * (1.0 + one.abs())
        };
        for contestant in 0..5 {
            let one = list.rating(Contestant(contestant));
            let other = reversed.rating(Contestant(4 - contestant));
            let (Some(Rating::Number { .. }), Some(Rating::Number { .. })) = (one, other) else {
                prop_assert_eq!(one, other);
                continue;
            };
            let (elo, interval) = number(&list, contestant);
            let (other_elo, other_interval) = number(&reversed, 4 - contestant);
            prop_assert!(near(crate::elo(elo), crate::elo(other_elo)));
            prop_assert_eq!(interval.is_some(), other_interval.is_some());
            if let (Some(one), Some(other)) = (interval, other_interval) {
                prop_assert!(near(one.lower, other.lower) && near(one.upper, other.upper));
            }
        }
    }
}

#[test]
fn incomparable_contestants_have_no_number() {
    use GameScore::{Loss, Tie, Win};
    // 1 and 2 share points, 0 beats them, 3 loses to them, and 4 has no games.
    let table = table(
        5,
        &[
            (1, 2, Win, Loss),
            (1, 2, Win, Tie),
            (0, 1, Win, Win),
            (2, 3, Win, Win),
        ],
    );
    let list = RatingList::from_table(&table, Anchor::Mean);
    let rating = |contestant| {
        list.rating(Contestant(contestant))
            .map(|rating| rating.to_string())
    };
    assert_eq!(rating(0).as_deref(), Some("above all"));
    // Five of eight half points, relative to the mean.
    assert_eq!(rating(1).as_deref(), Some("+44.4"));
    assert_eq!(rating(2).as_deref(), Some("-44.4"));
    assert_eq!(rating(3).as_deref(), Some("below all"));
    assert_eq!(rating(4).as_deref(), Some("unknown"));
    assert_eq!(rating(5), None);
    let order: Vec<_> = list
        .entries()
        .iter()
        .map(|entry| entry.contestant.0)
        .collect();
    assert_eq!(order, [0, 1, 2, 3, 4]);
    // The anchor has lost all games, so that no other contestant gets a number.
    let list = RatingList::from_table(&table, Anchor::Fixed(Contestant(3), elo(50.0)));
    let rating = |contestant| {
        list.rating(Contestant(contestant))
            .map(|rating| rating.to_string())
    };
    assert_eq!(rating(3).as_deref(), Some("+50.0"));
    assert_eq!(rating(2).as_deref(), Some("above all"));
    assert_eq!(rating(4).as_deref(), Some("unknown"));
}

#[test]
fn winner_of_all_games_is_above_all() {
    let table = table(2, &[(0, 1, GameScore::Win, GameScore::Win)]);
    let list = RatingList::from_table(&table, Anchor::Mean);
    assert_eq!(list.rating(Contestant(0)), Some(Rating::AboveAll));
    assert_eq!(list.rating(Contestant(1)), Some(Rating::BelowAll));
    let json = serde_json::to_value(list.entries()).expect("JSON");
    assert_eq!(json[0]["rating"]["kind"], "above-all");
    assert_eq!(json[1]["rating"]["kind"], "below-all");
    assert_eq!(
        json[0]["games"],
        serde_json::json!({"wins": 2, "ties": 0, "losses": 0})
    );
    assert_eq!(
        RatingList::from_table(&CrossTable::new(0), Anchor::Mean).entries(),
        []
    );
}

/// In a chain of matches between neighbors, each difference is that of a match of two. The
/// differences here are extreme.
#[test]
fn chain_of_one_sided_matches_converges() {
    const LENGTH: usize = 8;
    let mut table = CrossTable::new(LENGTH);
    for one in 1..LENGTH {
        add_singles(&mut table, one - 1, one, [9999, 0, 1]);
    }
    let list = RatingList::from_table(&table, Anchor::Fixed(Contestant(0), Elo::ZERO));
    let step = 400.0 * 9999_f64.log10();
    let mut expected = 0.0;
    for contestant in 0..LENGTH {
        let points = points(&list, contestant);
        assert!((points - expected).abs() < 1e-6, "{contestant}: {points}");
        expected -= step;
    }
}

#[test]
fn pairs_without_variance_give_no_interval() {
    let table = table(2, &[(0, 1, GameScore::Win, GameScore::Loss); 9]);
    let list = RatingList::from_table(&table, Anchor::Mean);
    assert_eq!(number(&list, 0), (0.0, None));
}

/// Simulates round robins of four contestants of known strengths.
#[test]
fn intervals_contain_the_true_strengths_in_95_of_100_tournaments() {
    const RUNS: u32 = 1000;
    const PAIRS: u32 = 60;
    const TRUE: [f64; 4] = [90.0, 30.0, 0.0, -120.0];
    let mut rng = Pcg64Mcg::seed_from_u64(11);
    let mut covered = 0;
    for _ in 0..RUNS {
        let mut table = CrossTable::new(TRUE.len());
        for (one, strength) in TRUE.into_iter().enumerate() {
            for (other, other_strength) in TRUE.into_iter().enumerate().take(one) {
                let expected = elo(strength - other_strength).expected_score().get();
                for _ in 0..PAIRS {
                    let mut game = || {
                        if rng.random::<f64>() < expected {
                            GameScore::Win
                        } else {
                            GameScore::Loss
                        }
                    };
                    table.add_pair(Contestant(one), Contestant(other), game(), game());
                }
            }
        }
        let list = RatingList::from_table(&table, Anchor::Mean);
        for (contestant, points) in TRUE.into_iter().enumerate() {
            let (_, interval) = number(&list, contestant);
            covered += u32::from(interval.is_some_and(|interval| interval.contains(&elo(points))));
        }
    }
    let coverage = f64::from(covered) / f64::from(RUNS * 4);
    // Four standard deviations of 1000 tournaments, whose contestants depend on each other, plus
    // the error of the normal approximation with 60 pairs.
    assert!((coverage - 0.95).abs() < 0.02, "{coverage}");
}

#[test]
fn standings_are_ordered_by_the_fraction_of_the_points() {
    use GameScore::{Loss, Tie, Win};
    let table = table(4, &[(0, 1, Win, Loss), (0, 1, Tie, Tie), (2, 1, Win, Tie)]);
    let standings = table.standings();
    let summary: Vec<_> = (standings.iter())
        .map(|row| (row.rank, row.contestant.0, row.games.half_points()))
        .collect();
    assert_eq!(summary, [(1, 2, 3), (2, 0, 4), (3, 1, 5), (4, 3, 0)]);
    assert_eq!(standings[2].pairs.count(PairScore::Half), 1);
    assert_eq!(
        table
            .head_to_head(Contestant(0), Contestant(0))
            .games
            .game_count(),
        0
    );
}
