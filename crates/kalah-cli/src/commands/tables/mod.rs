//! `kalah tables`: building, describing, verifying and probing endgame tables.

pub(super) mod build;
mod probe;

use std::io::Write;
use std::path::Path;

use indicatif::BinaryBytes;
use kalah::format_count;
use kalah_tables::{Header, OpenError, Table};
use serde::Serialize;

use crate::args::tables::{TablesCommand, TablesInfoArgs, TablesVerifyArgs};
use crate::error::CliError;
use crate::files::table_folder::{TableFolder, describe_open_error, is_table_file};
use crate::output::messages::{quoted_path, write_json};
use crate::output::progress::spinner;

pub(super) fn run(command: &TablesCommand, output: &mut dyn Write) -> Result<(), CliError> {
    match command {
        TablesCommand::Build(arguments) => build::run(arguments, output),
        TablesCommand::Info(arguments) => run_info(arguments, output),
        TablesCommand::Verify(arguments) => run_verify(arguments, output),
        TablesCommand::Probe(arguments) => probe::run(arguments, output),
    }
}

/// One element of `kalah tables info --json`.
#[derive(Serialize)]
struct TableInfoJson {
    file: String,
    #[serde(flatten)]
    state: TableStateJson,
}

#[derive(Serialize)]
#[serde(untagged)]
enum TableStateJson {
    Table {
        houses: u8,
        seeds: u8,
        rules: String,
        positions: u64,
        bytes: u64,
    },
    Unusable {
        error: String,
    },
}

impl TableInfoJson {
    fn new(path: &Path, header: Result<Header, OpenError>) -> Self {
        let state = match header {
            Ok(header) => TableStateJson::Table {
                houses: header.variant().houses(),
                seeds: header.seeds(),
                rules: header.variant().rules().to_string(),
                positions: header.positions(),
                bytes: header.file_size(),
            },
            Err(error) => TableStateJson::Unusable {
                error: describe_open_error(&error),
            },
        };
        Self {
            file: path.display().to_string(),
            state,
        }
    }

    fn line(&self, path: &Path) -> String {
        match &self.state {
            TableStateJson::Table {
                houses,
                seeds,
                rules,
                positions,
                bytes,
            } => {
                format!(
                    "{}: {} a side, up to {}, rules {rules}, {}, {}",
                    quoted_path(path),
                    format_count((*houses).into(), "house"),
                    format_count((*seeds).into(), "seed"),
                    format_count(*positions, "position"),
                    BinaryBytes(*bytes)
                )
            }
            TableStateJson::Unusable { error } => error.clone(),
        }
    }
}

fn run_info(arguments: &TablesInfoArgs, output: &mut dyn Write) -> Result<(), CliError> {
    let paths = if let Some(path) = &arguments.file {
        // An error of a file on the command line is an error of the command.
        Header::read(path)?;
        vec![path.clone()]
    } else {
        let folder = TableFolder::new_existing(arguments.folder.dir.as_deref())?;
        let files = folder.files()?;
        if files.is_empty() && !arguments.json {
            writeln!(output, "no tables in {}", quoted_path(folder.path()))?;
        }
        files
    };
    let tables = paths
        .iter()
        .map(|path| TableInfoJson::new(path, Header::read(path)));
    if arguments.json {
        return write_json(output, &tables.collect::<Vec<_>>());
    }
    for (table, path) in tables.zip(&paths) {
        writeln!(output, "{}", table.line(path))?;
    }
    Ok(())
}

fn run_verify(arguments: &TablesVerifyArgs, output: &mut dyn Write) -> Result<(), CliError> {
    if let Some(path) = &arguments.file {
        writeln!(output, "{}", verify(path, arguments)?)?;
        return Ok(());
    }
    let folder = TableFolder::new_existing(arguments.folder.dir.as_deref())?;
    let mut files = folder.files()?;
    // Unfinished files cannot be verified.
    files.retain(|path| is_table_file(path));
    if files.is_empty() {
        writeln!(output, "no tables in {}", quoted_path(folder.path()))?;
    }
    let count = files.len();
    let mut damaged = 0;
    for path in files {
        let line = verify(&path, arguments).or_else(|error| {
            damaged += 1;
            error.message().ok_or(error)
        });
        writeln!(output, "{}", line?)?;
        // The next table can take a long time.
        output.flush()?;
    }
    match damaged {
        0 => Ok(()),
        _ => Err(CliError::Runtime(format!(
            "{damaged} of {} failed the verification",
            format_count(u64::try_from(count).unwrap_or(u64::MAX), "table")
        ))),
    }
}

/// Verifies a table, and returns a line about its content.
fn verify(path: &Path, arguments: &TablesVerifyArgs) -> Result<String, CliError> {
    let table = Table::open(path)?;
    let file = quoted_path(path);
    let entries = format_count(arguments.entries, "random position");
    let spinner = spinner(&format!("{file}: verifying checksums"));
    let result = table.verify_checksums().and_then(|()| {
        spinner.set_message(format!("{file}: computing {entries} again"));
        table.verify_entries(arguments.entries, arguments.seed)
    });
    spinner.finish_and_clear();
    match result {
        Ok(()) => Ok(format!(
            "{file}: {} with valid checksums; {entries} computed again",
            format_count(
                Table::positions(table.variant(), table.seeds()).unwrap_or(0),
                "position"
            ),
        )),
        Err(reason) => Err(CliError::Runtime(format!("{file}: {reason}"))),
    }
}
