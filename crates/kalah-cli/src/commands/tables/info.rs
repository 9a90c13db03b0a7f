use std::io::Write;
use std::path::{Path, PathBuf};

use indicatif::BinaryBytes;
use kalah_tables::{Header, OpenError};
use serde::Serialize;

use super::quoted_path;
use crate::commands::write_json;
use crate::table_folder::describe_open_error;
use crate::words::format_count;
use crate::{CliError, TableFolder, TableInfoArguments};

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

pub(super) fn run(arguments: &TableInfoArguments, output: &mut dyn Write) -> Result<(), CliError> {
    let about: Vec<_> = if let Some(path) = &arguments.file {
        let header = Header::read(path)?;
        vec![(TableInfoJson::new(path, Ok(header)), path.clone())]
    } else {
        let folder = TableFolder::new_existing(arguments.folder.dir.as_deref())?;
        let files = folder.files()?;
        if files.is_empty() && !arguments.json {
            writeln!(output, "no tables in {}", quoted_path(folder.path()))?;
        }
        let read = |path: PathBuf| (TableInfoJson::new(&path, Header::read(&path)), path);
        files.into_iter().map(read).collect()
    };
    if arguments.json {
        let about: Vec<_> = about.into_iter().map(|(about, _)| about).collect();
        return write_json(output, &about);
    }
    for (about, path) in about {
        writeln!(output, "{}", about.line(&path))?;
    }
    Ok(())
}
