//! `kalah export`: the games of record files, and those that a server has stored.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::format_count;
use kalah_files::resolve_links;
use kalah_open_spiel::{ExportFormat, ExportLoss, OPEN_SPIEL, export};
use kalah_players::quoted_path;
use kalah_protocols::detect_import_format;
use kalah_record_files::text_file::{self, LockedFile, TextFileError};
use kalah_record_files::{RecordFileError, RecordSource};

use crate::commands::games::export::{
    self as stored_games, ExportChange, ExportSummary, ExportTarget, StoredGamesFormat,
    StoredGamesOptions,
};
use crate::error::CliError;
use crate::output::messages::{print_errors, print_stderr, write_json};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Without record files, the command exports the games that `kalah serve` has stored, also while it
runs: those that have ended, the latest first. The formats of stored games are

kgn, records with the names, the date, the clock and the id as tags (the default);

csv, a table with a game in each row, whose texts have an apostrophe before them if a spreadsheet
would take them for formulas;

json, a JSON object for each game, one game a line.

Each game is replayed by the rules. A damaged one is reported on standard error and left out, and
the exit code is 1. With --out the file is replaced, completely or not at all. `kalah games` lists
and changes stored games.

The formats of record files are

openspiel, a JSON list of actions for each game, one game a line: 1 to 6 for South's houses and 8 to
13 for North's;

kaggle, an episode of Kaggle's environment open_spiel_mancala for each game, a JSON object in one
line, with the states, the names of the players and the result.

`kalah import` reads both back. OpenSpiel's mancala is the game 6x4 under the rules standard. A game
under other rules is exported if it is the same game under standard. Other games are reported on
standard error and left out, and the exit code is 1. Notes on standard error tell what else the
format has no place for, such as comments and variations.

Examples:
  kalah export --out played.kgn
  kalah export --format csv --since 7d > games.csv
  kalah export --format json --all --name ann
  kalah export standard.kgn --format openspiel > actions.jsonl
  kalah export standard.kgn --format kaggle --out episode.json
  kalah export --format csv --out played.csv --json
  kalah export - --format openspiel < standard.kgn")]
pub(crate) struct ExportArgs {
    /// The record files, or - for standard input [default: the games of `kalah serve`]
    #[arg(value_name = "FILE.kgn|-", value_hint = ValueHint::FilePath, conflicts_with_all = StoredGamesOptions::NAMES)]
    files: Vec<PathBuf>,
    /// The format: kgn, csv or json for stored games, openspiel or kaggle for record files
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<OutputFormat>,
    /// Write to this file: games of record files are appended to it, stored games replace it
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    stored: StoredGamesOptions,
    /// With --out, print the numbers of games and the errors as one line of JSON
    #[arg(long, requires = "out")]
    json: bool,
}

/// The value of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputFormat {
    /// A format of stored games.
    Stored(StoredGamesFormat),
    /// A format of the games of record files.
    Records(ExportFormat),
}

/// The file name that stands for standard input.
const STDIN: &str = "-";

pub(crate) fn run(arguments: &ExportArgs, output: &mut dyn Write) -> Result<(), CliError> {
    match (arguments.files.is_empty(), arguments.format) {
        (true, None) => run_stored(arguments, StoredGamesFormat::Kgn, output),
        (true, Some(OutputFormat::Stored(format))) => run_stored(arguments, format, output),
        (true, Some(OutputFormat::Records(format))) => Err(CliError::Usage(format!(
            "--format {format} needs a record file: export the stored games to one first"
        ))),
        (false, Some(OutputFormat::Records(format))) => run_records(arguments, format, output),
        (false, _) => {
            let reason = "record files are exported with --format openspiel or --format kaggle";
            Err(CliError::Usage(reason.to_owned()))
        }
    }
}

/// Exports stored games.
fn run_stored(
    arguments: &ExportArgs,
    format: StoredGamesFormat,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let target = arguments.out.as_deref().map(|file| ExportTarget {
        file,
        is_json: arguments.json,
    });
    stored_games::run(&arguments.stored, format, target, output)
}

/// Exports the games of record files.
fn run_records(
    arguments: &ExportArgs,
    format: ExportFormat,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    // All files are opened first, so that a missing one leaves no part of the output.
    let inputs = arguments.files.iter().map(|file| open(file));
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let mut exported = ExportedRecords::default();
    match &arguments.out {
        None => exported.write(inputs, format, output)?,
        Some(path) if text_file::exists(path)? => {
            let mut text = Vec::new();
            exported.write(inputs, format, &mut text)?;
            if exported.games > 0 {
                append(path, format, &String::from_utf8_lossy(&text))?;
            }
        }
        Some(path) => {
            let mut has_no_game = false;
            let created = text_file::create(&resolve_links(path), |file| {
                exported.write(inputs, format, file)?;
                has_no_game = exported.games == 0;
                // An error leaves no file.
                if has_no_game {
                    return Err(io::ErrorKind::Other.into());
                }
                Ok(())
            });
            if !has_no_game {
                created?;
            }
        }
    }
    if let Some(path) = arguments.out.as_deref().filter(|_| arguments.json) {
        let losses = exported.losses.iter();
        let summary = ExportSummary {
            file: path.display().to_string(),
            format: format.name(),
            games: exported.games,
            changes: losses
                .map(|(loss, &games)| ExportChange {
                    change: format!("{}: {loss}", change_of(*loss)),
                    games,
                })
                .collect(),
            errors: &exported.errors,
        };
        write_json(output, &summary)?;
    }
    for (loss, &games) in &exported.losses {
        let games = format_count(games, "game");
        let change = change_of(*loss);
        let preposition = if change == CHANGED { "in" } else { "of" };
        print_stderr(&format!("note: {change} {preposition} {games}: {loss}"));
    }
    print_errors(&exported.errors);
    let games = format_count(exported.games, "game");
    let errors = format_count(exported.errors.len() as u64, "error");
    match (exported.games, exported.errors.is_empty()) {
        (0, false) => Err(CliError::Runtime(format!("no game was exported: {errors}"))),
        (_, false) => {
            let reason = format!("not all games are exported: {games}, {errors}");
            Err(CliError::Runtime(reason))
        }
        (_, true) => {
            if arguments.out.is_some() && !arguments.json {
                print_stderr(&format!("games exported: {}", exported.games));
            }
            Ok(())
        }
    }
}

