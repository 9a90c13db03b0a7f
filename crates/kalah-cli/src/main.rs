//! The command `kalah`.

#![forbid(unsafe_code)]

use std::env;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;
use kalah_cli::{Arguments, CliError, run};

fn main() -> ExitCode {
    let failure = match Arguments::try_parse() {
        Ok(arguments) => match run(arguments) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(failure) => failure,
        },
        Err(shown) if shown.kind() == ErrorKind::InvalidUtf8 => {
            CliError::Usage(invalid_utf8_message())
        }
        // Help and the version come this way too.
        Err(shown) => match shown.print() {
            Err(error) if !shown.use_stderr() => CliError::from(error),
            _ => return ExitCode::from(u8::try_from(shown.exit_code()).unwrap_or(u8::MAX)),
        },
    };
    if let Some(message) = failure.message() {
        // There is nobody left to tell that standard error cannot be written.
        let _ = writeln!(anstream::stderr(), "error: {message}");
    }
    failure.exit_code()
}

/// What is wrong with arguments of which one should be text and is none.
fn invalid_utf8_message() -> String {
    let noise = env::args_os()
        .skip(1)
        .filter(|word| word.to_str().is_none());
    let quoted: Vec<String> = noise
        .map(|word| format!("'{}'", word.to_string_lossy().escape_debug()))
        .collect();
    format!("invalid UTF-8 in {}", quoted.join(" and "))
}
