//! `kalah mankalah`: a file a verb.

mod agent;
mod host;

use std::io::Write;

use crate::{CliError, MankalahCommand};

pub(super) fn run(command: &MankalahCommand, output: &mut dyn Write) -> Result<(), CliError> {
    match command {
        MankalahCommand::Agent(arguments) => agent::run(arguments, output),
        MankalahCommand::Host(arguments) => host::run(arguments, output),
    }
}
