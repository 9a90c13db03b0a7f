//! Records on disk: there before the next prompt, whole at every moment, and good to go on with.

mod players;
mod saving;

use std::fs;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use kalah::record::{Record, RecordEntry};
use kalah::{Labels, Position, Rules, Setup, Side};
use tempfile::TempDir;

/// How every question ends.
const PROMPT: &str = "or help): ";

fn kalah(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalah"));
    command
        .current_dir(directory)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs to the end, with `input` typed.
fn run(directory: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = kalah(directory, arguments).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    // Whoever needs no input may be gone before it is written.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

/// Runs to the end, which must be a good one, and gives the last line.
fn last_line(directory: &Path, arguments: &[&str], input: &str) -> String {
    let output = run(directory, arguments, input);
    let text = String::from_utf8(output.stdout).expect("text");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {text}{complaint}");
    assert_eq!(complaint, "", "{arguments:?}");
    text.lines().last().expect("a line").to_owned()
}

/// Runs to the end, which must be a good one, and gives what is shown.
fn shown(directory: &Path, arguments: &[&str], input: &str) -> String {
    let output = run(directory, arguments, input);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Runs to the end, which must be a failure of that code, and gives what it complains about.
fn complaint(directory: &Path, arguments: &[&str], code: i32) -> String {
    let output = run(directory, arguments, "");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

fn records(directory: &Path, file: &str) -> Vec<Record> {
    let text = fs::read_to_string(directory.join(file)).expect("the record is there");
    Record::parse_all(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

fn last_record(directory: &Path, file: &str) -> Record {
    records(directory, file).pop().expect("a game")
}

fn here() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

/// A game that is being played through pipes.
struct Session {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Session {
    fn begin(directory: &Path, arguments: &[&str]) -> Self {
        let mut child = kalah(directory, arguments).spawn().expect("it starts");
        Self {
            stdin: child.stdin.take().expect("piped"),
            stdout: BufReader::new(child.stdout.take().expect("piped")),
            child,
        }
    }

    /// Reads on to the next prompt; false if there is none any more.
    fn asks(&mut self) -> bool {
        let mut heard = String::new();
        let mut byte = [0];
        while !heard.ends_with(PROMPT) {
            match self.stdout.read(&mut byte).expect("it can be read") {
                0 => return false,
                _ => heard.push(byte[0].into()),
            }
        }
        true
    }

    fn says(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("it listens");
    }

    /// Without a chance to do anything else.
    fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }
}

/// What South types who always sows its last legal house.
fn last_house(position: &Position) -> String {
    let house = position.legal_houses().next_back().expect("it can move");
    Labels::Columns.label(Side::South, house, position.houses())
}

const GAME: [&str; 7] = [
    "play", "--board", "3x3", "--north", "first", "--record", "game.kgn",
];
const RESUMED: [&str; 5] = ["play", "--north", "first", "--resume", "game.kgn"];

/// Answers every question, and gives the number of questions.
fn play_on(directory: &Path, mut session: Session) -> usize {
    let mut questions = 0;
    while session.asks() {
        questions += 1;
        let record = last_record(directory, "game.kgn");
        session.says(&last_house(record.game().position()));
    }
    let status = session.child.wait().expect("it ends");
    assert!(status.success());
    questions
}

#[test]
fn a_game_killed_at_any_prompt_goes_on_as_if_nothing_had_been() {
    let directory = here();
    let whole = Session::begin(directory.path(), &GAME);
    let questions = play_on(directory.path(), whole);
    let expected = fs::read_to_string(directory.path().join("game.kgn")).expect("a record");
    assert!(questions > 3, "only {questions} questions");

    for kill_at in 1..=questions {
        let directory = here();
        let mut session = Session::begin(directory.path(), &GAME);
        let mut plies = 0;
        for question in 1..=kill_at {
            assert!(session.asks());
            let record = last_record(directory.path(), "game.kgn");
            let game = record.game();
            // The record is never behind the question.
            assert_eq!(game.position().to_move(), Side::South);
            assert!(question == 1 || game.plies().len() > plies);
            plies = game.plies().len();
            if question < kill_at {
                session.says(&last_house(game.position()));
            }
        }
        session.kill();
        let resumed = Session::begin(directory.path(), &RESUMED);
        let left = play_on(directory.path(), resumed);
        assert_eq!(
            left,
            questions - kill_at + 1,
            "killed at question {kill_at}"
        );
        let text = fs::read_to_string(directory.path().join("game.kgn")).expect("a record");
        assert_eq!(text, expected, "killed at question {kill_at}");
    }
}

#[test]
fn a_game_of_programs_killed_at_any_moment_goes_on() {
    for plies_at_least in [0, 1, 2, 4, 8, 12, 16, 24, 32] {
        let directory = here();
        let file = directory.path().join("game.kgn");
        let programs = ["--south", "random", "--north", "minimax:1", "--no-pause"];
        let arguments = [
            &[
                "play", "--board", "6x6", "--seed", "1", "--record", "game.kgn",
            ],
            &programs[..],
        ]
        .concat();
        let mut child = kalah(directory.path(), &arguments)
            .spawn()
            .expect("it starts");
        // A game that is over sooner is killed after its end.
        let recorded = || {
            let text = fs::read_to_string(&file).ok()?;
            let mut records = Record::parse_all(&text).expect("a whole record");
            Some(records.pop()?.game().plies().len())
        };
        while recorded().is_none_or(|plies| plies < plies_at_least)
            && child.try_wait().expect("it can be asked").is_none()
        {
            std::thread::yield_now();
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        let plies = last_record(directory.path(), "game.kgn")
            .game()
            .plies()
            .len();
        let arguments = [&["play", "--resume", "game.kgn"], &programs[..]].concat();
        last_line(directory.path(), &arguments, "");
        let game = last_record(directory.path(), "game.kgn").game();
        assert!(game.plies().len() >= plies);
        assert!(game.outcome().is_some());
    }
}

#[test]
fn whoever_reads_the_file_finds_a_whole_record() {
    let directory = here();
    let file = directory.path().join("game.kgn");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut found = 0;
            while !over.load(Ordering::Relaxed) {
                if let Ok(text) = fs::read_to_string(&file) {
                    let games = Record::parse_all(&text);
                    assert_eq!(games.map(|games| games.len()), Ok(1), "in {text:?}");
                    found += 1;
                }
            }
            found
        });
        // Undo makes the record shorter, too.
        let turns = "1\n2\nundo\nundo\n".repeat(20);
        let input = format!("{turns}quit\n");
        let arguments = ["play", "--north", "first", "--record", "game.kgn"];
        assert_eq!(
            last_line(directory.path(), &arguments, &input),
            "Unfinished 0-0"
        );
        over.store(true, Ordering::Relaxed);
        assert!(reader.join().expect("no panic") > 0);
    });
    let left: Vec<_> = fs::read_dir(directory.path())
        .expect("a directory")
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn an_undone_ply_leaves_the_record_before_the_next_prompt() {
    let directory = here();
    let mut session = Session::begin(directory.path(), &GAME);
    let plies = || {
        last_record(directory.path(), "game.kgn")
            .game()
            .plies()
            .len()
    };
    assert!(session.asks());
    assert_eq!(plies(), 0);
    session.says("1");
    assert!(session.asks());
    assert_eq!(plies(), 1); // A bonus turn.
    session.says("undo");
    assert!(session.asks());
    assert_eq!(plies(), 0);
    session.says("redo");
    assert!(session.asks());
    assert_eq!(plies(), 1);
    session.kill();
}

#[test]
fn the_record_says_who_played_what_and_how_it_ended() {
    let directory = here();
    let arguments = [
        "play",
        "--position",
        "<2,0,0,2,2,2,2> n",
        "--rules",
        "standard",
        "--north",
        "human",
        "--south",
        "first",
        "--south-name",
        "Marge \"M\"",
        "--record",
        "game.kgn",
    ];
    let last = last_line(directory.path(), &arguments, "resign\n");
    assert_eq!(last, "South (Marge \"M\") wins by resignation");
    let text = fs::read_to_string(directory.path().join("game.kgn")).expect("a record");
    assert_eq!(
        text,
        "[South \"Marge \\\"M\\\"\"]\n[North \"Human\"]\n[Rules \"standard\"]\n\
         [Position \"<2,0,0,2,2,2,2> n\"]\n[Result \"*\"]\n[Termination \"resign\"]\n\
         [Winner \"South\"]\n[SouthPlayer \"first\"]\n[NorthPlayer \"human\"]\n\n*\n"
    );
    // It is over, and nothing is written.
    let resumed = ["play", "--resume", "game.kgn", "--south-name", "Bart"];
    assert_eq!(
        last_line(directory.path(), &resumed, "1\n"),
        "South (Bart) wins by resignation"
    );
    assert_eq!(
        fs::read_to_string(directory.path().join("game.kgn")).expect("a record"),
        text
    );
}

#[test]
fn a_finished_game_is_shown_and_not_played() {
    let directory = here();
    let arguments = [
        "play", "--board", "2x1", "--south", "first", "--north", "first", "--record", "game.kgn",
    ];
    let result = last_line(directory.path(), &arguments, "");
    assert_eq!(
        last_line(
            directory.path(),
            &["play", "--resume", "game.kgn"],
            "1\n2\n"
        ),
        result
    );
    assert_eq!(
        last_line(directory.path(), &["replay", "game.kgn"], ""),
        result
    );
}

#[test]
fn a_new_game_goes_behind_the_games_of_the_file() {
    let directory = here();
    let file = directory.path().join("game.kgn");
    // With no empty line at its end.
    let old = "1. CF a { so far } ( 1... c ) *";
    fs::write(&file, old).expect("it can be written");
    let arguments = [
        "play", "--board", "3x2", "--north", "first", "--record", "game.kgn",
    ];
    last_line(directory.path(), &arguments, "1\nquit\n");
    let text = fs::read_to_string(&file).expect("a record");
    assert!(
        text.starts_with(&format!("{old}\n\n[South \"Human\"]\n")),
        "{text}"
    );
    let games = records(directory.path(), "game.kgn");
    assert_eq!(games.len(), 2);

    // The last one goes on, and the first one stays what it was.
    last_line(
        directory.path(),
        &["play", "--north", "first", "--resume", "game.kgn"],
        "2\n",
    );
    let after = records(directory.path(), "game.kgn");
    assert_eq!(after.len(), 2);
    assert_eq!(after[0], games[0]);
    let plies = |record: &Record| record.game().plies().len();
    assert!(plies(&after[1]) > plies(&games[1]));
    assert!(
        games[1]
            .main_line()
            .eq(after[1].main_line().take(plies(&games[1])))
    );
}

#[test]
fn comments_variations_and_tags_stay_when_a_game_goes_on() {
    let directory = here();
    let text = "[Event \"Saturday\"]\n[North \"Homer\"]\n[Opening \"odd\"]\n\n\
                1. A { slow } ( 1. CF ) a { so } 2. B { soon } *";
    fs::write(directory.path().join("game.kgn"), text).expect("it can be written");
    let arguments = [
        "play",
        "--resume",
        "game.kgn",
        "--south",
        "human",
        "--north",
        "human",
        "--south-name",
        "Marge",
        "--labels",
        "letters",
    ];
    // North takes back South's second turn, as South had it, and South answers otherwise.
    last_line(directory.path(), &arguments, "undo\nD\n");
    let record = last_record(directory.path(), "game.kgn");
    assert_eq!(record.tags().get("Event"), Some("Saturday"));
    assert_eq!(record.tags().get("Opening"), Some("odd"));
    assert_eq!(record.tags().get("South"), Some("Marge"));
    assert_eq!(record.tags().get("North"), Some("Homer"));
    let text = record.to_string();
    let moves = text.rsplit_once("\n\n").expect("tags and moves").1;
    assert_eq!(moves, "1. A { slow } ( 1. CF ) 1... a { so } 2. D *\n");
    let comments = record.entries().iter();
    assert_eq!(
        comments
            .filter(|entry| matches!(entry, RecordEntry::Comment(_)))
            .count(),
        2
    );
}

#[test]
fn a_resumed_game_may_be_recorded_elsewhere() {
    let directory = here();
    fs::write(directory.path().join("old.kgn"), "1. A a *").expect("it can be written");
    let arguments = [
        "play", "--resume", "old.kgn", "--record", "new.kgn", "--north", "first",
    ];
    assert_eq!(
        last_line(directory.path(), &arguments, "2\n"),
        "Unfinished 1-0"
    );
    let old = fs::read_to_string(directory.path().join("old.kgn")).expect("a record");
    assert_eq!(old, "1. A a *");
    assert!(
        last_record(directory.path(), "new.kgn")
            .game()
            .plies()
            .len()
            > 2
    );

    // Twice the same file is once, also by another name.
    let arguments = [
        "play",
        "--resume",
        "new.kgn",
        "--record",
        "./new.kgn",
        "--north",
        "first",
    ];
    last_line(directory.path(), &arguments, "");
    assert_eq!(records(directory.path(), "new.kgn").len(), 1);
}

#[test]
fn what_is_no_record_is_not_touched() {
    let directory = here();
    let path = directory.path();
    let file = |name: &str, bytes: &[u8]| fs::write(path.join(name), bytes).expect("written");
    file("letter.txt", b"Dear Homer,\n");
    file("illegal.kgn", b"1. CF a\n2. CC *\n");
    file("bytes.kgn", b"1. C\xff *\n");
    file("empty.kgn", b"");
    for (arguments, expected) in [
        (
            vec!["play", "--record", "letter.txt"],
            "error: 'letter.txt': line 1, column 3, turn 2: sowing `a`: ",
        ),
        (
            vec!["play", "--resume", "illegal.kgn"],
            "error: 'illegal.kgn': line 2, column 4, turn 2: sowing `C`: house C is empty\n",
        ),
        (
            vec!["replay", "illegal.kgn"],
            "error: 'illegal.kgn': line 2, column 4, turn 2: sowing `C`: house C is empty\n",
        ),
        (
            vec!["replay", "bytes.kgn", "--json"],
            "error: 'bytes.kgn' is not UTF-8 text: line 1, byte 5 of the file\n",
        ),
        (
            vec!["play", "--resume", "empty.kgn"],
            "error: 'empty.kgn' has no game 1: it holds 0\n",
        ),
        (
            vec!["replay", "empty.kgn"],
            "error: 'empty.kgn' has no game 1: it holds 0\n",
        ),
        (
            vec!["play", "--resume", "missing.kgn"],
            "error: cannot read 'missing.kgn': ",
        ),
        (
            vec!["replay", "missing.kgn"],
            "error: cannot read 'missing.kgn': ",
        ),
        (vec!["replay", "."], "error: cannot read '.': "),
        (
            vec!["play", "--record", "."],
            "error: cannot write '.': it is not a regular file\n",
        ),
        (
            vec!["play", "--record", "no/such.kgn"],
            "error: cannot write 'no/such.kgn': ",
        ),
    ] {
        let complaint = complaint(path, &arguments, 1);
        assert!(
            complaint.starts_with(expected),
            "{arguments:?}: {complaint}"
        );
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
    }
    let read = |name: &str| fs::read(path.join(name)).expect("it is there");
    assert_eq!(read("letter.txt"), b"Dear Homer,\n");
    assert_eq!(read("illegal.kgn"), b"1. CF a\n2. CC *\n");
    // An empty file is as good as none.
    last_line(path, &["play", "--record", "empty.kgn"], "");
    assert_eq!(records(path, "empty.kgn").len(), 1);
}

#[test]
fn the_start_is_recorded_whatever_it_is() {
    for (setup, rules) in [
        ("3x2", "standard"),
        ("<1,2,2,0,0> n", "cs32"),
        ("3x2 n ply=2", "mankalah"),
        ("2x2", "ends=row,capture=always,swap=yes,first-bonus=yes"),
    ] {
        let directory = here();
        let arguments = [
            "play",
            "--position",
            setup,
            "--rules",
            rules,
            "--south",
            "first",
            "--north",
            "first",
            "--record",
            "game.kgn",
        ];
        let result = last_line(directory.path(), &arguments, "");
        let record = last_record(directory.path(), "game.kgn");
        let typed: Setup = setup.parse().expect("a setup");
        let rules: Rules = rules.parse().expect("rules");
        assert_eq!(record.start(), typed.position(rules).expect("a position"));
        let outcome = record.game().outcome().expect("it is over");
        assert!(result.ends_with(&outcome.to_string()), "{result}");
    }
}
