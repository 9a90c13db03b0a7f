//! What is written in KGP reads back, and whatever comes is read or refused in words.

use kalah::{House, Position, Rules, Setup};
use kalah_protocols::kgp::{
    Argument, ChildMove, ChildStateParser, Client, ClientAction, Decimal, KgpBoard, Line,
    MAX_LINE_CHARS, Message, Mode, Text, Version, Word, format_child_state,
};
use proptest::prelude::*;

fn line(text: &str) -> Line {
    text.parse().expect(text)
}

fn house(number: u32) -> House {
    House::new(number).expect("from 1 to 26")
}

fn board(text: &str) -> KgpBoard {
    let setup: Setup = text.parse().expect(text);
    KgpBoard::from(&setup.position(Rules::STANDARD).expect(text))
}

#[test]
fn the_session_of_the_protocol_is_read_and_written_the_same() {
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
    let start = Position::start(6, 4, Rules::STANDARD).expect("it fits");
    assert_eq!(state.id, Some(8));
    assert_eq!(state.message, Message::State(KgpBoard::from(&start)));
    assert_eq!(line("9@8 move 3").message, Message::Move(house(3)));
}

#[test]
fn whoever_is_asked_is_south() {
    let north: Setup = "<3,1,2,0,1,2,3,4,5> n".parse().expect("a position");
    let position = north.position(Rules::STANDARD).expect("it fits");
    let seen = KgpBoard::from(&position);
    assert_eq!(seen.to_string(), "<3,2,1,3,4,5,0,1,2>");
    assert_eq!(seen.position().expect("it fits"), position.flipped());
}

#[test]
fn what_real_programs_send_is_read() {
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
        let read = line(text_of_line);
        assert_eq!((read.id, read.reference), (id, reference), "{text_of_line}");
        assert_eq!(read.message, message, "{text_of_line}");
        assert_eq!(line(&read.to_string()), read, "{text_of_line}");
    }
}

