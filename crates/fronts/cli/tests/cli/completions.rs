//! The completion scripts.

use crate::harness::{kalah, run};

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
