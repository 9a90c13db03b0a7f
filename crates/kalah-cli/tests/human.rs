//! A person at a terminal, played by scripts.

use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use kalah::{Game, House, Labels, Move, Player, PlayerAction, Position, Rules, Setup};
use kalah_cli::{CliError, Echo, Hint, Human, SaveOutcome};

const NO_LIMIT: Duration = Duration::MAX;

fn game(setup: &str, rules: Rules) -> Game {
    let setup: Setup = setup.parse().expect("a setup");
    Game::new(setup.position(rules).expect("a position"))
}

fn sow(number: u32) -> Move {
    Move::Sow(House::new(number).expect("from 1 to 26"))
}

/// What a person answers who types `input`, and what the terminal says after the prompts.
fn ask(game: &Game, labels: Labels, input: &[u8]) -> (PlayerAction, Vec<String>) {
    let mut output = Vec::new();
    let mut human = Human::new("Marge", input, &mut output)
        .labels(labels)
        .hint_source(|_| {
            Some(Hint {
                mv: sow(2),
                reason: "wins by 3".to_owned(),
            })
        })
        .save_handler(|_, path| match path.to_str() {
            Some("full.kgn") => Err("the disk is full".into()),
            Some("kept.kgn") => Ok(SaveOutcome::AlreadyRecorded),
            _ => Ok(SaveOutcome::Written),
        });
    let answer = human.next_action(game, NO_LIMIT);
    assert!(human.take_error().is_none());
    drop(human);
    let output = String::from_utf8(output).expect("text");
    let said = output
        .split_inclusive("help): ")
        .flat_map(|part| part.lines())
        .filter(|line| !line.ends_with("help): "))
        .map(str::to_owned)
        .collect();
    (answer, said)
}

/// What is said about one line, after which the person quits.
fn said_about(game: &Game, labels: Labels, line: &[u8]) -> Vec<String> {
    let (answer, mut said) = ask(game, labels, &[line, b"\nquit\n"].concat());
    assert_eq!(answer, PlayerAction::Quit);
    let farewell = said.pop().expect("a farewell");
    assert!(
        farewell.ends_with(" (Marge) leaves the game."),
        "{farewell}"
    );
    said
}

#[test]
fn a_house_is_answered_as_the_labels_name_it() {
    let south = game("6x4", Rules::CS32);
    let north = game("<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n", Rules::CS32);
    for (game, labels, line, house) in [
        (&south, Labels::Columns, "3", 3),
        (&south, Labels::Columns, " 03 ", 3),
        (&north, Labels::Columns, "3", 4),
        (&south, Labels::Letters, "C", 3),
        (&south, Labels::Letters, "c", 3),
        (&north, Labels::Letters, "C", 3),
        (&north, Labels::Letters, "c\r", 3),
        (&south, Labels::Yale, "S3", 4),
        (&north, Labels::Yale, "n3", 4),
    ] {
        let (answer, said) = ask(game, labels, line.as_bytes());
        assert_eq!(answer, PlayerAction::Move(sow(house)), "{line} as {labels}");
        assert_eq!(said, Vec::<String>::new(), "{line} as {labels}");
    }
}

#[test]
fn words_are_answers() {
    let start = game("6x4", Rules::CS32);
    for (word, expected) in [
        ("undo", PlayerAction::Undo),
        ("REDO", PlayerAction::Redo),
        ("Quit", PlayerAction::Quit),
        ("resign", PlayerAction::Resign),
    ] {
        for labels in Labels::ALL {
            assert_eq!(ask(&start, labels, word.as_bytes()).0, expected, "{word}");
        }
    }
    let mut second = game("6x4", Rules::MANKALAH);
    second.play(sow(3)).expect("legal");
    let (answer, _) = ask(&second, Labels::Columns, b"swap");
    assert_eq!(answer, PlayerAction::Move(Move::Swap));
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let board = game("<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4> s", Rules::CS32);
    let columns = [
        ("", "nothing was typed."),
        ("3", "house 3 is empty: choose 1, 2, 4, 5 or 6."),
        ("0", "there is no house `0`: South's houses are 1 to 6."),
        ("7", "there is no house `7`: South's houses are 1 to 6."),
        (
            "18446744073709551617",
            "there is no house `18446744073709551617`: South's houses are 1 to 6.",
        ),
        ("+1", "`+1` is not a house: South's houses are 1 to 6."),
        ("a", "`a` is not a house: South's houses are 1 to 6."),
        (
            "hello",
            "`hello` is not a house: South's houses are 1 to 6.",
        ),
        ("save", "`save` needs the name of a file: save FILE."),
        (
            "swap",
            "sides can be exchanged only instead of ply 2, and only under rules with a swap: \
             choose 1, 2, 4, 5 or 6.",
        ),
        (
            "\u{1b}]0;x\u{7}",
            "`\\u{1b}]0;x\\u{7}` is not a house: South's houses are 1 to 6.",
        ),
    ];
    for (line, reason) in columns {
        assert_eq!(
            said_about(&board, Labels::Columns, line.as_bytes()),
            [reason]
        );
    }
    assert_eq!(
        said_about(&board, Labels::Letters, b"c"),
        ["house C is empty: choose A, B, D, E or F."]
    );
    assert_eq!(
        said_about(&board, Labels::Yale, b"N2"),
        ["`N2` is a house of North: South is to move."]
    );
    assert_eq!(
        said_about(&board, Labels::Columns, b"\xc3\x28"),
        ["this line is not UTF-8 text."]
    );
    assert_eq!(
        said_about(&board, Labels::Columns, &b"3".repeat(1 << 20)),
        ["this line is too long for an answer."]
    );
    let long = said_about(&board, Labels::Columns, "é".repeat(1000).as_bytes());
    assert_eq!(long.len(), 1);
    assert!(long[0].chars().count() < 150, "{}", long[0]);
}

