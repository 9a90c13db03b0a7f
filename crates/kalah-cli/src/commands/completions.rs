use std::io::Write;

use clap::CommandFactory as _;

use crate::CliError;
use crate::arguments::{Arguments, CompletionsArguments};

pub(super) fn run(arguments: CompletionsArguments, output: &mut dyn Write) -> Result<(), CliError> {
    // The generator panics if it cannot write: it writes to memory.
    let mut script = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "kalah", &mut script);
    output.write_all(&script)?;
    Ok(())
}