#[test]
fn what_is_not_known_is_a_value() {
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
fn what_is_wrong_is_said_and_quoted() {
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
            "`kgp one`: `kgp` needs the major version, a whole number",
        ),
        (
            "move 0",
            "`move 0`: `move` needs the number of a house, from 1 to 26",
        ),
        (
            "move 27",
            "`move 27`: `move` needs the number of a house, from 1 to 26",
        ),
        (
            "move",
            "`move`: `move` needs the number of a house, from 1 to 26",
        ),
        (
            "move -9223372036854775808",
            "`move -9223372036854775808`: `move` needs the number of a house, from 1 to 26",
        ),
        (
            "problem <1,0,0,0,1> 26",
            "`problem <1,0,0,0,1> 26`: `problem` needs a board and the number of a house, from 0 to 25",
        ),
        (
            "solution <1,0,0,0,1> perhaps",
            "`solution <1,0,0,0,1> perhaps`: `solution` needs a board, and true or false",
        ),
        ("mode", "`mode`: `mode` needs a word"),
        ("state 6", "`state 6`: `state` needs a board"),
        (
            "state <6,0",
            "`state <6,0`: the closing > of a board is missing",
        ),
        (
            "state <2,0,0,1>",
            "`state <2,0,0,1>`: `<2,0,0,1>` is no board: rows of 2 need 6 numbers after the first, and there are 3",
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
fn lines_end_somewhere() {
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
fn nothing_that_is_written_is_too_long() {
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
fn there_are_words_texts_and_decimals_and_nothing_else_passes_for_one() {
    for word in ["x", "-", "a-b:c", "1-2", "5x", "--5"] {
        assert!(Word::new(word).is_some(), "{word}");
    }
    for none in ["", "5", "-5", "a b", "a_b", "é", "a.b", "\""] {
        assert_eq!(Word::new(none), None, "{none}");
    }
    for decimal in ["0.5", "-.123", "+3.141", "00.00"] {
        assert!(Decimal::new(decimal).is_some(), "{decimal}");
    }
    for none in ["", ".", "1.", "1", "1.2.3", "--1.0", "1e5", "inf"] {
        assert_eq!(Decimal::new(none), None, "{none}");
    }
    let half = Decimal::new("-.5").expect("a decimal").value();
    assert!((half + 0.5).abs() < f64::EPSILON);
    for none in ["", " ", "\n", "\r\n\t"] {
        assert_eq!(Text::new(none), None, "{none:?}");
    }
    assert_eq!(Text::new(" a\nb ").expect("not empty").as_str(), "a b");
}

#[test]
fn a_child_answers_from_zero() {
    for (text, number) in [("0", 1), ("5\r\n", 6), ("25", 26)] {
        let answer: ChildMove = text.parse().expect(text);
        assert_eq!(answer.0, house(number));
    }
    for text in ["", "26", "-1", "x", "1 2", "99999999999"] {
        let error = text.parse::<ChildMove>().expect_err(text).to_string();
        let expected = format!("`{text}` is no answer: expected the number of a house, from 0");
        assert_eq!(error, expected);
    }
}

#[test]
fn a_child_goes_on_after_nonsense() {
    let mut states = ChildStateParser::default();
    for (line, error) in [
        ("3 0 1 x 4", "`x` is not a whole number"),
        (
            "0",
            "0 is no number of houses: there are from 1 to 26 a side",
        ),
        (
            "27",
            "27 is no number of houses: there are from 1 to 26 a side",
        ),
        ("3 0 -1", "`-1` is not a whole number"),
        (
            "18446744073709551616",
            "`18446744073709551616` is not a whole number",
        ),
    ] {
        assert_eq!(states.push_line(line).expect_err(line).to_string(), error);
    }
    let told = states.push_line("1 0 0 1 1 1 0 2 1 0").expect("two states");
    assert_eq!(
        told.iter().map(KgpBoard::to_string).collect::<Vec<_>>(),
        ["<1,0,0,1,1>", "<1,0,2,1,0>"]
    );
}

/// What a client does at each of some lines.
fn tasks(client: &mut Client, lines: &[&str]) -> Vec<ClientAction> {
    lines
        .iter()
        .flat_map(|text| client.handle_line(&line(text)))
        .collect()
}

#[test]
fn a_client_follows_a_session_with_several_states() {
    let name = Message::Set {
        option: Word::new("info:name").expect("a word"),
        value: Argument::Text(Text::new("Lisa").expect("not empty")),
    };
    let mut client = Client::new(Mode::Freeplay, vec![name]);
    assert_eq!(tasks(&mut client, &["8 state <1,0,0,1,1>", "set x 1"]), []);
    assert!(!client.is_greeted());
    let said = tasks(&mut client, &["2 kgp 1 0 1", "kgp 1 0 1", "4@3 ok"]);
    let name = ClientAction::Send(line("1 set info:name \"Lisa\""));
    assert_eq!(said, [name, ClientAction::Send(line("3 mode freeplay"))]);
    assert_eq!(
        tasks(&mut client, &["6 ping"]),
        [ClientAction::Send(line("5@6 pong"))]
    );
    let think = |state| ClientAction::Search {
        state,
        board: board("3x2"),
    };
    let told = tasks(
        &mut client,
        &[
            "8 state <3,0,0,2,2,2,2,2,2>",
            "10 state <3,0,0,2,2,2,2,2,2>",
            "12@8 stop",
            "14@8 stop",
            "16@99 stop",
            "stop",
            "state <3,0,0,2,2,2,2,2,2>",
            "10 state <3,0,0,2,2,2,2,2,2>",
        ],
    );
    assert_eq!(
        told,
        [
            think(8),
            think(10),
            ClientAction::StopSearch(8),
            ClientAction::StopSearch(10),
            think(10)
        ]
    );
    assert_eq!(client.send_move(8, house(1)), None);
    assert_eq!(client.send_move(10, house(1)), Some(line("7@10 move 1")));
    assert_eq!(client.send_yield(10), Some(line("9@10 yield")));
    assert_eq!(client.send_yield(10), None);
    assert_eq!(client.ping(), line("11 ping"));
    let told = tasks(&mut client, &["dance", "error \"no\" \"way\"", "goodbye"]);
    assert_eq!(
        told,
        [
            ClientAction::ReportError("no way".to_owned()),
            ClientAction::Disconnect
        ]
    );
}

#[test]
fn a_client_solves_what_can_be_solved_and_nothing_else() {
    let mut client = Client::new(Mode::Verify, Vec::new());
    tasks(&mut client, &["kgp 1 0 1"]);
    for (problem, solution) in [
        (
            "8 problem <3,0,0,2,2,2,2,2,2> 1",
            Some("<3,1,0,2,0,3,2,2,2> true"),
        ),
        (
            "8 problem <3,0,0,2,2,2,2,2,2> 2",
            Some("<3,1,0,2,2,0,3,2,2> false"),
        ),
        // The row is empty then: North's seeds are swept.
        ("8 problem <2,3,0,0,1,2,2> 1", Some("<2,4,4,0,0,0,0> true")),
        ("8 problem <3,0,0,2,2,0,2,2,2> 2", None),
        ("8 problem <3,0,0,2,2,2,2,2,2> 3", None),
        ("8 problem <2,0,0,0,0,2,2> 1", None),
        ("problem <3,0,0,2,2,2,2,2,2> 1", None),
    ] {
        let mut client = client.clone();
        let expected =
            solution.map(|solution| ClientAction::Send(line(&format!("3@8 solution {solution}"))));
        assert_eq!(
            tasks(&mut client, &[problem]),
            Vec::from_iter(expected),
            "{problem}"
        );
    }
}

#[test]
fn a_client_gives_up_on_another_protocol() {
    let mut client = Client::new(Mode::Freeplay, Vec::new());
    let version = Version {
        major: 2,
        minor: 0,
        patch: 0,
    };
    assert_eq!(
        tasks(&mut client, &["kgp 2 0 0"]),
        [ClientAction::UnsupportedVersion(version)]
    );
    assert!(!client.is_greeted());
}

fn any_board() -> impl Strategy<Value = KgpBoard> {
    (1..=26_usize).prop_flat_map(|houses| {
        proptest::collection::vec(0..1000_u32, 2 + 2 * houses).prop_map(move |numbers| {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            board(&format!("<{houses},{}>", numbers.join(",")))
        })
    })
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
    fn what_is_written_reads_back(
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
    fn hostile_lines_are_read_or_refused(text in "[0-9@ <>\",.\\\\+a-z:-]{0,60}|\\PC{0,60}|[0-9]{0,3}(@[0-9]{1,3})? (kgp|mode|state|move|problem|solution|error|set|dance)( [0-9<>,\"a-z\\\\-]{0,12}){0,4}") {
        match text.parse::<Line>() {
            Ok(line) => prop_assert_eq!(line.to_string().parse(), Ok(line)),
            Err(error) => prop_assert!(error.to_string().len() < 1000),
        }
    }

    #[test]
    fn a_child_is_told_states_however_they_are_cut(board in any_board(), cut in 0..400_usize) {
        let text = format_child_state(&board);
        let cut = text.char_indices().map(|(index, _)| index).filter(|&index| text[index..].starts_with([' ', '\n'])).cycle().nth(cut);
        let (one, other) = text.split_at(cut.expect("there are blanks"));
        let mut states = ChildStateParser::default();
        let mut told = states.push_line(one).expect("numbers");
        told.extend(states.push_line(other).expect("numbers"));
        prop_assert_eq!(told, [board]);
    }

    #[test]
    fn hostile_children_and_parents_do_no_harm(text in "[0-9 \n.-]{0,80}|\\PC{0,30}") {
        let mut states = ChildStateParser::default();
        let _ = text.parse::<ChildMove>();
        for line in text.lines() {
            for board in states.push_line(line).unwrap_or_default() {
                prop_assert_eq!(ChildStateParser::default().push_line(&format_child_state(&board)), Ok(vec![board]));
            }
        }
    }
}
