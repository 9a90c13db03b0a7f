//! Lines: parsing what existing programs send, errors, and round trips.

use std::collections::BTreeSet;

use kalah::{House, Position, Rules, Setup};
use kalah_kgp::{
    Argument, Decimal, KgpBoard, Line, MAX_LINE_CHARS, Message, Mode, Text, Version, Word,
};
use proptest::prelude::*;

use super::{any_board, board, house, line, start};

#[test]
fn lines_of_the_specification_round_trip() {
    for text in [
        "2 kgp 1 0 1",
        "1 set info:name \"x\"",
        "3 mode freeplay",
        "3 mode verify",
        "4@3 ok",
        "6 ping",
        "7@6 pong",
        "8 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>",
        "9@8 move 3",
        "13@8 yield",
        "10@8 stop",
        "goodbye",
        "@2 error \"a \\\"quoted\\\" \\\\ reason\"",
        "4 problem <3,0,0,2,2,2,2,2,2> 0",
        "5@4 solution <3,0,0,0,3,3,2,2,2> false",
        "set time:clock 5",
        "set score -0.5",
        "set auth:token a-word:7",
    ] {
        assert_eq!(line(text).to_string(), text);
    }
    let state = line("8 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>");
    assert_eq!(state.id, Some(8));
    assert_eq!(state.message, Message::State(KgpBoard::from(&start(6, 4))));
    assert_eq!(line("9@8 move 3").message, Message::Move(house(3)));
}

#[test]
fn a_board_shows_its_recipient_as_south() {
    let north: Setup = "<3,1,2,0,1,2,3,4,5> n".parse().expect("a position");
    let position = north.position(Rules::STANDARD).expect("playable");
    let board = KgpBoard::from(&position);
    assert_eq!(board.to_string(), "<3,2,1,3,4,5,0,1,2>");
    assert_eq!(board.position().expect("playable"), position.flipped());
}

#[test]
fn lines_of_existing_programs_are_parsed() {
    let text = |text: &str| Text::new(text).expect("not empty");
    for (text_of_line, id, reference, message) in [
        ("kgp 1 0 1\r\n", None, None, Message::Kgp(Version::CURRENT)),
        (
            "  4 @2\tkgp   1  ",
            Some(4),
            Some(2),
            Message::Kgp(Version {
                major: 1,
                minor: 0,
                patch: 0,
            }),
        ),
        ("@2 ok please", None, Some(2), Message::Ok),
        ("007ping", Some(7), None, Message::Ping),
        (
            "error \"one\" \"two\"",
            None,
            None,
            Message::Error(text("one two")),
        ),
        ("error", None, None, Message::Error(text("no reason given"))),
        (
            "error \"\"",
            None,
            None,
            Message::Error(text("no reason given")),
        ),
        (
            "error bad_move! <1,0,0,0,1>",
            None,
            None,
            Message::Error(text("bad_move! <1,0,0,0,1>")),
        ),
        ("move +3 \"why not\"", None, None, Message::Move(house(3))),
        (
            "state < 3, 0,0, 2,2,2 ,2,2,2 > 5000",
            None,
            None,
            Message::State(board("3x2")),
        ),
        (
            "solution <3,0,0,2,2,2,2,2,2> 1",
            None,
            None,
            Message::Solution {
                board: board("3x2"),
                bonus_turn: true,
            },
        ),
        (
            "mode \"freeplay\"",
            None,
            None,
            Message::Mode(Mode::Freeplay),
        ),
        (
            "mode eval",
            None,
            None,
            Message::Mode(Mode::Other(Word::new("eval").expect("a word"))),
        ),
        (
            "set info:name Zoë_1 7",
            None,
            None,
            Message::Set {
                option: Word::new("info:name").expect("a word"),
                value: Argument::Text(text("Zoë_1")),
            },
        ),
        (
            "set x 99999999999999999999",
            None,
            None,
            Message::Set {
                option: Word::new("x").expect("a word"),
                value: Argument::Text(text("99999999999999999999")),
            },
        ),
    ] {
        let parsed = line(text_of_line);
        assert_eq!(
            (parsed.id, parsed.reference),
            (id, reference),
            "{text_of_line}"
        );
        assert_eq!(parsed.message, message, "{text_of_line}");
        assert_eq!(line(&parsed.to_string()), parsed, "{text_of_line}");
    }
}

#[test]
fn unknown_commands_are_values() {
    for (text, command, arguments) in [
        ("dance 1 \"two\" three", "dance", 3),
        ("set info:name \"\"", "set", 1),
        ("set 5 5", "set", 2),
        ("set", "set", 0),
        ("MOVE 3", "MOVE", 1),
    ] {
        let Message::Unknown(unknown) = line(text).message else {
            panic!("{text}");
        };
        assert_eq!(unknown.command(), command, "{text}");
        assert_eq!(unknown.arguments().len(), arguments, "{text}");
    }
}

