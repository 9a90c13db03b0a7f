//! The tables of the HTML report.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use kalah::{Termination, format_count};
use maud::{Markup, html};

use super::summary::ArenaSummary;
use super::text::{few_pairs_note, points_text};
use crate::stats::{Contestant, Pentanomial, ScoreFraction, Standing};

/// The maximum number of columns of opponents beside the name on a sheet of A4 in portrait format,
/// with points such as `123.5`.
const MAX_PRINTED_OPPONENTS: usize = 15;

/// Returns the cross table: a row for each contestant in the order of the standings, and in the
/// same order a column for each opponent. Rows and columns have numbers apart from the ranks, which
/// contestants can share. A table that is too wide for a sheet of paper is printed in parts.
pub(super) fn cross_table(summary: &ArenaSummary) -> Markup {
    let count = summary.standings.len();
    let whole = CrossTablePart {
        has_overview: true,
        opponents: 0..count,
        medium: Medium::Screen,
    };
    if count <= MAX_PRINTED_OPPONENTS {
        return html! { div.wide tabindex="0" { (whole.to_table(summary)) } };
    }
    let overview = CrossTablePart {
        has_overview: true,
        opponents: 0..0,
        medium: Medium::Paper,
    };
    let starts = (0..count).step_by(MAX_PRINTED_OPPONENTS);
    let parts = starts.map(|start| CrossTablePart {
        has_overview: false,
        opponents: start..(start + MAX_PRINTED_OPPONENTS).min(count),
        medium: Medium::Paper,
    });
    html! {
        div.wide.on-screen tabindex="0" { (whole.to_table(summary)) }
        div.on-paper {
            @for part in std::iter::once(overview).chain(parts) { (part.to_table(summary)) }
        }
    }
}

/// A part of the cross table, with all rows.
struct CrossTablePart {
    /// Whether it has the columns from the rank to the pairs.
    has_overview: bool,
    /// The opponents with a column, by their place in the standings.
    opponents: Range<usize>,
    medium: Medium,
}

/// The medium of a part of the cross table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Medium {
    Screen,
    /// Paper shows no titles.
    Paper,
}

impl CrossTablePart {
    fn to_table(&self, summary: &ArenaSummary) -> Markup {
        let name = |standing: &Standing| summary.config.name(standing.contestant);
        let opponents = &summary.standings[self.opponents.clone()];
        html! {
            table.cross {
                thead {
                    tr {
                        th scope="col" { "#" }
                        @if self.has_overview { th scope="col" { "Rank" } }
                        th.name scope="col" { "Contestant" }
                        @if self.has_overview {
                            th scope="col" { "Points" }
                            th scope="col" { "Games" }
                            th scope="col" { "Score" }
                            th scope="col" title="Pairs of games with 0, 0.5, 1, 1.5 and 2 points" {
                                "Pairs"
                            }
                        }
                        @for (number, other) in (self.opponents.start + 1..).zip(opponents) {
                            th scope="col" title=[self.title(|| name(other).to_owned())] { (number) }
                        }
                    }
                }
                tbody {
                    @for (number, one) in (1..).zip(&summary.standings) {
                        tr {
                            td { (number) }
                            @if self.has_overview { td { (one.rank) } }
                            th.name scope="row" { (name(one)) }
                            @if self.has_overview {
                                td { (points_text(one.games.half_points())) }
                                td { (one.games.game_count()) }
                                td { (score_text(one)) }
                                td { (pair_counts(&one.pairs)) }
                            }
                            @for other in opponents { (self.to_cell(summary, one, other)) }
                        }
                    }
                }
            }
        }
    }

