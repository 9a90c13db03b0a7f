//! The export of stored games: `kalah export` without record files.

use std::fs;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use kalah::format_count;
use kalah_files::{parent_folder, replace_with, resolve_links};
use kalah_players::{escape_control, quoted_path};
use kalah_store::{DataFolder, GameFilter, GameId, GameReader, StoredGame, UnreadableGameError};
use serde::Serialize;

use super::description::GameDescription;
use super::{DataOption, FilterOptions, now};
use crate::error::CliError;
use crate::interrupt;
use crate::output::messages::{print_stderr, write_json};
use crate::output::progress::{enable_tick, new_bar};

/// The options that select stored games.
#[derive(Clone, Debug, Args)]
pub(in crate::commands) struct StoredGamesOptions {
    #[command(flatten)]
    data: DataOption,
    /// Also games that have not ended
    #[arg(long, conflicts_with_all = ["running", "ended"])]
    all: bool,
    #[command(flatten)]
    filter: FilterOptions,
}

impl StoredGamesOptions {
    /// The arguments of these options, with which no record files are exported.
    pub(in crate::commands) const NAMES: [&str; 8] = [
        "data", "all", "running", "ended", "name", "since", "room", "limit",
    ];

    /// Returns the filter. Without an option for the end of games, they have ended.
    fn filter(&self) -> GameFilter {
        let mut filter = self.filter.filter(now());
        if !self.all {
            filter.is_ended = filter.is_ended.or(Some(true));
        }
        filter
    }
}

/// The format of exported games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) enum StoredGamesFormat {
    /// Records.
    Kgn,
    /// A table with a head.
    Csv,
    /// Lines of JSON.
    Json,
}

impl StoredGamesFormat {
    /// Returns the name of the format.
    const fn name(self) -> &'static str {
        match self {
            Self::Kgn => "kgn",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }
}

/// The file of an export.
#[derive(Clone, Copy)]
pub(in crate::commands) struct ExportTarget<'a> {
    pub(in crate::commands) file: &'a Path,
    /// Whether the output is a summary as JSON.
    pub(in crate::commands) is_json: bool,
}

/// The summary of an export to a file, as JSON.
#[derive(Serialize)]
pub(in crate::commands) struct ExportSummary<'a> {
    pub(in crate::commands) file: String,
    pub(in crate::commands) format: &'static str,
    /// The number of exported games.
    pub(in crate::commands) games: u64,
    /// The parts of games that the format has no place for.
    pub(in crate::commands) changes: Vec<ExportChange>,
    /// The reasons why games are not exported.
    pub(in crate::commands) errors: &'a [String],
}

/// A part of games that a format has no place for.
#[derive(Serialize)]
pub(in crate::commands) struct ExportChange {
    pub(in crate::commands) change: String,
    /// The number of games that it concerns.
    pub(in crate::commands) games: u64,
}

/// Exports the stored games that the options select to a file, which it replaces, or to `output`.
pub(in crate::commands) fn run(
    options: &StoredGamesOptions,
    format: StoredGamesFormat,
    target: Option<ExportTarget<'_>>,
    output: &mut dyn Write,
) -> Result<(), CliError> {
    let folder = options.data.folder()?;
    if let Some(ExportTarget { file, .. }) = target {
        check_target(file, &folder)?;
    }
    let reader = GameReader::open(&folder)?;
    let mut export = Export {
        filter: options.filter(),
        limit: options.filter.limit(),
        format,
        games: 0,
        errors: Vec::new(),
    };
    let Some(ExportTarget { file, is_json }) = target else {
        export.write(&reader, output)?;
        return export.finish();
    };
    let mut failure = None;
    let replaced = replace_with(file, |target| {
        export.write(&reader, target).map_err(|error| {
            failure = Some(error);
            io::ErrorKind::Other.into()
        })
    });
    if let Some(error) = failure {
        return Err(match error {
            CliError::Output(reason) => cannot_write(file, reason),
            error => error,
        });
    }
    replaced.map_err(|reason| cannot_write(file, reason))?;
    if is_json {
        write_json(output, &export.summary(file))?;
    }
    export.finish()?;
    if !is_json {
        print_stderr(&format!("games exported: {}", export.games));
    }
    Ok(())
}

fn cannot_write(path: &Path, reason: impl std::fmt::Display) -> CliError {
    CliError::Runtime(format!("cannot write {}: {reason}", quoted_path(path)))
}

