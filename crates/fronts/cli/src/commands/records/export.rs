//! `kalah export`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use kalah::format_count;
use kalah::record::Record;
use kalah_open_spiel::{ExportFormat, ExportLoss, OPEN_SPIEL, export};
use kalah_protocols::detect_import_format;

use crate::error::CliError;
use crate::files::record_file::{self, RecordFileError};
use crate::files::text_file;
use crate::output::messages::{print_errors, print_stderr, quoted_path};

#[derive(Clone, Debug, Args)]
#[command(after_help = "\
openspiel is a JSON list of actions for each game, one game a line: 1 to 6 for South's houses and 8
to 13 for North's.

kaggle is an episode of Kaggle's environment open_spiel_mancala for each game, a JSON object in one
line. It has the states, the names of the players and the result.

`kalah import` reads both back. OpenSpiel's mancala is the game 6x4 under the rules standard. A game
under other rules is exported if it is the same game under standard. Other games are reported on
standard error and left out, and the exit code is 1. Notes on standard error tell what else the
format has no place for, such as comments and variations.

Examples:
  kalah export standard.kgn --format openspiel > actions.jsonl
  kalah export standard.kgn --format kaggle --out episode.json
  kalah export - --format openspiel < standard.kgn")]
pub(crate) struct ExportArgs {
    /// The record files, or - for standard input
    #[arg(value_name = "FILE.kgn|-", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// The format of the games
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: ExportFormat,
    /// Append the games to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

/// The file name that stands for standard input, and its name in messages.
const STDIN: &str = "-";
const STDIN_NAME: &str = "standard input";

pub(crate) fn run(arguments: &ExportArgs, output: &mut dyn Write) -> Result<(), CliError> {
    // All files are read first, so that one that is not readable leaves no part of the output.
    let inputs = arguments.files.iter().map(|file| read(file));
    let inputs = inputs.collect::<Result<Vec<_>, CliError>>()?;
    let mut exported = ExportSummary::default();
    if let Some(path) = &arguments.out {
        let mut text = Vec::new();
        exported.write(&inputs, arguments.format, &mut text)?;
        if exported.games > 0 {
            append(path, arguments.format, &String::from_utf8_lossy(&text))?;
        }
    } else {
        exported.write(&inputs, arguments.format, output)?;
    }
    for (loss, &games) in &exported.losses {
        let games = format_count(games, "game");
        let verb = match loss {
            ExportLoss::Rules | ExportLoss::ReplacedTermination { .. } => "changed in",
            _ => "left out of",
        };
        print_stderr(&format!("note: {verb} {games}: {loss}"));
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
            if arguments.out.is_some() {
                print_stderr(&format!("games exported: {}", exported.games));
            }
            Ok(())
        }
    }
}

/// The games of a file, with the name of the file in messages.
type NamedRecords = (String, Vec<Record>);

/// The counts and the errors of an export.
#[derive(Default)]
struct ExportSummary {
    /// The number of exported games.
    games: u64,
    /// The number of games that lack something.
    losses: BTreeMap<ExportLoss, u64>,
    /// The reasons why games are not exported.
    errors: Vec<String>,
}

impl ExportSummary {
    /// Writes all games, one a line.
    fn write(
        &mut self,
        inputs: &[NamedRecords],
        format: ExportFormat,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        for (name, records) in inputs {
            for (number, record) in (1..).zip(records) {
                match export(record, format) {
                    Ok(game) => {
                        writeln!(output, "{}", game.text)?;
                        self.games += 1;
                        for loss in game.losses {
                            *self.losses.entry(loss).or_default() += 1;
                        }
                    }
                    Err(reason) => {
                        self.errors.push(format!("{name}, game {number}: {reason}"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Reads the games of a file.
fn read(path: &Path) -> Result<NamedRecords, CliError> {
    if path != Path::new(STDIN) {
        let records = record_file::read(path)?;
        if records.is_empty() {
            return Err(RecordFileError::NoGame(path.to_owned()).into());
        }
        return Ok((quoted_path(path), records));
    }
    let text = text_file::read_from(STDIN_NAME, io::stdin().lock())?;
    let records = Record::parse_all(&text)
        .map_err(|reason| CliError::Runtime(format!("{STDIN_NAME}: {reason}")))?;
    if records.is_empty() {
        let reason = format!("{STDIN_NAME} contains no game");
        return Err(CliError::Runtime(reason));
    }
    Ok((STDIN_NAME.to_owned(), records))
}

/// Appends games in a format to a file.
fn append(path: &Path, format: ExportFormat, games: &str) -> Result<(), CliError> {
    let mut text = if text_file::exists(path)? {
        text_file::read(path)?
    } else {
        String::new()
    };
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
            text.push('\n');
        }
    }
    text.push_str(games);
    Ok(text_file::replace(path, &text)?)
}

fn format_parser() -> impl TypedValueParser<Value = ExportFormat> {
    PossibleValuesParser::new(ExportFormat::ALL.map(ExportFormat::name))
        .try_map(|word| word.parse::<ExportFormat>())
}
