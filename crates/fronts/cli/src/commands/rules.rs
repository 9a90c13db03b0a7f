//! `kalah rules`.

use std::io::Write;

use clap::Args;
use kalah::Rules;
use kalah_api::presets;

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

/// The paragraphs before the rule sets.
const COMMON_RULES: [&str; 2] = [
    "Each side has a row of houses and a store on its right. To sow, take all seeds of one of your \
     houses and drop them one by one counterclockwise, also into your own store but not into your \
     opponent's. If the last seed falls into your store, you sow again: a bonus turn. If it falls \
     into a house of yours that was empty just before, it captures: it and the seeds of the \
     opposite house go to your store. At the end the seeds of each row go to the store of its \
     owner. The player with more seeds wins.",
    "The rule sets differ in when the game ends, what a capture needs, whether North may exchange \
     sides instead of its first sowing, and whether the very first sowing may give a bonus turn:",
];

const CUSTOM_RULES: &str = "\
Other rules have all four fields:
  ends=stuck|row,capture=opposite|always,swap=yes|no,first-bonus=yes|no";

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
    for paragraph in COMMON_RULES {
        writeln!(output, "{}\n", textwrap::fill(paragraph, WIDTH))?;
    }
    let indented = textwrap::Options::new(WIDTH)
        .initial_indent("  ")
        .subsequent_indent("    ");
    for preset in Rules::PRESETS {
        let rules = preset.rules;
        let default = if rules == Rules::default() {
            " (the default)"
        } else {
            ""
        };
        writeln!(output, "{}{default}: {}", preset.name, preset.played_by)?;
        for phrase in rules.descriptions() {
            writeln!(output, "{}", textwrap::fill(phrase, &indented))?;
        }
        writeln!(output)?;
    }
    writeln!(output, "{CUSTOM_RULES}")?;
    Ok(())
}
