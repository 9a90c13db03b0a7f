//! `kalah kgp`: one file per subcommand.

mod child;
mod connect;
mod search;
mod serve;

use std::io::Write;

use crate::args::kgp::KgpCommand;
use crate::error::CliError;

pub(super) fn run(command: &KgpCommand, output: &mut dyn Write) -> Result<(), CliError> {
    match command {
        KgpCommand::Child(arguments) => child::run(arguments, output),
        KgpCommand::Connect(arguments) => connect::run(arguments),
        KgpCommand::Serve(arguments) => serve::run(arguments, output),
    }
}
