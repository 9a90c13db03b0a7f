//! `HumanPlayer` with scripts as input.

use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use kalah::{Game, House, Labels, Move, Player, PlayerAction, Position, Rules, Setup};
use kalah_text::{Echo, Hint, HumanPlayer, PromptContext, PromptError, SaveOutcome};

const NO_LIMIT: Duration = Duration::MAX;

fn game(setup: &str, rules: Rules) -> Game {
    let setup: Setup = setup.parse().expect("a setup");
    Game::new(setup.position(rules).expect("a position"))
}

fn sow(number: u32) -> Move {
    Move::Sow(House::new(number).expect("from 1 to 26"))
}

/// Returns the action from `input`, and the lines of output without the prompts.
fn request(game: &Game, labels: Labels, input: &[u8]) -> (PlayerAction, Vec<String>) {
    let mut output = Vec::new();
    let mut human = HumanPlayer::new("Marge", input, &mut output)
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
    let action = human.next_action(game, NO_LIMIT);
    assert!(human.take_error().is_none());
    drop(human);
    let output = String::from_utf8(output).expect("text");
    let lines = output
        .split_inclusive("help): ")
        .flat_map(|part| part.lines())
        .filter(|line| !line.ends_with("help): "))
        .map(str::to_owned)
        .collect();
    (action, lines)
}

/// Returns the lines of output after `line`, which is not an action; the next line is `quit`.
fn output_after(game: &Game, labels: Labels, line: &[u8]) -> Vec<String> {
    let (action, mut lines) = request(game, labels, &[line, b"\nquit\n"].concat());
    assert_eq!(action, PlayerAction::Quit);
    let last = lines.pop().expect("a line about quitting");
    assert!(last.ends_with(" (Marge) leaves the game."), "{last}");
    lines
}

#[test]
fn houses_are_moves_by_their_labels() {
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
        (&south, Labels::Letters, "3", 3),
        (&north, Labels::Letters, "3", 4),
        (&south, Labels::Yale, "S3", 4),
        (&north, Labels::Yale, "n3", 4),
    ] {
        let (action, lines) = request(game, labels, line.as_bytes());
        assert_eq!(action, PlayerAction::Move(sow(house)), "{line} as {labels}");
        assert_eq!(lines, Vec::<String>::new(), "{line} as {labels}");
    }
}

#[test]
fn commands_are_actions() {
    let start = game("6x4", Rules::CS32);
    for (word, expected) in [
        ("undo", PlayerAction::Undo),
        ("REDO", PlayerAction::Redo),
        ("Quit", PlayerAction::Quit),
        ("resign", PlayerAction::Resign),
    ] {
        for labels in Labels::ALL {
            let (action, _) = request(&start, labels, word.as_bytes());
            assert_eq!(action, expected, "{word}");
        }
    }
    let mut second = game("6x4", Rules::MANKALAH);
    second.play(sow(3)).expect("legal");
    let (action, _) = request(&second, Labels::Columns, b"swap");
    assert_eq!(action, PlayerAction::Move(Move::Swap));
}

#[test]
fn rejected_lines_are_explained_in_one_line() {
    let board = game("<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4> s", Rules::CS32);
    let columns = [
        ("", "the line is empty."),
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
        ("save", "`save` needs a file name: save FILE."),
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
            output_after(&board, Labels::Columns, line.as_bytes()),
            [reason]
        );
    }
    assert_eq!(
        output_after(&board, Labels::Letters, b"c"),
        ["house C is empty: choose A, B, D, E or F."]
    );
    assert_eq!(
        output_after(&board, Labels::Yale, b"N2"),
        ["`N2` is a house of North: South is to move."]
    );
    assert_eq!(
        output_after(&board, Labels::Columns, b"\xc3\x28"),
        ["the line is not UTF-8 text."]
    );
    assert_eq!(
        output_after(&board, Labels::Columns, &b"3".repeat(1 << 20)),
        ["the line is longer than 16,384 bytes."]
    );
    let long = output_after(&board, Labels::Columns, "é".repeat(1000).as_bytes());
    assert_eq!(long.len(), 1);
    assert!(long[0].chars().count() < 150, "{}", long[0]);
}

#[test]
fn norths_columns_are_listed_in_ascending_order() {
    let board = game("<3,0,0,2,2,2,0,2,3> n", Rules::CS32);
    assert_eq!(
        output_after(&board, Labels::Columns, b"3"),
        ["house 3 is empty: choose 1 or 2."]
    );
}