#[test]
fn errors_quote_the_line_and_name_the_reason() {
    for (text, reason) in [
        ("", "``: expected a command, a name of letters and digits"),
        ("4", "`4`: expected a command, a name of letters and digits"),
        (
            "@ 2",
            "`@ 2`: expected a command, a name of letters and digits",
        ),
        (
            "<1>",
            "`<1>`: expected a command, a name of letters and digits",
        ),
        (
            "kgp! 1",
            "`kgp! 1`: expected a command, a name of letters and digits",
        ),
        (
            "99999999999999999999 ok",
            "`99999999999999999999 ok`: `99999999999999999999` is too large for an id",
        ),
        (
            "@99999999999999999999 ok",
            "`@99999999999999999999 ok`: `99999999999999999999` is too large for an id",
        ),
        (
            "kgp one",
            "`kgp one`: expected the major version, a whole number",
        ),
        (
            "move 0",
            "`move 0`: expected the number of a house, from 1 to 26",
        ),
        (
            "move 27",
            "`move 27`: expected the number of a house, from 1 to 26",
        ),
        (
            "move",
            "`move`: expected the number of a house, from 1 to 26",
        ),
        (
            "move -9223372036854775808",
            "`move -9223372036854775808`: expected the number of a house, from 1 to 26",
        ),
        (
            "problem <1,0,0,0,1> 26",
            "`problem <1,0,0,0,1> 26`: expected a board and the number of a house, from 0 \
             to 25",
        ),
        (
            "solution <1,0,0,0,1> perhaps",
            "`solution <1,0,0,0,1> perhaps`: expected a board, and true or false",
        ),
        ("mode", "`mode`: expected a mode, such as freeplay"),
        ("state 6", "`state 6`: expected a board"),
        (
            "state <6,0",
            "`state <6,0`: the closing > of a board is missing",
        ),
        (
            "state <2,0,0,1>",
            "`state <2,0,0,1>`: `<2,0,0,1>` is no board: expected 6 numbers after the first \
             for 2 houses a side, found 3",
        ),
        (
            "error \"open \\",
            "`error \"open \\`: the closing \" of a string is missing",
        ),
    ] {
        let error = text.parse::<Line>().expect_err(text).to_string();
        assert_eq!(error, reason);
    }
}

#[test]
fn lines_have_a_maximum_length() {
    let longest = format!("error \"{}\"", "é".repeat(MAX_LINE_CHARS - 8));
    assert!(longest.parse::<Line>().is_ok());
    let longer = format!("x{longest}");
    let error = longer.parse::<Line>().expect_err("too long").to_string();
    assert!(
        error.ends_with("...`: a line has 16384 characters at most"),
        "{error}"
    );
    assert!(error.len() < 300, "{error}");
}

#[test]
fn the_longest_line_fits_the_maximum_length() {
    let value = Text::new(&"\"".repeat(MAX_LINE_CHARS)).expect("not empty");
    let option = Word::new(&"x".repeat(Word::MAX_CHARS)).expect("a word");
    let line = Line {
        id: Some(u64::MAX),
        reference: Some(u64::MAX),
        message: Message::Set {
            option,
            value: Argument::Text(value),
        },
    };
    assert!(line.to_string().len() <= MAX_LINE_CHARS);
}

#[test]
fn words_strings_and_decimals_are_disjoint() {
    for word in ["x", "-", "a-b:c", "1-2", "5x", "--5"] {
        assert!(Word::new(word).is_some(), "{word}");
    }
    for text in ["", "5", "-5", "a b", "a_b", "é", "a.b", "\""] {
        assert_eq!(Word::new(text), None, "{text}");
    }
    for decimal in ["0.5", "-.123", "+3.141", "00.00"] {
        assert!(Decimal::new(decimal).is_some(), "{decimal}");
    }
    for text in ["", ".", "1.", "1", "1.2.3", "--1.0", "1e5", "inf"] {
        assert_eq!(Decimal::new(text), None, "{text}");
    }
    let half = Decimal::new("-.5").expect("a decimal").value();
    assert!((half + 0.5).abs() < f64::EPSILON);
    for text in ["", " ", "\n", "\r\n\t"] {
        assert_eq!(Text::new(text), None, "{text:?}");
    }
    assert_eq!(Text::new(" a\nb ").expect("not empty").as_str(), "a b");
}

