//! The command `kalah`.

mod args;
mod batch;
mod commands;
mod config;
mod error;
mod files;
mod interrupt;
mod memory;
mod output;
mod profile;
mod version;

use std::env;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};

use crate::args::Cli;
use crate::args::help::with_whole_paragraphs;
use crate::args::negative::{attach_negative_values, with_negative_numbers};
use crate::args::tips::with_tips;
use crate::config::{Config, config};
use crate::error::CliError;
use crate::output::messages::print_error;

fn main() -> ExitCode {
    run().unwrap_or_else(|error| {
        if let Some(message) = error.message() {
            print_error(&message);
        }
        error.exit_code()
    })
}

/// Runs the command line of this process.
///
/// # Errors
/// The error of the command, or of the configuration if the command uses it.
fn run() -> Result<ExitCode, CliError> {
    let loaded = Config::load();
    match parse_command_line(config()) {
        Ok(cli) => {
            if cli.uses_config() {
                loaded?;
            }
            commands::run(cli)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(message) if !message.use_stderr() => {
            // This is the help or the version.
            message.print()?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            loaded?;
            if error.kind() == ErrorKind::InvalidUtf8 {
                return Err(CliError::Usage(invalid_utf8_message()));
            }
            // Standard error may be closed.
            let _ = error.print();
            Ok(ExitCode::from(
                u8::try_from(error.exit_code()).unwrap_or(u8::MAX),
            ))
        }
    }
}

/// Parses the command line of this process.
fn parse_command_line(config: &'static Config) -> Result<Cli, clap::Error> {
    let command = with_negative_numbers(with_whole_paragraphs(Cli::command()));
    let mut command = config.apply_to(command);
    let arguments = attach_negative_values(env::args_os(), &command);
    let matches = command.try_get_matches_from_mut(&arguments);
    let mut matches = matches.map_err(|error| with_tips(error, &mut command, &arguments))?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Returns a message that quotes the arguments that are not valid UTF-8.
fn invalid_utf8_message() -> String {
    let invalid = env::args_os()
        .skip(1)
        .filter(|argument| argument.to_str().is_none());
    let quoted: Vec<String> = invalid
        .map(|argument| format!("'{}'", argument.to_string_lossy().escape_debug()))
        .collect();
    format!("invalid UTF-8 in {}", quoted.join(" and "))
}
