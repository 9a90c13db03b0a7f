//! The text after the options of a help, whose lines fit every terminal.

use clap::Command;

/// Returns the command with each paragraph after its options on one line, which is wrapped where
/// the terminal ends.
///
/// The source wraps these texts at 100 columns. On a narrower terminal clap would wrap each of
/// these lines separately and leave short ones.
pub(crate) fn with_whole_paragraphs(command: Command) -> Command {
    let text = command
        .get_after_help()
        .map(|text| join_lines(&text.to_string()));
    let command = match text {
        Some(text) => command.after_help(text),
        None => command,
    };
    command.mut_subcommands(with_whole_paragraphs)
}

/// Joins the lines of each paragraph. Indented lines, such as examples, and those before them stay.
fn join_lines(text: &str) -> String {
    let mut joined = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        joined.push_str(line);
        let Some(next) = lines.peek() else { break };
        let is_prose = |line: &str| line.starts_with(|first: char| !first.is_whitespace());
        joined.push(if is_prose(line) && is_prose(next) {
            ' '
        } else {
            '\n'
        });
    }
    joined
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    /// The columns of a narrow terminal.
    const NARROW: usize = 80;

    fn assert_indented_lines_fit(command: &Command, name: &str) {
        let text = command.get_after_help().map(ToString::to_string);
        for line in text.unwrap_or_default().lines() {
            assert!(
                !line.starts_with(' ') || line.chars().count() <= NARROW,
                "{name}: {line}"
            );
        }
        for subcommand in command.get_subcommands() {
            assert_indented_lines_fit(subcommand, &format!("{name} {}", subcommand.get_name()));
        }
    }

    #[test]
    fn examples_fit_a_narrow_terminal() {
        assert_indented_lines_fit(&Cli::command(), "kalah");
    }

    #[test]
    fn paragraphs_become_lines_and_examples_stay() {
        let text = "One\nparagraph.\n\nTwo.\n\nExamples:\n  kalah\n  kalah play\n\nAn\nend.";
        let joined = "One paragraph.\n\nTwo.\n\nExamples:\n  kalah\n  kalah play\n\nAn end.";
        assert_eq!(join_lines(text), joined);
    }
}