/// Refuses a file in the folder of the games, where it could replace the games themselves.
fn check_target(path: &Path, folder: &DataFolder) -> Result<(), CliError> {
    let target = resolve_links(path);
    let parent = fs::canonicalize(parent_folder(&target));
    if parent.is_ok_and(|parent| fs::canonicalize(folder.path()).is_ok_and(|data| data == parent)) {
        let path = quoted_path(path);
        let reason = format!("{path} is in the folder of the games: name a file in another folder");
        return Err(CliError::Runtime(reason));
    }
    Ok(())
}

/// An export, with its counts so far.
struct Export {
    filter: GameFilter,
    limit: u64,
    format: StoredGamesFormat,
    /// The number of exported games.
    games: u64,
    /// The reasons why games are not exported: they are none by the rules.
    errors: Vec<String>,
}

impl Export {
    /// Writes all games, the latest first. One game at a time is in memory.
    fn write(&mut self, reader: &GameReader, output: &mut dyn Write) -> Result<(), CliError> {
        let matching = reader.count(&self.filter)?.min(self.limit);
        let bar = game_bar(matching);
        let shutdown = interrupt::listen();
        if self.format == StoredGamesFormat::Csv {
            write_csv_line(output, &GameDescription::COLUMNS)?;
        }
        let filter = self.filter.clone();
        let mut left = matching;
        let visited = reader.visit(&filter, |game| {
            if shutdown.is_requested() {
                let reason = "the export was stopped before it was complete";
                return Err(CliError::Interrupted(reason.to_owned()));
            }
            if left == 0 {
                return Ok(ControlFlow::Break(()));
            }
            left -= 1;
            self.write_game(game, &bar, output)?;
            bar.inc(1);
            Ok(ControlFlow::Continue(()))
        });
        bar.finish_and_clear();
        visited?;
        output.flush()?;
        Ok(())
    }

    /// Writes a game, or reports why it is none.
    fn write_game(
        &mut self,
        game: Result<StoredGame, UnreadableGameError>,
        bar: &ProgressBar,
        output: &mut dyn Write,
    ) -> Result<(), CliError> {
        let mut report = |id: GameId, reason: &str| {
            let error = format!("game {id}: {}", escape_control(reason));
            bar.suspend(|| print_stderr(&format!("error: {error}")));
            self.errors.push(error);
        };
        let stored = match game {
            Ok(stored) => stored,
            Err(error) => {
                report(error.id, &error.reason);
                return Ok(());
            }
        };
        let (game, record) = match stored.replay().and_then(|game| {
            let record = stored.record_of(&game)?;
            Ok((game, record))
        }) {
            Ok(checked) => checked,
            Err(reason) => {
                report(stored.id, &reason.to_string());
                return Ok(());
            }
        };
        match self.format {
            StoredGamesFormat::Kgn => {
                let separator = if self.games > 0 { "\n" } else { "" };
                write!(output, "{separator}{record}")?;
            }
            StoredGamesFormat::Csv => {
                write_csv_line(output, &GameDescription::new(&stored, &game).cells())?;
            }
            StoredGamesFormat::Json => {
                write_json(output, &GameDescription::new(&stored, &game))?;
            }
        }
        self.games += 1;
        Ok(())
    }

    /// Returns the summary of an export to a file.
    fn summary(&self, file: &Path) -> ExportSummary<'_> {
        ExportSummary {
            file: file.display().to_string(),
            format: self.format.name(),
            games: self.games,
            // All formats of stored games have the whole game.
            changes: Vec::new(),
            errors: &self.errors,
        }
    }

    /// Returns an error if games are missing.
    fn finish(&self) -> Result<(), CliError> {
        if self.errors.is_empty() {
            return Ok(());
        }
        let (games, damaged) = (
            format_count(self.games, "game"),
            format_count(self.errors.len() as u64, "damaged one"),
        );
        let reason = format!("not all games are exported: {games}, without {damaged}");
        Err(CliError::Runtime(reason))
    }
}

/// Writes a line of CSV as in RFC 4180.
fn write_csv_line(output: &mut dyn Write, cells: &[impl AsRef<[u8]>]) -> Result<(), CliError> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(output);
    let written = writer.write_record(cells);
    written.map_err(|error| CliError::Output(error.into()))?;
    Ok(writer.flush()?)
}

/// Returns a bar that shows how many of `games` games are exported.
fn game_bar(games: u64) -> ProgressBar {
    const TEMPLATE: &str = "{pos} of {len} games {wide_bar} {elapsed}";
    let bar = new_bar(games);
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style);
    }
    enable_tick(&bar);
    bar
}
