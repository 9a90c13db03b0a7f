//! Command lines of the shell.

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
}
