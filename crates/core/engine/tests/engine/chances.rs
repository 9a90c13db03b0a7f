//! The chances of results: sums, order, parity and proven bounds, and the model with the logistic
//! function of the standard library.

use std::time::Duration;

use kalah::{Margin, Position, Rules};
use kalah_engine::{Bounds, Engine, GameValue, Limits, Report, ResultChances, ResultModel};
use proptest::prelude::*;

fn bounds(lower: i32, upper: i32) -> Bounds {
    Bounds {
        lower: Margin::new(lower),
        upper: Margin::new(upper),
    }
}

/// Returns the bounds of a position of which nothing is proven.
fn open_bounds(position: &Position) -> Bounds {
    let total = i32::from(position.total());
    bounds(-total, total)
}

/// The probabilities of a win and of a loss by the definition, without bounds.
fn slow_win_and_loss(position: &Position, estimate: Margin) -> [f64; 2] {
    let model = ResultModel::FITTED;
    let scale = model.scale
        + model.scale_per_seed * f64::from(position.seeds_in_play().get())
        + model.scale_per_house * f64::from(position.houses());
    let estimate = f64::from(estimate.seeds());
    let center = match estimate.abs() {
        0.0..=1.0 => estimate,
        _ => estimate + 0.5 * estimate.signum(),
    };
    let tie_width = if estimate % 2.0 == 0.0 {
        model.tie_width
    } else {
        0.0
    };
    let logistic = |x: f64| (1.0 / (1.0 + (-x / scale.max(0.6)).exp())).clamp(0.001, 0.999);
    [logistic(center - tie_width), logistic(-center - tie_width)]
}

/// The number of seeds that are certainly in the range of every board of the tests.
const MAX_MARGIN: i32 = 60;

fn start(houses: u8, seeds: u64) -> Position {
    Position::start(houses, seeds, Rules::STANDARD).expect("a board")
}

proptest! {
    #[test]
    fn chances_are_those_of_the_definition(
        houses in 1..=14_u8,
        seeds in 1..=14_u64,
        estimate in -MAX_MARGIN..=MAX_MARGIN,
    ) {
        let position = start(houses, seeds);
        let bounds = open_bounds(&position);
        let estimate = bounds.nearest_margin(Margin::new(estimate));
        prop_assume!(bounds.lower < estimate && estimate < bounds.upper);
        let chances = ResultChances::from_estimate(estimate, bounds, &position);
        let [win, loss] = slow_win_and_loss(&position, estimate).map(|chance| 1000.0 * chance);
        prop_assert!((f64::from(chances.win()) - win).abs() < 0.51, "{chances:?} {win}");
        prop_assert!((f64::from(chances.loss()) - loss).abs() < 0.51, "{chances:?} {loss}");
        let sum = chances.win() + chances.tie() + chances.loss();
        prop_assert_eq!(sum, ResultChances::TOTAL);
    }

    #[test]
    fn greater_estimates_have_greater_chances(houses in 1..=14_u8, seeds in 1..=14_u64) {
        let position = start(houses, seeds);
        let bounds = open_bounds(&position);
        let chances = (-MAX_MARGIN..=MAX_MARGIN).map(|estimate| {
            ResultChances::from_estimate(Margin::new(estimate), bounds, &position)
        });
        let chances: Vec<_> = chances.collect();
        prop_assert!(chances.is_sorted_by_key(|chances| chances.win()));
        prop_assert!(chances.is_sorted_by(|one, next| one.loss() >= next.loss()));
        let opponents = chances.iter().rev().map(|chances| chances.opponent());
        prop_assert!(opponents.eq(chances.iter().copied()));
    }

    #[test]
    fn proven_bounds_exclude_results(
        estimate in -MAX_MARGIN..=MAX_MARGIN,
        lower in -MAX_MARGIN..=MAX_MARGIN,
        width in 0..=MAX_MARGIN,
    ) {
        let position = start(6, 4);
        let bounds = bounds(lower, lower + 2 * width);
        let chances = ResultChances::from_estimate(Margin::new(estimate), bounds, &position);
        let [win, tie, loss] = [chances.win(), chances.tie(), chances.loss()];
        prop_assert_eq!(win + tie + loss, ResultChances::TOTAL);
        prop_assert!(win == 0 || bounds.upper > Margin::ZERO);
        prop_assert!(loss == 0 || bounds.lower < Margin::ZERO);
        prop_assert!(tie == 0 || lower % 2 == 0);
        if let Some(value) = GameValue::from_bounds(bounds) {
            let certain = match value {
                GameValue::Win => win,
                GameValue::Tie => tie,
                GameValue::Loss => loss,
            };
            prop_assert_eq!(certain, ResultChances::TOTAL);
        } else {
            prop_assert!([win, tie, loss].iter().all(|&chance| chance < ResultChances::TOTAL));
            prop_assert!(chances.win_percent() < 100);
        }
    }
}

#[test]
fn excluded_results_give_their_share_to_the_others() {
    let position = start(6, 4);
    let open = ResultChances::from_estimate(Margin::ZERO, open_bounds(&position), &position);
    assert_eq!(open.win(), open.loss());
    assert!(open.tie() > 0);
    let no_loss = ResultChances::from_estimate(Margin::ZERO, bounds(0, 48), &position);
    assert_eq!(no_loss.loss(), 0);
    assert!(no_loss.win() > open.win() && no_loss.tie() > open.tie());
    let [win, tie, loss] = [no_loss.win(), no_loss.tie(), no_loss.loss()];
    assert_eq!(ResultChances::new(win, tie, loss), Some(no_loss));
    assert_eq!(ResultChances::new(win, tie, 1), None);
    assert_eq!(ResultChances::new(u16::MAX, u16::MAX, u16::MAX), None);
    assert_eq!(no_loss.points(), no_loss.win() + no_loss.tie() / 2);
}

#[test]
fn percentages_are_rounded_down_and_only_an_excluded_win_has_none() {
    for (win, percent) in [(0, 0), (1, 1), (19, 1), (789, 78), (999, 99), (1000, 100)] {
        let chances = ResultChances::new(win, 0, 1000 - win).expect("they add up to the total");
        assert_eq!(chances.win_percent(), percent, "{win}");
    }
}

#[test]
fn fewer_seeds_in_play_make_a_lead_safer() {
    let chances = |seeds| {
        let position = start(6, seeds);
        ResultChances::from_estimate(Margin::new(6), open_bounds(&position), &position)
    };
    assert!(chances(3).win() > chances(6).win());
    assert!(chances(6).win() > chances(12).win());
}

#[test]
fn reports_have_the_chances_of_their_best_move() {
    let position = start(8, 8);
    let limits = Limits {
        nodes: Some(2_000),
        ..Limits::default()
    };
    let report = Engine::new().analyze(&position, limits, &|| Duration::ZERO);
    let best = report.best_move.and_then(|mv| report.move_report(mv));
    let best = best.expect("a best move").chances(&position);
    assert_eq!(report.chances(&position), Some(best));
    let unsearched = Report {
        nodes: 0,
        ..report.clone()
    };
    assert_eq!(unsearched.chances(&position), None);
    let others = report.moves.iter().map(|other| other.chances(&position));
    assert!(others.map(ResultChances::win).max() == Some(best.win()));
    assert!((1..ResultChances::TOTAL).contains(&best.win()), "{best:?}");
}