#[test]
fn hint_help_and_save_print_text_before_the_next_prompt() {
    let start = game("6x4", Rules::CS32);
    let output = |line: &str| output_after(&start, Labels::Columns, line.as_bytes());
    assert_eq!(output("hint"), ["Hint: house 2, which wins by 3."]);
    assert_eq!(
        output("save a b.kgn"),
        ["The game so far is saved in 'a b.kgn'."]
    );
    assert_eq!(
        output("save kept.kgn"),
        ["The game is already recorded in 'kept.kgn' ply by ply."]
    );
    assert_eq!(output("save full.kgn"), ["the disk is full."]);
    let help = output("help");
    assert_eq!(
        help[0],
        "Type a house to sow, 1, 2, 3, 4, 5 or 6, or a command:"
    );
    assert_eq!(
        listed_commands(&help),
        [
            "undo, u",
            "redo, r",
            "hint, h",
            "save FILE",
            "resign",
            "quit, exit, q",
            "help, ?"
        ]
    );
}

#[test]
fn help_and_other_replies_are_wrapped_between_words() {
    let start = game("26x1", Rules::CS32);
    let lines = |width: Option<usize>, input: &str| {
        let mut output = Vec::new();
        let input = format!("{input}\nquit\n");
        let mut human = HumanPlayer::new("Marge", input.as_bytes(), &mut output).width(width);
        assert_eq!(human.next_action(&start, NO_LIMIT), PlayerAction::Quit);
        drop(human);
        let output = String::from_utf8(output).expect("text");
        let reply = output.split("help): ").nth(1).expect("a reply").to_owned();
        let mut lines: Vec<String> = reply.lines().map(str::to_owned).collect();
        // The next prompt.
        lines.pop();
        lines
    };
    for (width, input) in [(None, "?"), (Some(40), "?"), (Some(20), "help")] {
        let help = lines(width, input);
        let max_width = width.unwrap_or(80);
        for line in &help {
            assert!(line.chars().count() <= max_width, "{line}");
        }
        let words = help.join(" ");
        let words: Vec<&str> = words.split_whitespace().collect();
        let text = words.join(" ");
        let commands = "undo undo your last move redo redo the move that was undone \
                        resign resign the game quit, exit leave the game unfinished \
                        help, ? show this list";
        // Each of the letters is a house of this board.
        assert!(text.ends_with(commands), "{text}");
        assert!(text.contains("(a column number works too)"), "{text}");
    }
    let hint = lines(Some(20), "save");
    assert_eq!(hint, ["`save` needs a file", "name: save FILE."]);
}

/// Returns the commands in the lines of a help text.
fn listed_commands(help: &[String]) -> Vec<&str> {
    let lines = help.iter().filter_map(|line| line.strip_prefix("  "));
    lines.filter_map(|line| line.split("  ").next()).collect()
}

#[test]
fn help_lists_only_commands_that_work_at_the_prompt() {
    let mut second = game("3x2", Rules::MANKALAH);
    second.play(sow(1)).expect("legal");
    for (context, commands) in [
        (
            PromptContext::Game,
            &[
                "undo, u",
                "redo, r",
                "swap, x",
                "resign",
                "quit, exit, q",
                "help, ?",
            ] as &[&str],
        ),
        (
            PromptContext::Puzzle,
            &["swap, x", "resign", "quit, exit, q", "help, ?"],
        ),
    ] {
        let mut output = Vec::new();
        let mut human =
            HumanPlayer::new("Marge", &b"help\nquit\n"[..], &mut output).context(context);
        assert_eq!(human.next_action(&second, NO_LIMIT), PlayerAction::Quit);
        drop(human);
        let output = String::from_utf8(output).expect("text");
        let lines: Vec<String> = output.lines().map(str::to_owned).collect();
        assert!(
            lines[0].ends_with(
                "Type a house to sow, a, b, c or swap (a column number works too), or a command:"
            ),
            "{output}"
        );
        assert_eq!(listed_commands(&lines), commands, "{output}");
    }
}

