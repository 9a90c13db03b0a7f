//! The command `kalah`.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;
use kalah_cli::{Arguments, Failure, run};

fn main() -> ExitCode {
    let failure = match Arguments::try_parse() {
        Ok(arguments) => match run(arguments) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(failure) => failure,
        },
        // Help and the version come this way too.
        Err(shown) => match shown.print() {
            Err(error) if !shown.use_stderr() => Failure::from(error),
            _ => return ExitCode::from(u8::try_from(shown.exit_code()).unwrap_or(u8::MAX)),
        },
    };
    if let Some(message) = failure.message() {
        // There is nobody left to tell that standard error cannot be written.
        let _ = writeln!(anstream::stderr(), "error: {message}");
    }
    failure.exit_code()
}
