//! The command `kalah`.

mod args;
mod commands;
mod error;
mod files;
mod interrupt;
mod memory;
mod output;

use std::env;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _, FromArgMatches as _};
use kalah::Setup;
use kalah_players::PlayerSpec;

use crate::args::Cli;
use crate::args::help::with_whole_paragraphs;
use crate::error::CliError;

fn main() -> ExitCode {
    let error = match parse_command_line() {
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

/// Parses the command line of this process.
fn parse_command_line() -> Result<Cli, clap::Error> {
    let mut command = with_negative_numbers(with_whole_paragraphs(Cli::command()));
    let matches = command.try_get_matches_from_mut(env::args_os());
    let mut matches = matches.map_err(|error| with_play_suggestion(error, &mut command))?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Adds a suggestion to the error about an option of `kalah play` that is given without the
/// command, or about a value without its option: `kalah play --north level:1` for
/// `kalah --north level:1` and for `kalah level:1`.
fn with_play_suggestion(mut error: clap::Error, command: &mut Command) -> clap::Error {
    let arguments: Option<Vec<String>> = (env::args_os().skip(1))
        .map(|argument| argument.into_string().ok())
        .collect();
    let is_unknown = matches!(
        error.kind(),
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand
    );
    let Some(arguments) = arguments.filter(|_| is_unknown) else {
        return error;
    };
    if let [word] | [PLAY, word] = &*arguments.iter().map(String::as_str).collect::<Vec<_>>()
        && let Some(option) = play_option_for(word)
        && let Ok(command_line) = shlex::try_join(["kalah", PLAY, option, word])
    {
        let tip = format!("an option of `kalah play` takes this value: {command_line}");
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
        error.remove(ContextKind::SuggestedSubcommand);
        return error;
    }
    let words = ["kalah", PLAY].into_iter();
    let words: Vec<&str> = words.chain(arguments.iter().map(String::as_str)).collect();
    let is_play_option = match command.try_get_matches_from_mut(&words) {
        Ok(_) => true,
        Err(reason) => reason.kind() != ErrorKind::UnknownArgument,
    };
    if is_play_option && let Ok(command_line) = shlex::try_join(words) {
        let tip = format!("this is an option of `kalah play`: {command_line}");
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// The command that plays games.
const PLAY: &str = "play";

/// Returns the option of `kalah play` for a word that is a player, a board, a position or a record
/// file.
fn play_option_for(word: &str) -> Option<&'static str> {
    if word.parse::<PlayerSpec>().is_ok() {
        Some("--north")
    } else if Path::new(word)
        .extension()
        .is_some_and(|extension| extension == kalah_record_files::EXTENSION)
    {
        Some("--resume")
    } else if word.parse::<Setup>().is_err() {
        None
    } else if word.starts_with('<') {
        Some("--position")
    } else {
        Some("--board")
    }
}

/// Returns the command with arguments that accept words such as `-1` as their values. The parsers
/// of the values refuse them with the valid range, and clap itself would call them unknown options.
fn with_negative_numbers(command: Command) -> Command {
    command
        .mut_args(|argument| {
            let takes_values = argument.get_action().takes_values();
            argument.allow_negative_numbers(takes_values)
        })
        .mut_subcommands(with_negative_numbers)
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
