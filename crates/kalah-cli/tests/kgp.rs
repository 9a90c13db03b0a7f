//! `kalah kgp` as its peers see it.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use kalah::{Position, Rules};
use kalah_protocols::kgp::{ChildMove, KgpBoard, format_child_state};

fn child(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kalah"))
        .args(["kgp", "child", "--tables", "none"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_owned()).expect("text")
}

#[test]
fn a_child_answers_every_state_and_passes_over_nonsense() {
    let input = "3\n0 1\n2 4 5\n6 7 8\n\
        6 0 0 4 4 4 4 4 4 4 4 4 4 4 4\nnonsense\n1\n5 5 0 1\n1 65535 0 1 1\n\
        2 0 0 0 1 1 1\n3 0 0";
    let output = child(&["--player", "first"], input);
    assert!(output.status.success());
    assert_eq!(text(&output.stdout), "0\n0\n1\n");
    assert_eq!(
        text(&output.stderr),
        "warning: `nonsense` is not a whole number\n\
         warning: <1,5,5,0,1> is over: there is nothing to sow\n\
         warning: <1,65535,0,1,1> cannot be played: 65537 seeds are too many: at most 65535 can be played, stores \
         included\n"
    );
}

#[test]
fn a_child_plays_a_whole_game_well() {
    let mut position = Position::start(4, 3, Rules::STANDARD).expect("it fits");
    let mut states = String::new();
    let mut answers = Vec::new();
    // What was answered before is the same again: the states grow by one each time.
    while !position.is_over() {
        states += &format_child_state(&KgpBoard::from(&position));
        let output = child(&["--player", "minimax:2"], &states);
        answers = text(&output.stdout).lines().map(str::to_owned).collect();
        let ChildMove(house) = answers.last().expect("an answer").parse().expect("a house");
        position.sow(house).expect("it is legal");
    }
    assert_eq!(states.lines().count(), answers.len() * 4);
}

#[test]
fn smart_keeps_the_time_of_a_child() {
    let start = Position::start(6, 6, Rules::STANDARD).expect("it fits");
    let began = std::time::Instant::now();
    let output = child(
        &["--time", "300ms"],
        &format_child_state(&KgpBoard::from(&start)),
    );
    // A proof would take far longer.
    assert!(began.elapsed() < std::time::Duration::from_mins(5));
    let ChildMove(house) = text(&output.stdout).parse().expect("an answer");
    assert!(start.legal_houses().any(|legal| legal == house));
}

#[test]
fn a_person_cannot_answer() {
    let output = child(&["--player", "human"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("nobody is there to be asked"));
}
