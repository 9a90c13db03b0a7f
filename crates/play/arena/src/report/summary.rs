//! The results of a tournament so far, from which all reports are made, and their form as aligned
//! text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kalah::{Side, format_count};
use kalah_players::escape_control;
use serde::Serialize;
use unicode_width::UnicodeWidthStr as _;

use crate::finished_game::{FinishedGame, ThinkTime};
use crate::run::{ArenaConfig, RunningSprt, SlowStart};
use crate::schedule::Results;
use crate::stats::{
    Anchor, Contestant, CrossTable, Estimate, HeadToHead, Rating, RatingEntry, RatingList, Standing,
};

/// The results of a tournament so far.
pub struct ArenaSummary<'a> {
    pub(super) config: &'a ArenaConfig,
    /// The games in the order in which they finished.
    pub(super) games: &'a [FinishedGame],
    pub(super) table: CrossTable,
    pub(super) standings: Vec<Standing>,
    pub(super) ratings: RatingList,
    pub(super) sprt: Option<RunningSprt>,
    /// The numbers of games by the value of their tag `Termination`.
    pub(super) terminations: BTreeMap<&'static str, u32>,
    /// The other numbers of the contestants, in their order.
    pub(super) stats: Vec<ContestantStats>,
    /// The programs that take long to start.
    pub(super) slow_starts: &'a [SlowStart],
}

/// The thinking time and the faults of a contestant.
#[derive(Clone, Debug, Default)]
pub(super) struct ContestantStats {
    pub(super) think_time: ThinkTime,
    /// The numbers of games that it lost by its own fault, by the value of their tag `Termination`.
    pub(super) faults: BTreeMap<&'static str, u32>,
    /// The first line of its program that its protocol does not know.
    pub(super) ignored_line: Option<IgnoredLine>,
}

/// A line of a program that its protocol does not know.
#[derive(Clone, Debug, Serialize)]
pub(super) struct IgnoredLine {
    /// The number of the game.
    game: String,
    /// The line and the reason.
    line: String,
}

impl<'a> ArenaSummary<'a> {
    /// Computes the results of the finished `games` of a tournament.
    pub fn new(config: &'a ArenaConfig, games: &'a [FinishedGame]) -> Self {
        let results: Results = games.iter().collect();
        let table = results.cross_table(config.tournament.contestants);
        let mut terminations = BTreeMap::new();
        let mut stats = vec![ContestantStats::default(); config.tournament.contestants];
        for game in games {
            let termination = game.end.termination().as_str();
            *terminations.entry(termination).or_default() += 1;
            let players = game.players();
            for side in Side::ALL {
                let Some(stats) = stats.get_mut(players[side].0) else {
                    continue;
                };
                stats.think_time += game.think_time[side];
                if stats.ignored_line.is_none() {
                    stats.ignored_line = game.ignored_lines[side].clone().map(|line| IgnoredLine {
                        game: game.number_text(),
                        line,
                    });
                }
                if game.end.side_at_fault() == Some(side) {
                    *stats.faults.entry(termination).or_default() += 1;
                }
            }
        }
        Self {
            config,
            games,
            standings: table.standings(),
            ratings: RatingList::from_table(&table, Anchor::Mean),
            sprt: config.sprt.map(|test| RunningSprt::new(test, &results)),
            table,
            terminations,
            stats,
            slow_starts: &[],
        }
    }

    /// Adds the programs that take long to start.
    #[must_use]
    pub fn with_slow_starts(self, slow_starts: &'a [SlowStart]) -> Self {
        Self {
            slow_starts,
            ..self
        }
    }

    /// Returns whether no further game is played: all are finished, or the sequential test is
    /// decided.
    pub fn is_complete(&self) -> bool {
        let is_decided = self.sprt.as_ref().is_some_and(RunningSprt::is_decided);
        let results: Results = self.games.iter().collect();
        is_decided || self.config.tournament.due_encounters(&results).is_empty()
    }

    /// Returns the strength of a contestant: of two contestants, against the other one, as all
    /// their other statistics are; of more, on the scale of the rating list.
    pub(super) fn rating(&self, contestant: Contestant) -> Option<Rating> {
        if self.config.contestants.len() != 2 {
            return self.rating_entry(contestant).map(|entry| entry.rating);
        }
        let other = Contestant(1 - contestant.0.min(1));
        let estimate = self.head_to_head(contestant, other).1?;
        Some(Rating::Number {
            elo: estimate.elo,
            interval: Some(estimate.elo_interval),
        })
    }

