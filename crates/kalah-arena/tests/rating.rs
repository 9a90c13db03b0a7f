//! Rating lists against closed forms and against slower ways to the same numbers.

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

fn number(list: &RatingList, who: usize) -> (f64, Option<Interval<Elo>>) {
    match list.rating(Contestant(who)) {
        Some(Rating::Number { elo, interval }) => (elo.points().expect("finite"), interval),
        other => panic!("{who} has no number but {other:?}"),
    }
}

/// A pair, told of the first: who, whom, and the scores.
type Pair = (usize, usize, GameScore, GameScore);

fn table(contestants: usize, pairs: &[Pair]) -> CrossTable {
    let mut table = CrossTable::new(contestants);
    for &(one, other, first, second) in pairs {
        table.add_pair(Contestant(one), Contestant(other), first, second);
    }
    table
}

/// So many games with so many wins and draws between the two, as games without pairs.
fn singles(table: &mut CrossTable, one: usize, other: usize, games: [u32; 3]) {
    for (score, count) in [GameScore::Win, GameScore::Draw, GameScore::Loss]
        .into_iter()
        .zip(games)
    {
        for _ in 0..count {
            table.add_single(Contestant(one), Contestant(other), score);
        }
    }
}

/// "`EloStat`, Bayeselo and Ordo", talkchess of 24 June 2012: three quarters against the next and nine tenths
/// against the one after it are +191, 0 and -191, whatever is drawn.
#[test]
fn the_published_list_of_three() {
    let mut table = CrossTable::new(3);
    singles(&mut table, 0, 1, [18, 9, 3]);
    singles(&mut table, 1, 2, [18, 9, 3]);
    singles(&mut table, 0, 2, [24, 6, 0]);
    let list = RatingList::from_table(&table, Anchor::Mean);
    for (who, points) in [190.8485, 0.0, -190.8485].into_iter().enumerate() {
        let (found, interval) = number(&list, who);
        assert!((found - points).abs() < 1e-4, "{who}: {found}");
        assert!(interval.is_some_and(|interval| interval.contains(&elo(points))));
    }
    let order: Vec<_> = list
        .entries()
        .iter()
        .map(|line| line.contestant.0)
        .collect();
    assert_eq!(order, [0, 1, 2]);
}

#[test]
fn two_contestants_are_told_what_the_statistics_of_their_match_tell() {
    use GameScore::{Draw, Loss, Win};
    let mut pairs = vec![(0, 1, Win, Win); 300];
    pairs.extend([(1, 0, Win, Loss); 500]);
    pairs.extend([(0, 1, Draw, Loss); 70]);
    pairs.extend([(1, 0, Win, Win); 200]);
    let table = table(2, &pairs);
    let estimate = Estimate::from_pairs(&table.head_to_head(Contestant(0), Contestant(1)).pairs)
        .expect("pairs");
    let list = RatingList::from_table(&table, Anchor::Fixed(Contestant(1), elo(1000.0)));
    let (found, interval) = number(&list, 0);
    let expected = estimate.elo.points().expect("finite");
    assert!((found - 1000.0 - expected).abs() < 1e-6, "{found}");
    let interval = interval.expect("chance has shown");
    let ends = |interval: Interval<Elo>| [interval.lower, interval.upper].map(Elo::points);
    for (end, other) in ends(interval).into_iter().zip(ends(estimate.elo_interval)) {
        let (end, other) = (end.expect("finite"), other.expect("finite"));
        // The interval of the statistics is bent a little, see RatingList.
        assert!((end - 1000.0 - other).abs() < 0.1, "{end} {other}");
    }
    // The anchor is where it was put, and around the mean both are as far from it.
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
    let ((one, _), (other, _)) = (number(&list, 0), number(&list, 1));
    assert!((one + other).abs() < 1e-9 && (one - other - expected).abs() < 1e-6);
}

