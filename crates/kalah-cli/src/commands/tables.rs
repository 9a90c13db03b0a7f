//! `kalah tables`: a file a verb.

mod build;
mod info;
mod probe;
pub(super) mod room;
mod verify;
mod watch;

use kalah_players::display_path;
use std::io::Write;
use std::path::Path;

pub(super) use watch::BuildMonitor;

use crate::{CliError, TablesCommand};

pub(super) fn run(command: &TablesCommand, output: &mut dyn Write) -> Result<(), CliError> {
    match command {
        TablesCommand::Build(arguments) => build::run(arguments, output),
        TablesCommand::Info(arguments) => info::run(arguments, output),
        TablesCommand::Verify(arguments) => verify::run(arguments, output),
        TablesCommand::Probe(arguments) => probe::run(arguments, output),
    }
}

/// A path between quotes.
pub(super) fn quoted_path(path: &Path) -> String {
    format!("'{}'", display_path(path))
}