    fn to_cell(&self, summary: &ArenaSummary, one: &Standing, other: &Standing) -> Markup {
        if one.contestant == other.contestant {
            return html! { td.self { "·" } };
        }
        let (results, _) = summary.head_to_head(one.contestant, other.contestant);
        let games = results.games;
        if games.game_count() == 0 {
            return html! { td {} };
        }
        let title = self.title(|| {
            format!(
                "won {}, tied {}, lost {}; pairs {}",
                games.wins,
                games.ties,
                games.losses,
                pair_counts(&results.pairs)
            )
        });
        html! {
            td title=[title] {
                (points_text(games.half_points()))
                @if self.medium == Medium::Screen { span.of { " of " (games.game_count()) } }
            }
        }
    }

    fn title(&self, text: impl FnOnce() -> String) -> Option<String> {
        (self.medium == Medium::Screen).then(text)
    }
}

/// Returns the points as a fraction of the maximum; nothing without games.
fn score_text(standing: &Standing) -> String {
    let tally = standing.games;
    let half_points = [tally.half_points(), 2 * tally.game_count()].map(u32::try_from);
    let [Ok(scored), Ok(max)] = half_points else {
        return String::new();
    };
    ScoreFraction::new(f64::from(scored) / f64::from(max))
        .map_or_else(String::new, |score| score.to_string())
}

fn pair_counts(pairs: &Pentanomial) -> String {
    pairs.counts().map(|count| count.to_string()).join(" ")
}

/// Returns the result of a match of two contestants in words; `None` for more contestants, and
/// before a pair of games is finished.
pub(super) fn match_sentence(summary: &ArenaSummary) -> Option<String> {
    let [first, second] = summary.standings.as_slice() else {
        return None;
    };
    let (results, estimate) = summary.head_to_head(first.contestant, second.contestant);
    let estimate = estimate?;
    let pair_count = results.pairs.pair_count();
    let mut sentence = format!(
        "{} scored {} against {} in {} of games: {} Elo, 95 % interval {}; likelihood of \
         superiority {}.",
        summary.config.name(first.contestant),
        estimate.score,
        summary.config.name(second.contestant),
        format_count(pair_count, "pair"),
        estimate.elo,
        estimate.elo_interval,
        estimate.superiority,
    );
    if let Some(note) = few_pairs_note(pair_count) {
        sentence.push(' ');
        sentence.push_str(&note);
    }
    Some(sentence)
}

/// Returns a table with the thinking time of each contestant, and a bar for its mean time of a
/// move.
pub(super) fn time_table(summary: &ArenaSummary) -> Markup {
    let active = summary.contestants.iter();
    let times = active
        .filter_map(|it| summary.stats.get(it.0))
        .map(|stats| stats.think_time);
    let slowest = times.clone().filter_map(|time| time.mean()).max();
    html! {
        div.wide tabindex="0" {
            table {
                thead {
                    tr {
                        th.name scope="col" { "Contestant" }
                        th scope="col" { "Moves" }
                        th scope="col" { "Mean" }
                        th.bar scope="col" { "Relative" }
                        th scope="col" { "Longest" }
                        th scope="col" { "Total" }
                    }
                }
                tbody {
                    @for (&contestant, time) in summary.contestants.iter().zip(times) {
                        tr {
                            th.name scope="row" { (summary.config.name(contestant)) }
                            td { (time.moves) }
                            td { (duration_text(time.mean())) }
                            td.bar {
                                meter min="0" max="1" value=(time_ratio(time.mean(), slowest)) {}
                            }
                            td { (duration_text(Some(Duration::from_millis(time.longest_ms)))) }
                            td { (duration_text(Some(Duration::from_millis(time.total_ms)))) }
                        }
                    }
                }
            }
        }
        p.soft {
            "Times from the request for a move to its answer. Moves of openings are not counted."
        }
    }
}

/// Returns the ratio of two times, 0 if one is missing.
fn time_ratio(time: Option<Duration>, max: Option<Duration>) -> f64 {
    let (time, max) = (time.unwrap_or_default(), max.unwrap_or_default());
    if max.is_zero() {
        0.0
    } else {
        time.as_secs_f64() / max.as_secs_f64()
    }
}

