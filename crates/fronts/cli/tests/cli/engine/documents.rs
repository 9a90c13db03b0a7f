//! The examples of the documents: the session of docs/engine-protocol.md and the engine
//! docs/greedy.py and docs/nearest.py.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use kalah::{Game, Position, Rules, Side};
use kalah_uki::{EngineMessage, HostMessage, UkiMove};
use test_tools::Tool;

use super::{read_to_bestmove, start_engine};
use crate::harness::{Process, kalah, kalah_in, run, temp_dir};

fn document() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../docs/engine-protocol.md");
    fs::read_to_string(path).expect("docs/engine-protocol.md")
}

/// Removes the times of an `info` line, which depend on the machine, and the commit of the name.
fn without_changing_words(line: &str) -> String {
    if line.starts_with("id name ") {
        return line.split('+').next().unwrap_or_default().to_owned();
    }
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
fn engine_answers_as_the_session_of_the_document_shows() {
    let document = document();
    let session = document.split("```text\n").nth(1).expect("a session");
    let session = session.split("```").next().expect("its end");
    // The session shows the default options.
    let mut engine = Process::spawn(&mut kalah(["engine"]));
    let mut responses = 0;
    for line in session.lines() {
        if let Some(message) = line.strip_prefix("> ") {
            engine.send_line(message);
        } else {
            let expected = line.strip_prefix("< ").expect("> or <");
            assert_eq!(
                without_changing_words(&engine.read_line()),
                without_changing_words(expected),
                "after {responses} responses of docs/engine-protocol.md; a functional change of the search changes the session"
            );
            responses += 1;
        }
    }
    assert_eq!(engine.wait().success(), "");
    assert!(responses > 25, "{responses} responses");
}

#[test]
fn session_of_the_document_shows_each_kind_of_message() {
    let document = document();
    let session = document.split("```text\n").nth(1).expect("a session");
    let lines_with = |prefix: &str| -> Vec<String> {
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
        let is_shown = lines_with("> ")
            .iter()
            .any(|line| line.split(' ').next() == Some(word));
        assert!(is_shown, "{word}");
    }
    for line in lines_with("> ") {
        if let Ok(message) = line.parse::<HostMessage>() {
            assert_eq!(message.to_string(), line);
        }
    }
    for word in [
        "id", "option", "ukiok", "readyok", "info", "bestmove", "error",
    ] {
        let is_shown = lines_with("< ")
            .iter()
            .any(|line| line.split(' ').next() == Some(word));
        assert!(is_shown, "{word}");
    }
    for line in lines_with("< ") {
        let message: EngineMessage = line.parse().expect(&line);
        assert_eq!(message.to_string(), line);
    }
}

fn start_greedy() -> Process {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../docs/greedy.py");
    Process::spawn(Command::new(Tool::Python.require()).arg(path))
}

fn best_move(engine: &mut Process, game: &Game, go: &str) -> Option<UkiMove> {
    engine.send_line(HostMessage::Position(Box::new(game.clone())));
    engine.send_line(go);
    match read_to_bestmove(engine).pop() {
        Some(EngineMessage::BestMove(mv)) => mv,
        other => panic!("{other:?}"),
    }
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn example_engine_plays_legal_games_against_kalah() {
    let (mut example, mut kalah) = (start_greedy(), start_engine(&[]));
    example.send_line("uki");
    assert_eq!(example.read_line(), "id name Greedy");
    assert_eq!(example.read_line(), "id author the Kalah project");
    assert_eq!(example.read_line(), "ukiok");
    example.send_line("isready");
    assert_eq!(example.read_line(), "readyok");
    for preset in Rules::PRESETS {
        let start = Position::start(5, 3, preset.rules).expect("a start");
        for side in Side::ALL {
            let mut game = Game::new(start.clone());
            while !game.position().is_over() {
                let to_move = game.position().to_move();
                let mv = if to_move == side {
                    best_move(&mut example, &game, "go movetime 100")
                } else {
                    best_move(&mut kalah, &game, "go nodes 500")
                };
                let mv = mv.and_then(|mv| mv.for_side(to_move));
                let mv = mv.expect("a move of the side to move");
                if let Err(reason) = game.play(mv) {
                    panic!(
                        "{}: {reason}",
                        HostMessage::Position(Box::new(game.clone()))
                    );
                }
            }
            assert_eq!(
                best_move(&mut example, &game, "go"),
                None,
                "{}",
                preset.name
            );
            assert_eq!(best_move(&mut kalah, &game, "go"), None, "{}", preset.name);
        }
    }
    // A position in the middle of a game, without its plies.
    example.send_line("position <4,9,8,0,0,2,1,1,0,3,0> n rules standard");
    example.send_line("go");
    assert_eq!(example.read_line(), "bestmove a");
    assert_eq!(example.finish().success(), "");
    assert_eq!(kalah.finish().success(), "");
}

/// The example without rules receives positions, because it declares the option or because the
/// specification asks for them.
#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn example_without_rules_plays_whole_games_under_all_rules() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/nearest.py");
    let script = fs::read_to_string(program).expect("a program");
    let directory = temp_dir();
    let undeclared = script.replace("option name Position", "info string");
    fs::write(directory.path().join("undeclared.py"), undeclared).expect("a file");
    let declared = format!("cmd=python3 '{program}',proto=uki,name=Nearest");
    let undeclared = "cmd=python3 undeclared.py,proto=uki,position=now,name=Undeclared";
    for preset in Rules::PRESETS {
        let arguments = [
            "play",
            "--plain",
            "--board",
            "4x3",
            "--rules",
            preset.name,
            "--south",
            &declared,
            "--north",
            undeclared,
        ];
        let finished = run(&mut kalah_in(directory.path(), &arguments));
        // A busy machine starts the programs slowly, and their players are asked about it.
        let is_hint = |line: &&str| line.contains("does it flush its output?");
        let lines: Vec<&str> = finished
            .stderr
            .lines()
            .filter(|line| !is_hint(line))
            .collect();
        assert_eq!(lines, [""; 0]);
        assert!(
            !finished.stdout.contains("has failed"),
            "{}",
            finished.stdout
        );
        assert!(
            !finished.stdout.contains("Unfinished"),
            "{}",
            finished.stdout
        );
    }
}
