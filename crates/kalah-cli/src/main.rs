//! The command `kalah`.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod error;
mod files;
mod interrupt;
mod output;

use std::env;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;

use crate::args::Cli;
use crate::error::CliError;

fn main() -> ExitCode {
    let error = match Cli::try_parse() {
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
    };
    if let Some(message) = error.message() {
        // An error on standard error cannot be reported anywhere.
        let _ = writeln!(anstream::stderr(), "error: {message}");
    }
    error.exit_code()
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
