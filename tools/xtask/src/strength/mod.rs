//! `cargo xtask strength`: matches of the current build against earlier builds and other programs,
//! which `kalah arena` plays, and the table of their results.
//!
//! The folder of a build, `target/strength/HASH`, has a copy of its binary, so that later builds do
//! not replace it during a match, and a folder for each match. The name of a match's folder depends
//! on all of its settings: the same command resumes the matches that it has begun and does not play
//! finished ones again.

mod binary;
mod matches;
mod report;

use std::env;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, bail};
use clap::Args;

use binary::MeasuredBuild;
use matches::{Match, MatchEnd, Opponent};
use report::{DOCUMENT, MatchRow, StrengthReport};

/// The arguments of `cargo xtask strength`.
#[derive(Args, Clone, Debug)]
pub(crate) struct StrengthArguments {
    /// An opponent: the path of a `kalah` binary, with `,name=NAME` if its commit is unknown, or a
    /// contestant of `kalah arena`, such as cmd='./peer --fast',name='Peer 1a2b3c4d'
    #[arg(long, value_name = "PATH|CONTESTANT", required = true)]
    against: Vec<String>,
    /// The `kalah` binary to measure instead of the current build
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// An option of the measured engine, such as Threads=2 [default: Threads=1 Memory=64
    /// Tables=none, as for opponents that are a `kalah` binary]
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Boards
    #[arg(
        long,
        value_name = "MxN",
        num_args = 1..,
        value_delimiter = ',',
        default_values = ["6x6", "8x8", "10x10", "12x12", "5x8", "14x3"]
    )]
    boards: Vec<String>,
    /// Rule sets
    #[arg(long, value_name = "PRESET", num_args = 1.., default_value = "cs32")]
    rules: Vec<String>,
    /// Times for each move [default: 20ms 100ms 1s, or none with --nodes]
    #[arg(long, value_name = "TIME", num_args = 1.., value_delimiter = ',')]
    times: Vec<String>,
    /// Numbers of positions to search for each move, for matches without a clock
    #[arg(long, value_name = "N", num_args = 1.., value_delimiter = ',')]
    nodes: Vec<u64>,
    /// Games of each match, in pairs [default: 100, or at most 10000 with --sprt]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=MAX_GAMES))]
    games: Option<u32>,
    /// End each match as soon as it is decided whether the build is stronger by elo0 or by elo1
    /// [default: elo0=0 elo1=10 alpha=0.05 beta=0.05]
    #[arg(long, value_name = "KEY=NUMBER", num_args = 0..=4)]
    sprt: Option<Vec<String>>,
    /// Random plies of the openings
    #[arg(long, value_name = "N", default_value_t = 6)]
    plies: u32,
    /// Seed of the openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Tolerated delay of an answer
    #[arg(long, value_name = "DURATION", default_value = "50ms")]
    grace: String,
    /// End a game as lost when both engines have estimated in their last M moves that one of them
    /// loses it by at least N seeds
    #[arg(long, value_name = "seeds=N,moves=M")]
    resign: Option<String>,
    /// Games at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    concurrency: u32,
    /// Write the results into the section TITLE of docs/strength.md instead of printing them
    #[arg(
        long,
        value_name = "TITLE",
        num_args = 0..=1,
        default_missing_value = "Matches",
        value_parser = report::parse_title
    )]
    write: Option<String>,
}

/// The maximum of `--games`, twice that of the rounds of an arena.
const MAX_GAMES: i64 = 2_000_000;

/// The games of a match by default.
const DEFAULT_GAMES: u32 = 100;

/// The maximum number of games of a match with a sequential test by default.
const DEFAULT_SPRT_GAMES: u32 = 10_000;

/// The times for a move by default.
const DEFAULT_TIMES: [&str; 3] = ["20ms", "100ms", "1s"];

impl StrengthArguments {
    /// Returns the time controls of the matches, as `kalah arena --time` reads them.
    fn time_controls(&self) -> Vec<String> {
        let times = if self.times.is_empty() && self.nodes.is_empty() {
            DEFAULT_TIMES.map(str::to_owned).to_vec()
        } else {
            self.times.clone()
        };
        let nodes = self.nodes.iter().map(|nodes| format!("nodes={nodes}"));
        times.into_iter().chain(nodes).collect()
    }

