//! `kalah rules`.

use std::io::Write;

use clap::Args;
use kalah_api::presets;
use kalah_text::rules_lines;

use crate::error::CliError;
use crate::output::messages::write_json;

#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "\
Examples:
  kalah rules
  kalah rules --json")]
pub(crate) struct RulesArgs {
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// The columns of the text: those of a narrow terminal.
const WIDTH: usize = 80;

pub(super) fn run(arguments: RulesArgs, output: &mut dyn Write) -> Result<(), CliError> {
    if arguments.json {
        return Ok(write_json(output, &presets())?);
    }
    write(output)
}

/// Writes the rules of the game and the rule sets.
///
/// # Errors
/// The error of the output.
pub(super) fn write(output: &mut dyn Write) -> Result<(), CliError> {
    for line in rules_lines(WIDTH) {
        writeln!(output, "{line}")?;
    }
    Ok(())
}
