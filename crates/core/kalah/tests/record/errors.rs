//! Messages of errors in the text of records.

use std::io::{self, Read};

use kalah::record::{Record, RecordReader};

/// Texts of any number of games with the message of their first error.
const ERRORS: &[(&str, &str)] = &[
    // Plies.
    (
        "[Event \"x\"]\n\n1. B a\n2. C c   3. B d *",
        "line 4, column 13, turn 3: sowing `B`: house B is empty",
    ),
    (
        "1. CF a 2. CF *",
        "line 1, column 12, turn 2: sowing `C`: house C is empty",
    ),
    (
        "1. G *",
        "line 1, column 4, turn 1: sowing `G`: there is no house G on a board of 6 houses a side",
    ),
    (
        "1. Cb *",
        "line 1, column 5, turn 1: sowing `b`: it is South's turn",
    ),
    (
        "1. A\n1... CF",
        "line 2, column 6, turn 1...: sowing `C`: it is North's turn",
    ),
    (
        "1. A\n1... Ca 2. B",
        "line 2, column 6, turn 1...: sowing `C`: it is North's turn",
    ),
    (
        "1. A swap *",
        "line 1, column 6, turn 1...: `swap`: sides can be exchanged only instead of ply 2, and only under rules with a swap",
    ),
    (
        "[Rules \"mankalah\"] 1. swap",
        "line 1, column 23, turn 1: `swap`: sides can be exchanged only instead of ply 2, and only under rules with a swap",
    ),
    (
        "[Rules \"mankalah\"] 1. A swap a 2. B\nswap *",
        "line 2, column 1, turn 2: `swap`: sides can be exchanged only instead of ply 2, and only under rules with a swap",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] 1. B a",
        "line 1, column 35, turn 1...: sowing `a`: the game is over",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] 1. B 2. A",
        "line 1, column 38, turn 1: sowing `A`: the game is over",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] 1. B swap",
        "line 1, column 35, turn 1: `swap`: the game is over",
    ),
    (
        "1. A (\n1. CFC )",
        "line 2, column 6, turn 1...: sowing `C`: it is North's turn",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] 1. B 1... A",
        "line 1, column 40, turn 1: sowing `A`: the game is over",
    ),
    // Numbers.
    (
        "2. A",
        "line 1, column 1: expected turn number `1.`, found `2.`",
    ),
    (
        "1... A",
        "line 1, column 1: expected turn number `1.`, found `1...`",
    ),
    (
        "1. A 2. a",
        "line 1, column 6: expected turn number `1...`, found `2.`",
    ),
    (
        "1. A a 1. A",
        "line 1, column 8: expected turn number `2.`, found `1.`",
    ),
    (
        "1. A ( 1. B 2. a )",
        "line 1, column 13: expected turn number `1...`, found `2.`",
    ),
    (
        "1 A",
        "line 1, column 1: expected a turn number such as `3.` or `3...`, or a result such as `25-23`, found `1`",
    ),
    (
        "1.. A",
        "line 1, column 1: expected a turn number such as `3.` or `3...`, or a result such as `25-23`, found `1..`",
    ),
    (
        "1.... A",
        "line 1, column 1: expected a turn number such as `3.` or `3...`, or a result such as `25-23`, found `1....`",
    ),
    (
        "1.A 1.2",
        "line 1, column 5: expected a turn number such as `3.` or `3...`, or a result such as `25-23`, found `1.2`",
    ),
    (
        "12-",
        "line 1, column 1: invalid result `12-`: expected `*`, or the seeds of South and North such as `25-23`",
    ),
    ("-", "line 1, column 1: unexpected character `-`"),
    (
        "4294967296. A",
        "line 1, column 1: expected a turn number such as `3.` or `3...`, or a result such as `25-23`, found `4294967296.`",
    ),
    (
        "1. A 0-1-2",
        "line 1, column 6: invalid result `0-1-2`: expected `*`, or the seeds of South and North such as `25-23`",
    ),
    // Variations.
    (
        "( 1. A ) 1. A",
        "line 1, column 1: a variation must follow a ply of its line",
    ),
    (
        "1. A ( ( 1. A ) 1. A )",
        "line 1, column 8: a variation must follow a ply of its line",
    ),
    (
        "1. A ( 1. ( 1. A ) A )",
        "line 1, column 11: a variation must follow a ply of its line",
    ),
    (
        "1. A ( 1... ( a ) a )",
        "line 1, column 13: a variation must follow a ply of its line",
    ),
    ("1. A ( )", "line 1, column 6: this variation has no plies"),
    (
        "1. A ( 1. )",
        "line 1, column 6: this variation has no plies",
    ),
    (
        "1. A ( { c } )",
        "line 1, column 6: this variation has no plies",
    ),
    (
        "1. A ( b )",
        "line 1, column 8: this variation begins with a sowing of North, which has not moved yet in the line around it",
    ),
    (
        "1. A ( 2. A )",
        "line 1, column 8: this variation cannot begin with turn `2.`: the line around it runs from `1.` to `1...` here",
    ),
    (
        "1. A a ( 0. A )",
        "line 1, column 10: this variation cannot begin with turn `0.`: the line around it runs from `1.` to `2.` here",
    ),
    (
        "1. A a ( 2. F ( 1. A ) )",
        "line 1, column 17: this variation cannot begin with turn `1.`: the line around it runs from `2.` to `2...` here",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] 1. B ( 1... a )",
        "line 1, column 37: this variation cannot begin with turn `1...`: the line around it runs from `1.` to `1.` here",
    ),
    (
        "1. A ( swap )",
        "line 1, column 8, turn 1: `swap`: sides can be exchanged only instead of ply 2, and only under rules with a swap",
    ),
    (
        "1. A )",
        "line 1, column 6: there is no open variation to end here",
    ),
    (
        "1. A a\n ( 2. F ( 2. D ) *",
        "line 2, column 2: this variation is not closed: it lacks `)`",
    ),
    (
        "1. A a\n ( 2. F ( 2. D *",
        "line 2, column 9: this variation is not closed: it lacks `)`",
    ),
    (
        "1. A ( 1. B\n[Event \"\"]",
        "line 1, column 6: this variation is not closed: it lacks `)`",
    ),
    (
        "1. A (",
        "line 1, column 6: this variation is not closed: it lacks `)`",
    ),
    // Comments.
    (
        "1. A { a\nb",
        "line 1, column 6: this comment is not closed: it lacks `}`",
    ),
    (
        "1. A { a } b }",
        "line 1, column 14: unexpected character `}`",
    ),
    (
        "{ only }",
        "line 1, column 1: this game has no plies and no closing `*`",
    ),
    (
        "1. A * { after }",
        "game 2, line 1, column 8: this game has no plies and no closing `*`",
    ),
    (
        "{ before } [Event \"\"] 1. A *",
        "line 1, column 1: this game has no plies and no closing `*`",
    ),
    // Tags.
    (
        "[Event \"a]\n[Site \"b\"]",
        "line 1, column 8: this quote is not closed on its line",
    ),
    (
        "[Event \"a\\\n\"]",
        "line 1, column 8: this quote is not closed on its line",
    ),
    (
        "[Event \"a",
        "line 1, column 8: this quote is not closed on its line",
    ),
    (
        "[Event \"a\\",
        "line 1, column 8: this quote is not closed on its line",
    ),
    (
        "[Event \"C:\\games\"]",
        "line 1, column 11: unknown escape `\\g`: a backslash is written `\\\\`",
    ),
    (
        "[Event \"a\\\u{200b}\"]",
        "line 1, column 10: unknown escape `\\\\u{200b}`: a backslash is written `\\\\`",
    ),
    (
        "[Event \"a\"",
        "line 1, column 1: this tag is not closed: it lacks `]`",
    ),
    (
        "[Event \"a\" b]",
        "line 1, column 1: this tag is not closed: it lacks `]`",
    ),
    (
        "[Event a]",
        "line 1, column 8: expected the value of a tag in quotes, found `a`",
    ),
    (
        "[Event",
        "line 1, column 1: this tag is not closed: it lacks `]`",
    ),
    (
        "[E-mail \"a\"]",
        "line 1, column 3: expected the value of a tag in quotes, found `-`",
    ),
    (
        "[\u{fc} \"a\"]",
        "line 1, column 2: expected the name of a tag, of letters, digits and underscores, found `ü`",
    ),
    (
        "[",
        "line 1, column 1: this tag is not closed: it lacks `]`",
    ),
    (
        "[]",
        "line 1, column 2: expected the name of a tag, of letters, digits and underscores, found `]`",
    ),
    (
        "[Event \"a\"]\n[Event \"b\"]",
        "line 2, column 1: the tag `Event` is repeated",
    ),
    (
        "[Event \"\"]",
        "line 1, column 1: this game has no plies and no closing `*`",
    ),
    // Tags about the game.
    (
        "[Event \"\"]\n[Rules \"chess\"] *",
        "line 2, column 8: the tag Rules: no rules are called `chess`: the presets are cs32, standard, empty-capture and mankalah, and others are written ends=stuck|row,capture=opposite|always,swap=yes|no,first-bonus=yes|no",
    ),
    (
        "[Rules \"ends=row\"] *",
        "line 1, column 8: the tag Rules: `capture=` is missing in `ends=row`",
    ),
    (
        "[Position \"6x4x\"] *",
        "line 1, column 11: the tag Position `6x4x`, character 3: `4x` is not a number of houses or seeds",
    ),
    (
        "[Position \"<6,0,0,4> s\"] *",
        "line 1, column 11: the tag Position `<6,0,0,4> s`, character 2: expected 14 numbers after the first for 6 houses a side, found 3",
    ),
    (
        "[Position \"27x4\"] *",
        "line 1, column 11: the tag Position `27x4`, character 1: 27 houses a side are too many: at most 26 can be played",
    ),
    (
        "[Position \"6x6000\"] *",
        "line 1, column 11: the tag Position: 72000 seeds are too many: at most 65535 can be played, stores included",
    ),
    (
        "[Result \"25:23\"] *",
        "line 1, column 9: invalid result `25:23`: expected `*`, or the seeds of South and North such as `25-23`",
    ),
    (
        "[Result \"25-23-\"] *",
        "line 1, column 9: invalid result `25-23-`: expected `*`, or the seeds of South and North such as `25-23`",
    ),
    (
        "[Result \"25-23\"] *",
        "line 1, column 9: the result `25-23` contradicts the board: the game was neither played to its end nor adjudicated",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] [Result \"5-2\"] 1. B *",
        "line 1, column 38: the result `5-2` contradicts the board: it is `6-1`",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] 1. B 65542-1",
        "line 1, column 35: the result `65542-1` contradicts the board: it is `6-1`",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] 1. B\n1-6",
        "line 2, column 1: the result `1-6` contradicts the board: it is `6-1`",
    ),
    (
        "1. A 1-6",
        "line 1, column 6: the result `1-6` contradicts the board: the game was neither played to its end nor adjudicated",
    ),
    (
        "[Result \"27-21\"] [Termination \"resign\"] [Winner \"South\"] *",
        "line 1, column 9: the result `27-21` contradicts the board: the game was neither played to its end nor adjudicated",
    ),
    (
        "[Result \"27-22\"] [Termination \"adjudicated\"] *",
        "line 1, column 9: the result `27-22` contradicts the board: the game has 48 seeds",
    ),
    (
        "[Result \"65563-21\"] [Termination \"adjudicated\"] *",
        "line 1, column 9: the result `65563-21` contradicts the board: the game has 48 seeds",
    ),
    (
        "[Termination \"adjudicated\"] 1. A 20-20",
        "line 1, column 34: the result `20-20` contradicts the board: the game has 48 seeds",
    ),
    (
        "[Result \"27-21\"] [Termination \"adjudicated\"] 1. A 21-27",
        "line 1, column 51: the result `21-27` contradicts the tag Result `27-21`",
    ),
    (
        "[Result \"won\"] [Termination \"adjudicated\"] 1. A 21-27",
        "line 1, column 49: the result `21-27` contradicts the tag Result `won`",
    ),
    (
        "[Result \"27-21\"] [Termination \"adjudicated\"] [Winner \"North\"] *",
        "line 1, column 54: the tag Winner says `North`, but the seeds are 27-21",
    ),
    (
        "[Termination \"adjudicated\"] [Winner \"none\"] 1. A 27-21",
        "line 1, column 37: the tag Winner says `none`, but the seeds are 27-21",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] [Result \"5-2\"] [Termination \"adjudicated\"] 1. B *",
        "line 1, column 38: the result `5-2` contradicts the board: it is `6-1`",
    ),
    (
        "[Termination \"Normal\"] *",
        "line 1, column 14: the tag Termination: invalid termination `Normal`: expected normal, adjudicated, resign, illegal, time, crash, stall, protocol or unfinished",
    ),
    (
        "[Termination \"normal\"] *",
        "line 1, column 14: the tag Termination says `normal`, but the game was not played to its end",
    ),
    (
        "[Termination \"unfinished\"] [Position \"<2,5,0,0,1,0,1>\"] 1. B *",
        "line 1, column 14: the tag Termination says `unfinished`, but the game was played to its end, which is `normal`",
    ),
    (
        "[Termination \"time\"] [Position \"<2,5,0,0,1,0,1>\"] 1. B *",
        "line 1, column 14: the tag Termination says `time`, but the game was played to its end, which is `normal`",
    ),
    (
        "[Termination \"time\"] [Winner \"Marge\"] *",
        "line 1, column 30: the tag Winner: expected South, North or none, found `Marge`",
    ),
    (
        "[Termination \"unfinished\"] [Winner \"North\"] *",
        "line 1, column 36: the tag Winner says `North`, but the game is unfinished: a Termination must say how it was decided",
    ),
    (
        "[Winner \"South\"] *",
        "line 1, column 9: the tag Winner says `South`, but the game is unfinished: a Termination must say how it was decided",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] [Winner \"North\"] 1. B *",
        "line 1, column 38: the tag Winner says `North`, but the seeds are 6-1",
    ),
    (
        "[Position \"<2,5,0,0,1,0,1>\"] [Winner \"none\"] 1. B *",
        "line 1, column 38: the tag Winner says `none`, but the seeds are 6-1",
    ),
    // Characters.
    (
        "1. e4 e5",
        "line 1, column 4, turn 1: sowing `e`: it is South's turn",
    ),
    ("1. C! F", "line 1, column 5: unexpected character `!`"),
    (
        "\u{feff}  ; a comment\n",
        "line 1, column 3: unexpected character `;`",
    ),
    (
        "1. C\u{200b}F",
        "line 1, column 5: unexpected character `\\u{200b}`",
    ),
    ("1. C\0F", "line 1, column 5: unexpected character `\\0`"),
    (
        "\u{1b}[31m",
        "line 1, column 1: unexpected character `\\u{1b}`",
    ),
    ("1. \u{0410}", "line 1, column 4: unexpected character `А`"),
    // Locations.
    (
        "\u{feff}\r\n\t\u{feff} ?",
        "line 2, column 4: unexpected character `?`",
    ),
    (
        "{ \u{65e5}\u{672c} } ?",
        "line 1, column 8: unexpected character `?`",
    ),
    (
        "1. A *\n\n1. A a *\n[Event \"x\"]\n\n1. A b b",
        "game 3, line 6, column 8, turn 2: sowing `b`: it is South's turn",
    ),
];

