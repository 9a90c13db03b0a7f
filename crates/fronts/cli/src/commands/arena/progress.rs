//! The progress of a tournament on standard error.

use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use kalah::{Side, format_count};
use kalah_arena::{ArenaConfig, ArenaSummary, FinishedGame, standings_text};
use kalah_players::escape_control;

use crate::output::messages::print_stderr;
use crate::output::progress::{cut_lines, enable_tick, new_bar, terminal_size, wrap_lines};

/// The progress of a tournament on standard error: a bar with the standings on a terminal, and
/// otherwise a line for each game.
pub(super) enum ArenaProgress {
    Quiet,
    Lines,
    Live(LiveProgress),
}

/// A progress bar below the standings.
pub(super) struct LiveProgress {
    bar: ProgressBar,
    /// The time at which the standings were drawn last.
    standings_drawn_at: Mutex<Option<Instant>>,
}

const TEMPLATE: &str = "{msg}\n{prefix}{wide_bar} {pos}/{len} games, {elapsed}, {eta} left";

/// The text before the bar, if keys are read.
const PAUSE_HINT: &str = "p: pause ";

/// The bar during a pause, in which no time is left to estimate.
const PAUSED_TEMPLATE: &str = "{msg}\n{prefix}{wide_bar} {pos}/{len} games";

/// The text before the bar during a pause.
const PAUSED_HINT: &str = "paused, p: continue ";

/// The lines of a terminal below the standings: the bar and that of the cursor.
const LINES_BELOW: usize = 2;

/// The minimum interval between two drawings.
const REFRESH_INTERVAL: Duration = Duration::from_millis(250);

impl ArenaProgress {
    pub(super) fn new(is_quiet: bool, planned_games: u64, finished_games: usize) -> Self {
        if is_quiet {
            return Self::Quiet;
        }
        if !io::stderr().is_terminal() {
            return Self::Lines;
        }
        let bar = new_bar(planned_games).with_position(finished_games as u64);
        bar.reset_eta();
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        enable_tick(&bar);
        Self::Live(LiveProgress {
            bar,
            standings_drawn_at: Mutex::default(),
        })
    }

    /// Shows the last one of the finished games.
    pub(super) fn game_finished(&self, config: &ArenaConfig, games: &[FinishedGame]) {
        let Some(game) = games.last() else {
            return;
        };
        match self {
            Self::Quiet => {}
            Self::Lines => print_stderr(&game_line(game)),
            Self::Live(live) => {
                // Lines about faults remain above the bar.
                if game.end.side_at_fault().is_some() {
                    live.bar.println(wrap_lines(&game_line(game)));
                }
                live.bar.inc(1);
                live.draw_standings(config, games);
            }
        }
    }

    /// Says that a game is void.
    pub(super) fn note_pause(&self) {
        const NOTE: &str = "note: this program has paused, so a game begins again";
        match self {
            Self::Quiet => {}
            Self::Lines => print_stderr(NOTE),
            Self::Live(live) => live.bar.println(NOTE),
        }
    }

    /// Returns whether the progress is shown on a terminal, so that keys can change the tournament.
    pub(super) fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    /// Shows the key that pauses the tournament, or that continues it.
    pub(super) fn show_pause_key(&self, is_paused: bool) {
        let Self::Live(live) = self else {
            return;
        };
        let (hint, template) = if is_paused {
            (PAUSED_HINT, PAUSED_TEMPLATE)
        } else {
            (PAUSE_HINT, TEMPLATE)
        };
        live.bar.set_prefix(hint);
        if let Ok(style) = ProgressStyle::with_template(template) {
            live.bar.set_style(style);
        }
        live.bar.reset_eta();
    }

    /// Says that a person has paused the tournament, or continues it.
    pub(super) fn note_pause_key(&self, is_paused: bool) {
        if let Self::Live(live) = self {
            live.bar.println(wrap_lines(if is_paused {
                "paused: the games in progress go on, and no other begins until p is pressed again"
            } else {
                "continued"
            }));
        }
        self.show_pause_key(is_paused);
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        if let Self::Live(live) = self {
            live.bar.finish_and_clear();
        }
    }
}

impl LiveProgress {
    /// Draws the standings, which are computed from all games, unless they were drawn a moment ago.
    fn draw_standings(&self, config: &ArenaConfig, games: &[FinishedGame]) {
        let drawn_at = self.standings_drawn_at.lock();
        let mut drawn_at = drawn_at.unwrap_or_else(PoisonError::into_inner);
        if drawn_at.is_none_or(|drawn_at| drawn_at.elapsed() >= REFRESH_INTERVAL) {
            let (columns, lines) = terminal_size();
            let standings = standings_text(&ArenaSummary::new(config, games), Some(columns));
            let standings = first_lines(standings.trim_end(), lines.saturating_sub(LINES_BELOW));
            self.bar.set_message(cut_lines(&standings));
            *drawn_at = Some(Instant::now());
        }
    }
}

/// Returns the first lines of a text, and the number of the others if it has more than `max`.
fn first_lines(text: &str, max: usize) -> String {
    let count = text.lines().count();
    if count <= max {
        return text.to_owned();
    }
    let line_count = max.saturating_sub(1);
    let mut lines: Vec<&str> = text.lines().take(line_count).collect();
    let more = format!("… and {} more", count - line_count);
    lines.push(&more);
    lines.join("\n")
}

/// Returns a line such as `1.1.2 Mine - level:3: 30-18, 41 plies`, numbered as in the records.
fn game_line(game: &FinishedGame) -> String {
    let [south, north] = Side::ALL.map(|side| &game.names[side]);
    let line = format!(
        "{} {south} - {north}: {}, {}",
        game.number_text(),
        game.end,
        format_count(game.game.moves().len() as u64, "ply")
    );
    escape_control(&line)
}
