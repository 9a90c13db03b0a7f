//! Command lines of the shell.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use super::limits::without_limits;
use crate::untrusted_text::display_path;

/// Words that do not name a program at the start of a command line.
const SHELL_KEYWORDS_AND_BUILTINS: [&str; 28] = [
    "!", ".", ":", "alias", "case", "cd", "command", "eval", "exec", "exit", "export", "for", "if",
    "read", "readonly", "return", "set", "shift", "source", "times", "trap", "ulimit", "umask",
    "unset", "until", "wait", "while", "{",
];

/// Characters that make a command line more than one program with its arguments.
const SHELL_METACHARACTERS: [char; 9] = [';', '&', '|', '<', '>', '(', ')', '`', '\n'];

/// Returns whether a command line only starts one program. `exec` then replaces the shell by the
/// program, so that the exit status shows the signal that ended the program, and its closed output
/// is noticed.
///
/// ```
/// use kalah_players::is_simple_command;
/// assert!(is_simple_command("python3 bot.py"));
/// assert!(!is_simple_command("exec ./bot"));
/// assert!(!is_simple_command("./bot | tee log"));
/// ```
pub fn is_simple_command(command_line: &str) -> bool {
    let first = command_line.split_whitespace().next().unwrap_or_default();
    let is_program =
        !first.is_empty() && !first.contains('=') && !SHELL_KEYWORDS_AND_BUILTINS.contains(&first);
    is_program && !command_line.contains(SHELL_METACHARACTERS)
}

/// The command that replaces the shell by a program.
pub(super) const EXEC: &str = "exec ";

/// The start of a command that changes to a folder.
const CHANGE_FOLDER: &str = "cd ";

/// The end of a command without which the rest of the line does not run.
pub(super) const OR_EXIT: &str = " || exit; ";

/// Returns a text as a word of the shell; `None` if it has a NUL, which no command can have.
pub fn shell_word(text: &str) -> Option<Cow<'_, str>> {
    shlex::try_quote(text).ok()
}

/// Returns a command line that changes to a folder and then runs `command`; `None` if the folder
/// has a NUL.
///
/// ```
/// use kalah_players::run_in_folder;
/// let command = run_in_folder("my bot", "python3 bot.py");
/// assert_eq!(command.as_deref(), Some("cd 'my bot' || exit; exec python3 bot.py"));
/// ```
pub fn run_in_folder(folder: &str, command: &str) -> Option<String> {
    let folder = shell_word(folder)?;
    let command = replacing_shell(command);
    Some(format!("{CHANGE_FOLDER}{folder}{OR_EXIT}{command}"))
}

/// Splits a command line of [`run_in_folder`] into its folder and its command; `None` for another
/// one.
pub(crate) fn split_folder(command_line: &str) -> Option<(String, &str)> {
    let (word, command) = command_line
        .strip_prefix(CHANGE_FOLDER)?
        .split_once(OR_EXIT)?;
    let folder = shlex::split(word)?.into_iter().next()?;
    Some((folder, command.strip_prefix(EXEC).unwrap_or(command)))
}

/// Returns a command line whose folder, if it has one, does not depend on the current one: a
/// relative folder is within `base`, and `..` removes a part of the text, as `cd` does it.
pub(crate) fn with_absolute_folder(command_line: &str, base: &Path) -> String {
    let in_folder = without_limits(command_line);
    let Some((folder, command)) = split_folder(in_folder) else {
        return command_line.to_owned();
    };
    let mut absolute = PathBuf::new();
    for part in base.join(folder).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                absolute.pop();
            }
            part => absolute.push(part),
        }
    }
    let limits = &command_line[..command_line.len() - in_folder.len()];
    // A path that is not UTF-8 has no form as text.
    let moved = absolute
        .to_str()
        .and_then(|folder| run_in_folder(folder, command));
    moved.map_or_else(
        || command_line.to_owned(),
        |moved| format!("{limits}{moved}"),
    )
}

/// Returns why the folder of a command line cannot be used, if it has one that is none.
pub fn missing_folder(command_line: &str) -> Option<String> {
    let (folder, _) = split_folder(without_limits(command_line))?;
    let folder = Path::new(&folder);
    (!folder.is_dir()).then(|| format!("there is no folder '{}'", display_path(folder)))
}

/// Returns a command line behind others whose program replaces the shell, if it only starts one
/// program. Otherwise the shell remains its parent, and hides that the program closes its output.
pub fn replacing_shell(command: &str) -> Cow<'_, str> {
    if is_simple_command(command) {
        format!("{EXEC}{command}").into()
    } else {
        command.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_program_with_arguments_is_a_simple_command() {
        for (command_line, is_simple) in [
            ("./bot --fast", true),
            ("python3 'my bot.py'", true),
            ("", false),
            ("A=1 ./bot", false),
            ("cd bots", false),
            ("./bot | tee log", false),
            ("./bot; ./bot", false),
        ] {
            assert_eq!(is_simple_command(command_line), is_simple, "{command_line}");
        }
    }

    #[test]
    fn folder_becomes_absolute_and_the_rest_of_the_command_remains() {
        for (line, expected) in [
            ("cd bot || exit; exec ./a", "cd /x/y/bot || exit; exec ./a"),
            ("cd ../bot || exit; exec ./a", "cd /x/bot || exit; exec ./a"),
            ("cd ./a/../b || exit; A=1 ./a", "cd /x/y/b || exit; A=1 ./a"),
            ("cd /bot || exit; exec ./a", "cd /bot || exit; exec ./a"),
            (
                "ulimit -t 9 || exit; cd 'my bot' || exit; exec ./a",
                "ulimit -t 9 || exit; cd '/x/y/my bot' || exit; exec ./a",
            ),
            ("./a", "./a"),
            (
                "ulimit -t 9 || exit; exec ./a",
                "ulimit -t 9 || exit; exec ./a",
            ),
        ] {
            assert_eq!(with_absolute_folder(line, Path::new("/x/y")), expected);
        }
    }

    #[test]
    fn missing_folder_of_a_command_is_named() {
        let existing = env!("CARGO_MANIFEST_DIR");
        let missing = format!("{existing}/nope");
        for (folder, reason) in [
            (existing, None),
            (&missing, Some(format!("there is no folder '{missing}'"))),
        ] {
            let line = run_in_folder(folder, "./bot").expect("a folder");
            assert_eq!(missing_folder(&line), reason);
            assert_eq!(
                missing_folder(&format!("ulimit -t 9 || exit; {line}")),
                reason
            );
        }
        assert_eq!(missing_folder("./bot"), None);
    }

    #[test]
    fn folder_of_a_command_is_found() {
        for (folder, command) in [
            ("ana", "./bot"),
            ("my bots/o'brien", "make && ./bot"),
            ("/a", "cd b || exit; ./bot"),
        ] {
            let line = run_in_folder(folder, command).expect("a folder");
            assert_eq!(split_folder(&line), Some((folder.to_owned(), command)));
        }
        for line in ["./bot", "cd a && ./bot", "cd 'a || exit; ./bot"] {
            assert_eq!(split_folder(line), None);
        }
    }
}
