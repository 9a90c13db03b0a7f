//! `kalah arena export`: the results of a tournament as files for other programs.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah_arena::{ArenaSummary, CsvTables, StoredTournament};
use kalah_players::display_path;
use kalah_protocols::ENGINE_PROTOCOLS;

use crate::error::CliError;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The files are results.csv, pairs.csv, games.csv and faults.csv, and docs/arena.md has their columns.
No program is started, and another process can play the tournament meanwhile.

Examples:
  kalah arena export mine --csv
  kalah arena export mine --csv --out tables")]
pub(super) struct ArenaExportArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Write tables of comma-separated values
    #[arg(long, required = true)]
    csv: bool,
    /// The folder for the files [default: that of the tournament]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &ArenaExportArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let tournament = StoredTournament::read(&arguments.folder, ENGINE_PROTOCOLS)?;
    let summary = ArenaSummary::new(&tournament.config, &tournament.games);
    let CsvTables {
        results,
        pairs,
        games,
        faults,
    } = CsvTables::new(&summary);
    let folder = arguments.out.as_ref().unwrap_or(&tournament.path);
    fs::create_dir_all(folder).map_err(|error| {
        CliError::Runtime(format!("cannot create '{}': {error}", display_path(folder)))
    })?;
    for (name, text) in [
        ("results.csv", results),
        ("pairs.csv", pairs),
        ("games.csv", games),
        ("faults.csv", faults),
    ] {
        let file = folder.join(name);
        kalah_files::replace(&file, text.as_bytes()).map_err(|error| {
            CliError::Runtime(format!("cannot write '{}': {error}", display_path(&file)))
        })?;
        writeln!(output, "{}", display_path(&file))?;
    }
    Ok(())
}
