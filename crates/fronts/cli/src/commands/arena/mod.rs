//! `kalah arena`: tournaments of programs, which `kalah-arena` runs.

mod export;
mod feedback;
mod log;
mod play;
mod progress;
mod report;
mod start_check;
mod status;
mod verify;

use std::io::Write;

use clap::{Args, Subcommand};
use kalah_arena::RunError;

use self::export::ArenaExportArgs;
use self::feedback::ArenaFeedbackArgs;
use self::log::ArenaLogArgs;
use self::play::ArenaPlayArgs;
use self::report::ArenaReportArgs;
use self::status::ArenaStatusArgs;
use self::verify::ArenaVerifyArgs;
use crate::commands::program_start::faults_text;
use crate::error::CliError;

#[derive(Clone, Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
A contestant is a built-in player, or a command with its protocol: uki, the engine protocol of
docs/engine-protocol.md; kgp-child, a process for each move as kgpc starts them; or mankalah. Games
are played in pairs from the same opening with sides exchanged. docs/arena.md has the details.

--resume continues a tournament that was interrupted by Ctrl-C or in any other way. On a terminal, the
key p pauses the tournament and continues it.

Examples:
  kalah arena --engine smart:100ms --engine level:5
  kalah arena --engine cmd=./mybot --engine level:3 --rounds 50 --out mine
  kalah arena --engine cmd='./new --fast',name=New --engine cmd=./old --sprt
  kalah arena --engine cmd=./kgpbot,proto=kgp-child --engine level:4 --time 2s
  kalah arena --engine level:7 --engine level:8 --engine level:9 --json
  kalah arena --engine smart,time=20ms --engine smart,time=10s+0.1s
  kalah arena --resume mine
  kalah arena status mine
  kalah arena report mine --html report.html
  kalah arena verify mine
  kalah arena export mine --csv
  kalah arena feedback mine
  kalah arena log mine 1.10.2"
)]
pub(crate) struct ArenaArgs {
    #[command(subcommand)]
    command: Option<ArenaCommand>,
    #[command(flatten)]
    play: ArenaPlayArgs,
}

#[derive(Clone, Debug, Subcommand)]
enum ArenaCommand {
    /// Show the standings of a tournament, also while another process plays it
    Status(ArenaStatusArgs),
    /// Print the results of a tournament, and write its report, without starting a program
    Report(ArenaReportArgs),
    /// Replay all games of a tournament, and prove all adjudications anew
    Verify(ArenaVerifyArgs),
    /// Write the results of a tournament as tables for other programs
    Export(ArenaExportArgs),
    /// List the games with logs, or print what the programs of a game received and wrote
    Log(ArenaLogArgs),
    /// Write a page for each engine with its games, its faults and its biggest mistakes
    Feedback(ArenaFeedbackArgs),
}

pub(super) fn run(arguments: &ArenaArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        Some(ArenaCommand::Status(arguments)) => status::run(arguments, output),
        Some(ArenaCommand::Report(arguments)) => report::run(arguments, output),
        Some(ArenaCommand::Verify(arguments)) => verify::run(arguments, output),
        Some(ArenaCommand::Export(arguments)) => export::run(arguments, output),
        Some(ArenaCommand::Log(arguments)) => log::run(arguments, output),
        Some(ArenaCommand::Feedback(arguments)) => feedback::run(arguments, output),
        None => play::run(&arguments.play, output),
    }
}

/// Contradictory options are wrong usage.
impl From<RunError> for CliError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Config(_) | RunError::GameNumber(_) => Self::Usage(error.to_string()),
            RunError::Aborted => Self::Interrupted(error.to_string()),
            RunError::Contestants(faults) => Self::Runtime(faults_text(&faults)),
            _ => Self::Runtime(error.to_string()),
        }
    }
}
