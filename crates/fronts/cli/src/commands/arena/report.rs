//! `kalah arena report`: the results of a tournament, without its programs.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use kalah_arena::{ArenaSummary, StoredTournament, html_report, results_json, summary_text};
use kalah_players::display_path;
use kalah_protocols::ENGINE_PROTOCOLS;

use crate::error::CliError;
use crate::output::messages::{print_stderr, write_json};
use crate::output::progress::output_width;

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
No program is started, and another process can play the tournament meanwhile. The output is that of
`kalah arena` at its end.

Examples:
  kalah arena report mine
  kalah arena report mine --json
  kalah arena report mine --html report.html --page https://kalah.example.org/")]
pub(super) struct ArenaReportArgs {
    /// The folder of the tournament
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Print all results as one JSON document
    #[arg(long)]
    json: bool,
    /// Write the report to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,
    /// The address of a page of `kalah serve`, to which the games of the report link for analyses
    #[arg(long, value_name = "URL", requires = "html", value_parser = parse_page)]
    page: Option<String>,
}

/// Parses an address, which a link continues with `#`.
pub(super) fn parse_page(text: &str) -> Result<String, String> {
    let has_scheme = ["http://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    if !has_scheme || text.contains('#') {
        return Err("expected an address such as https://kalah.example.org/".to_owned());
    }
    Ok(text.to_owned())
}

pub(super) fn run(arguments: &ArenaReportArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let tournament = StoredTournament::read(&arguments.folder, ENGINE_PROTOCOLS)?;
    let summary = ArenaSummary::new(&tournament.config, &tournament.games);
    if arguments.json {
        write_json(output, &results_json(&summary, &tournament.path))?;
    } else {
        output.write_all(summary_text(&summary, output_width()).as_bytes())?;
    }
    output.flush()?;
    if let Some(file) = &arguments.html {
        let report = html_report(&summary, arguments.page.as_deref());
        kalah_files::replace(file, report.as_bytes()).map_err(|error| {
            CliError::Runtime(format!("cannot write '{}': {error}", display_path(file)))
        })?;
        print_stderr(&format!("the report is '{}'", display_path(file)));
    }
    Ok(())
}
