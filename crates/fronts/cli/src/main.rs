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
use crate::config::Config;
use crate::error::CliError;
use crate::output::messages::print_error;

fn main() -> ExitCode {
    let error = match Config::load() {
        Ok(config) => match parse_command_line(config) {
            Ok(cli) => match commands::run(cli) {
                Ok(()) => return ExitCode::SUCCESS,
                Err(error) => error,
            },
            Err(error) if error.kind() == ErrorKind::InvalidUtf8 => {
                CliError::Usage(invalid_utf8_message())
            }
            // This is an error of usage, the help or the version.
            Err(message) => match message.print() {
                Err(error) if !message.use_stderr() => CliError::from(error),
                _ => return ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(u8::MAX)),
            },
        },
        Err(error) => error,
    };
    if let Some(message) = error.message() {
        print_error(&message);
    }
    error.exit_code()
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
