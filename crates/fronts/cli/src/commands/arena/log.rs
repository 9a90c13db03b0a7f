//! `kalah arena log`: what the programs of a game received and wrote, and the games with logs.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use kalah_arena::{FinishedGame, GameLogError, RunError, StoredTournament, read_game_log};
use kalah_players::{display_path, escape_control};
use kalah_protocols::ENGINE_PROTOCOLS;

use crate::error::CliError;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Without GAME, the games with logs are listed, each with its players and its end, or with the fault of
its log. With GAME, each line has the time since the start of the game in milliseconds, the side on
which the player began, and < for a line that its program received, > for one that it wrote, ! for its
standard error, or * for the start and the end of its process. Of a damaged log the lines before the
damage are printed, and the exit code is 1. Control characters are escaped; zcat prints the file as it
is, such as mine/logs/1.10.2.log.gz.

Examples:
  kalah arena log mine
  kalah arena log mine 1.10.2")]
pub(super) struct ArenaLogArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// The number of the game: its round, pair and game of the pair, as in reports
    #[arg(value_name = "GAME")]
    game: Option<String>,
}

pub(super) fn run(arguments: &ArenaLogArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.game {
        Some(game) => print_log(&arguments.folder, game, output),
        None => list_logs(&arguments.folder, output),
    }
}

/// Prints the log of a game.
fn print_log(folder: &Path, game: &str, output: &mut dyn Write) -> Result<(), CliError> {
    let log = read_game_log(folder, game).map_err(|error| match error {
        RunError::NoLog { .. } => missing_log(folder, game).unwrap_or_else(|| error.into()),
        error => error.into(),
    })?;
    for line in log.text.lines() {
        writeln!(output, "{}", escape_control(line))?;
    }
    output.flush()?;
    log.fault.map_or(Ok(()), |fault| Err(log_error(&fault)))
}

/// Returns the error about a log that does not exist: the tournament has no such game, or the game
/// has had a log. `None` if it has had none, or if the tournament cannot be read.
fn missing_log(folder: &Path, number: &str) -> Option<CliError> {
    let tournament = StoredTournament::read(folder, ENGINE_PROTOCOLS).ok()?;
    let has_number = |game: &FinishedGame| game.number_text() == number;
    if !tournament.games.iter().any(has_number) {
        let folder = display_path(folder);
        let reason = format!("'{folder}' has no finished game {number}");
        return Some(CliError::Runtime(reason));
    }
    let (_, fault) = tournament.logs().find(|(game, _)| has_number(game))?;
    fault.as_ref().map(log_error)
}

fn log_error(fault: &GameLogError) -> CliError {
    CliError::Runtime(fault.to_string())
}

/// Prints a line for each game with a log.
fn list_logs(folder: &Path, output: &mut dyn Write) -> Result<(), CliError> {
    let tournament = StoredTournament::read(folder, ENGINE_PROTOCOLS)?;
    for (game, fault) in tournament.logs() {
        let text = match fault {
            Some(fault) => fault.to_string(),
            None => game.end.to_string(),
        };
        let (south, north) = (&game.names.south, &game.names.north);
        let line = format!("{} {south} - {north}: {text}", game.number_text());
        writeln!(output, "{}", escape_control(&line))?;
    }
    Ok(())
}
