//! `kalah bench`: what the search finds, in how many positions, and how fast this program is on this machine.

mod suite;
mod tables;

use std::io::Write;

use crate::{BenchArguments, BenchCommand, CliError};

pub(super) fn run(arguments: &BenchArguments, output: &mut dyn Write) -> Result<(), CliError> {
    match &arguments.command {
        None => suite::run(arguments.suite, output),
        Some(BenchCommand::Tables(arguments)) => tables::run(arguments, output),
    }
}