#[test]
fn puzzle_has_no_hints_and_is_not_saved() {
    let start = game("6x4", Rules::CS32);
    let mut output = Vec::new();
    let mut human = HumanPlayer::new("you", &b"hint\nsave x\nresign\n"[..], &mut output)
        .context(PromptContext::Puzzle);
    assert_eq!(human.next_action(&start, NO_LIMIT), PlayerAction::Resign);
    drop(human);
    let output = String::from_utf8(output).expect("text");
    assert!(output.contains("Hints are off in puzzles.\n"), "{output}");
    assert!(output.contains("Puzzles cannot be saved.\n"), "{output}");
    assert!(!output.contains("resigns"), "{output}");
}

#[test]
fn save_passes_the_game_so_far_to_the_handler() {
    let mut game = game("6x4", Rules::CS32);
    game.play(sow(3)).expect("legal");
    let mut saved: Vec<(Game, PathBuf)> = Vec::new();
    let mut human = HumanPlayer::new("Marge", &b"save it\n1\n"[..], io::sink()).save_handler(
        |game: &Game, path: &Path| {
            saved.push((game.clone(), path.to_owned()));
            Ok(SaveOutcome::Written)
        },
    );
    assert_eq!(
        human.next_action(&game, NO_LIMIT),
        PlayerAction::Move(sow(1))
    );
    drop(human);
    assert_eq!(saved, [(game, PathBuf::from("it"))]);
}

#[test]
fn hint_and_save_are_refused_without_source_and_handler() {
    let start = game("6x4", Rules::CS32);
    let mut output = Vec::new();
    let mut human = HumanPlayer::new("Marge", &b"hint\nsave x\n1\n"[..], &mut output);
    assert_eq!(
        human.next_action(&start, NO_LIMIT),
        PlayerAction::Move(sow(1))
    );
    drop(human);
    let output = String::from_utf8(output).expect("text");
    assert!(output.contains("No hint is available.\n"));
    assert!(output.contains("This game cannot be saved.\n"));
}

#[test]
fn end_of_input_leaves_the_game() {
    let (action, lines) = request(&game("6x4", Rules::CS32), Labels::Columns, b"9\n");
    assert_eq!(action, PlayerAction::Quit);
    assert_eq!(
        lines.last().expect("a line"),
        "End of input: South (Marge) leaves the game."
    );
}

#[test]
fn echo_writes_the_lines_that_are_read() {
    let mut output = Vec::new();
    let mut human = HumanPlayer::new("Marge", &b"x\x1b\n2\n"[..], &mut output).echo(Echo::On);
    let start = Position::start(6, 4, Rules::CS32).expect("a start");
    assert_eq!(human.choose_move(&start, NO_LIMIT), Some(sow(2)));
    drop(human);
    assert_eq!(
        String::from_utf8(output).expect("text"),
        "South (Marge), your house (A to F, or help): x\\u{1b}\n\
         `x\\u{1b}` is not a house: South's houses are A to F.\n\
         South (Marge), your house (A to F, or help): 2\n"
    );
}

#[test]
fn undo_and_redo_are_refused_outside_a_game() {
    let start = Position::start(6, 4, Rules::CS32).expect("a start");
    let mut output = Vec::new();
    let mut human = HumanPlayer::new("Marge", &b"undo\nredo\nresign\n"[..], &mut output);
    assert!(human.is_interactive());
    assert_eq!(human.choose_move(&start, NO_LIMIT), None);
    drop(human);
    let output = String::from_utf8(output).expect("text");
    assert!(output.contains("there is nothing to undo.\n"));
    assert!(output.contains("there is nothing to redo.\n"));
}

/// An input and output that fails.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the input is broken"))
    }
}

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("the output is broken"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn input_and_output_errors_leave_the_game_and_are_reported() {
    let start = game("6x4", Rules::CS32);
    let mut without_input = HumanPlayer::new("Marge", BufReader::new(Broken), io::sink());
    assert_eq!(
        without_input.next_action(&start, NO_LIMIT),
        PlayerAction::Quit
    );
    assert!(matches!(
        without_input.take_error(),
        Some(PromptError::Input(_))
    ));
    assert!(without_input.take_error().is_none());
    let mut without_output = HumanPlayer::new("Marge", &b"1\n"[..], Broken);
    assert_eq!(
        without_output.next_action(&start, NO_LIMIT),
        PlayerAction::Quit
    );
    assert!(matches!(
        without_output.take_error(),
        Some(PromptError::Output(_))
    ));
}
