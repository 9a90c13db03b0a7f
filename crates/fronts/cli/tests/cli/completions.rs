//! The completion scripts and the manual pages.

use std::fs;

use crate::harness::{kalah, kalah_in, run, temp_dir};

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

#[test]
fn manual_pages_have_all_commands_and_documents() {
    let folder = temp_dir();
    run(&mut kalah_in(folder.path(), &["man", "man"])).success();
    let page = |path: &str| {
        let path = folder.path().join("man").join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let play = page("man1/kalah-play.1");
    assert!(play.contains("\\-\\-north"), "{play}");
    let topics = run(&mut kalah(["help", "topics"])).success();
    let (topics, _) = topics
        .split_once("\n\n")
        .expect("a list and an explanation");
    assert!(topics.lines().count() > 10, "{topics}");
    for topic in topics.lines() {
        let name = topic.split_whitespace().next().expect("a name");
        let text = page(&format!("man7/kalah-{name}.7"));
        assert!(text.starts_with(&format!(".TH kalah-{name} 7 ")), "{text}");
        assert!(!text.contains('\u{1b}'), "{name} has a control sequence");
        assert!(text.lines().count() > 10, "{text}");
    }
}
