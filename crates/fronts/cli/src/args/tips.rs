//! Tips in the errors about arguments: the command or the option that they belong to.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use kalah::Setup;
use kalah_players::PlayerSpec;
use strsim::osa_distance;

use super::negative::is_negative;
use super::unquoted::unquoted_word_tip;
use super::values::STDIN_ARGUMENT;

/// Adds a tip to the error about an unknown argument.
///
/// An option of `kalah play` that is given without the command, and a value without its option,
/// have the whole command line: `kalah play --north level:1` for `kalah --north level:1` and for
/// `kalah level:1`. An option of other commands has their names, also if it is misspelt, and a word
/// behind a command without quotes has the command with quotes.
pub(crate) fn with_tips(
    mut error: clap::Error,
    command: &mut Command,
    arguments: &[OsString],
) -> clap::Error {
    let arguments: Option<Vec<String>> = (arguments.iter().skip(1))
        .map(|argument| argument.clone().into_string().ok())
        .collect();
    let Some(arguments) = arguments else {
        return error;
    };
    if let Some((word, tip)) = unquoted_word_tip(&error, &arguments) {
        return unexpected_word(&word, tip, command, &arguments);
    }
    if !matches!(
        error.kind(),
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand
    ) {
        return error;
    }
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
    let stdin_game = arguments.iter().find(|word| is_game_of_stdin(word));
    if let (Some(word), Some(ContextValue::String(argument))) =
        (stdin_game, error.get(ContextKind::InvalidArg))
        && word.starts_with(argument.as_str())
    {
        // clap quotes and advises the first two characters alone.
        let tip = format!("to pass '{word}' as a value, use '-- {word}'");
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::InvalidArg, ContextValue::String(word.clone()));
        error.insert(ContextKind::Suggested, tips);
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
    if let Some(tip) = level_tip(&error, &arguments) {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
        error.remove(ContextKind::SuggestedArg);
        // The usage in the error has the option that clap found similar.
        let usage = command_of(command, &arguments).render_usage();
        error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
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
        error.remove(ContextKind::SuggestedArg);
    } else if error.kind() == ErrorKind::UnknownArgument {
        name_commands_with_option(&mut error, command, &arguments);
    }
    error
}

/// Returns whether a word is a game or a ply of standard input, such as `-#1@3`.
fn is_game_of_stdin(word: &str) -> bool {
    word.strip_prefix(STDIN_ARGUMENT)
        .is_some_and(|suffix| suffix.starts_with(['#', '@']))
}

/// Returns the tip for `kalah play --level 3`: a level is a player.
fn level_tip(error: &clap::Error, arguments: &[String]) -> Option<String> {
    const OPTION: &str = "--level";

    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if arguments.first()? != PLAY || argument.split('=').next()? != OPTION {
        return None;
    }
    let mut words = arguments
        .iter()
        .skip_while(|word| !word.starts_with(OPTION));
    let level = match words.next()?.split_once('=') {
        Some((_, level)) => Some(level),
        None => words.next().map(String::as_str),
    };
    let player = level.map(|level| format!("level:{level}"));
    let player = player.filter(|player| player.parse::<PlayerSpec>().is_ok());
    let player = player.unwrap_or_else(|| "level:N".to_owned());
    Some(format!(
        "a level is a player: kalah {PLAY} --north {player}"
    ))
}

/// Returns the error about a word that no option takes.
fn unexpected_word(
    word: &str,
    tip: String,
    command: &mut Command,
    arguments: &[String],
) -> clap::Error {
    let command = command_of(command, arguments);
    let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
    let usage = command.render_usage();
    error.insert(
        ContextKind::InvalidArg,
        ContextValue::String(word.to_owned()),
    );
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![tip.into()]),
    );
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    error
}

/// The maximum number of commands that a tip names.
const MAX_COMMANDS_NAMED: usize = 4;

