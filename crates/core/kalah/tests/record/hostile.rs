//! Texts made to overload the parser: it takes time in proportion to their length and little stack.
//!
//! Time is not asserted. A parser that takes quadratic time does not end within hours.

use kalah::record::{MAX_VARIATION_DEPTH, Record};
use kalah::{Game, Move, Rules, Setup};

/// Bytes of a hostile text.
const LENGTH: usize = 1_000_000;
/// Bytes of a stack that holds a few hundred nested calls, but not a million.
const SMALL_STACK: usize = 256 * 1024;

/// Parses a text on a small stack and checks that the games of a valid text read back. Returns the
/// error message, empty for a valid text.
fn parse_on_small_stack(text: String) -> String {
    let thread = std::thread::Builder::new().stack_size(SMALL_STACK);
    let parser = thread.spawn(move || match Record::parse_all(&text) {
        Ok(records) => {
            let written: String = records.iter().map(Record::to_string).collect();
            assert_eq!(Record::parse_all(&written), Ok(records), "{}", start(&text));
            String::new()
        }
        Err(error) => error.to_string(),
    });
    parser.unwrap().join().unwrap()
}

/// The first characters of a long text, for messages.
fn start(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Repeats `part` up to [`LENGTH`].
fn repeated(part: &str) -> String {
    part.repeat(LENGTH / part.len())
}

#[test]
fn errors_of_many_games_are_located() {
    let lines = "\n".repeat(LENGTH);
    for (text, location) in [
        (repeated("Z * "), "line 1, column 999997"),
        (repeated("Z *\n"), "line 250000, column 1"),
        (
            format!("{lines}{}", repeated("Z * ")),
            "line 1000001, column 999997",
        ),
    ] {
        let errors: Vec<_> = Record::parse_each(&text).filter_map(Result::err).collect();
        assert_eq!(errors.len(), LENGTH / 4);
        let last = errors.last().unwrap();
        assert_eq!(last.game, errors.len());
        assert_eq!(
            format!("line {}, column {}", last.line, last.column),
            location
        );
    }
}

#[test]
fn repeated_tokens_are_parsed_or_refused() {
    for (text, message) in [
        (repeated("*"), ""),
        (repeated("A * "), ""),
        (format!("A {}", repeated("{}")), ""),
        (format!("A {}", repeated("(A)")), ""),
        (format!("A {}", repeated("( { a comment } 1. CB )")), ""),
        (repeated("1. "), "this game has no plies"),
        (repeated("("), "a variation must follow"),
        (repeated("A ("), "variations go at most 100 deep"),
        (
            format!("A{}", repeated("(1.A")),
            "variations go at most 100 deep",
        ),
        (repeated(")"), "there is no open variation"),
        (repeated("["), "expected the name of a tag"),
        (repeated("{"), "this comment is not closed"),
        (repeated("\""), "unexpected character `\"`"),
        (repeated("A"), "it is North's turn"),
        (repeated("swap "), "sides can be exchanged only"),
        (repeated("\0"), "unexpected character `\\0`"),
        (repeated("\n"), ""),
        (repeated("\u{feff}"), ""),
        (
            format!("{}?", repeated("\n")),
            "line 1000001, column 1: unexpected character `?`",
        ),
        (format!("[Event \"{}\"] *", repeated("\\\"")), ""),
        (
            format!("[Event \"{}", repeated("\\\"")),
            "this quote is not closed",
        ),
        (
            format!("{} *", repeated("[Event \"\"] ")),
            "the tag `Event` is repeated",
        ),
        (
            format!("[Position \"<{}>\"] *", repeated("1,")),
            "a number of houses or seeds is missing",
        ),
        (
            format!("[Position \"<{}1>\"] *", repeated("1,")),
            "expected 4 numbers after the first for 1 house a side",
        ),
    ] {
        let start = start(&text);
        let error = parse_on_small_stack(text);
        assert!(error.contains(message), "{start}: {error}");
        assert_eq!(error.is_empty(), message.is_empty(), "{start}: {error}");
    }
}

#[test]
fn a_hundred_thousand_tags_are_parsed() {
    let tags: Vec<String> = (0..LENGTH / 10).map(|n| format!("[x{n} \"\"]")).collect();
    let tags = tags.concat();
    assert_eq!(parse_on_small_stack(format!("{tags} *")), "");
    assert!(
        parse_on_small_stack(format!("{tags}[x0 \"\"] *")).contains("the tag `x0` is repeated")
    );
}

#[test]
fn variations_are_nested_up_to_the_limit() {
    let deep = |depth| format!("A {} {} *", "( A ".repeat(depth), ")".repeat(depth));
    assert_eq!(parse_on_small_stack(deep(MAX_VARIATION_DEPTH)), "");
    assert!(
        parse_on_small_stack(deep(MAX_VARIATION_DEPTH + 1))
            .contains("variations go at most 100 deep")
    );
}

#[test]
fn a_long_game_with_long_variations_is_parsed() {
    let start = "26x1260".parse::<Setup>().unwrap();
    let mut game = Game::new(start.position(Rules::CS32).unwrap());
    loop {
        // The house nearest to the store makes the game long.
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

    // A variation that repeats the game, and so on within it.
    let (tags, moves) = text.split_once("\n\n").unwrap();
    let (moves, _result) = moves.trim_end().rsplit_once([' ', '\n']).unwrap();
    let inner = format!("( {moves} ").repeat(MAX_VARIATION_DEPTH);
    assert_eq!(
        parse_on_small_stack(format!(
            "{tags} {moves} {inner} {}",
            ")".repeat(MAX_VARIATION_DEPTH)
        )),
        ""
    );
    // Many variations from the first turn.
    assert_eq!(
        parse_on_small_stack(format!("{tags} {moves} {}", repeated("( 1. A )"))),
        ""
    );
}
