//! The results as people read them.

use std::fmt::Write as _;

use kalah_arena::{Contestant, Estimate, Rating, Standing, ThinkTime};
use kalah_players::escape_control;

use super::results::{ArenaSummary, planned_games};
use crate::words::format_count;

/// The whole of it.
pub(super) fn summary_text(summary: &ArenaSummary) -> String {
    let mut text = standings_text(summary);
    if let [first, second] = [0, 1].map(Contestant)
        && summary.config.contestants.len() == 2
    {
        text += &match_text(summary, first, second);
    } else {
        text += &pairs_text(summary);
    }
    text += &games_text(summary);
    text
}

/// Everybody in order, with what they have made of each other.
pub(super) fn standings_text(summary: &ArenaSummary) -> String {
    let mut rows = vec![standings_header(summary)];
    for standing in &summary.standings {
        rows.push(standings_row(summary, standing));
    }
    align_columns(&rows, NAME_COLUMNS)
}

fn standings_header(summary: &ArenaSummary) -> Vec<String> {
    let mut row: Vec<String> = [
        "", "name", "Elo", "95 %", "points", "games", "won", "tied", "lost",
    ]
    .map(str::to_owned)
    .to_vec();
    if summary.config.contestants.len() > 2 {
        row.extend((1..=summary.standings.len()).map(|place| format!("#{place}")));
    }
    row
}

fn standings_row(summary: &ArenaSummary, standing: &Standing) -> Vec<String> {
    let &Standing {
        contestant, games, ..
    } = standing;
    let (elo, interval) = match summary.rating(contestant) {
        Some(Rating::Number { elo, interval }) => {
            let interval = interval.map(|interval| format!("{interval:.0}"));
            (format!("{elo:.0}"), interval.unwrap_or_default())
        }
        Some(other) => (other.to_string(), String::new()),
        None => (String::new(), String::new()),
    };
    let mut row = vec![
        format!("{}.", standing.rank),
        escape_control(summary.config.name(contestant)),
        elo,
        interval,
        points_text(games.half_points()),
        games.game_count().to_string(),
        games.wins.to_string(),
        games.draws.to_string(),
        games.losses.to_string(),
    ];
    if summary.config.contestants.len() > 2 {
        for other in &summary.standings {
            let meeting = summary
                .table
                .head_to_head(contestant, other.contestant)
                .games;
            row.push(if other.contestant == contestant {
                "-".to_owned()
            } else if meeting.game_count() == 0 {
                String::new()
            } else {
                points_text(meeting.half_points())
            });
        }
    }
    row
}

/// `12` or `12.5`.
pub(super) fn points_text(half_points: u64) -> String {
    let half = if half_points.is_multiple_of(2) {
        ""
    } else {
        ".5"
    };
    format!("{}{half}", half_points / 2)
}

/// Where not much has been played.
const FEW_PAIRS_NOTE: &str = "          so few pairs are a hint, and no more\n";

/// What a match of two tells.
fn match_text(summary: &ArenaSummary, first: Contestant, second: Contestant) -> String {
    let (_, estimate) = summary.meeting(first, second);
    let [one, other] =
        [first, second].map(|contestant| escape_control(summary.config.name(contestant)));
    let mut text = format!("\n{one} against {other}\n");
    match estimate {
        Some(estimate) => {
            let Estimate {
                pairs,
                score,
                score_interval,
                elo,
                elo_interval,
                normalized,
                superiority,
            } = estimate;
            let _ = writeln!(text, "  score   {score}, 95 % {score_interval}");
            let _ = writeln!(text, "  Elo     {elo}, 95 % {elo_interval}");
            if let Some(normalized) = normalized {
                let (value, interval) = (normalized.value, normalized.interval);
                let _ = writeln!(text, "          normalized {value}, 95 % {interval}");
            }
            let _ = writeln!(text, "  LOS     {superiority}");
            let _ = writeln!(text, "  pairs   {pairs}, from both games lost to both won");
            if pairs.pair_count() < Estimate::MIN_RELIABLE_PAIRS {
                text += FEW_PAIRS_NOTE;
            }
        }
        None => text += "  no pair of games is finished\n",
    }
    if let Some(test) = &summary.sprt {
        let (state, pairs) = (test.state(), test.pair_count());
        let _ = writeln!(
            text,
            "  SPRT    {state}, after {}",
            format_count(pairs, "pair")
        );
    }
    text
}

/// What all who have met have made of each other, by pairs.
fn pairs_text(summary: &ArenaSummary) -> String {
    let contestants = summary.config.contestants.len();
    let mut rows = vec![
        ["", "Elo", "95 %", "LOS", "pairs"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for one in Contestant::all(contestants) {
        for other in Contestant::all(contestants).skip(one.0 + 1) {
            let (_, Some(estimate)) = summary.meeting(one, other) else {
                continue;
            };
            let [first, second] = [one, other].map(|it| escape_control(summary.config.name(it)));
            rows.push(vec![
                format!("{first} - {second}"),
                format!("{:.0}", estimate.elo),
                format!("{:.0}", estimate.elo_interval),
                estimate.superiority.to_string(),
                estimate.pairs.to_string(),
            ]);
        }
    }
    if rows.len() == 1 {
        return String::new();
    }
    format!("\n{}", align_columns(&rows, 1))
}

/// How games ended, and the time they took.
fn games_text(summary: &ArenaSummary) -> String {
    let ends: Vec<String> = (summary.terminations.iter())
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    let mut text = format!(
        "\n{} of {} games: {}\n",
        summary.games.len(),
        planned_games(summary.config),
        if ends.is_empty() {
            "none yet".to_owned()
        } else {
            ends.join(", ")
        }
    );
    let mut rows = Vec::new();
    for (contestant, deeds) in Contestant::all(summary.stats.len()).zip(&summary.stats) {
        let ThinkTime {
            moves, longest_ms, ..
        } = deeds.think_time;
        let mean = deeds.think_time.mean().unwrap_or_default();
        let faults: Vec<String> = (deeds.faults.iter())
            .map(|(word, count)| format!("{count} {word}"))
            .collect();
        rows.push(vec![
            escape_control(summary.config.name(contestant)),
            format!("{moves} choices"),
            format!("{:.1} ms each", mean.as_secs_f64() * 1e3),
            format!("{longest_ms} ms the longest"),
            if faults.is_empty() {
                String::new()
            } else {
                format!("lost by {}", faults.join(", "))
            },
        ]);
    }
    text += &align_columns(&rows, 1);
    text
}

/// Columns as wide as they have to be, so many of them with names, to the left.
fn align_columns(rows: &[Vec<String>], names: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let between = if column == 0 { "" } else { "  " };
            let _ = if column < names {
                write!(line, "{between}{cell:<width$}")
            } else {
                write!(line, "{between}{cell:>width$}")
            };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Ranks and names of the standings.
const NAME_COLUMNS: usize = 2;
