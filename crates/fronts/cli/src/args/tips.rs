//! Tips in the errors about arguments: the command or the option that they belong to.

use std::env;
use std::ffi::OsStr;
use std::path::Path;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use kalah::Setup;
use kalah_players::PlayerSpec;

use super::negative::is_negative;

/// Adds a tip to the error about an unknown argument.
///
/// An option of `kalah play` that is given without the command, and a value without its option,
/// have the whole command line: `kalah play --north level:1` for `kalah --north level:1` and for
/// `kalah level:1`. An option of other commands has their names.
pub(crate) fn with_tips(mut error: clap::Error, command: &mut Command) -> clap::Error {
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
    let negative = arguments.iter().find(|word| is_negative(OsStr::new(word)));
    if let (Some(word), Some(ContextValue::String(argument))) =
        (negative, error.get(ContextKind::InvalidArg))
        && word.starts_with(argument.as_str())
    {
        // clap quotes the first character alone, and advises to pass it as a value.
        error.insert(ContextKind::InvalidArg, ContextValue::String(word.clone()));
        error.remove(ContextKind::Suggested);
        return error;
    }
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
    } else if error.kind() == ErrorKind::UnknownArgument {
        name_commands_with_option(&mut error, command);
    }
    error
}

/// The maximum number of commands that a tip names.
const MAX_COMMANDS_NAMED: usize = 4;

/// Replaces clap's tip to pass an unknown option as a value, which no command wants, by the names
/// of the commands that have this option.
fn name_commands_with_option(error: &mut clap::Error, command: &Command) {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let Some(option) = argument.strip_prefix("--") else {
        return;
    };
    let option = option.split('=').next().unwrap_or(option).to_owned();
    error.remove(ContextKind::Suggested);
    let mut names = Vec::new();
    find_commands_with_option(command, command.get_name(), &option, &mut names);
    if names.is_empty() {
        return;
    }
    let hidden = names.len().saturating_sub(MAX_COMMANDS_NAMED);
    names.truncate(MAX_COMMANDS_NAMED);
    if hidden > 0 {
        names.push(format!("{hidden} more"));
    }
    let tip = format!("--{option} is an option of {}", list(&names));
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![tip.into()]),
    );
}

/// Appends the names of the commands within `command` that have an option. `name` is that of
/// `command` on a command line.
fn find_commands_with_option(command: &Command, name: &str, option: &str, names: &mut Vec<String>) {
    if (command.get_arguments()).any(|argument| argument.get_long() == Some(option)) {
        names.push(format!("`{name}`"));
    }
    for subcommand in command.get_subcommands() {
        let name = format!("{name} {}", subcommand.get_name());
        find_commands_with_option(subcommand, &name, option, names);
    }
}

/// Joins names with commas and `and`.
fn list(names: &[String]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.join(""),
    }
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