    /// Returns a warning, as a sentence without a full stop, for each program that has written
    /// lines that its protocol does not know.
    pub(super) fn ignored_line_warnings(&self) -> impl Iterator<Item = String> {
        let all = Contestant::all(self.stats.len()).zip(&self.stats);
        all.filter_map(|(contestant, stats)| {
            let IgnoredLine { game, line } = stats.ignored_line.as_ref()?;
            let name = self.config.name(contestant);
            Some(format!(
                "{name} writes lines that its protocol does not know and that are ignored, the \
                 first in game {game}: {line}"
            ))
        })
    }

    fn rating_entry(&self, contestant: Contestant) -> Option<&RatingEntry> {
        let mut entries = self.ratings.entries().iter();
        entries.find(|entry| entry.contestant == contestant)
    }

    /// Returns the results of two contestants against each other, and the estimate from their pairs
    /// if there are any.
    pub(super) fn head_to_head(
        &self,
        first: Contestant,
        second: Contestant,
    ) -> (HeadToHead, Option<Estimate>) {
        let results = self.table.head_to_head(first, second);
        (results, Estimate::from_pairs(&results.pairs))
    }
}

/// The number of columns of the standings that are aligned to the left: rank and name.
const STANDINGS_TEXT_COLUMNS: usize = 2;

/// Returns all results: the standings, the statistics of a match or of all pairs of contestants,
/// and the numbers of games and moves.
pub fn summary_text(summary: &ArenaSummary) -> String {
    let mut text = standings_text(summary);
    text += &match summary.config.contestants.len() {
        2 => match_text(summary, Contestant(0), Contestant(1)),
        _ => pairs_text(summary),
    };
    text += &games_text(summary);
    text
}

/// Returns the standings, with the points of more than two contestants against each other.
pub fn standings_text(summary: &ArenaSummary) -> String {
    let mut rows = vec![standings_header(summary)];
    for standing in &summary.standings {
        rows.push(standings_row(summary, standing));
    }
    align_columns(&rows, STANDINGS_TEXT_COLUMNS)
}

fn standings_header(summary: &ArenaSummary) -> Vec<String> {
    let mut row: Vec<String> = [
        "", "name", "Elo", "95 %", "points", "games", "won", "tied", "lost",
    ]
    .map(str::to_owned)
    .to_vec();
    if summary.config.contestants.len() > 2 {
        row.extend((1..=summary.standings.len()).map(|rank| format!("#{rank}")));
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
        games.ties.to_string(),
        games.losses.to_string(),
    ];
    if summary.config.contestants.len() > 2 {
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
fn pairs_text(summary: &ArenaSummary) -> String {
    let contestants = summary.config.contestants.len();
    let header = ["", "Elo", "95 %", "LOS", "pairs"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for first in Contestant::all(contestants) {
        for second in Contestant::all(contestants).skip(first.0 + 1) {
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
    if rows.len() == 1 {
        return String::new();
    }
    format!("\n{}", align_columns(&rows, 1))
}

/// Returns the numbers of games by ending, and the moves, times and faults of the contestants.
fn games_text(summary: &ArenaSummary) -> String {
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
    for (contestant, stats) in Contestant::all(summary.stats.len()).zip(&summary.stats) {
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
    text += &align_columns(&rows, 1);
    for warning in summary.ignored_line_warnings() {
        let _ = writeln!(text, "warning: {}", escape_control(&warning));
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

/// Pads cells to the width of their column on a screen: the first `left_columns` on the right, all
/// others on the left.
fn align_columns(rows: &[Vec<String>], left_columns: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if column > 0 {
                line.push_str("  ");
            }
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            let parts = if column < left_columns {
                [cell, &padding]
            } else {
                [&padding, cell]
            };
            line.extend(parts.map(String::as_str));
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_the_width_on_a_screen() {
        let rows = [["1.", "日本語", "9"], ["2.", "Zoe\u{308}", "10"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(
            align_columns(&rows, 2),
            "1.  日本語   9\n2.  Zoe\u{308}     10\n"
        );
    }
}
