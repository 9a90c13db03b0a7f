use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use kalah::Side;
use kalah_arena::{FinishedGame, Leg};
use kalah_players::escape_control;

use super::super::print_stderr;

/// Tells on standard error how far a tournament is: a bar and a table on a terminal, a line for each game elsewhere.
pub(super) enum ArenaProgress {
    Quiet,
    Lines,
    Live(LiveProgress),
}

/// A bar below a table.
pub(super) struct LiveProgress {
    bar: ProgressBar,
    /// When the table was made.
    standings_drawn_at: Mutex<Option<Instant>>,
}

const TEMPLATE: &str = "{msg}\n{wide_bar} {pos}/{len} games, {elapsed}, {eta} left";

/// How often it is shown anew.
const REFRESH_INTERVAL: Duration = Duration::from_millis(250);

impl ArenaProgress {
    pub(super) fn new(is_quiet: bool, games: u64, finished: u64) -> Self {
        if is_quiet {
            return Self::Quiet;
        }
        if !io::stderr().is_terminal() {
            return Self::Lines;
        }
        let bar = ProgressBar::new(games).with_position(finished);
        bar.reset_eta();
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(REFRESH_INTERVAL);
        Self::Live(LiveProgress {
            bar,
            standings_drawn_at: Mutex::default(),
        })
    }

    /// Tells of a game; `table` is how everybody stands with it.
    pub(super) fn game_finished(&self, game: &FinishedGame, table: impl FnOnce() -> String) {
        match self {
            Self::Quiet => {}
            Self::Lines => print_stderr(&game_line(game)),
            Self::Live(LiveProgress {
                bar,
                standings_drawn_at: made,
            }) => {
                // Faults are worth a line that stays.
                if game.end.side_at_fault().is_some() {
                    bar.println(game_line(game));
                }
                bar.inc(1);
                // Nobody reads faster, and a table is made of all games.
                let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
                if made.is_none_or(|made| made.elapsed() >= REFRESH_INTERVAL) {
                    bar.set_message(table().trim_end().to_owned());
                    *made = Some(Instant::now());
                }
            }
        }
    }

    /// Takes it away.
    pub(super) fn finish(&self) {
        if let Self::Live(live) = self {
            live.bar.finish_and_clear();
        }
    }
}

/// `1.1.2 Mine - level:3: 30-18, 41 plies`, numbers as in the records.
fn game_line(game: &FinishedGame) -> String {
    let leg = match game.leg {
        Leg::First => 1,
        Leg::Second => 2,
    };
    let (round, pair) = (game.encounter.round + 1, game.encounter.pair + 1);
    let [south, north] = Side::ALL.map(|side| &game.names[side]);
    let line = format!(
        "{round}.{pair}.{leg} {south} - {north}: {}, {} plies",
        game.end,
        game.game.plies().len()
    );
    escape_control(&line)
}
