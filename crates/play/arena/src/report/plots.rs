//! The plots of the HTML report as SVG: ratings with their intervals, and histograms of margins.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Sub;

use kalah::{Margin, Side, format_count};
use maud::{Markup, html};

use super::summary::ArenaSummary;
use crate::finished_game::FinishedGame;
use crate::stats::{Contestant, Elo, Rating};

/// A linear scale from numbers to coordinates of a plot.
struct Scale {
    lower: f64,
    upper: f64,
    /// The coordinate of `lower`.
    left: f64,
    /// The coordinate of `upper`.
    right: f64,
}

/// A coordinate, which is written with one decimal.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SvgCoordinate(f64);

impl Sub for SvgCoordinate {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl fmt::Display for SvgCoordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1}", self.0)
    }
}

/// The maximum number of steps between ticks.
const MAX_TICK_STEPS: u8 = 8;

impl Scale {
    /// Creates a scale between finite numbers. An empty range is widened by 1 on both sides.
    fn new(lower: f64, upper: f64, left: f64, right: f64) -> Self {
        let (lower, upper) = if lower < upper {
            (lower, upper)
        } else {
            (lower - 1.0, lower + 1.0)
        };
        Self {
            lower,
            upper,
            left,
            right,
        }
    }

    /// Returns the coordinate of a number. Numbers out of range have the coordinate of the nearer
    /// end.
    fn coordinate(&self, number: f64) -> SvgCoordinate {
        let fraction = (number - self.lower) / (self.upper - self.lower);
        SvgCoordinate(self.left + fraction.clamp(0.0, 1.0) * (self.right - self.left))
    }

    /// Returns round numbers in range: multiples of 1, 2 or 5 times a power of ten.
    fn ticks(&self) -> Vec<f64> {
        let min_step = (self.upper - self.lower) / f64::from(MAX_TICK_STEPS);
        let power = 10_f64.powf(min_step.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|round| round * power);
        let step = steps.into_iter().find(|&step| step >= min_step);
        let step = step.unwrap_or(10.0 * power);
        let first = (self.lower / step).ceil();
        (0..=MAX_TICK_STEPS)
            .map(|number| (first + f64::from(number)) * step)
            .take_while(|&tick| tick <= self.upper)
            .collect()
    }
}

const ELO_PLOT_WIDTH: f64 = 760.0;
const LINE_HEIGHT: f64 = 30.0;
/// The coordinates between which ratings are drawn. Names are on the left, and numbers on the
/// right.
const ELO_PLOT_LEFT: f64 = 200.0;
const ELO_PLOT_RIGHT: f64 = 560.0;
/// The maximum number of characters of a name that is not truncated.
const MAX_NAME_LENGTH: usize = 26;
/// The minimum range of ratings on each side of zero, in Elo.
const MIN_ELO_RANGE: f64 = 50.0;

/// Returns a plot of the ratings with a line for each contestant, in the order of the rating list.
pub(super) fn elo_plot(summary: &ArenaSummary) -> Markup {
    let entries = summary.ratings.entries().iter();
    let ratings: Vec<(Contestant, Rating)> = entries
        .filter(|entry| summary.contestants.contains(&entry.contestant))
        .filter_map(|entry| Some((entry.contestant, summary.rating(entry.contestant)?)))
        .collect();
    let scale = elo_scale(&ratings);
    let bottom: f64 = ratings.iter().map(|_| LINE_HEIGHT).sum();
    let height = bottom + LINE_HEIGHT;
    html! {
        div.wide tabindex="0" {
            svg role="img" viewBox=(format!("0 0 {ELO_PLOT_WIDTH} {height}"))
                width=(ELO_PLOT_WIDTH) height=(height) {
                title { "Elo of each contestant with its 95 % interval" }
                @for tick in scale.ticks() {
                    @let x = scale.coordinate(tick);
                    line.grid x1=(x) x2=(x) y1="0" y2=(bottom) {}
                    text.soft x=(x) y=(bottom + 18.0) text-anchor="middle" { (tick) }
                }
                @for (&(contestant, rating), y) in ratings.iter().zip(line_centres()) {
                    text x=(ELO_PLOT_LEFT - 16.0) y=(y + 5.0) text-anchor="end" {
                        (truncate_name(summary.config.name(contestant)))
                    }
                    (rating_marker(rating, &scale, y))
                    text.soft x=(ELO_PLOT_RIGHT + 16.0) y=(y + 5.0) { (rating_text(rating)) }
                }
            }
        }
        p.soft {
            @if ratings.len() == 2 {
                "Elo against the other contestant. "
            } @else {
                "Elo from all games, relative to the mean of the contestants with a number. "
            }
            "A difference of 400 means an expected score of 10 to 1. Lines are 95 % intervals, "
            "computed from pairs of games. A contestant that has won or lost all points has no "
            "finite rating."
        }
    }
}

