//! Ratings as a picture: a dot for each contestant, with a line for where it lies with 95 %.

use kalah_arena::{Contestant, Elo, Rating};
use maud::{Markup, html};

use super::contestant_name;
use super::scale::Scale;

const WIDTH: f64 = 760.0;
const LINE_HEIGHT: f64 = 30.0;
/// Where names end and where numbers begin.
const PLOT_LEFT: f64 = 200.0;
const PLOT_RIGHT: f64 = 560.0;
/// Names that are longer are cut.
const MAX_NAME_LENGTH: usize = 26;
/// The least distance from the mean that is drawn, in Elo.
const MIN_ELO_RANGE: f64 = 50.0;

/// The list, the strongest first.
pub(super) fn plot(names: &[&str], lines: &[(Contestant, Rating)]) -> Markup {
    let scale = scale(lines);
    let bottom: f64 = lines.iter().map(|_| LINE_HEIGHT).sum();
    let height = bottom + LINE_HEIGHT;
    html! {
        div.wide {
            svg role="img" viewBox=(format!("0 0 {WIDTH} {height}")) width=(WIDTH) height=(height) {
                title { "Elo of each contestant with its interval of 95 %" }
                @for mark in scale.ticks() {
                    line.grid x1=(scale.coordinate(mark)) x2=(scale.coordinate(mark)) y1="0" y2=(bottom) {}
                    text.soft x=(scale.coordinate(mark)) y=(bottom + 18.0) text-anchor="middle" { (mark) }
                }
                @for (&(contestant, rating), y) in lines.iter().zip(line_centres()) {
                    text x=(PLOT_LEFT - 16.0) y=(y + 5.0) text-anchor="end" { (truncate_name(contestant_name(names, contestant))) }
                    (whisker(rating, &scale, y))
                    text.soft x=(PLOT_RIGHT + 16.0) y=(y + 5.0) { (rating_text(rating)) }
                }
            }
        }
        p.soft {
            @if lines.len() == 2 {
                "Elo against the other; "
            } @else {
                "Elo from all games, counted from the mean of all who have a number; "
            }
            "400 more are ten points to one. The lines are intervals of 95 %, from the spread of pairs of games. "
            "Who has lost everything, or nothing, is beyond what games can tell."
        }
    }
}

/// Where the lines of text stand, from the top.
fn line_centres() -> impl Iterator<Item = f64> {
    (0..).map(|number| (f64::from(number) + 0.5) * LINE_HEIGHT)
}

fn scale(lines: &[(Contestant, Rating)]) -> Scale {
    let mut numbers = vec![-MIN_ELO_RANGE, MIN_ELO_RANGE];
    for &(_, rating) in lines {
        if let Rating::Number { elo, interval } = rating {
            let ends = interval.map(|interval| [interval.lower, interval.upper]);
            let all = ends.into_iter().flatten().chain([elo]);
            numbers.extend(all.filter_map(Elo::points));
        }
    }
    let lower = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let upper = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Scale::new(lower, upper, PLOT_LEFT, PLOT_RIGHT)
}

fn whisker(rating: Rating, scale: &Scale, y: f64) -> Markup {
    // An infinite number is drawn at the end of the picture.
    let at = |elo: Elo| {
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
                    line.whisker x1=(at(interval.lower)) x2=(at(interval.upper)) y1=(y) y2=(y) {}
                    @for end in [interval.lower, interval.upper] {
                        line.whisker x1=(at(end)) x2=(at(end)) y1=(y - 5.0) y2=(y + 5.0) {}
                    }
                }
                circle cx=(at(elo)) cy=(y) r="5" {}
            }
            Rating::Above => {
                text.beyond x=(PLOT_RIGHT) y=(y + 5.0) text-anchor="end" { "stronger ▸" }
            }
            Rating::Below => {
                text.beyond x=(PLOT_LEFT) y=(y + 5.0) { "◂ weaker" }
            }
            Rating::Unknown => {}
        }
    }
}

/// A rating in words.
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
        Rating::Above => "above the others".to_owned(),
        Rating::Below => "below the others".to_owned(),
        Rating::Unknown => "not compared".to_owned(),
    }
}

/// A name that has room in the picture.
fn truncate_name(name: &str) -> String {
    if name.chars().count() <= MAX_NAME_LENGTH {
        return name.to_owned();
    }
    name.chars()
        .take(MAX_NAME_LENGTH - 1)
        .chain(['…'])
        .collect()
}
