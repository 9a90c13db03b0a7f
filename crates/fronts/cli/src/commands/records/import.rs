//! `kalah import`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::record::Record;
use kalah::{Rules, format_count};
use kalah_import::ImportFormat;
use kalah_players::quoted_path;
use kalah_protocols::{IMPORT_FORMATS, detect_import_format, find_import_format};
use kalah_record_files::text_file::{self, STDIN_NAME};

use super::json::RecordJson;
use crate::args::values::parse_rules;
use crate::error::CliError;
use crate::output::messages::{print_errors, print_stderr, write_json};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
kgp is a log of a client or a server of the Kalah Game Protocol: lines of the protocol after any
prefix. Other lines are skipped. The log of a client lacks the plies between two states; the import
searches for them, and if several orders are possible it takes one.

mankalah is a log of an engine or an agent of Manchester's protocol: the messages of one agent or of
both.

openspiel is lists of actions, 1 to 6 for South's houses and 8 to 13 for North's on 6x4: one game a
line with blanks or commas between the numbers, one number a line with blank lines between games,
JSON, or episodes of Kaggle.

Standard error has each error with its line number. The other games are imported, and the exit code
is 1.

Examples:
  kalah import server.log --out games.kgn
  kalah import agent.log --from mankalah
  echo '3 6 9 12 1' | kalah import - --from openspiel")]
pub(crate) struct ImportArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// The format of the games [default: detected from the text]
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    from: Option<&'static ImportFormat>,
    /// The rules of the games [default: mankalah for mankalah, standard for kgp and openspiel]
    #[arg(long, value_name = "PRESET", value_parser = parse_rules)]
    rules: Option<Rules>,
    /// Append the records to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Print a line of JSON for each game, as `kalah replay --all --json` does
    #[arg(long, conflicts_with = "out")]
    json: bool,
}

/// The file name that stands for standard input.
const STDIN: &str = "-";

pub(crate) fn run(arguments: &ImportArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let path = &arguments.file;
    let (name, text) = if path == Path::new(STDIN) {
        let text = text_file::read_from(STDIN_NAME, io::stdin().lock())?;
        (STDIN_NAME.to_owned(), text)
    } else {
        (quoted_path(path), text_file::read_any_size(path)?)
    };
    let format = arguments.from.or_else(|| detect_import_format(&text));
    let format = format.ok_or_else(|| not_detected(&name, &text))?;
    let imported = format.import(&text, arguments.rules);
    if arguments.json {
        for record in &imported.records {
            write_json(output, &RecordJson::new(record, usize::MAX))?;
        }
    } else {
        write(&imported.records, arguments.out.as_deref(), output)?;
    }
    let errors = imported
        .errors
        .iter()
        .map(|error| format!("{name}, {error}"));
    print_errors(&errors.collect::<Vec<_>>());
    let (games, errors) = (imported.records.len(), imported.errors.len());
    if errors > 0 {
        let errors = format_count(errors as u64, "error");
        return Err(CliError::Runtime(if games == 0 {
            format!("no game was imported from {name}: {errors}")
        } else {
            let games = format_count(games as u64, "game");
            format!("{name} is imported only in part: {games}, {errors}")
        }));
    }
    if games == 0 {
        return Err(CliError::Runtime(format!(
            "{name} has no games in the format {format}"
        )));
    }
    if arguments.out.is_some() {
        print_stderr(&format!("games imported: {games}"));
    }
    Ok(())
}

/// Returns the error of a text whose format is not clear, which may be that of records.
fn not_detected(name: &str, text: &str) -> CliError {
    let reason = match Record::parse_all(text) {
        Ok(records) if !records.is_empty() => {
            format!("{name} already has game records: use it without an import")
        }
        _ => {
            let advice = "use --from kgp, --from mankalah or --from openspiel";
            format!("the format of {name} is not clear: {advice}")
        }
    };
    CliError::Runtime(reason)
}

/// Appends the records to `file`, or writes them to `output` if there is none.
fn write(records: &[Record], file: Option<&Path>, output: &mut dyn Write) -> Result<(), CliError> {
    if let Some(path) = file {
        return Ok(kalah_record_files::append(path, records)?);
    }
    let texts: Vec<String> = records.iter().map(Record::to_string).collect();
    Ok(output.write_all(texts.join("\n").as_bytes())?)
}

fn format_parser() -> impl TypedValueParser<Value = &'static ImportFormat> {
    PossibleValuesParser::new(IMPORT_FORMATS.iter().map(|format| format.name))
        .try_map(|word| find_import_format(&word))
}
