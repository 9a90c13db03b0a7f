//! Values that begin with a minus sign, which clap takes for short options.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use clap::Command;

/// Returns the command with arguments that accept numbers such as `-1` as their values. The parsers
/// of the values refuse them with the valid range, and clap itself would call them unknown options.
pub(crate) fn with_negative_numbers(command: Command) -> Command {
    command
        .mut_args(|argument| {
            let takes_values = argument.get_action().takes_values();
            argument.allow_negative_numbers(takes_values)
        })
        .mut_subcommands(with_negative_numbers)
}

/// Returns the arguments of a command line in which `--time=-1s` stands for `--time -1s`: clap
/// takes only whole numbers for values. The options are those of `command` and of its subcommands
/// that take a value.
pub(crate) fn attach_negative_values(
    arguments: impl IntoIterator<Item = OsString>,
    command: &Command,
) -> Vec<OsString> {
    let options = options_with_values(command);
    let mut attached: Vec<OsString> = Vec::new();
    for argument in arguments {
        match attached.last_mut() {
            Some(option) if is_negative(&argument) && is_one_of(option, &options) => {
                option.push("=");
                option.push(argument);
            }
            _ => attached.push(argument),
        }
    }
    attached
}

/// Returns whether a word begins with a minus sign and a digit. No option does.
pub(crate) fn is_negative(argument: &OsStr) -> bool {
    matches!(argument.as_encoded_bytes(), [b'-', digit, ..] if digit.is_ascii_digit())
}

fn is_one_of(argument: &OsStr, options: &BTreeSet<String>) -> bool {
    let name = argument.to_str().and_then(|text| text.strip_prefix("--"));
    name.is_some_and(|name| options.contains(name))
}

/// Returns the names of the options that take a value, of a command and all of its subcommands.
fn options_with_values(command: &Command) -> BTreeSet<String> {
    let own = command.get_arguments().filter_map(|argument| {
        let name = argument.get_long()?;
        argument
            .get_action()
            .takes_values()
            .then(|| name.to_owned())
    });
    let of_subcommands = command.get_subcommands().flat_map(options_with_values);
    own.chain(of_subcommands).collect()
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction};

    use super::*;

    #[test]
    fn negative_values_are_attached_to_their_options() {
        let command = Command::new("program")
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue))
            .subcommand(Command::new("run").arg(Arg::new("time").long("time")));
        for (line, attached) in [
            ("run --time -1s", "run --time=-1s"),
            ("run --time -5MiB --json", "run --time=-5MiB --json"),
            ("run --json -1x4", "run --json -1x4"),
            ("run --time=-1s -2", "run --time=-1s -2"),
            ("run --time --json", "run --time --json"),
            ("run -1x4", "run -1x4"),
            ("run --time - -1", "run --time - -1"),
        ] {
            let arguments = line.split(' ').map(OsString::from);
            let expected: Vec<OsString> = attached.split(' ').map(OsString::from).collect();
            assert_eq!(attach_negative_values(arguments, &command), expected);
        }
    }
}