/// Replaces clap's tips about an unknown option by the names of the commands that have this option,
/// or one that is more similar than any of the command itself. clap would advise to pass it as a
/// value, which is of use only where a value can begin with one minus sign, or name an option of a
/// similar name and another meaning.
fn name_commands_with_option(error: &mut clap::Error, command: &mut Command, arguments: &[String]) {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return;
    };
    let mut option = argument.split('=').next().unwrap_or(argument).to_owned();
    if option.starts_with("--") {
        error.remove(ContextKind::Suggested);
    }
    let mut names = Vec::new();
    find_commands_with_option(command, command.get_name(), &option, &mut names);
    if names.is_empty() {
        let own = match error.get(ContextKind::SuggestedArg) {
            Some(ContextValue::String(own)) => Some(own.as_str()),
            _ => None,
        };
        let Some(similar) = similar_option(command, &option, own) else {
            return;
        };
        find_commands_with_option(command, command.get_name(), &similar, &mut names);
        option = similar;
    }
    if error.remove(ContextKind::SuggestedArg).is_some() {
        // The usage in the error has the similar option.
        let usage = command_of(command, arguments).render_usage();
        error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    }
    let hidden = names.len().saturating_sub(MAX_COMMANDS_NAMED);
    names.truncate(MAX_COMMANDS_NAMED);
    if hidden > 0 {
        names.push(format!("{hidden} more"));
    }
    let tip = format!("{option} is an option of {}", list(&names));
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![tip.into()]),
    );
}

/// The letters of an option for one of which a letter may be wrong, missing or too many, or two
/// neighbours exchanged: the rule by which rustc suggests names.
const LETTERS_PER_EDIT: usize = 3;

/// Returns the option of any command within `command` that is the most similar to a misspelt one,
/// if it is more similar than `own`, the option that clap suggests.
fn similar_option(command: &Command, misspelt: &str, own: Option<&str>) -> Option<String> {
    let misspelt = misspelt.strip_prefix("--")?;
    let mut options = BTreeSet::new();
    find_long_options(command, &mut options);
    let distance = |option: &str| osa_distance(option, misspelt);
    let max = misspelt.chars().count() / LETTERS_PER_EDIT;
    let own = own.map(|own| distance(own.trim_start_matches('-')));
    let options = options.into_iter().map(|option| (distance(option), option));
    let (_, best) = options
        .filter(|&(distance, _)| distance <= max && own.is_none_or(|own| distance < own))
        .min()?;
    Some(format!("--{best}"))
}

/// Adds the long options of all commands within `command`, without their minus signs.
fn find_long_options<'a>(command: &'a Command, options: &mut BTreeSet<&'a str>) {
    options.extend(command.get_arguments().filter_map(Arg::get_long));
    for subcommand in command.get_subcommands() {
        find_long_options(subcommand, options);
    }
}

/// Returns the command that a command line begins with.
fn command_of<'a>(command: &'a mut Command, arguments: &[String]) -> &'a mut Command {
    match arguments.split_first() {
        Some((name, arguments)) if command.find_subcommand(name).is_some() => {
            let subcommand = command.find_subcommand_mut(name);
            command_of(subcommand.expect("it was found"), arguments)
        }
        _ => command,
    }
}

/// Appends the names of the commands within `command` that have an option, such as `--out` or `-o`.
/// `name` is that of `command` on a command line.
fn find_commands_with_option(command: &Command, name: &str, option: &str, names: &mut Vec<String>) {
    if command
        .get_arguments()
        .any(|argument| is_option(argument, option))
    {
        names.push(format!("`{name}`"));
    }
    for subcommand in command.get_subcommands() {
        let name = format!("{name} {}", subcommand.get_name());
        find_commands_with_option(subcommand, &name, option, names);
    }
}

