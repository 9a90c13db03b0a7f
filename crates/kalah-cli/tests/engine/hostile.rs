//! Whatever comes in, and whatever goes away, the engine stays in good order.

use std::process::{Command, Stdio};

use kalah_protocols::uki::EngineMessage;
use proptest::prelude::*;

use crate::speaker::Speaker;

/// The most characters that an error line has.
const MOST_CHARACTERS: usize = 600;

/// That it has answered a line with one error line, and nothing else.
fn is_refused(engine: &mut Speaker, what: &str) {
    let line = engine.hear();
    assert!(line.starts_with("error "), "{what}: {line}");
    assert!(line.chars().count() <= MOST_CHARACTERS, "{what}: {line}");
    assert!(!line.chars().any(char::is_control), "{what}: {line:?}");
    engine.say("isready");
    assert_eq!(engine.hear(), "readyok", "{what}");
}

#[test]
fn a_bad_line_gets_one_error_line() {
    let mut engine = Speaker::kalah(&[]);
    engine.say("position startpos 6x4 rules standard moves C");
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
        b"go go go",
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
        engine.say_bytes(line);
        engine.say_bytes(b"\r\n");
        is_refused(
            &mut engine,
            &String::from_utf8_lossy(&line[..line.len().min(40)]),
        );
    }
    // None of it has changed the position: after C it is South's turn again, and C is empty.
    engine.say("position startpos 6x4 rules standard moves C C");
    assert_eq!(engine.hear(), "error ply 2, `C`: house C is empty");
    // The longest line that is read, and lines that mean nothing.
    engine.say(&format!("isready{}", " ".repeat(16_384 - "isready".len())));
    assert_eq!(engine.hear(), "readyok");
    engine.say_bytes(b"\n\r\n \t \n");
    engine.say("isready");
    assert_eq!(engine.hear(), "readyok");
    let left = engine.end();
    assert!(left.status.success());
    assert_eq!(left.errors, "");
    assert_eq!(left.lines, [""; 0]);
}

#[test]
fn the_end_of_the_input_ends_a_search_and_the_process() {
    for (player, position) in [
        ("smart", "startpos 6x6"),
        ("minimax:12", "startpos 26x100"),
        ("smart", "startpos 2x1"),
    ] {
        for last in ["", "quit\n", "quit\nisready\ngo\n"] {
            let mut engine = Speaker::kalah(&["--player", player]);
            engine.say(&format!("position {position} rules standard"));
            engine.say("go infinite");
            engine.say("isready");
            while engine.hear() != "readyok" {}
            engine.say_bytes(last.as_bytes());
            let left = if last.is_empty() {
                engine.end()
            } else {
                engine.left()
            };
            assert!(
                left.status.success(),
                "{player} {position}: {}",
                left.status
            );
            assert_eq!(left.errors, "");
            // The search has its answer, and it is the last line.
            let answers: Vec<EngineMessage> = left
                .lines
                .iter()
                .map(|line| line.parse().expect(line))
                .collect();
            let is_answer =
                |message: &&EngineMessage| matches!(message, EngineMessage::BestMove(Some(_)));
            assert_eq!(
                answers.iter().filter(is_answer).count(),
                1,
                "{:?}",
                left.lines
            );
            assert!(answers.last().is_some_and(|last| is_answer(&last)));
        }
    }
}

#[test]
fn the_last_line_needs_no_end() {
    let mut engine = Speaker::kalah(&[]);
    engine.say_bytes(b"isready");
    let left = engine.end();
    assert_eq!(left.lines, ["readyok"]);
}

#[test]
fn an_output_that_is_closed_ends_it_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kalah"))
        .args(["engine", "--tables", "none"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("piped");
    // It may be gone before it has read everything.
    let _ = std::io::Write::write_all(&mut input, b"position startpos 6x6\ngo infinite\nisready\n");
    // The input stays open: what ends it is that nobody hears it.
    let output = child.wait_with_output().expect("it ends");
    drop(input);
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_flood_of_lines_is_answered_line_by_line() {
    let mut engine = Speaker::kalah(&[]);
    engine.say("position startpos 6x6 rules standard");
    engine.say("go infinite");
    for _ in 0..500 {
        engine.say("isready");
        engine.say("go");
    }
    engine.say("stop");
    let (mut ready, mut refused) = (0, 0);
    loop {
        let line = engine.hear();
        match line.split(' ').next() {
            Some("readyok") => ready += 1,
            Some("error") => refused += 1,
            Some("bestmove") => break,
            _ => assert!(line.starts_with("info "), "{line}"),
        }
    }
    assert_eq!((ready, refused), (500, 500));
    assert!(engine.end().status.success());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any bytes at all, in one go: the engine ends well and has said nothing but messages.
    #[test]
    fn any_input_is_survived(
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
        let mut engine = Speaker::kalah(&[]);
        for piece in &pieces {
            // Who has read `quit` listens no more.
            engine.try_to_say(piece);
        }
        let left = engine.end();
        prop_assert!(left.status.success(), "{}: {}", left.status, left.errors);
        prop_assert_eq!(left.errors, "");
        for line in left.lines {
            prop_assert!(line.parse::<EngineMessage>().is_ok(), "{line}");
        }
    }
}
