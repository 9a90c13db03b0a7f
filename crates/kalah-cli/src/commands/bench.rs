//! `kalah bench`: how fast this program is on this machine.

mod tables;

use std::io::Write;

use crate::{BenchCommand, Failure};

pub(super) fn run(command: &BenchCommand, output: &mut dyn Write) -> Result<(), Failure> {
    match command {
        BenchCommand::Tables(arguments) => tables::run(arguments, output),
    }
}
