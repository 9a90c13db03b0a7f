//! Malformed lines, floods, and closed pipes: the engine reports errors and ends in order.

use kalah_uki::EngineMessage;
use proptest::prelude::*;

use super::start_engine;
use crate::harness::{Process, kalah};

/// The maximum length of an error line in characters.
const MAX_CHARACTERS: usize = 600;

/// Checks that the response to a line is a single line that refuses or ignores it.
fn assert_one_reply(engine: &mut Process, what: &str) {
    let line = engine.read_line();
    let is_refused = line.starts_with("error ");
    let is_ignored = line.starts_with("info string unknown command ");
    assert!(is_refused || is_ignored, "{what}: {line}");
    assert!(line.chars().count() <= MAX_CHARACTERS, "{what}: {line}");
    assert!(!line.chars().any(char::is_control), "{what}: {line:?}");
    engine.send_line("isready");
    assert_eq!(engine.read_line(), "readyok", "{what}");
}

#[test]
fn malformed_line_gets_one_line_of_reply() {
    let mut engine = start_engine(&[]);
    engine.send_line("position startpos 6x4 rules standard moves C");
    let long = "x".repeat(16_385);
    let endless = format!("position startpos 6x4 moves {}", "A".repeat(1 << 20));
    let deep = format!("position <6{}", ",0".repeat(8_000));
    for line in [
        &b"\0"[..],
        b"\0\0\0 uki",
        b"uki\0",
        b"\xff\xfe\xfd",
        b"go \xc3\x28",
        b"\x1b[2J\x1b]0;title\x07",
        b"go depth go",
        b"position startpos 6x4 rules \xe2\x80\xae",
        b"position startpos 99999999999999999999x1",
        b"position <18446744073709551615,0,0>",
        b"setoption name Threads value 0",
        b"setoption name Memory value 99999999999999999999",
        b"setoption name \0 value \0",
        long.as_bytes(),
        endless.as_bytes(),
        deep.as_bytes(),
    ] {
        engine.send(line);
        engine.send(b"\r\n");
        assert_one_reply(
            &mut engine,
            &String::from_utf8_lossy(&line[..line.len().min(40)]),
        );
    }
    // The lines have not changed the position: after C it is South's turn again, and C is empty.
    engine.send_line("position startpos 6x4 rules standard moves C C");
    assert_eq!(engine.read_line(), "error ply 2, `C`: house C is empty");
    // The longest line that the engine reads, and lines without a message.
    engine.send_line(format!("isready{}", " ".repeat(16_384 - "isready".len())));
    assert_eq!(engine.read_line(), "readyok");
    engine.send(b"\n\r\n \t \n");
    engine.send_line("isready");
    assert_eq!(engine.read_line(), "readyok");
    assert_eq!(engine.finish().success(), "");
}

#[test]
fn end_of_input_ends_the_search_and_the_process() {
    for (player, position) in [
        ("smart", "startpos 6x6"),
        ("minimax:12", "startpos 26x100"),
        ("smart", "startpos 2x1"),
    ] {
        for last in ["", "quit\n", "quit\nisready\ngo\n"] {
            let mut engine = start_engine(&["--player", player]);
            engine.send_line(format!("position {position} rules standard"));
            engine.send_line("go infinite");
            engine.send_line("isready");
            while engine.read_line() != "readyok" {}
            engine.send(last.as_bytes());
            let output = if last.is_empty() {
                engine.finish()
            } else {
                engine.wait()
            };
            let output = output.success();
            // The search returns one move, in the last line.
            let messages: Vec<EngineMessage> = output
                .lines()
                .map(|line| line.parse().expect(line))
                .collect();
            let is_move =
                |message: &&EngineMessage| matches!(message, EngineMessage::BestMove(Some(_)));
            assert_eq!(messages.iter().filter(is_move).count(), 1, "{output}");
            assert!(messages.last().is_some_and(|last| is_move(&last)));
        }
    }
}

#[test]
fn last_line_needs_no_line_end() {
    let mut engine = start_engine(&[]);
    engine.send(b"isready");
    assert_eq!(engine.finish().success(), "readyok\n");
}

#[test]
fn closed_output_ends_the_process_without_a_message() {
    let mut engine = Process::with_closed_output(&mut kalah(["engine", "--tables", "none"]));
    engine.send("position startpos 6x6\ngo infinite\nisready\n");
    // The input stays open.
    assert_eq!(engine.wait().success(), "");
}

#[test]
fn each_line_of_a_flood_gets_a_response() {
    let mut engine = start_engine(&[]);
    engine.send_line("position startpos 7x6 rules standard");
    engine.send_line("go infinite");
    for _ in 0..500 {
        engine.send_line("isready");
        engine.send_line("go");
    }
    engine.send_line("stop");
    let (mut ready, mut refused) = (0, 0);
    loop {
        let line = engine.read_line();
        match line.split(' ').next() {
            Some("readyok") => ready += 1,
            Some("error") => refused += 1,
            Some("bestmove") => break,
            _ => assert!(line.starts_with("info "), "{line}"),
        }
    }
    assert_eq!((ready, refused), (500, 500));
    assert_eq!(engine.finish().success(), "");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_input_gets_only_valid_messages(
        pieces in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..200),
                Just(b"uki\n".to_vec()),
                Just(b"position startpos 6x4 rules ".to_vec()),
                Just(b"go nodes 300\n".to_vec()),
                Just(b"go infinite\n".to_vec()),
                Just(b"stop\n".to_vec()),
                Just(b"setoption name Player value level:2\n".to_vec()),
                Just(b"\n".to_vec()),
            ],
            0..12,
        ),
    ) {
        let mut engine = start_engine(&[]);
        for piece in &pieces {
            engine.send(piece);
        }
        let output = engine.finish();
        prop_assert!(output.status.success(), "{:?}", output);
        prop_assert_eq!(output.stderr, "");
        for line in output.stdout.lines() {
            prop_assert!(line.parse::<EngineMessage>().is_ok(), "{line}");
        }
    }
}