/// Zermelo's way, slow and sure: everybody's strength is its points, over the sum of what each opponent would let
/// expect of one of strength 1.
fn zermelo(table: &CrossTable) -> Vec<f64> {
    let all = table.contestants();
    let mut strengths = vec![1.0_f64; all];
    for _ in 0..20_000 {
        let mut next = Vec::new();
        for one in 0..all {
            let (mut points, mut chances) = (0.0, 0.0);
            for other in (0..all).filter(|&other| other != one) {
                let games = table.head_to_head(Contestant(one), Contestant(other)).games;
                points += f64::from(games.wins) + f64::from(games.draws) / 2.0;
                let number =
                    f64::from(games.wins) + f64::from(games.draws) + f64::from(games.losses);
                chances += number / (strengths[one] + strengths[other]);
            }
            next.push(points / chances);
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
    let score = || (0_usize..3).prop_map(|place| GameScore::ALL[place]);
    let pair = (0..contestants, 0..contestants, score(), score());
    let apart = pair.prop_filter("against oneself", |(one, other, ..)| one != other);
    proptest::collection::vec(apart, 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_list_is_that_of_zermelo(pairs in pairs_among(4)) {
        // With a draw between all nobody is out of reach.
        let mut table = table(4, &pairs);
        for one in 0..4 {
            for other in 0..one {
                table.add_single(Contestant(one), Contestant(other), GameScore::Draw);
            }
        }
        let list = RatingList::from_table(&table, Anchor::Mean);
        for (who, slow) in zermelo(&table).into_iter().enumerate() {
            let (fast, interval) = number(&list, who);
            prop_assert!((fast - slow).abs() < 1e-4, "{}: {} {}", who, fast, slow);
            prop_assert!(interval.is_none_or(|interval| interval.contains(&elo(fast))));
        }
        // Everybody has made as many points as expected.
        for one in 0..4 {
            let mut beyond = 0.0;
            for other in (0..4).filter(|&other| other != one) {
                let games = table.head_to_head(Contestant(one), Contestant(other)).games;
                let number = f64::from(games.wins) + f64::from(games.draws) + f64::from(games.losses);
                let share = elo(number_of(&list, one) - number_of(&list, other)).expected_score().get();
                beyond += f64::from(games.wins) + f64::from(games.draws) / 2.0 - number * share;
            }
            prop_assert!(beyond.abs() < 1e-8, "{}: {}", one, beyond);
        }
    }

    #[test]
    fn the_order_of_pairs_and_who_they_are_told_of_change_nothing(
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
    fn whoever_takes_part_in_another_order_is_told_the_same(pairs in pairs_among(5)) {
        let turned: Vec<Pair> = pairs.iter()
            .map(|&(one, other, first, second)| (4 - one, 4 - other, first, second))
            .collect();
        let (one, other) = (table(5, &pairs), table(5, &turned));
        // An anchor decides which group has numbers, whichever order they come in.
        let at = |who| Anchor::Fixed(Contestant(who), Elo::ZERO);
        let (one, other) = (RatingList::from_table(&one, at(0)), RatingList::from_table(&other, at(4)));
        for who in 0..5 {
            let (one, other) = (one.rating(Contestant(who)), other.rating(Contestant(4 - who)));
            match (one, other) {
                (Some(Rating::Number { elo, interval }), Some(Rating::Number { elo: others, interval: other })) => {
                    let near = |one: Elo, other: Elo| {
                        let (one, other) = (one.points().expect("finite"), other.points().expect("finite"));
                        (one - other).abs() < 1e-6 * (1.0 + one.abs())
                    };
                    prop_assert!(near(elo, others));
                    prop_assert_eq!(interval.is_some(), other.is_some());
                    if let (Some(one), Some(other)) = (interval, other) {
                        prop_assert!(near(one.lower, other.lower) && near(one.upper, other.upper));
                    }
                }
                (one, other) => prop_assert_eq!(one, other),
            }
        }
    }
}

fn number_of(list: &RatingList, who: usize) -> f64 {
    number(list, who).0
}

#[test]
fn who_is_out_of_reach_has_no_number() {
    use GameScore::{Draw, Loss, Win};
    // 1 and 2 share points, 0 beats them, 3 loses to them, 4 has played nobody.
    let table = table(
        5,
        &[
            (1, 2, Win, Loss),
            (1, 2, Win, Draw),
            (0, 1, Win, Win),
            (2, 3, Win, Win),
        ],
    );
    let list = RatingList::from_table(&table, Anchor::Mean);
    let rating = |who| {
        list.rating(Contestant(who))
            .map(|rating| rating.to_string())
    };
    assert_eq!(rating(0).as_deref(), Some("above all"));
    // Five half points of eight, around the mean.
    assert_eq!(rating(1).as_deref(), Some("+44.4"));
    assert_eq!(rating(2).as_deref(), Some("-44.4"));
    assert_eq!(rating(3).as_deref(), Some("below all"));
    assert_eq!(rating(4).as_deref(), Some("unknown"));
    assert_eq!(rating(5), None);
    let order: Vec<_> = list
        .entries()
        .iter()
        .map(|line| line.contestant.0)
        .collect();
    assert_eq!(order, [0, 1, 2, 3, 4]);
    // Counted from one who cannot be compared but by saying who is stronger.
    let list = RatingList::from_table(&table, Anchor::Fixed(Contestant(3), elo(50.0)));
    let rating = |who| {
        list.rating(Contestant(who))
            .map(|rating| rating.to_string())
    };
    assert_eq!(rating(3).as_deref(), Some("+50.0"));
    assert_eq!(rating(2).as_deref(), Some("above all"));
    assert_eq!(rating(4).as_deref(), Some("unknown"));
}

#[test]
fn who_wins_everything_is_above_all() {
    let table = table(2, &[(0, 1, GameScore::Win, GameScore::Win)]);
    let list = RatingList::from_table(&table, Anchor::Mean);
    assert_eq!(list.rating(Contestant(0)), Some(Rating::Above));
    assert_eq!(list.rating(Contestant(1)), Some(Rating::Below));
    assert_eq!(
        RatingList::from_table(&CrossTable::new(0), Anchor::Mean).entries(),
        []
    );
}

/// Where nobody has played anybody but the next, each difference is that of two.
#[test]
fn a_chain_of_hopeless_matches() {
    const LENGTH: usize = 8;
    let mut table = CrossTable::new(LENGTH);
    for one in 1..LENGTH {
        singles(&mut table, one - 1, one, [9999, 0, 1]);
    }
    let list = RatingList::from_table(&table, Anchor::Fixed(Contestant(0), Elo::ZERO));
    let step = 400.0 * 9999_f64.log10();
    let mut expected = 0.0;
    for who in 0..LENGTH {
        let found = number_of(&list, who);
        assert!((found - expected).abs() < 1e-6, "{who}: {found}");
        expected -= step;
    }
}

#[test]
fn pairs_without_any_chance_in_them_have_no_interval() {
    let table = table(2, &[(0, 1, GameScore::Win, GameScore::Loss); 9]);
    let list = RatingList::from_table(&table, Anchor::Mean);
    assert_eq!(number(&list, 0), (0.0, None));
}

/// Four contestants of known strengths, all against all: the intervals contain what they should.
#[test]
fn intervals_contain_the_true_strengths_in_95_of_100_tournaments() {
    const RUNS: u32 = 1000;
    const PAIRS: u32 = 60;
    const TRUE: [f64; 4] = [90.0, 30.0, 0.0, -120.0];
    let mut generator = Pcg64Mcg::seed_from_u64(11);
    let mut within = 0;
    for _ in 0..RUNS {
        let mut table = CrossTable::new(TRUE.len());
        for (one, strength) in TRUE.into_iter().enumerate() {
            for (other, others) in TRUE.into_iter().enumerate().take(one) {
                let share = elo(strength - others).expected_score().get();
                for _ in 0..PAIRS {
                    let mut game = || {
                        let won: f64 = generator.random();
                        if won < share {
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
        for (who, points) in TRUE.into_iter().enumerate() {
            let (_, interval) = number(&list, who);
            within += u32::from(interval.is_some_and(|interval| interval.contains(&elo(points))));
        }
    }
    let share = f64::from(within) / f64::from(RUNS * 4);
    // Four deviations of 1000 tournaments, whose contestants depend on each other, and what 60 pairs are off the
    // normal distribution.
    assert!((share - 0.95).abs() < 0.02, "{share}");
}

#[test]
fn standings_go_by_the_share_of_the_points() {
    use GameScore::{Draw, Loss, Win};
    let table = table(
        4,
        &[(0, 1, Win, Loss), (0, 1, Draw, Draw), (2, 1, Win, Draw)],
    );
    let lines = table.standings();
    let found: Vec<_> = lines
        .iter()
        .map(|line| (line.rank, line.contestant.0, line.games.half_points()))
        .collect();
    assert_eq!(found, [(1, 2, 3), (2, 0, 4), (3, 1, 5), (4, 3, 0)]);
    assert_eq!(lines[2].pairs.count(PairScore::Half), 1);
    assert_eq!(
        table
            .head_to_head(Contestant(0), Contestant(0))
            .games
            .game_count(),
        0
    );
}
