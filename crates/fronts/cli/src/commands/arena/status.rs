//! `kalah arena status`: the standings of a tournament, which another process can be playing.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Args, ValueHint};
use kalah::{format_count, format_number};
use kalah_arena::{ArenaSummary, StoredTournament, results_json, standings_text};
use kalah_players::display_path;
use kalah_protocols::ENGINE_PROTOCOLS;
use serde::Serialize;

use super::play::resume_command;
use crate::error::CliError;
use crate::output::messages::write_json;
use crate::output::progress::output_width;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
No program is started, and nothing is changed.

Examples:
  kalah arena status mine
  kalah arena status mine --json")]
pub(super) struct ArenaStatusArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Print one line of JSON: the results, with `is_in_use` and `since_last_game_ms`
    #[arg(long)]
    json: bool,
}

/// The value of `--json`.
#[derive(Serialize)]
struct TournamentStatusJson<T> {
    /// Whether a process plays the tournament.
    is_in_use: bool,
    /// The time since the last game, in milliseconds; `null` before the first one.
    since_last_game_ms: Option<u128>,
    #[serde(flatten)]
    results: T,
}

pub(super) fn run(arguments: &ArenaStatusArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let tournament = StoredTournament::read(&arguments.folder, ENGINE_PROTOCOLS)?;
    let summary = ArenaSummary::new(&tournament.config, &tournament.games);
    let since_last_game = (tournament.last_write)
        .filter(|_| !tournament.games.is_empty())
        .and_then(|time| SystemTime::now().duration_since(time).ok());
    if arguments.json {
        let status = TournamentStatusJson {
            is_in_use: tournament.is_in_use,
            since_last_game_ms: since_last_game.map(|time| time.as_millis()),
            results: results_json(&summary, &tournament.path),
        };
        return Ok(write_json(output, &status)?);
    }
    let config = &tournament.config;
    let finished = tournament
        .games
        .iter()
        .filter(|game| config.counts(game))
        .count();
    let planned = format_count(tournament.config.planned_games(), "game");
    let finished = format_number(u64::try_from(finished).unwrap_or(u64::MAX));
    let path = display_path(&tournament.path);
    let state = if summary.is_complete() {
        "complete".to_owned()
    } else if tournament.is_in_use {
        "another process plays it".to_owned()
    } else {
        format!(
            "interrupted; resume with: {}",
            resume_command(&tournament.path)
        )
    };
    writeln!(output, "{finished} of {planned} are in '{path}': {state}")?;
    if let Some(time) = since_last_game.filter(|_| tournament.is_in_use) {
        let time = humantime::format_duration(Duration::from_secs(time.as_secs()));
        writeln!(output, "The last game ended {time} ago.")?;
    }
    write!(output, "\n{}", standings_text(&summary, output_width()))?;
    for skipped in &tournament.config.skipped {
        writeln!(
            output,
            "warning: {}",
            kalah_players::escape_control(&skipped.to_string())
        )?;
    }
    Ok(())
}
