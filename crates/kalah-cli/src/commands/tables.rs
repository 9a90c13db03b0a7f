//! `kalah tables`: a file a verb.

mod build;
mod info;
mod probe;
pub(super) mod room;
mod verify;
mod watch;

use std::io::Write;
use std::path::Path;

pub(super) use watch::Watch;

use crate::shown::whole_path;
use crate::{Failure, TablesCommand};

pub(super) fn run(command: &TablesCommand, output: &mut dyn Write) -> Result<(), Failure> {
    match command {
        TablesCommand::Build(arguments) => build::run(arguments, output),
        TablesCommand::Info(arguments) => info::run(arguments, output),
        TablesCommand::Verify(arguments) => verify::run(arguments, output),
        TablesCommand::Probe(arguments) => probe::run(arguments, output),
    }
}

/// A path between quotes.
pub(super) fn quoted(path: &Path) -> String {
    format!("'{}'", whole_path(path))
}