const SECOND: f64 = 1.0;
const MINUTE: f64 = 60.0;

/// The time in seconds below which milliseconds have a decimal: 99.5 ms and above are rounded to
/// three digits.
const MAX_TIME_WITH_DECIMAL: f64 = 0.0995;

/// Returns a duration with about three significant digits, and a dash if there is none.
fn duration_text(time: Option<Duration>) -> String {
    let Some(time) = time else {
        return "–".to_owned();
    };
    match time.as_secs_f64() {
        seconds if seconds < MAX_TIME_WITH_DECIMAL => format!("{:.1} ms", seconds * 1000.0),
        seconds if seconds < SECOND => format!("{:.0} ms", seconds * 1000.0),
        seconds if seconds < MINUTE => format!("{seconds:.1} s"),
        seconds => format!(
            "{:.0} min {:.0} s",
            (seconds / MINUTE).floor(),
            seconds % MINUTE
        ),
    }
}

/// Returns a table with a row for each way in which games ended, and for each contestant at fault,
/// with a link to the list of these games.
pub(super) fn endings_table(summary: &ArenaSummary) -> Markup {
    type Key = (Termination, Option<Contestant>);
    let mut counts: BTreeMap<Key, usize> = BTreeMap::new();
    for &game in &summary.games {
        let at_fault = game.end.side_at_fault().map(|side| game.players()[side]);
        *counts
            .entry((game.end.termination(), at_fault))
            .or_default() += 1;
    }
    html! {
        div.wide tabindex="0" {
            table {
                thead {
                    tr {
                        th.name scope="col" { "Ending" }
                        th.name scope="col" { "Lost by" }
                        th scope="col" { "Games" }
                    }
                }
                tbody {
                    @for ((termination, at_fault), count) in counts {
                        @let name = at_fault.map(|contestant| summary.config.name(contestant));
                        tr {
                            th.name scope="row" { (termination_text(termination)) }
                            td.name { @if let Some(name) = name { (name) } }
                            td { a href=(list_fragment(termination, name)) { (count) } }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the fragment of the list of games with an ending, or of those that the contestant with
/// a name has lost by it.
fn list_fragment(termination: Termination, loser: Option<&str>) -> String {
    let ending = termination.as_str();
    match loser {
        Some(name) => format!("#ending={ending}&engine={}&result=lost", encode_value(name)),
        None => format!("#ending={ending}"),
    }
}

/// Returns a text as a value in the query of an address: all bytes but ASCII letters and digits are
/// escaped.
fn encode_value(text: &str) -> String {
    let escape = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(escape).collect()
}

/// Returns a way in which games end in words.
pub(super) fn termination_text(termination: Termination) -> &'static str {
    match termination {
        Termination::Normal => "played to the end",
        Termination::Adjudicated => "adjudicated by its proven margin",
        Termination::Resign => "resigned",
        Termination::Illegal => "illegal move",
        Termination::Time => "time loss",
        Termination::Crash => "crash",
        Termination::Stall => "stall",
        Termination::Protocol => "protocol error",
        Termination::Unfinished => "unfinished",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_the_list_escape_names() {
        let fragment = |name| list_fragment(Termination::Illegal, name);
        assert_eq!(fragment(None), "#ending=illegal");
        assert_eq!(
            fragment(Some("a&b=ü 1")),
            "#ending=illegal&engine=a%26b%3D%C3%BC%201&result=lost"
        );
    }

    #[test]
    fn durations_have_about_three_digits() {
        for (ms, text) in [
            (0, "0.0 ms"),
            (99, "99.0 ms"),
            (100, "100 ms"),
            (1234, "1.2 s"),
            (61_000, "1 min 1 s"),
        ] {
            assert_eq!(duration_text(Some(Duration::from_millis(ms))), text);
        }
        assert_eq!(duration_text(None), "–");
    }
}