#[test]
fn errors_have_a_message_and_a_location() {
    for &(text, message) in ERRORS {
        let error = Record::parse_all(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text:?}");
    }
}

#[test]
fn from_str_requires_exactly_one_game() {
    for (text, message) in [
        ("", "line 1, column 1: there is no game here"),
        (" \n", "line 1, column 1: there is no game here"),
        (
            "1. A *\n 1. A *",
            "game 2, line 2, column 2: another game begins here",
        ),
        (
            "1. A * *",
            "game 2, line 1, column 8: another game begins here",
        ),
        (
            "1. A\n[Event \"\"] *",
            "game 2, line 2, column 1: another game begins here",
        ),
        (
            "1. A * ?",
            "game 2, line 1, column 8: unexpected character `?`",
        ),
    ] {
        let error = text.parse::<Record>().expect_err(text);
        assert_eq!(error.to_string(), message, "{text:?}");
    }
}

#[test]
fn long_texts_are_cut_in_messages() {
    let long = "7".repeat(1_000_000);
    for text in [
        long.clone(),
        format!("{long}-{long}"),
        format!("[Rules \"{long}\"] *"),
        format!("[Position \"{long}x4\"] *"),
        format!("[Position \"<{long}>\"] *"),
        format!("[Termination \"{long}\"] *"),
        format!("[Winner \"{long}\"] *"),
        format!("[Result \"{long}\"] *"),
        format!("[{long} \"\"] [{long} \"\"] *"),
    ] {
        let message = Record::parse_all(&text).unwrap_err().to_string();
        assert!(message.len() < 1000, "{message}");
        assert!(message.contains("777..."), "{message}");
    }
}