/// The words for a loss: a changed part of a game, and a part that is left out.
const CHANGED: &str = "changed";
const LEFT_OUT: &str = "left out";

fn change_of(loss: ExportLoss) -> &'static str {
    match loss {
        ExportLoss::Rules | ExportLoss::ReplacedTermination { .. } => CHANGED,
        _ => LEFT_OUT,
    }
}

/// The counts and the errors of an export.
#[derive(Default)]
struct ExportedRecords {
    /// The number of exported games.
    games: u64,
    /// The number of games that lack something.
    losses: BTreeMap<ExportLoss, u64>,
    /// The reasons why games are not exported.
    errors: Vec<String>,
}

impl ExportedRecords {
    /// Writes all games, one a line. An error belongs to a game, or ends its file.
    fn write(
        &mut self,
        inputs: Vec<RecordSource>,
        format: ExportFormat,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        for mut input in inputs {
            let name = input.name().to_owned();
            let mut games = 0;
            for record in &mut input {
                games += 1;
                match record.map(|record| export(&record, format)) {
                    Ok(Ok(game)) => {
                        writeln!(output, "{}", game.text)?;
                        self.games += 1;
                        for loss in game.losses {
                            *self.losses.entry(loss).or_default() += 1;
                        }
                    }
                    Ok(Err(reason)) => self.errors.push(format!("{name}, game {games}: {reason}")),
                    Err(error) => self.errors.push(error.to_string()),
                }
            }
            if games == 0 {
                self.errors.push(RecordFileError::NoGame(name).to_string());
            }
        }
        Ok(())
    }
}

/// Opens a file or standard input.
fn open(path: &Path) -> Result<RecordSource, TextFileError> {
    if path == Path::new(STDIN) {
        RecordSource::stdin()
    } else {
        RecordSource::open(path)
    }
}

/// Appends games in a format to a file that existed. Other processes that append at the same time
/// wait.
fn append(path: &Path, format: ExportFormat, games: &str) -> Result<(), CliError> {
    loop {
        let file = LockedFile::lock(path)?;
        let mut separator = "";
        if file.exists() {
            separator = missing_line_end(path, format)?;
        }
        if file.append(&format!("{separator}{games}"))? {
            return Ok(());
        }
    }
}

/// Returns the line end that a file of games in a format lacks before other games can follow.
fn missing_line_end(path: &Path, format: ExportFormat) -> Result<&'static str, CliError> {
    let text = text_file::read_any_size(path)?;
    if !text.trim().is_empty() {
        let is_games = detect_import_format(&text) == Some(&OPEN_SPIEL)
            && OPEN_SPIEL.import(&text, None).errors.is_empty();
        let name = quoted_path(path);
        if !is_games {
            let reason = format!("{name} has other text than exported games: name another file");
            return Err(CliError::Runtime(reason));
        }
        let has_episodes = text.contains('{');
        if has_episodes != (format == ExportFormat::Kaggle) {
            let content = if has_episodes {
                "episodes of Kaggle"
            } else {
                "lists of actions"
            };
            let reason = format!("{name} has {content}, not games in the format {format}");
            return Err(CliError::Runtime(format!("{reason}: name another file")));
        }
        if !text.ends_with('\n') {
            return Ok("\n");
        }
    }
    Ok("")
}

fn format_parser() -> impl TypedValueParser<Value = OutputFormat> {
    let stored = STORED_FORMATS.map(|(name, _)| name);
    let records = ExportFormat::ALL.map(ExportFormat::name);
    PossibleValuesParser::new(stored.into_iter().chain(records)).try_map(
        |word| match STORED_FORMATS.into_iter().find(|&(name, _)| name == word) {
            Some((_, format)) => Ok(OutputFormat::Stored(format)),
            None => word.parse().map(OutputFormat::Records),
        },
    )
}

/// The names of the formats of stored games.
const STORED_FORMATS: [(&str, StoredGamesFormat); 3] = [
    ("kgn", StoredGamesFormat::Kgn),
    ("csv", StoredGamesFormat::Csv),
    ("json", StoredGamesFormat::Json),
];
