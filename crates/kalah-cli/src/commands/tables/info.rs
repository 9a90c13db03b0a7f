use std::io::Write;
use std::path::{Path, PathBuf};

use indicatif::BinaryBytes;
use kalah_tables::{Header, OpenError};
use serde::Serialize;

use super::quoted;
use crate::commands::write_json;
use crate::table_folder::why_unusable;
use crate::words::counted;
use crate::{Failure, TableFolder, TableInfoArguments};

/// One element of `kalah tables info --json`.
#[derive(Serialize)]
struct About {
    file: String,
    #[serde(flatten)]
    state: State,
}

#[derive(Serialize)]
#[serde(untagged)]
enum State {
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

impl About {
    fn new(path: &Path, header: Result<Header, OpenError>) -> Self {
        let state = match header {
            Ok(header) => State::Table {
                houses: header.variant().houses(),
                seeds: header.seeds(),
                rules: header.variant().rules().to_string(),
                positions: header.positions(),
                bytes: header.file_size(),
            },
            Err(error) => State::Unusable {
                error: why_unusable(&error),
            },
        };
        Self {
            file: path.display().to_string(),
            state,
        }
    }

    fn line(&self, path: &Path) -> String {
        match &self.state {
            State::Table {
                houses,
                seeds,
                rules,
                positions,
                bytes,
            } => {
                format!(
                    "{}: {} a side, up to {}, rules {rules}, {}, {}",
                    quoted(path),
                    counted((*houses).into(), "house"),
                    counted((*seeds).into(), "seed"),
                    counted(*positions, "position"),
                    BinaryBytes(*bytes)
                )
            }
            State::Unusable { error } => error.clone(),
        }
    }
}

pub(super) fn run(arguments: &TableInfoArguments, output: &mut dyn Write) -> Result<(), Failure> {
    let about: Vec<_> = if let Some(path) = &arguments.file {
        let header = Header::read(path)?;
        vec![(About::new(path, Ok(header)), path.clone())]
    } else {
        let folder = TableFolder::existing(arguments.folder.dir.as_deref())?;
        let files = folder.files()?;
        if files.is_empty() && !arguments.json {
            writeln!(output, "no tables in {}", quoted(folder.path()))?;
        }
        let read = |path: PathBuf| (About::new(&path, Header::read(&path)), path);
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