/// Returns the vertical centres of the lines, from the top.
fn line_centres() -> impl Iterator<Item = f64> {
    (0..).map(|number| (f64::from(number) + 0.5) * LINE_HEIGHT)
}

/// Returns a scale that contains all finite ratings and ends of intervals.
fn elo_scale(ratings: &[(Contestant, Rating)]) -> Scale {
    let mut numbers = vec![-MIN_ELO_RANGE, MIN_ELO_RANGE];
    for &(_, rating) in ratings {
        if let Rating::Number { elo, interval } = rating {
            let ends = interval.map(|interval| [interval.lower, interval.upper]);
            let all = ends.into_iter().flatten().chain([elo]);
            numbers.extend(all.filter_map(Elo::points));
        }
    }
    let lower = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let upper = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Scale::new(lower, upper, ELO_PLOT_LEFT, ELO_PLOT_RIGHT)
}

/// Returns a dot with the interval as a line, or a note at the end of the plot at which an
/// unbounded rating lies.
fn rating_marker(rating: Rating, scale: &Scale, y: f64) -> Markup {
    let coordinate = |elo: Elo| {
        scale.coordinate(elo.points().unwrap_or(if elo > Elo::ZERO {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        }))
    };
    html! {
        @match rating {
            Rating::Number { elo, interval } => {
                @if let Some(interval) = interval {
                    @let ends = [interval.lower, interval.upper].map(coordinate);
                    line.whisker x1=(ends[0]) x2=(ends[1]) y1=(y) y2=(y) {}
                    @for x in ends {
                        line.whisker x1=(x) x2=(x) y1=(y - 5.0) y2=(y + 5.0) {}
                    }
                }
                circle cx=(coordinate(elo)) cy=(y) r="5" {}
            }
            Rating::AboveAll => {
                text.beyond x=(ELO_PLOT_RIGHT) y=(y + 5.0) text-anchor="end" { "stronger ▸" }
            }
            Rating::BelowAll => {
                text.beyond x=(ELO_PLOT_LEFT) y=(y + 5.0) { "◂ weaker" }
            }
            Rating::Unknown => {}
        }
    }
}

fn rating_text(rating: Rating) -> String {
    match rating {
        Rating::Number {
            elo,
            interval: Some(interval),
        } => format!("{elo:.0}, {interval:.0}"),
        Rating::Number {
            elo,
            interval: None,
        } => format!("{elo:.0}"),
        Rating::AboveAll | Rating::BelowAll | Rating::Unknown => rating.to_string(),
    }
}

/// Returns the beginning of a name with at most [`MAX_NAME_LENGTH`] characters.
fn truncate_name(name: &str) -> String {
    if name.chars().count() <= MAX_NAME_LENGTH {
        return name.to_owned();
    }
    name.chars()
        .take(MAX_NAME_LENGTH - 1)
        .chain(['…'])
        .collect()
}

