//! Arbitrary lines are parsed, or refused with a reason that fits on a line.

use kalah_uki::{EngineMessage, HostMessage};
use proptest::prelude::*;

/// The maximum length of a reason: it may quote a rule set twice, beside the list of rule sets.
const MAX_REASON_CHARS: usize = 600;

/// Checks a line as a message of a host and as a message of an engine.
fn check(line: &str) {
    let check_reason = |reason: &str| {
        assert!(
            reason.chars().count() <= MAX_REASON_CHARS,
            "{line:?}: {reason}"
        );
        assert!(
            !reason.chars().any(char::is_control),
            "{line:?}: {reason:?}"
        );
    };
    match line.parse::<HostMessage>() {
        Ok(message) => assert_eq!(message.to_string().parse(), Ok(message), "{line:?}"),
        Err(error) => check_reason(&error.to_string()),
    }
    match line.parse::<EngineMessage>() {
        Ok(message) => assert_eq!(message.to_string().parse(), Ok(message), "{line:?}"),
        Err(error) => check_reason(&error.to_string()),
    }
}

/// Keywords and values of both sides.
const WORDS: [&str; 62] = [
    "uki",
    "isready",
    "newgame",
    "setoption",
    "position",
    "go",
    "stop",
    "quit",
    "name",
    "value",
    "startpos",
    "6x4",
    "26x1260",
    "27x1",
    "0x0",
    "<3,0,0,2,2,2,2,2,2>",
    "<1,0,0,1,1>",
    "s",
    "n",
    "ply=1",
    "ply=2",
    "rules",
    "cs32",
    "mankalah",
    "ends=row,capture=always,swap=yes,first-bonus=no",
    "ends=",
    "moves",
    "A",
    "C",
    "CF",
    "b",
    "swap",
    "none",
    "movetime",
    "nodes",
    "depth",
    "stime",
    "ntime",
    "sinc",
    "ninc",
    "infinite",
    "ponder",
    "ponderhit",
    "searchmoves",
    "multipv",
    "id",
    "option",
    "type",
    "spin",
    "combo",
    "var",
    "default",
    "min",
    "max",
    "info",
    "score",
    "gain",
    "exact",
    "line",
    "string",
    "bestmove",
    "error",
];

const NUMBERS: [&str; 6] = ["0", "-1", "7", "+8", "18446744073709551616", "1e9"];

proptest! {
    #[test]
    fn random_text_is_parsed_or_refused(
        line in prop_oneof![
            any::<String>(),
            any::<Vec<u8>>().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        ],
    ) {
        check(&line);
    }

    #[test]
    fn random_words_are_parsed_or_refused(
        words in prop::collection::vec(
            prop_oneof![
                8 => prop::sample::select(&WORDS[..]),
                2 => prop::sample::select(&NUMBERS[..]),
            ],
            0..12,
        ),
        noise in prop::option::of(any::<char>()),
    ) {
        let mut line = words.join(" ");
        line.extend(noise);
        check(&line);
    }
}

#[test]
fn long_lines_are_refused_with_a_short_reason() {
    for beginning in [
        "",
        "position ",
        "position startpos ",
        "position <",
        "position <1,",
        "position <1,0,0,1,1> ",
        "position startpos 6x4 ",
        "position startpos 6x4 rules ",
        "position startpos 6x4 rules ends=",
        "position startpos 6x4 moves ",
        "position startpos 6x4 moves C",
        "go ",
        "go nodes ",
        "setoption ",
        "setoption name ",
        "setoption name X ",
        "id ",
        "option name X type ",
        "option name X type combo default ",
        "info score ",
        "info line ",
        "bestmove ",
    ] {
        for filling in [
            "x",
            "é",
            "\0",
            "9",
            "A",
            "a,",
            "\u{202e}",
            "\\",
            "ends=row,",
        ] {
            check(&format!("{beginning}{}", filling.repeat(20_000)));
        }
    }
}
