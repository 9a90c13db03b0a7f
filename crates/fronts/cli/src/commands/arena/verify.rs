//! `kalah arena verify`: the games of a tournament against the rules and its schedule.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah::format_count;
use kalah_arena::Verification;
use kalah_players::{display_path, escape_control};
use kalah_protocols::ENGINE_PROTOCOLS;
use serde::Serialize;

use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::write_json;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Each game is replayed by the rules, compared with the schedule, its opening, its checksum and its
record, and its adjudication is proven anew. Times and faults of programs cannot be verified. With a
difference the exit code is 1. No program is started, and nothing is changed.

Examples:
  kalah arena verify mine
  kalah arena verify mine --json")]
pub(super) struct ArenaVerifyArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The value of `--json`.
#[derive(Serialize)]
struct VerificationJson {
    games: usize,
    adjudicated: usize,
    games_left: u64,
    differences: Vec<String>,
}

pub(super) fn run(arguments: &ArenaVerifyArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let shutdown = interrupt::listen();
    let verification = Verification::run(&arguments.folder, ENGINE_PROTOCOLS, &shutdown)?;
    let differences: Vec<String> = (verification.differences.iter())
        .map(ToString::to_string)
        .collect();
    let count = differences.len();
    if arguments.json {
        let json = VerificationJson {
            games: verification.games,
            adjudicated: verification.adjudicated,
            games_left: verification.left,
            differences,
        };
        write_json(output, &json)?;
    } else {
        for difference in differences {
            writeln!(output, "{}", escape_control(&difference))?;
        }
        writeln!(
            output,
            "{} replayed, {} proven, {} left to play: {}",
            format_count(verification.games as u64, "game"),
            format_count(verification.adjudicated as u64, "adjudication"),
            format_count(verification.left, "game"),
            match count {
                0 => "no difference".to_owned(),
                count => format_count(count as u64, "difference"),
            }
        )?;
    }
    output.flush()?;
    if count == 0 {
        return Ok(());
    }
    Err(CliError::Runtime(format!(
        "'{}' differs from the games: {}",
        display_path(&arguments.folder),
        format_count(count as u64, "difference")
    )))
}