/// Returns the text of each game, or its error.
fn texts<E: ToString>(games: impl Iterator<Item = Result<Record, E>>) -> Vec<String> {
    let texts = games.map(|game| game.map_or_else(|error| error.to_string(), |it| it.to_string()));
    texts.collect()
}

/// A stream that returns at most one byte at a time.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

#[test]
fn comment_without_its_end_does_not_affect_closed_comments_before_it() {
    // The first comment ends within the second game, and the last one does not end.
    let text = "1. A { a\n\n[Event \"x\"]\n\n1. C { c } b {";
    assert_eq!(
        texts(Record::parse_each(text)),
        [
            "line 5, column 14: this comment is not closed: it lacks `}`",
            "game 2, line 5, column 12, turn 1: sowing `b`: it is South's turn",
        ]
    );
}

#[test]
fn error_in_the_first_token_of_a_game_does_not_hide_the_next_game() {
    for first in [
        "?",
        "}",
        "\"",
        ".",
        "]",
        "1",
        "(",
        "{",
        "[",
        "[Event 2]",
        "[Event x]\n",
    ] {
        let text = format!("1. A *\n{first} 1. A *\n1. B *\n[Event \"y\"]\n1. C *\n");
        let games: Vec<_> = Record::parse_each(&text).map(|game| game.is_ok()).collect();
        let hides_one = first.starts_with('[') && !first.ends_with('\n');
        // The rest of the line belongs to the tag.
        let valid_after = if hides_one { 1 } else { 2 };
        let expected = [&[true, false][..], &vec![true; valid_after]].concat();
        assert_eq!(games, expected, "{first}");
    }
}