/// Returns whether an argument is the option with this text.
fn is_option(argument: &Arg, text: &str) -> bool {
    let is_long = |name| text.strip_prefix("--") == Some(name);
    let is_short = |name: char| text.strip_prefix('-') == Some(name.encode_utf8(&mut [0; 4]));
    argument.get_long().is_some_and(is_long) || argument.get_short().is_some_and(is_short)
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    /// Appends the words of each command line within `command`, which `words` begins.
    fn command_lines(command: &Command, words: &[String], lines: &mut Vec<Vec<String>>) {
        lines.push(words.to_vec());
        for subcommand in command.get_subcommands() {
            let words = [words, &[subcommand.get_name().to_owned()]].concat();
            command_lines(subcommand, &words, lines);
        }
    }

    /// Returns the command that words of a command line name.
    fn find<'a>(command: &'a Command, words: &[String]) -> &'a Command {
        let mut names = words.iter().skip(1);
        let found = names.try_fold(command, |command, name| command.find_subcommand(name));
        found.expect("a command")
    }

    /// Appends the options of all commands within `command`, with their minus signs.
    fn options(command: &Command, found: &mut BTreeSet<String>) {
        for argument in command.get_arguments() {
            found.extend(argument.get_long().map(|name| format!("--{name}")));
            found.extend(argument.get_short().map(|name| format!("-{name}")));
        }
        for subcommand in command.get_subcommands() {
            options(subcommand, found);
        }
    }

    /// Returns the error about a command line, which is one about an unknown argument.
    fn error(command: &mut Command, words: &[String]) -> String {
        let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        let error = command
            .try_get_matches_from_mut(&arguments)
            .expect_err("an unknown option");
        let error = with_tips(error, command, &arguments);
        assert_eq!(error.kind(), ErrorKind::UnknownArgument, "{words:?}");
        error.to_string()
    }

    /// Returns the whole command, the words of all its command lines, and all their options.
    fn whole_command() -> (Command, Vec<Vec<String>>, BTreeSet<String>) {
        let mut command = Cli::command();
        command.build();
        let (mut lines, mut all_options) = (Vec::new(), BTreeSet::new());
        command_lines(&command, &["kalah".to_owned()], &mut lines);
        options(&command, &mut all_options);
        (command, lines, all_options)
    }

    #[test]
    fn option_of_another_command_has_a_true_tip_in_every_command() {
        let (whole, lines, all_options) = whole_command();
        let mut command = whole.clone();
        let mut pairs = 0;
        for words in &lines {
            let own = find(&whole, words);
            for option in &all_options {
                if own
                    .get_arguments()
                    .any(|argument| is_option(argument, option))
                {
                    continue;
                }
                let words = [words, &[option.clone()][..]].concat();
                let message = error(&mut command, &words);
                let tips: Vec<&str> = message
                    .lines()
                    .filter_map(|line| line.trim_start().strip_prefix("tip: "))
                    .collect();
                let [tip] = tips[..] else {
                    panic!("{words:?}: {message}");
                };
                let names: Vec<&str> = tip.split('`').skip(1).step_by(2).collect();
                assert!(!names.is_empty(), "{words:?}: {message}");
                for name in names {
                    let name: Vec<String> = name.split(' ').map(str::to_owned).collect();
                    let owner = find(&whole, &name);
                    let mut arguments = owner.get_arguments();
                    let has_option = arguments.any(|argument| is_option(argument, option));
                    assert!(has_option, "{words:?}: {message}");
                }
                pairs += 1;
            }
        }
        assert!(pairs > lines.len(), "{pairs} pairs");
    }

    /// Returns the option with its last two letters exchanged; `None` if they are equal, or if the
    /// option is too short to be recognized.
    fn misspell(option: &str) -> Option<String> {
        let (rest, last) = option.split_at(option.len() - 1);
        let (rest, last_but_one) = rest.split_at(rest.len() - 1);
        let is_long = option.len() >= "--".len() + LETTERS_PER_EDIT;
        (is_long && last != last_but_one).then(|| format!("{rest}{last}{last_but_one}"))
    }

    #[test]
    fn misspelt_option_of_any_command_has_a_true_tip_in_every_command() {
        let (whole, lines, all_options) = whole_command();
        let mut command = whole.clone();
        let misspelt: Vec<String> = all_options.iter().filter_map(|it| misspell(it)).collect();
        let (mut own_tips, mut other_tips) = (0, 0);
        for words in &lines {
            for option in &misspelt {
                let line = [words, &[option.clone()][..]].concat();
                let message = error(&mut command, &line);
                let tips = message.lines().map(str::trim_start);
                let tips: Vec<&str> = tips.filter_map(|it| it.strip_prefix("tip: ")).collect();
                let [tip] = tips[..] else {
                    panic!("{line:?}: {message}");
                };
                let own = tip.strip_prefix("a similar argument exists: '");
                let (meant, owners) = if let Some(own) = own {
                    own_tips += 1;
                    (own.trim_end_matches('\''), vec![words.clone()])
                } else {
                    other_tips += 1;
                    let meant = tip.split(' ').next().expect("an option");
                    let names = tip.split('`').skip(1).step_by(2);
                    let owners = names.map(|name| name.split(' ').map(str::to_owned).collect());
                    (meant, owners.collect())
                };
                assert_eq!(osa_distance(meant, option), 1, "{line:?}: {message}");
                assert!(!owners.is_empty(), "{line:?}: {message}");
                for owner in owners {
                    let mut arguments = find(&whole, &owner).get_arguments();
                    let has_option = arguments.any(|argument| is_option(argument, meant));
                    assert!(has_option, "{line:?}: {message}");
                }
            }
        }
        assert!(own_tips > lines.len() && other_tips > lines.len());
    }

    #[test]
    fn misspelt_option_of_other_commands_has_their_names() {
        for (line, tip) in [
            ("solve 6x4 --depht 3", "--depth is an option of `kalah "),
            ("solve 6x4 --depht=3", "--depth is an option of `kalah "),
            (
                "analyze 6x4 --depht 3",
                "a similar argument exists: '--depth'",
            ),
        ] {
            let words = ["kalah"].into_iter().chain(line.split(' '));
            let words: Vec<String> = words.map(str::to_owned).collect();
            let message = error(&mut Cli::command(), &words);
            assert!(
                message.contains(&format!("tip: {tip}")),
                "{line}: {message}"
            );
            assert_eq!(message.matches("tip: ").count(), 1, "{line}: {message}");
        }
        let words = ["kalah", "solve", "6x4", "--xyzzy"].map(str::to_owned);
        let message = error(&mut Cli::command(), &words);
        assert!(!message.contains("tip: "), "{message}");
    }

    #[test]
    fn level_without_a_player_has_the_option_of_a_player() {
        for (line, player) in [
            ("kalah play --level 3", "level:3"),
            ("kalah play --plain --level=10", "level:10"),
            ("kalah play --level 11", "level:N"),
            ("kalah play --level", "level:N"),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let message = error(&mut Cli::command(), &words);
            let tip = format!("tip: a level is a player: kalah play --north {player}\n");
            assert!(message.contains(&tip), "{line}: {message}");
            assert_eq!(message.matches("tip: ").count(), 1, "{line}: {message}");
            assert!(!message.contains("--labels"), "{line}: {message}");
        }
    }

    #[test]
    fn command_without_quotes_has_a_tip_with_them() {
        for (line, word, tip) in [
            (
                "arena --engine cmd=python3 slow.py --engine level:1",
                "slow.py",
                "\"cmd='python3 slow.py'\"",
            ),
            (
                "arena --engine level:1 --engine=cmd=python3 bot.py,name=Ana",
                "bot.py,name=Ana",
                "\"cmd='python3 bot.py',name=Ana\"",
            ),
            (
                "arena --resume a --replace Ana cmd=python3 bot.py",
                "bot.py",
                "\"cmd='python3 bot.py'\"",
            ),
            (
                "arena --resume a --add cmd=java -jar bot.jar",
                "-jar",
                "\"cmd='java -jar bot.jar'\"",
            ),
            (
                "play --north cmd=python3 bot.py --south human",
                "bot.py",
                "\"cmd='python3 bot.py'\"",
            ),
            (
                "bot check cmd=python3 bot.py",
                "bot.py",
                "\"cmd='python3 bot.py'\"",
            ),
            (
                "arena --engine level:1 level:2",
                "level:2",
                "--engine level:1 --engine level:2",
            ),
        ] {
            let words = ["kalah"].into_iter().chain(line.split(' '));
            let words: Vec<String> = words.map(str::to_owned).collect();
            let message = error(&mut Cli::command(), &words);
            let start = format!("error: unexpected argument '{word}' found\n\n  tip: ");
            assert!(message.starts_with(&start), "{line}: {message}");
            let tips = message.lines().filter(|line| line.contains("tip: "));
            let tips: Vec<&str> = tips.collect();
            assert!(
                matches!(tips[..], [only] if only.ends_with(&format!(": {tip}"))),
                "{message}"
            );
        }
        let words = ["kalah", "play", "6x4", "5"].map(str::to_owned);
        let message = error(&mut Cli::command(), &words);
        assert!(!message.contains("an option of its own"), "{message}");
    }

    #[test]
    fn usage_has_no_similar_option() {
        let words = ["kalah", "analyze", "6x4", "--moves"].map(str::to_owned);
        let message = error(&mut Cli::command(), &words);
        let usage = message.lines().find(|line| line.starts_with("Usage: "));
        assert_eq!(
            usage,
            Some("Usage: kalah analyze [OPTIONS] <POS|MxN|GAME|FILE|->")
        );
    }

    #[test]
    fn misspelt_option_keeps_the_tip_of_a_similar_one() {
        let words = ["kalah", "analyze", "6x4", "--node", "5"].map(str::to_owned);
        let message = error(&mut Cli::command(), &words);
        assert!(
            message.contains("tip: a similar argument exists: '--nodes'"),
            "{message}"
        );
        let words = ["kalah", "replay", "-#1@3"].map(str::to_owned);
        let message = error(&mut Cli::command(), &words);
        assert!(
            message.contains("unexpected argument '-#1@3' found"),
            "{message}"
        );
        assert!(message.contains("use '-- -#1@3'"), "{message}");
        let words = ["kalah", "games", "show", "-qX0"].map(str::to_owned);
        let message = error(&mut Cli::command(), &words);
        assert!(message.contains("use '-- -q'"), "{message}");
    }
}
