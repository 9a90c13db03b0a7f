//! The examples of each `--help`, and the completion scripts.

use crate::harness::{kalah, run};

/// Returns the words of a command line, as a shell splits it. Only single quotes occur in examples.
fn split_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for character in line.chars() {
        match character {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().expect("never empty").push(character),
        }
    }
    words
}

fn help(command: &[String]) -> String {
    run(kalah(command).arg("--help")).success()
}

/// Returns the names that a help page lists under `Commands:`.
fn subcommands(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    list.lines()
        .take_while(|line| !line.is_empty())
        // Descriptions go on in lines with more indentation.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|&name| name != "help")
        .map(str::to_owned)
        .collect()
}

/// Checks the help page of a command and those of its subcommands. Returns the number of pages.
fn check_examples(command: &[String]) -> usize {
    let help = help(command);
    let prefix = format!("  {}", [&["kalah".to_owned()], command].concat().join(" "));
    let examples = help.split_once("Examples:\n").unwrap_or_default().1;
    let mut examples = examples
        .lines()
        .filter(|line| line.starts_with(&prefix))
        .peekable();
    // The pages of nested commands, such as `kalah tables info`, need no examples of their own.
    assert!(examples.peek().is_some() || command.len() > 1, "{help}");
    for example in examples {
        // The first page describes each example after the command; others redirect the output.
        let example = example.trim().split("  ").next().expect("a command");
        let example = example.split(" > ").next().expect("a command");
        // With `--help` at its end, the command line is parsed but not executed.
        let arguments = split_words(example).into_iter().skip(1);
        let output = run(kalah(arguments).arg("--help"));
        assert!(output.status.success(), "{example}: {output:#?}");
    }
    let subcommands = subcommands(&help).into_iter();
    let pages = subcommands.map(|name| check_examples(&[command, &[name]].concat()));
    1 + pages.sum::<usize>()
}

/// A debug build of clap also checks the definition of each command that it parses.
#[test]
fn each_example_of_each_help_page_is_a_valid_command_line() {
    let pages = check_examples(&[]);
    assert!(pages > 25, "{pages} pages");
}

#[test]
fn completion_scripts_contain_the_commands_and_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&mut kalah(["completions", shell])).success();
        for word in ["perft", "replay", "labels", "resume"] {
            assert!(script.contains(word), "{word} for {shell}");
        }
    }
}

/// Elvish and PowerShell complete no values.
#[test]
fn completion_scripts_contain_players_and_rules() {
    for shell in ["bash", "fish", "zsh"] {
        let script = run(&mut kalah(["completions", shell])).success();
        let script = script.replace("\\:", ":");
        for value in [
            "human",
            "level:1",
            "level:10",
            "minimax:4",
            "standard",
            "empty-capture",
        ] {
            assert!(script.contains(value), "{value} for {shell}");
        }
    }
}
