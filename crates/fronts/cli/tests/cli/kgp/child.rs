//! `kalah kgp child`: states on standard input, moves on standard output.

use kalah::{Position, Rules};
use kalah_kgp::{ChildMove, KgpBoard, format_child_state};

use crate::harness::{Finished, kalah, run_with_input};

fn child(arguments: &[&str], input: impl AsRef<[u8]>) -> Finished {
    let mut command = kalah(["kgp", "child", "--tables", "none"]);
    run_with_input(command.args(arguments), input)
}

#[test]
fn each_state_gets_a_move_and_malformed_input_a_warning() {
    let input = "3\n0 1\n2 4 5\n6 7 8\n\
        6 0 0 4 4 4 4 4 4 4 4 4 4 4 4\nnonsense\n1\n5 5 0 1\n1 65535 0 1 1\n\
        2 0 0 0 1 1 1\n";
    let output = child(&["--player", "first"], input);
    assert!(output.status.success());
    assert_eq!(output.stdout, "0\n0\n1\n");
    assert_eq!(
        output.stderr,
        "warning: `nonsense` is not a whole number\n\
         warning: <1,5,5,0,1> has no legal move\n\
         warning: <1,65535,0,1,1> cannot be played: 65537 seeds are too many: at most 65535 can be played, stores \
         included\n"
    );
}

#[test]
fn bytes_that_are_not_utf8_end_their_state_as_other_words_do() {
    let output = child(&["--player", "first"], b"3 0\n\xfc\n1 0 0 1 1\n");
    assert_eq!(output.stdout, "0\n");
    assert_eq!(output.stderr, "warning: `\u{fffd}` is not a whole number\n");
}

#[test]
fn input_that_ends_within_a_state_is_refused() {
    let output = child(&["--player", "first"], "1 0 0 1 1\n3 0 0 2 2");
    assert_eq!(output.stdout, "0\n");
    let errors = output.failure(1);
    assert_eq!(
        errors,
        "error: the input ends within a state: 5 of 9 numbers\n"
    );
}

#[test]
fn whole_game_is_played_with_legal_moves() {
    let mut position = Position::start(4, 3, Rules::STANDARD).expect("a start");
    let mut states = String::new();
    let mut moves = Vec::new();
    // Each child gets all states so far: the earlier moves are the same again.
    while !position.is_over() {
        states += &format_child_state(&KgpBoard::from(&position));
        let output = child(&["--player", "minimax:2"], &states);
        moves = output.success().lines().map(str::to_owned).collect();
        let ChildMove(house) = moves.last().expect("a move").parse().expect("a house");
        position.sow(house).expect("a legal move");
    }
    assert_eq!(states.lines().count(), moves.len() * 4);
}

#[test]
fn smart_returns_a_move_within_its_time() {
    let start = Position::start(7, 6, Rules::STANDARD).expect("a start");
    // Without the limit the child would run for hours.
    let output = child(
        &["--time", "300ms"],
        format_child_state(&KgpBoard::from(&start)),
    );
    let ChildMove(house) = output.success().parse().expect("a move");
    assert!(start.legal_houses().any(|legal| legal == house));
}

#[test]
fn player_human_is_refused() {
    let stderr = child(&["--player", "human"], "").failure(2);
    assert!(stderr.contains("expected a program"), "{stderr}");
}
