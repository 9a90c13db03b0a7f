//! What the help promises is true.

use std::process::Command;

use clap::{CommandFactory as _, Parser as _};
use kalah_cli::Arguments;

/// The words of a command line, as a shell takes it apart: only single quotes are used here.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("never empty").push(character),
        }
    }
    words
}

#[test]
fn every_command_has_examples_and_every_example_is_understood() {
    let mut arguments = Arguments::command();
    arguments.build();
    let commands = arguments
        .get_subcommands()
        .filter(|command| command.get_name() != "help");
    let mut helps: Vec<(String, String)> = commands
        .map(|command| {
            let name = format!("  kalah {}", command.get_name());
            (name, command.clone().render_long_help().to_string())
        })
        .collect();
    helps.push((
        "  kalah ".to_owned(),
        arguments.render_long_help().to_string(),
    ));
    for (name, help) in helps {
        let examples = help.split_once("Examples:\n").expect("examples").1;
        let examples: Vec<&str> = examples
            .lines()
            .filter(|line| line.starts_with(&name))
            .collect();
        assert!(!examples.is_empty(), "{help}");
        for example in examples {
            // After the command the first page of help says what it does, and another goes to a file.
            let command = example.trim().split("  ").next().expect("a command");
            let command = command.split(" > ").next().expect("a command");
            let parsed = Arguments::try_parse_from(words(command));
            assert!(parsed.is_ok(), "{command}: {parsed:?}");
        }
    }
}

#[test]
fn the_command_line_is_sound() {
    Arguments::command().debug_assert();
}

#[test]
fn every_shell_gets_a_script_that_knows_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = Command::new(env!("CARGO_BIN_EXE_kalah"))
            .args(["completions", shell])
            .output()
            .expect("it runs");
        assert!(output.status.success());
        let script = String::from_utf8(output.stdout).expect("text");
        for word in ["perft", "replay", "labels", "resume"] {
            assert!(script.contains(word), "{word} for {shell}");
        }
    }
}
