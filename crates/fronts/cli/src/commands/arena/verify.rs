//! `kalah arena verify`: the games of a tournament against the rules and its schedule.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah::format_count;
use kalah_arena::{Seal, Verification};
use kalah_players::{display_path, escape_control};
use kalah_protocols::ENGINE_PROTOCOLS;
use serde::Serialize;

use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::write_json;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Each game is replayed by the rules, compared with the schedule, its opening, its time control, its
seal and its record, and its adjudication is proven anew. Times and faults of programs cannot be
verified. With a difference the exit code is 1. Logs of games that are missing or damaged are named,
and change no exit code: the results do not depend on them. No program is started, and nothing is
changed.

The seal is a hash of all games and of the settings in tournament.json, such as the engines and
their identifiers. Note it after the tournament: with --seal it proves later that no game was
changed or removed, and no setting changed. Games that were added after it was noted are named; late
engines, more rounds, --log and another version of kalah change the settings and thus the seal.
report.html and other files made from the games are not checked: `kalah arena report DIR --html
FILE` writes the report again.

Examples:
  kalah arena verify mine
  kalah arena verify mine --json")]
pub(super) struct ArenaVerifyArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// The seal that an earlier verification has printed
    #[arg(long, value_name = "HASH")]
    seal: Option<Seal>,
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
    seal: Seal,
    /// The number of games up to the given seal; `null` without `--seal`, or if no game has it.
    games_up_to_given_seal: Option<usize>,
    differences: Vec<String>,
    /// The logs that are missing or damaged, in words.
    log_faults: Vec<String>,
}

pub(super) fn run(arguments: &ArenaVerifyArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let shutdown = interrupt::listen();
    let verification = Verification::run(
        &arguments.folder,
        ENGINE_PROTOCOLS,
        arguments.seal,
        &shutdown,
    )?;
    let differences: Vec<String> = (verification.differences.iter())
        .map(ToString::to_string)
        .collect();
    let log_faults: Vec<String> = (verification.log_faults.iter())
        .map(ToString::to_string)
        .collect();
    let count = differences.len();
    if arguments.json {
        let json = VerificationJson {
            games: verification.games,
            adjudicated: verification.adjudicated,
            games_left: verification.left,
            seal: verification.seal,
            games_up_to_given_seal: verification.noted_lines,
            differences,
            log_faults,
        };
        write_json(output, &json)?;
    } else {
        for line in differences.iter().chain(&log_faults) {
            writeln!(output, "{}", escape_control(line))?;
        }
        writeln!(
            output,
            "{} replayed, {} proven, {} left to play: {}{}",
            format_count(verification.games as u64, "game"),
            format_count(verification.adjudicated as u64, "adjudication"),
            format_count(verification.left, "game"),
            match count {
                0 => "no difference".to_owned(),
                count => format_count(count as u64, "difference"),
            },
            match log_faults.len() {
                0 => String::new(),
                count => format!(", {} missing or damaged", format_count(count as u64, "log")),
            }
        )?;
        // The last line of a changed journal can have the seal that it had before.
        if count == 0 {
            writeln!(output, "{}", seal_text(&verification, arguments.seal))?;
        }
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

/// Returns the seal in a sentence, and its difference from the given one.
fn seal_text(verification: &Verification, given: Option<Seal>) -> String {
    let seal = verification.seal;
    match verification.noted_lines {
        _ if given == Some(seal) => format!("seal: {seal}, as given"),
        Some(lines) => format!(
            "seal: {seal}; the given one is that of the first {}",
            format_count(lines as u64, "game")
        ),
        None => format!("seal: {seal}"),
    }
}