#[test]
fn north_reads_its_columns_upwards() {
    let board = game("<3,0,0,2,2,2,0,2,3> n", Rules::CS32);
    assert_eq!(
        said_about(&board, Labels::Columns, b"3"),
        ["house 3 is empty: choose 1 or 2."]
    );
}

#[test]
fn hint_and_help_and_save_are_answered_before_the_next_question() {
    let start = game("6x4", Rules::CS32);
    let about = |line: &str| said_about(&start, Labels::Columns, line.as_bytes());
    assert_eq!(about("hint"), ["Hint: house 2, which wins by 3."]);
    assert_eq!(
        about("save a b.kgn"),
        ["The game so far is saved in 'a b.kgn'."]
    );
    assert_eq!(
        about("save kept.kgn"),
        ["The game is saved in 'kept.kgn' already, ply by ply."]
    );
    assert_eq!(about("save full.kgn"), ["the disk is full."]);
    let help = about("help").join("\n");
    for word in [
        "undo",
        "redo",
        "hint",
        "help",
        "save FILE",
        "resign",
        "swap",
        "quit",
    ] {
        assert!(help.contains(&format!("\n  {word} ")), "{word} in {help}");
    }
}

#[test]
fn the_game_so_far_is_what_is_saved() {
    let mut played = game("6x4", Rules::CS32);
    played.play(sow(3)).expect("legal");
    let mut saved: Vec<(Game, PathBuf)> = Vec::new();
    let mut human = Human::new("Marge", &b"save it\n1\n"[..], io::sink()).save_handler(
        |game: &Game, path: &Path| {
            saved.push((game.clone(), path.to_owned()));
            Ok(SaveOutcome::Written)
        },
    );
    assert_eq!(
        human.next_action(&played, NO_LIMIT),
        PlayerAction::Move(sow(1))
    );
    drop(human);
    assert_eq!(saved, [(played, PathBuf::from("it"))]);
}

#[test]
fn who_has_nobody_to_ask_is_told_so() {
    let start = game("6x4", Rules::CS32);
    let mut output = Vec::new();
    let mut human = Human::new("Marge", &b"hint\nsave x\n1\n"[..], &mut output);
    assert_eq!(
        human.next_action(&start, NO_LIMIT),
        PlayerAction::Move(sow(1))
    );
    drop(human);
    let output = String::from_utf8(output).expect("text");
    assert!(output.contains("There is nobody to ask for a hint.\n"));
    assert!(output.contains("There is no way to save this game.\n"));
}

#[test]
fn the_end_of_the_input_is_a_farewell() {
    let (answer, said) = ask(&game("6x4", Rules::CS32), Labels::Columns, b"9\n");
    assert_eq!(answer, PlayerAction::Quit);
    assert_eq!(
        said.last().expect("something"),
        "End of input: South (Marge) leaves the game."
    );
}

#[test]
fn what_is_read_without_a_terminal_is_written_down() {
    let mut output = Vec::new();
    let mut human = Human::new("Marge", &b"x\x1b\n2\n"[..], &mut output).echo(Echo::On);
    let start = Position::start(6, 4, Rules::CS32).expect("a start");
    assert_eq!(human.choose_move(&start, NO_LIMIT), Some(sow(2)));
    drop(human);
    assert_eq!(
        String::from_utf8(output).expect("text"),
        "South (Marge), your house (1 to 6, or help): x\\u{1b}\n\
         `x\\u{1b}` is not a house: South's houses are 1 to 6.\n\
         South (Marge), your house (1 to 6, or help): 2\n"
    );
}

#[test]
fn outside_a_game_nothing_can_be_taken_back() {
    let start = Position::start(6, 4, Rules::CS32).expect("a start");
    let mut output = Vec::new();
    let mut human = Human::new("Marge", &b"undo\nredo\nresign\n"[..], &mut output);
    assert!(human.is_interactive());
    assert_eq!(human.choose_move(&start, NO_LIMIT), None);
    drop(human);
    let output = String::from_utf8(output).expect("text");
    assert!(output.contains("there is nothing to take back.\n"));
    assert!(output.contains("there is nothing to make again.\n"));
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the line is dead"))
    }
}

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("nobody listens"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn who_cannot_be_asked_leaves_and_says_why() {
    let start = game("6x4", Rules::CS32);
    let mut deaf = Human::new("Marge", BufReader::new(Broken), io::sink());
    assert_eq!(deaf.next_action(&start, NO_LIMIT), PlayerAction::Quit);
    assert!(matches!(deaf.take_error(), Some(CliError::Input(_))));
    assert!(deaf.take_error().is_none());
    let mut mute = Human::new("Marge", &b"1\n"[..], Broken);
    assert_eq!(mute.next_action(&start, NO_LIMIT), PlayerAction::Quit);
    assert!(matches!(mute.take_error(), Some(CliError::Output(_))));
}
