//! How much contestants won and lost by, as pictures.

use std::collections::BTreeMap;

use kalah::Side;
use kalah_arena::{Contestant, FinishedGame};
use maud::{Markup, html};

use super::contestant_name;
use super::scale::{Scale, SvgCoordinate};

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 130.0;
/// Room below the bars for numbers.
const AXIS_HEIGHT: f64 = 20.0;
/// Room above them.
const TOP_PADDING: f64 = 6.0;
/// At most so many bars on each side of zero.
const MAX_BARS: i32 = 12;

/// A picture for each contestant.
pub(super) fn histograms(names: &[&str], games: &[FinishedGame]) -> Markup {
    let all: Vec<Vec<i32>> = Contestant::all(names.len())
        .map(|contestant| margins_of(contestant, games))
        .collect();
    let largest = all.iter().flatten().map(|margin| margin.abs()).max();
    let width = bar_width(largest.unwrap_or_default());
    html! {
        div.pictures {
            @for (contestant, margins) in Contestant::all(names.len()).zip(&all) {
                figure {
                    figcaption {
                        b { (contestant_name(names, contestant)) }
                        @if let Some(mean) = mean(margins) {
                            " " span.soft { (format!("{mean:+.1} on average in {} games", margins.len())) }
                        }
                    }
                    (histogram(margins, width))
                }
            }
        }
        p.soft {
            "Seeds more than the opponent at the end, in games that the seeds decided. "
            "Each bar stands for " (width) @if width == 1 { " seed." } @else { " seeds." }
        }
    }
}

fn margins_of(contestant: Contestant, games: &[FinishedGame]) -> Vec<i32> {
    let of_side = |game: &FinishedGame, side: Side| {
        (game.players()[side] == contestant)
            .then(|| game.margin(side))
            .flatten()
    };
    let margins = games.iter().flat_map(|game| {
        let sides = Side::ALL.into_iter();
        sides.filter_map(move |side| of_side(game, side))
    });
    margins.map(kalah::Margin::seeds).collect()
}

/// How many seeds a bar stands for, so that there are not too many: a margin's parity is that of all seeds, so that
/// every other number is never there.
fn bar_width(largest: i32) -> i32 {
    // The margins of a position fit into 16 bits, and what is added here is far less.
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
    let most = bars.values().copied().max().unwrap_or(1);
    let across = Scale::new(
        f64::from(-MAX_BARS) - 0.5,
        f64::from(MAX_BARS) + 0.5,
        0.0,
        WIDTH,
    );
    let ground = HEIGHT - AXIS_HEIGHT;
    let up = Scale::new(0.0, f64::from(most), ground, TOP_PADDING);
    html! {
        svg role="img" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) {
            title { "How many games ended with which margin" }
            @for (&bar, &count) in &bars {
                @let left = across.coordinate(f64::from(bar) - 0.44);
                @let top = up.coordinate(f64::from(count));
                rect class=(bar_class(bar)) x=(left) y=(top)
                    width=(across.coordinate(f64::from(bar) + 0.44) - left) height=(SvgCoordinate(ground) - top) {
                    title { (margin_range(bar, width)) ": " (count) }
                }
            }
            line.axis x1="0" x2=(WIDTH) y1=(ground) y2=(ground) {}
            @for bar in [-MAX_BARS, -MAX_BARS / 2, 0, MAX_BARS / 2, MAX_BARS] {
                text.soft x=(across.coordinate(f64::from(bar))) y=(HEIGHT - 4.0) text-anchor=(text_anchor(bar)) {
                    (kalah::Margin::new(bar.saturating_mul(width)))
                }
            }
        }
    }
}

/// The bar that a margin belongs to, told by how many bars it is from zero: zero has one for itself.
fn bar_index(margin: i32, width: i32) -> i32 {
    let away = margin.unsigned_abs().div_ceil(width.unsigned_abs());
    let away = i32::try_from(away).unwrap_or(MAX_BARS);
    away * margin.signum()
}

/// Which margins a bar stands for.
fn margin_range(bar: i32, width: i32) -> String {
    let far = bar.saturating_mul(width);
    let near = far - bar.signum() * (width - 1);
    match bar {
        0 => "tied".to_owned(),
        _ => format!(
            "{} to {}",
            kalah::Margin::new(near),
            kalah::Margin::new(far)
        ),
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
    use super::{MAX_BARS, bar_index, bar_width, margin_range};

    #[test]
    fn every_margin_has_a_bar_that_names_it() {
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
}
