//! Texts that were made to be too much: they are read or refused in time in proportion to their
//! length, and on any stack.

use std::time::{Duration, Instant};

use kalah::record::{MAX_VARIATION_DEPTH, Record};
use kalah::{Game, Move, Rules, Setup};

/// Characters of a hostile text.
const LENGTH: usize = 1_000_000;
/// Far more than a text of that length takes, and far less than what grows with its square does.
const PATIENCE: Duration = Duration::from_mins(5);
/// A stack on which a few hundred calls within one another are possible, but no million.
const SMALL_STACK: usize = 256 * 1024;

/// Reads a text on a small stack, and if it is one of games, checks that they can be written.
/// Returns what was said of it, nothing if it was read.
fn read(text: String) -> String {
    let reader = std::thread::Builder::new().stack_size(SMALL_STACK);
    let reading = reader.spawn(move || {
        let begun = Instant::now();
        let beginning: String = text.chars().take(60).collect();
        let said = match Record::parse_all(&text) {
            Ok(records) => {
                let written: String = records.iter().map(Record::to_string).collect();
                assert_eq!(Record::parse_all(&written), Ok(records), "{beginning}");
                String::new()
            }
            Err(error) => error.to_string(),
        };
        assert!(
            begun.elapsed() < PATIENCE,
            "{beginning}: {:?}",
            begun.elapsed()
        );
        said
    });
    reading.unwrap().join().unwrap()
}

fn repeated(part: &str) -> String {
    part.repeat(LENGTH / part.len())
}

#[test]
fn one_thing_again_and_again() {
    for (text, said) in [
        (repeated("*"), ""),
        (repeated("A * "), ""),
        (format!("A {}", repeated("{}")), ""),
        (format!("A {}", repeated("(A)")), ""),
        (format!("A {}", repeated("( { a comment } 1. CB )")), ""),
        (repeated("1. "), "this game has no plies"),
        (repeated("("), "there is nothing yet"),
        (repeated("A ("), "variations go at most 100 deep"),
        (
            format!("A{}", repeated("(1.A")),
            "variations go at most 100 deep",
        ),
        (repeated(")"), "no variation is open"),
        (repeated("["), "`[` stands where"),
        (repeated("{"), "this comment is not closed"),
        (repeated("\""), "`\"` means nothing"),
        (repeated("A"), "it is North's turn"),
        (repeated("swap "), "sides can be exchanged only"),
        (repeated("\0"), "`\\0` means nothing"),
        (repeated("\n"), ""),
        (repeated("\u{feff}"), ""),
        (
            format!("{}?", repeated("\n")),
            "line 1000001, column 1: `?`",
        ),
        (format!("[Event \"{}\"] *", repeated("\\\"")), ""),
        (
            format!("[Event \"{}", repeated("\\\"")),
            "this quote is not closed",
        ),
        (
            format!("{} *", repeated("[Event \"\"] ")),
            "the tag Event is there twice",
        ),
        (
            format!("[Position \"<{}>\"] *", repeated("1,")),
            "is not a number",
        ),
        (
            format!("[Position \"<{}1>\"] *", repeated("1,")),
            "rows of 1 need",
        ),
    ] {
        let beginning: String = text.chars().take(60).collect();
        let heard = read(text);
        assert!(heard.contains(said), "{beginning}: {heard}");
        assert_eq!(heard.is_empty(), said.is_empty(), "{beginning}: {heard}");
    }
}

#[test]
fn very_many_tags() {
    let tags: Vec<String> = (0..LENGTH / 10).map(|n| format!("[x{n} \"\"]")).collect();
    let tags = tags.concat();
    assert_eq!(read(format!("{tags} *")), "");
    assert!(read(format!("{tags}[x0 \"\"] *")).contains("the tag x0 is there twice"));
}

#[test]
fn variations_as_deep_as_they_may_be() {
    let deep = |depth| format!("A {} {} *", "( A ".repeat(depth), ")".repeat(depth));
    assert_eq!(read(deep(MAX_VARIATION_DEPTH)), "");
    assert!(read(deep(MAX_VARIATION_DEPTH + 1)).contains("variations go at most 100 deep"));
}

#[test]
fn variations_all_over_a_long_game() {
    let start = "26x1260".parse::<Setup>().unwrap();
    let mut game = Game::new(start.position(Rules::CS32).unwrap());
    loop {
        // The house nearest to the store, so that plies are many.
        let nearest = game.position().legal_houses().next_back();
        let Some(house) = nearest else {
            break;
        };
        game.play(Move::Sow(house)).unwrap();
    }
    let plies = game.plies().len();
    assert!(plies > 1000, "{plies}");
    let record = Record::from_game(&game);
    let text = record.to_string();
    assert_eq!(text.parse(), Ok(record));

    // A variation after the end that is the game again, and so on within it.
    let (tags, moves) = text.split_once("\n\n").unwrap();
    let (moves, _result) = moves.trim_end().rsplit_once([' ', '\n']).unwrap();
    let inner = format!("( {moves} ").repeat(MAX_VARIATION_DEPTH);
    assert_eq!(
        read(format!(
            "{tags} {moves} {inner} {}",
            ")".repeat(MAX_VARIATION_DEPTH)
        )),
        ""
    );
    // Many that go back to the beginning.
    assert_eq!(read(format!("{tags} {moves} {}", repeated("( 1. A )"))), "");
}