    /// Returns the number of pairs of each match.
    fn rounds(&self) -> u32 {
        let default = match self.sprt {
            Some(_) => DEFAULT_SPRT_GAMES,
            None => DEFAULT_GAMES,
        };
        self.games.unwrap_or(default).div_ceil(2)
    }
}

/// Plays the matches one after another, and prints or writes the table of their results.
///
/// # Errors
/// If the build, an opponent or a match fails, or Ctrl-C interrupts a match. The results so far are
/// printed then.
pub(crate) fn run(arguments: &StrengthArguments) -> anyhow::Result<()> {
    let build = match &arguments.binary {
        Some(path) => MeasuredBuild::copy(path)?,
        None => MeasuredBuild::compile()?,
    };
    let opponents: Vec<Opponent> = (arguments.against.iter())
        .map(|text| Opponent::parse(text))
        .collect::<Result<_, _>>()?;
    let interruption = Interruption::listen()?;
    let mut rows = Vec::new();
    let end = play_all(arguments, &build, &opponents, &interruption, &mut rows);
    let report = StrengthReport {
        build: &build,
        opponents: &opponents,
        arguments,
        command: report::command_line(env::args().skip(1)),
        rows,
    };
    match (&arguments.write, &end) {
        (Some(title), Ok(())) => {
            report.write(title)?;
            eprintln!("strength: {DOCUMENT} has the results");
        }
        _ => print!("{}", report.markdown()),
    }
    end
}

/// The error after Ctrl-C.
const INTERRUPTED: &str = "interrupted; the same command resumes the matches";

/// Plays all matches and adds a row for each, also for one that is interrupted.
fn play_all(
    arguments: &StrengthArguments,
    build: &MeasuredBuild,
    opponents: &[Opponent],
    interruption: &Interruption,
    rows: &mut Vec<MatchRow>,
) -> anyhow::Result<()> {
    for opponent in opponents {
        for board in &arguments.boards {
            for rules in &arguments.rules {
                for time in arguments.time_controls() {
                    let settings = Match {
                        build,
                        opponent,
                        arguments,
                        board,
                        rules,
                        time: &time,
                    };
                    if interruption.is_requested() {
                        bail!(INTERRUPTED);
                    }
                    eprintln!("strength: {settings}");
                    let (result, end) = settings.play(interruption)?;
                    rows.push(MatchRow::new(&settings, &result));
                    if end == MatchEnd::Interrupted {
                        bail!(INTERRUPTED);
                    }
                }
            }
        }
    }
    Ok(())
}

/// The request to end, by Ctrl-C or a signal. It is passed on to the arena, which ends its programs
/// and prints the results so far.
#[derive(Clone, Default)]
struct Interruption {
    is_requested: Arc<AtomicBool>,
    /// The identifier of the arena's process while it runs.
    arena: Arc<Mutex<Option<u32>>>,
}

impl Interruption {
    /// Installs the handler.
    fn listen() -> anyhow::Result<Self> {
        let interruption = Self::default();
        let handler = interruption.clone();
        ctrlc::set_handler(move || {
            handler.is_requested.store(true, Ordering::Relaxed);
            if let Some(process) = *handler.arena() {
                end_process(process);
            }
        })
        .context("the handler of Ctrl-C cannot be installed")?;
        Ok(interruption)
    }

    fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Relaxed)
    }

    fn arena(&self) -> MutexGuard<'_, Option<u32>> {
        self.arena.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names the process to which a request is passed on.
    fn set_arena(&self, process: Option<u32>) {
        *self.arena() = process;
    }
}

/// Asks a process to end. A terminal has sent Ctrl-C to it, too, but a supervisor has not.
#[cfg(unix)]
fn end_process(process: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    // The process may have ended already.
    let _ = process.map(|process| kill_process(process, Signal::TERM));
}

/// On Windows a console sends Ctrl-C to all of its processes.
#[cfg(not(unix))]
fn end_process(_process: u32) {}