const HISTOGRAM_WIDTH: f64 = 360.0;
const HISTOGRAM_HEIGHT: f64 = 130.0;
/// The height below the bars, for numbers.
const AXIS_HEIGHT: f64 = 20.0;
/// The height above the bars.
const TOP_PADDING: f64 = 6.0;
/// Half of the width of a bar, as a fraction of the distance of two bars.
const HALF_BAR: f64 = 0.44;
/// The maximum number of bars on each side of zero.
const MAX_BARS: i32 = 12;

/// Returns a histogram of the margins of each contestant. All have the same scale.
pub(super) fn margin_histograms(summary: &ArenaSummary) -> Markup {
    let margins: Vec<(Contestant, Vec<i32>)> = (summary.contestants.iter())
        .map(|&contestant| (contestant, margins_of(contestant, &summary.games)))
        .collect();
    let all = margins.iter().flat_map(|(_, margins)| margins);
    let width = bar_width(all.map(|margin| margin.abs()).max().unwrap_or_default());
    html! {
        div.pictures {
            @for (contestant, margins) in &margins {
                figure {
                    figcaption {
                        b { (summary.config.name(*contestant)) }
                        @if let Some(mean) = mean(margins) {
                            @let games = format_count(margins.len() as u64, "game");
                            " " span.soft { (format!("{mean:+.1} on average in {games}")) }
                        }
                    }
                    (histogram(margins, width))
                }
            }
        }
        p.soft {
            "Final margins in seeds, in games that the seeds decided. Each bar stands for " (width)
            @if width == 1 { " seed." } @else { " seeds." }
        }
    }
}

/// Returns the margins of a contestant in the games that the seeds decided.
fn margins_of(contestant: Contestant, games: &[&FinishedGame]) -> Vec<i32> {
    let mut margins = Vec::new();
    for game in games {
        for side in Side::ALL {
            if game.players()[side] == contestant {
                margins.extend(game.margin(side).map(Margin::seeds));
            }
        }
    }
    margins
}

/// Returns the number of seeds that a bar stands for if `largest` is the largest margin. It is
/// even: the margins of one board have the parity of its seeds, so that every other number is
/// impossible.
fn bar_width(largest: i32) -> i32 {
    // Cannot overflow: a margin is a number of 16 bits.
    let seeds = (largest + MAX_BARS - 1) / MAX_BARS;
    (seeds + seeds % 2).max(2)
}

fn mean(margins: &[i32]) -> Option<f64> {
    let sum: f64 = margins.iter().copied().map(f64::from).sum();
    let games: f64 = margins.iter().map(|_| 1.0).sum();
    (!margins.is_empty()).then(|| sum / games)
}

fn histogram(margins: &[i32], width: i32) -> Markup {
    let mut bars: BTreeMap<i32, u32> = BTreeMap::new();
    for margin in margins {
        *bars.entry(bar_index(*margin, width)).or_default() += 1;
    }
    let max_count = bars.values().copied().max().unwrap_or(1);
    let range = f64::from(MAX_BARS) + 0.5;
    let across = Scale::new(-range, range, 0.0, HISTOGRAM_WIDTH);
    let ground = HISTOGRAM_HEIGHT - AXIS_HEIGHT;
    let up = Scale::new(0.0, f64::from(max_count), ground, TOP_PADDING);
    html! {
        svg role="img" viewBox=(format!("0 0 {HISTOGRAM_WIDTH} {HISTOGRAM_HEIGHT}"))
            width=(HISTOGRAM_WIDTH) height=(HISTOGRAM_HEIGHT) {
            title { "Number of games by margin" }
            @for (&bar, &count) in &bars {
                @let left = across.coordinate(f64::from(bar) - HALF_BAR);
                @let right = across.coordinate(f64::from(bar) + HALF_BAR);
                @let top = up.coordinate(f64::from(count));
                rect class=(bar_class(bar)) x=(left) y=(top)
                    width=(right - left) height=(SvgCoordinate(ground) - top) {
                    title { (margin_range(bar, width)) ": " (count) }
                }
            }
            line.axis x1="0" x2=(HISTOGRAM_WIDTH) y1=(ground) y2=(ground) {}
            @for bar in [-MAX_BARS, -MAX_BARS / 2, 0, MAX_BARS / 2, MAX_BARS] {
                text.soft x=(across.coordinate(f64::from(bar))) y=(HISTOGRAM_HEIGHT - 4.0)
                    text-anchor=(text_anchor(bar)) {
                    (Margin::new(bar.saturating_mul(width)))
                }
            }
        }
    }
}

