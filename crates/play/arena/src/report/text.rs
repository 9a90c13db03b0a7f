//! The results of a tournament as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kalah::format_count;
use kalah_players::escape_control;

use super::summary::ArenaSummary;
use super::text_table::TextTable;
use crate::finished_game::ThinkTime;
use crate::stats::{Contestant, Estimate, Rating, Standing};

/// The number of columns of the standings that are aligned to the left: rank and name.
const STANDINGS_TEXT_COLUMNS: usize = 2;

/// The number of columns of the standings before those of the opponents.
const STANDINGS_COLUMNS: usize = 9;

/// The maximum number of pairs of contestants that are listed on a terminal.
const MAX_PAIR_LINES: usize = 15;

/// Returns all results: the standings, the statistics of a match or of all pairs of contestants,
/// and the numbers of games and moves. With a `width` in columns, tables leave columns out that
/// do not fit, and many pairs are left out.
pub fn summary_text(summary: &ArenaSummary, width: Option<usize>) -> String {
    let mut text = standings_text(summary, width);
    text += &match summary.contestants[..] {
        [first, second] => match_text(summary, first, second),
        _ => pairs_text(summary, width),
    };
    text += &games_text(summary, width);
    text
}

/// Returns the standings, with the points of more than two contestants against each other. With a
/// `width` in columns, the table leaves out columns that do not fit: first those of the opponents,
/// then the numbers of games by result, the interval, the number of games, and the Elo.
pub fn standings_text(summary: &ArenaSummary, width: Option<usize>) -> String {
    let mut rows = vec![standings_header(summary)];
    for (number, standing) in (1..).zip(&summary.standings) {
        rows.push(standings_row(summary, number, standing));
    }
    let opponents: Vec<usize> = (STANDINGS_COLUMNS..rows[0].len()).collect();
    TextTable {
        rows,
        left_columns: STANDINGS_TEXT_COLUMNS,
        name_column: 1,
        optional: vec![opponents, vec![6, 7, 8], vec![3], vec![5], vec![2]],
    }
    .to_text(width)
}

fn standings_header(summary: &ArenaSummary) -> Vec<String> {
    let mut row: Vec<String> = [
        "", "name", "Elo", "95 %", "points", "games", "won", "tied", "lost",
    ]
    .map(str::to_owned)
    .to_vec();
    if summary.contestants.len() > 2 {
        row.push(String::new());
        row.extend((1..=summary.standings.len()).map(row_label));
    }
    row
}

/// Returns the label of a row, and of the column with the points against its contestant. Ranks are
/// no labels, because contestants can share one.
fn row_label(number: usize) -> String {
    format!("#{number}")
}

/// Returns the row with this number, from 1.
fn standings_row(summary: &ArenaSummary, number: usize, standing: &Standing) -> Vec<String> {
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
        games.ties.to_string(),
        games.losses.to_string(),
    ];
    if summary.contestants.len() > 2 {
        row.push(row_label(number));
        for other in &summary.standings {
            let (results, _) = summary.head_to_head(contestant, other.contestant);
            row.push(if other.contestant == contestant {
                "-".to_owned()
            } else if results.games.game_count() == 0 {
                String::new()
            } else {
                points_text(results.games.half_points())
            });
        }
    }
    row
}

/// Returns points as `12` or `12.5`.
pub(super) fn points_text(half_points: u64) -> String {
    let half = if half_points.is_multiple_of(2) {
        ""
    } else {
        ".5"
    };
    format!("{}{half}", half_points / 2)
}

/// Returns a sentence about an estimate from few pairs, and nothing about one from many.
pub(super) fn few_pairs_note(pair_count: u64) -> Option<String> {
    let min = Estimate::MIN_RELIABLE_PAIRS;
    (pair_count < min).then(|| format!("Estimates from fewer than {min} pairs are unreliable."))
}

