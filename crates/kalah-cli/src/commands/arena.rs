//! `kalah arena`: tournaments of programs, which `kalah-arena` runs.

use std::io::{self, IsTerminal as _, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressStyle};
use kalah::Side;
use kalah_arena::{
    AdjudicationOption, ArenaConfig, ArenaOptions, ArenaSummary, FinishedGame, RunDir, RunError,
    RunnerContext, TournamentRunner, check_contestants, default_rules, default_start, html_report,
    results_json, standings_text, summary_text,
};
use kalah_players::{available_threads, display_path, escape_control};
use kalah_server::ServerConfig;

use crate::args::arena::ArenaArgs;
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::resume_option;
use crate::output::messages::{print_stderr, write_json};

pub(super) fn run(arguments: &ArenaArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let shutdown = interrupt::listen();
    let (run_dir, config, games) = if let Some(path) = &arguments.resume {
        let (run_dir, config, games) = RunDir::resume(path)?;
        check_contestants(&config, &shutdown)?;
        (run_dir, config, games)
    } else {
        let config = ArenaConfig::new(options(arguments)?)?;
        // No folder is created for a tournament that cannot begin.
        check_contestants(&config, &shutdown)?;
        (create_run_dir(arguments, &config)?, config, Vec::new())
    };
    let resume_command = resume_command(run_dir.path());
    if !arguments.quiet {
        let path = display_path(run_dir.path());
        let (finished, planned) = (games.len(), config.planned_games());
        print_stderr(&format!("{finished} of {planned} games are in '{path}'"));
    }
    let progress = ArenaProgress::new(arguments.quiet, config.planned_games(), games.len());
    let start = Instant::now();
    let context = RunnerContext {
        shutdown: &shutdown,
        clock: &|| start.elapsed(),
        observer: &|games| progress.game_finished(&config, games),
    };
    let runner = TournamentRunner::new(&config, &run_dir, games, context);
    let result = runner.run(arguments.concurrency.unwrap_or_else(default_concurrency));
    progress.finish();
    let games = result
        .map_err(|error| CliError::Runtime(format!("{error}; resume with: {resume_command}")))?;

    let summary = ArenaSummary::new(&config, &games);
    let server_url = format!("http://{}/", ServerConfig::DEFAULT_ADDRESS);
    // The results are printed even if the report cannot be written.
    let report = run_dir.write_report(&html_report(&summary, &server_url));
    if arguments.json {
        write_json(output, &results_json(&summary, run_dir.path()))?;
    } else {
        output.write_all(summary_text(&summary).as_bytes())?;
    }
    output.flush()?;
    let report = report?;
    if !arguments.quiet {
        print_stderr(&format!("the report is '{}'", display_path(&report)));
    }
    if summary.is_complete() {
        return Ok(());
    }
    Err(CliError::Interrupted(format!(
        "interrupted; resume with: {resume_command}"
    )))
}

/// Converts the arguments of a new tournament.
fn options(arguments: &ArenaArgs) -> Result<ArenaOptions, CliError> {
    let contestants = arguments.engines.clone();
    let rules = arguments
        .rules
        .unwrap_or_else(|| default_rules(&contestants));
    Ok(ArenaOptions {
        start: match &arguments.board {
            Some(board) => board.playable(rules)?,
            None => default_start(&contestants, rules),
        },
        contestants,
        pairing: arguments.tournament,
        rounds: arguments.rounds,
        seed: arguments.seed,
        openings: arguments.openings.clone(),
        time_control: arguments.time,
        grace: arguments.grace.get(),
        adjudication: match arguments.adjudicate {
            _ if arguments.play_out => AdjudicationOption::Never,
            Some(adjudication) => AdjudicationOption::Custom(adjudication),
            None => AdjudicationOption::Default,
        },
        sprt: arguments.sprt.clone(),
        memory: arguments.memory,
    })
}

fn create_run_dir(arguments: &ArenaArgs, config: &ArenaConfig) -> Result<RunDir, CliError> {
    let Some(path) = &arguments.out else {
        return Ok(RunDir::create_dated(SystemTime::now(), config)?);
    };
    RunDir::create(path, config).map_err(|error| match error {
        RunError::AlreadyExists(_) => {
            CliError::Runtime(format!("{error}; resume with: {}", resume_command(path)))
        }
        error => error.into(),
    })
}

/// Returns the default number of games at the same time. One player of a game thinks at a time, and
/// one processor remains for the arena.
fn default_concurrency() -> NonZeroUsize {
    NonZeroUsize::new(available_threads().get() - 1).unwrap_or(NonZeroUsize::MIN)
}

/// Returns the command that resumes the tournament in the folder `path`.
fn resume_command(path: &Path) -> String {
    format!("kalah arena {}", resume_option(path))
}

/// Contradictory options are wrong usage.
impl From<RunError> for CliError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Config(_) => Self::Usage(error.to_string()),
            RunError::Aborted => Self::Interrupted(error.to_string()),
            _ => Self::Runtime(error.to_string()),
        }
    }
}

/// The progress of a tournament on standard error: a bar with the standings on a terminal, and
/// otherwise a line for each game.
enum ArenaProgress {
    Quiet,
    Lines,
    Live(LiveProgress),
}

/// A progress bar below the standings.
struct LiveProgress {
    bar: ProgressBar,
    /// The time at which the standings were drawn last.
    standings_drawn_at: Mutex<Option<Instant>>,
}

const TEMPLATE: &str = "{msg}\n{wide_bar} {pos}/{len} games, {elapsed}, {eta} left";

/// The minimum interval between two drawings.
const REFRESH_INTERVAL: Duration = Duration::from_millis(250);

impl ArenaProgress {
    fn new(is_quiet: bool, planned_games: u64, finished_games: usize) -> Self {
        if is_quiet {
            return Self::Quiet;
        }
        if !io::stderr().is_terminal() {
            return Self::Lines;
        }
        let bar = ProgressBar::new(planned_games).with_position(finished_games as u64);
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

    /// Shows the last one of the finished games.
    fn game_finished(&self, config: &ArenaConfig, games: &[FinishedGame]) {
        let Some(game) = games.last() else {
            return;
        };
        match self {
            Self::Quiet => {}
            Self::Lines => print_stderr(&game_line(game)),
            Self::Live(live) => {
                // Lines about faults remain above the bar.
                if game.end.side_at_fault().is_some() {
                    live.bar.println(game_line(game));
                }
                live.bar.inc(1);
                live.draw_standings(config, games);
            }
        }
    }

    /// Removes the bar.
    fn finish(&self) {
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
            let standings = standings_text(&ArenaSummary::new(config, games));
            self.bar.set_message(standings.trim_end().to_owned());
            *drawn_at = Some(Instant::now());
        }
    }
}

/// Returns a line such as `1.1.2 Mine - level:3: 30-18, 41 plies`, numbered as in the records.
fn game_line(game: &FinishedGame) -> String {
    let [south, north] = Side::ALL.map(|side| &game.names[side]);
    let line = format!(
        "{} {south} - {north}: {}, {} plies",
        game.number_text(),
        game.end,
        game.game.plies().len()
    );
    escape_control(&line)
}