#[test]
fn games_of_a_stream_and_their_errors_are_those_of_the_text() {
    let games = [
        "[Position \"3x2\"]\n[South \"\u{65e5}\u{672c}\"]\n\n1. A a {two\nlines} *\n\n",
        "[Position \"x\"]\n\n*\n\n",
        "1. z *",
        " 1. A ? * ",
        "1. A 25-23\n",
        "\u{feff}1. CF a *\n\n",
        "[Event \"without an end\n\n1. C *\n\n",
        "[Event \"x\"]\n\n1. A {without an end\n\n",
        "[Event \"y\"]\n\n1. C { } 1. B *\n",
        "1. A (1. B *\n1. A *\n",
    ];
    let mut text = String::new();
    for _ in 0..2 {
        text += &games.concat();
    }
    let expected = texts(Record::parse_each(&text));
    assert_eq!(expected.len(), 22, "{expected:#?}");
    assert_eq!(texts(RecordReader::new(text.as_bytes())), expected);
    assert_eq!(texts(RecordReader::new(Trickle(text.as_bytes()))), expected);
    let valid = expected
        .iter()
        .filter(|text| text.contains("1. ") && !text.contains("line "));
    assert_eq!(valid.count(), 8, "{expected:#?}");
}

#[test]
fn stream_is_read_up_to_bytes_that_are_no_text() {
    let mut games = RecordReader::new(&b"1. A *\n1. B * 1. C {\xff} *"[..]);
    assert!(games.by_ref().take(2).all(|game| game.is_ok()));
    let error = games
        .next()
        .expect("an error")
        .expect_err("no text")
        .to_string();
    assert_eq!(error, "it is not UTF-8 text: line 2, byte 21 of the file");
    assert!(games.next().is_none());
}

#[test]
fn endless_game_is_refused() {
    let mut games = RecordReader::new(io::repeat(b' '));
    let error = games
        .next()
        .expect("an error")
        .expect_err("no game")
        .to_string();
    assert_eq!(error, "game 1 is longer than 64 MiB");
    assert!(games.next().is_none());
}