/// Returns the bar of a margin, counted from the bar of zero, which stands for zero alone.
fn bar_index(margin: i32, width: i32) -> i32 {
    let distance = margin.unsigned_abs().div_ceil(width.unsigned_abs());
    let distance = i32::try_from(distance).unwrap_or(MAX_BARS);
    distance * margin.signum()
}

/// Returns the text of the margins that a bar stands for.
fn margin_range(bar: i32, width: i32) -> String {
    let far = bar.saturating_mul(width);
    let near = far - bar.signum() * (width - 1);
    match bar {
        0 => "tied".to_owned(),
        _ => format!("{} to {}", Margin::new(near), Margin::new(far)),
    }
}

fn bar_class(bar: i32) -> &'static str {
    match bar.signum() {
        1 => "won",
        -1 => "lost",
        _ => "tied",
    }
}

fn text_anchor(bar: i32) -> &'static str {
    match bar.abs() {
        MAX_BARS if bar < 0 => "start",
        MAX_BARS => "end",
        _ => "middle",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_in_range() {
        let ticks = |lower, upper| {
            let ticks = Scale::new(lower, upper, 0.0, 1.0).ticks();
            let texts: Vec<String> = ticks.iter().map(|tick| format!("{tick:.1}")).collect();
            texts.join(" ")
        };
        assert_eq!(ticks(-230.0, 310.0), "-200.0 -100.0 0.0 100.0 200.0 300.0");
        assert_eq!(ticks(0.0, 1.0), "0.0 0.2 0.4 0.6 0.8 1.0");
        assert_eq!(ticks(5.0, 5.0), "4.0 4.5 5.0 5.5 6.0");
        assert_eq!(
            ticks(-300.0, 300.0),
            "-300.0 -200.0 -100.0 0.0 100.0 200.0 300.0"
        );
    }

    #[test]
    fn numbers_out_of_range_are_drawn_at_the_ends() {
        let scale = Scale::new(-10.0, 10.0, 100.0, 200.0);
        let coordinates =
            [-20.0, -10.0, 0.0, 5.0, 30.0].map(|number| scale.coordinate(number).to_string());
        assert_eq!(coordinates, ["100.0", "100.0", "150.0", "175.0", "200.0"]);
    }

    #[test]
    fn range_of_a_bar_contains_its_margins() {
        for largest in [0, 1, 24, 25, 48, 72, 300, 65_535] {
            let width = bar_width(largest);
            for margin in [-largest, -largest / 2, -1, 0, 1, largest / 3, largest] {
                let bar = bar_index(margin, width);
                assert!(
                    (-MAX_BARS..=MAX_BARS).contains(&bar),
                    "{margin} of {largest}"
                );
                assert_eq!(bar.signum(), margin.signum());
                let (near, far) = ((bar.abs() - 1) * width + 1, bar.abs() * width);
                assert!(margin == 0 || (near..=far).contains(&margin.abs()));
            }
        }
        assert_eq!(bar_width(24), 2);
        assert_eq!(margin_range(-2, 4), "-5 to -8");
        assert_eq!(margin_range(0, 4), "tied");
    }
    #[test]
    fn no_margins_have_no_mean() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[4, -2, 4]), Some(2.0));
    }
}