/// Returns the statistics of a match of two contestants.
fn match_text(summary: &ArenaSummary, first: Contestant, second: Contestant) -> String {
    let (_, estimate) = summary.head_to_head(first, second);
    let names = [first, second].map(|contestant| escape_control(summary.config.name(contestant)));
    let mut text = format!("\n{} against {}\n", names[0], names[1]);
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
            if let Some(note) = few_pairs_note(pairs.pair_count()) {
                let _ = writeln!(text, "          {note}");
            }
        }
        None => text += "  no pair of games is finished\n",
    }
    if let Some(test) = &summary.sprt {
        let (state, pairs) = (test.state(), format_count(test.pair_count(), "pair"));
        let _ = writeln!(text, "  SPRT    {state}, after {pairs}");
    }
    text
}

/// Returns the statistics of all pairs of contestants that have finished a pair of games.
fn pairs_text(summary: &ArenaSummary, width: Option<usize>) -> String {
    let contestants = &summary.contestants;
    let header = ["", "Elo", "95 %", "LOS", "pairs"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for (index, &first) in contestants.iter().enumerate() {
        for &second in &contestants[index + 1..] {
            let (_, Some(estimate)) = summary.head_to_head(first, second) else {
                continue;
            };
            let names = [first, second].map(|it| escape_control(summary.config.name(it)));
            rows.push(vec![
                names.join(" - "),
                format!("{:.0}", estimate.elo),
                format!("{:.0}", estimate.elo_interval),
                estimate.superiority.to_string(),
                estimate.pairs.to_string(),
            ]);
        }
    }
    let pairs = rows.len() - 1;
    if pairs == 0 {
        return String::new();
    }
    if width.is_some() && pairs > MAX_PAIR_LINES {
        return format!("\nThe report and the JSON have the estimates of all {pairs} pairs.\n");
    }
    let table = TextTable {
        rows,
        left_columns: 1,
        name_column: 0,
        optional: vec![vec![4], vec![3], vec![2]],
    };
    format!("\n{}", table.to_text(width))
}

/// Returns the numbers of games by ending, and the moves, times and faults of the contestants.
fn games_text(summary: &ArenaSummary, width: Option<usize>) -> String {
    let mut text = format!(
        "\n{} of {}: {}\n",
        summary.games.len(),
        format_count(summary.config.planned_games(), "game"),
        if summary.terminations.is_empty() {
            "none yet".to_owned()
        } else {
            counts_text(&summary.terminations)
        }
    );
    let mut rows = Vec::new();
    for &contestant in &summary.contestants {
        let Some(stats) = summary.stats.get(contestant.0) else {
            continue;
        };
        let ThinkTime {
            moves, longest_ms, ..
        } = stats.think_time;
        let mean = stats.think_time.mean().unwrap_or_default();
        rows.push(vec![
            escape_control(summary.config.name(contestant)),
            format_count(moves.into(), "move"),
            format!("{:.1} ms on average", mean.as_secs_f64() * 1e3),
            format!("{longest_ms} ms at most"),
            if stats.faults.is_empty() {
                String::new()
            } else {
                format!("lost by {}", counts_text(&stats.faults))
            },
        ]);
    }
    let table = TextTable {
        rows,
        left_columns: 1,
        name_column: 0,
        optional: vec![vec![3], vec![1], vec![2]],
    };
    text += &table.to_text(width);
    for warning in summary.ignored_line_warnings() {
        let _ = writeln!(text, "warning: {}", escape_control(&warning));
    }
    for note in summary.withdrawn_notes() {
        let _ = writeln!(text, "note: {}", escape_control(&note));
    }
    for skipped in &summary.config.skipped {
        let _ = writeln!(text, "warning: {}", escape_control(&skipped.to_string()));
    }
    text
}

/// Returns counts as `2 illegal, 1 time`.
fn counts_text(counts: &BTreeMap<&'static str, u32>) -> String {
    let counts = counts.iter().map(|(word, count)| format!("{count} {word}"));
    counts.collect::<Vec<_>>().join(", ")
}