fn any_house() -> impl Strategy<Value = House> {
    (1..=26_u32).prop_map(house)
}

fn any_text() -> impl Strategy<Value = Text> {
    any::<String>().prop_filter_map("empty", |text| Text::new(&text))
}

fn any_word() -> impl Strategy<Value = Word> {
    "[a-z0-9:-]{1,12}".prop_filter_map("a number", |word| Word::new(&word))
}

fn any_argument() -> impl Strategy<Value = Argument> {
    prop_oneof![
        any::<i64>().prop_map(Argument::Integer),
        "[+-]?[0-9]{0,5}[.][0-9]{1,5}".prop_filter_map("no decimal", |text| {
            Decimal::new(&text).map(Argument::Decimal)
        }),
        any_word().prop_map(Argument::Word),
        any_text().prop_map(Argument::Text),
        any_board().prop_map(Argument::Board),
    ]
}

fn any_message() -> impl Strategy<Value = Message> {
    prop_oneof![
        any::<[u16; 3]>().prop_map(|[major, minor, patch]| {
            Message::Kgp(Version {
                major: major.into(),
                minor: minor.into(),
                patch: patch.into(),
            })
        }),
        prop_oneof![
            Just(Mode::Freeplay),
            Just(Mode::Verify),
            any_word()
                .prop_filter("known", |word| !matches!(
                    word.as_str(),
                    "freeplay" | "verify"
                ))
                .prop_map(Mode::Other)
        ]
        .prop_map(Message::Mode),
        any_board().prop_map(Message::State),
        any_house().prop_map(Message::Move),
        (any_board(), any_house()).prop_map(|(board, house)| Message::Problem { board, house }),
        (any_board(), any::<bool>())
            .prop_map(|(board, bonus_turn)| Message::Solution { board, bonus_turn }),
        prop::sample::select(vec![
            Message::Stop,
            Message::Yield,
            Message::Ping,
            Message::Pong,
            Message::Ok,
            Message::Goodbye
        ]),
        any_text().prop_map(Message::Error),
        (any_word(), any_argument()).prop_map(|(option, value)| Message::Set { option, value }),
    ]
}

proptest! {
    #[test]
    fn lines_round_trip(
        id in any::<Option<u64>>(),
        reference in any::<Option<u64>>(),
        message in any_message(),
    ) {
        let line = Line { id, reference, message };
        let text = line.to_string();
        prop_assert!(!text.contains(['\r', '\n']) && text.chars().count() <= MAX_LINE_CHARS);
        prop_assert!(!text.contains("\"\"") || text.contains("\\\"\""), "{}", text);
        prop_assert_eq!(text.parse::<Line>(), Ok(line));
    }

    #[test]
    fn arbitrary_lines_are_parsed_or_refused(
        text in "[0-9@ <>\",.\\\\+a-z:-]{0,60}|\\PC{0,60}|\
                [0-9]{0,3}(@[0-9]{1,3})? (kgp|mode|state|move|problem|solution|error|set|dance)\
                ( [0-9<>,\"a-z\\\\-]{0,12}){0,4}",
    ) {
        match text.parse::<Line>() {
            Ok(line) => prop_assert_eq!(line.to_string().parse(), Ok(line)),
            Err(error) => prop_assert!(error.to_string().len() < 1000),
        }
    }
}

/// The document that describes the lines.
const DOCUMENT: &str = include_str!("../../../../../docs/protocols.md");

#[test]
fn document_has_a_valid_line_of_each_command() {
    let (_, lines) = DOCUMENT
        .split_once("### Lines of KGP\n")
        .expect("a section");
    let (lines, _) = lines.split_once("| option |").expect("the next table");
    let mut commands = BTreeSet::new();
    for row in lines.lines().filter_map(|line| line.strip_prefix("| `")) {
        let text = row.split('`').next().expect("a text");
        let line: Line = text.parse().expect(text);
        assert_eq!(line.to_string(), text);
        assert!(!matches!(line.message, Message::Unknown(_)), "{text}");
        if let Message::Solution { board, bonus_turn } = &line.message {
            let start = Position::start(3, 2, Rules::STANDARD).expect("a start");
            let solution = KgpBoard::from(&start).solve(house(2)).expect("a sowing");
            assert_eq!((&solution.board, solution.bonus_turn), (board, *bonus_turn));
        }
        let message = line.message.to_string();
        commands.insert(message.split(' ').next().expect("a command").to_owned());
    }
    let expected = [
        "error", "goodbye", "kgp", "mode", "move", "ok", "ping", "pong", "problem", "set",
        "solution", "state", "stop", "yield",
    ];
    assert!(commands.iter().eq(expected), "{commands:?}");
}
