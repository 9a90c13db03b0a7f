//! `kalah kgp`: a file a verb.

mod child;
mod connect;
mod connection;
mod incoming;
mod serve;
mod silence;
mod thinking;

use std::io::Write;

use crate::{CliError, KgpCommand};

pub(super) fn run(command: &KgpCommand, output: &mut dyn Write) -> Result<(), CliError> {
    match command {
        KgpCommand::Child(arguments) => child::run(arguments, output),
        KgpCommand::Connect(arguments) => connect::run(arguments),
        KgpCommand::Serve(arguments) => serve::run(arguments, output),
    }
}
