//! The session in docs/engine-protocol.md, word for word but for what depends on the machine.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use kalah_protocols::uki::{EngineMessage, HostMessage};

use crate::speaker::Speaker;

fn document() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/engine-protocol.md");
    fs::read_to_string(path).expect("it is there")
}

/// A line without what differs from machine to machine.
fn without_times(line: &str) -> String {
    let mut words = line.split(' ').peekable();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if line.starts_with("info ") && (word == "time" || word == "nps") {
            words.next();
        } else {
            kept.push(word);
        }
    }
    kept.join(" ")
}

#[test]
fn the_session_in_the_document_is_how_it_goes() {
    let document = document();
    let session = document.split("```text\n").nth(1).expect("a session");
    let session = session.split("```").next().expect("its end");
    // The document names the defaults.
    let mut engine = Speaker::start(Command::new(env!("CARGO_BIN_EXE_kalah")).arg("engine"));
    let mut answers = 0;
    for line in session.lines() {
        if let Some(said) = line.strip_prefix("> ") {
            engine.say(said);
        } else {
            let expected = line.strip_prefix("< ").expect("> or <");
            assert_eq!(
                without_times(&engine.hear()),
                without_times(expected),
                "after {answers} answers of docs/engine-protocol.md: if the search was changed on purpose, so is that session"
            );
            answers += 1;
        }
    }
    let left = engine.left();
    assert!(left.status.success(), "{}", left.status);
    assert!(left.lines.is_empty(), "{:?}", left.lines);
    assert_eq!(left.errors, "");
    assert!(answers > 30, "{answers} answers");
}

#[test]
fn the_session_shows_every_message_there_is() {
    let document = document();
    let session = document.split("```text\n").nth(1).expect("a session");
    let said = |prefix: &str| -> Vec<String> {
        let lines = session.lines().filter_map(|line| line.strip_prefix(prefix));
        lines.map(str::to_owned).collect()
    };
    for word in [
        "uki",
        "isready",
        "newgame",
        "setoption",
        "position",
        "go",
        "stop",
        "quit",
    ] {
        let is_shown = said("> ")
            .iter()
            .any(|line| line.split(' ').next() == Some(word));
        assert!(is_shown, "{word}");
    }
    for line in said("> ") {
        if let Ok(message) = line.parse::<HostMessage>() {
            assert_eq!(message.to_string(), line);
        }
    }
    for word in [
        "id", "option", "ukiok", "readyok", "info", "bestmove", "error",
    ] {
        let is_shown = said("< ")
            .iter()
            .any(|line| line.split(' ').next() == Some(word));
        assert!(is_shown, "{word}");
    }
    for line in said("< ") {
        let message: EngineMessage = line.parse().expect(&line);
        assert_eq!(message.to_string(), line);
    }
}
