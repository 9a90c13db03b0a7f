//! `kalah tables`: a file a verb.

mod build;
mod info;
mod probe;
mod room;
mod verify;

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::shown::shown;
use crate::{Failure, TableFolder, TablesCommand};

pub(super) fn run(command: &TablesCommand, output: &mut dyn Write) -> Result<(), Failure> {
    match command {
        TablesCommand::Build(arguments) => build::run(arguments, output),
        TablesCommand::Info(arguments) => info::run(arguments, output),
        TablesCommand::Verify(arguments) => verify::run(arguments, output),
        TablesCommand::Probe(arguments) => probe::run(arguments, output),
    }
}

/// What a path means: one file, or all that are in a folder.
enum Meant {
    File(PathBuf),
    Folder(TableFolder, Vec<PathBuf>),
}

impl Meant {
    fn of(path: Option<&Path>) -> Result<Self, Failure> {
        match path {
            Some(path) if !path.is_dir() => Ok(Self::File(path.to_owned())),
            asked => {
                let folder = TableFolder::new(asked)?;
                let files = folder.files()?;
                Ok(Self::Folder(folder, files))
            }
        }
    }
}

/// A path between quotes.
fn quoted(path: &Path) -> String {
    format!("'{}'", shown(&path.display().to_string()))
}
