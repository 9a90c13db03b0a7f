//! The start of the programs of a tournament before its first game: the options for contestants
//! that do not start, and the messages about them.

use std::env;
use std::path::Path;
use std::thread;
use std::time::Duration;

use clap::{Args, ValueEnum};
use kalah_arena::{
    ArenaConfig, ContestantConfig, NamedProgram, RunError, SlowStart, StartFault, StartupCheck,
};
use kalah_players::{Shutdown, quoted_path};

use crate::args::values::whole_number_parser;
use crate::commands::program_start::faults_text;
use crate::error::CliError;

/// The options for contestants that do not start.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct StartCheckOptions {
    /// Tournament with contestants that do not start
    #[arg(
        long,
        value_name = "ACTION",
        value_enum,
        default_value_t = BrokenEngines::Stop,
        conflicts_with = "resume"
    )]
    broken: BrokenEngines,
    /// Start contestants that do not start up to N times more, a second after each other
    #[arg(
        long,
        value_name = "N",
        default_value = "0",
        value_parser = whole_number_parser(0, MAX_RETRIES)
    )]
    retry_broken: u32,
}

/// The tournament with contestants that do not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BrokenEngines {
    /// Nothing is played, and all faults are named
    Stop,
    /// It is played without them; all reports name them
    Skip,
    /// They lose all their games by a crash
    Lose,
}

/// The tip behind the faults of contestants that do not start.
const BROKEN_TIP: &str = "tip: --broken skip plays without them, and with --broken lose they lose \
                          all their games";

/// The note behind the faults if the tournament cannot be played without these contestants.
const TOO_FEW_NOTE: &str = "note: without these engines, fewer than two are left, or the first one of \
                            a gauntlet is missing";

/// The maximum of `--retry-broken`. A program that needs more cannot take part.
const MAX_RETRIES: u32 = 1000;

/// The time between two starts of a program that does not start.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

impl StartCheckOptions {
    /// Starts each program once, and those that do not start up to `--retry-broken` times more.
    /// `report_silence` is called with each program that has not answered for a while, and with
    /// this time.
    pub(super) fn check(
        self,
        config: &ArenaConfig,
        shutdown: &Shutdown,
        clock: &(dyn Fn() -> Duration + Sync),
        report_silence: &dyn Fn(&NamedProgram, Duration),
    ) -> Result<StartupCheck, CliError> {
        let mut check = StartupCheck::run(config, shutdown, clock, report_silence)?;
        for _ in 0..self.retry_broken {
            if check.faults.is_empty() {
                break;
            }
            let start = clock();
            while clock().saturating_sub(start) < RETRY_INTERVAL {
                if shutdown.is_requested() {
                    return Err(RunError::Aborted.into());
                }
                thread::sleep(Shutdown::POLL_INTERVAL);
            }
            check = check.retry(config, shutdown, clock)?;
        }
        Ok(check)
    }

    /// Returns the tournament that is played if its contestants have these faults.
    ///
    /// # Errors
    /// The faults, if nothing is played then.
    pub(super) fn apply(
        self,
        config: ArenaConfig,
        faults: Vec<StartFault>,
    ) -> Result<ArenaConfig, CliError> {
        match self.broken {
            BrokenEngines::Stop if faults.is_empty() => Ok(config),
            BrokenEngines::Stop => {
                let faults = faults_text(&faults);
                Err(CliError::Runtime(format!("{faults}\n{BROKEN_TIP}")))
            }
            BrokenEngines::Skip => config.without_broken(faults).map_err(with_too_few_note),
            BrokenEngines::Lose => Ok(config.with_lost_games(faults)?),
        }
    }
}

/// Returns the current folder as text, if it has such a form.
pub(super) fn current_folder_text() -> Option<String> {
    env::current_dir().ok()?.to_str().map(str::to_owned)
}

/// Adds a tip to the faults of contestants that do not start in another folder than that in which
/// the tournament was started.
pub(super) fn with_folder_tip(error: RunError, config: &ArenaConfig) -> CliError {
    let folder = config.started_in.as_deref();
    let folder = folder.filter(|&folder| current_folder_text().as_deref() != Some(folder));
    match (error, folder) {
        (RunError::Contestants(faults), Some(folder)) => CliError::Runtime(format!(
            "{}\ntip: the tournament was started in {}, to which relative commands refer: resume it \
             there",
            faults_text(&faults),
            quoted_path(Path::new(folder))
        )),
        (error, _) => error.into(),
    }
}

/// Adds to the faults that the tournament cannot be played without these contestants.
fn with_too_few_note(error: RunError) -> CliError {
    match error {
        RunError::Contestants(faults) => {
            CliError::Runtime(format!("{}\n{TOO_FEW_NOTE}", faults_text(&faults)))
        }
        error => error.into(),
    }
}

/// Returns the warnings about contestants that do not start, or slowly.
pub(super) fn start_warnings(config: &ArenaConfig, slow_starts: &[SlowStart]) -> Vec<String> {
    let skipped = config.skipped.iter().map(ToString::to_string);
    let active = config.tournament.active();
    let losing = active.filter_map(|contestant| {
        let ContestantConfig {
            name, start_fault, ..
        } = config.contestants.get(contestant.0)?;
        let reason = start_fault.as_ref()?;
        Some(format!(
            "{name} does not start, and loses all its games: {reason}"
        ))
    });
    let slow_starts = slow_starts.iter().map(ToString::to_string);
    skipped.chain(losing).chain(slow_starts).collect()
}
