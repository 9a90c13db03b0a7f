//! Tips in the errors about programs and players that are several words on a command line.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The start of a program among the values of options.
const COMMAND_KEY: &str = "cmd=";

/// The options with one player of a tournament, which can be given several times.
const ENGINE_OPTIONS: [&str; 2] = ["--engine", "--add"];

/// Returns the word that clap does not expect, and a tip, if the word belongs to the player before
/// it: it is a part of a command without quotes, or one more player.
pub(super) fn unquoted_word_tip(
    error: &clap::Error,
    arguments: &[String],
) -> Option<(String, String)> {
    let context = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        // clap takes a further word behind an option of a command with subcommands for one of them.
        ErrorKind::ArgumentConflict => ContextKind::InvalidSubcommand,
        _ => return None,
    };
    let Some(ContextValue::String(word)) = error.get(context) else {
        return None;
    };
    let mut pairs = arguments.windows(2).enumerate();
    let (index, _) = pairs.find(|(_, pair)| {
        let is_player = pair[0].contains(COMMAND_KEY) || is_plain(&pair[0]);
        // clap names the first letter of `-jar`. A word such as `--round` is rather a wrong option.
        is_player && pair[1].starts_with(word.as_str()) && !pair[1].starts_with("--")
    })?;
    let word = &arguments[index + 1];
    let (option, player) = match arguments[index].split_once('=') {
        Some((option, player)) if option.starts_with("--") => (option, player),
        _ => {
            let before = index.checked_sub(1).map_or("", |before| &arguments[before]);
            (before, arguments[index].as_str())
        }
    };
    let rest = arguments[index + 1..].iter();
    let rest = rest.take_while(|word| !word.starts_with("--"));
    let tip = if player.starts_with(COMMAND_KEY) {
        let words: Vec<&str> = [player]
            .into_iter()
            .chain(rest.map(String::as_str))
            .collect();
        let player = quoted_program(&words.join(" "))?;
        format!("a command of several words needs quotes of both kinds: {player}")
    } else if ENGINE_OPTIONS.contains(&option) && is_plain(word) {
        format!("each player needs an option of its own: {option} {player} {option} {word}")
    } else {
        return None;
    };
    Some((word.clone(), tip))
}

/// Returns whether a word is no option.
fn is_plain(word: &str) -> bool {
    !word.starts_with('-')
}

/// Returns a program with quotes around its command, and with those that the shell removes around
/// all of it. `text` begins with [`COMMAND_KEY`].
fn quoted_program(text: &str) -> Option<String> {
    let command = text.strip_prefix(COMMAND_KEY)?;
    let (command, keys) = match command.find(',') {
        Some(comma) => command.split_at(comma),
        None => (command, ""),
    };
    let quote = if command.contains('\'') { '"' } else { '\'' };
    let text = format!("{COMMAND_KEY}{quote}{command}{quote}{keys}");
    if text.contains(['"', '$', '`', '\\', '!']) {
        let quoted = shlex::try_quote(&text).ok()?;
        return Some(quoted.into_owned());
    }
    Some(format!("\"{text}\""))
}
