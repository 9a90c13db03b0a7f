//! Record files: complete before each prompt and at every moment, and resumed after a kill.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use kalah::record::{Record, RecordEntry};
use kalah::{Labels, Position, Rules, Setup, Side};

use crate::harness::{
    Process, args, args_with, kalah_in, run, run_with_input, temp_dir, wait_until,
};

/// The end of each prompt.
const PROMPT: &str = "or help): ";

/// Runs a command, which must succeed, and returns the last line of its output.
pub(super) fn last_line(directory: &Path, arguments: &[&str], input: &str) -> String {
    let output = output(directory, arguments, input);
    output.lines().last().expect("a line").to_owned()
}

/// Runs a command, which must succeed, and returns its output.
pub(super) fn output(directory: &Path, arguments: &[&str], input: &str) -> String {
    run_with_input(&mut kalah_in(directory, arguments), input).success()
}

/// Runs a command, which must fail, and returns its message.
pub(super) fn failure(directory: &Path, arguments: &[&str]) -> String {
    run(&mut kalah_in(directory, arguments)).failure(1)
}

pub(super) fn records(directory: &Path, file: &str) -> Vec<Record> {
    let text = fs::read_to_string(directory.join(file)).expect("a record file");
    Record::parse_all(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

pub(super) fn last_record(directory: &Path, file: &str) -> Record {
    records(directory, file).pop().expect("a game")
}

/// Starts a game over pipes.
pub(super) fn start(directory: &Path, arguments: &[&str]) -> Process {
    Process::spawn(&mut kalah_in(directory, arguments))
}

/// Reads up to the next prompt. Returns false if the output ends before it.
pub(super) fn reach_prompt(game: &mut Process) -> bool {
    game.read_until(PROMPT).is_some()
}

/// Returns the input for the last legal house of South.
fn last_house(position: &Position) -> String {
    let house = position.legal_houses().next_back().expect("a legal move");
    Labels::Columns.label(Side::South, house, position.houses())
}

pub(super) const GAME: [&str; 7] = [
    "play", "--board", "3x3", "--north", "first", "--record", "game.kgn",
];
const RESUMED: [&str; 5] = ["play", "--north", "first", "--resume", "game.kgn"];

/// Plays a game to its end and returns the number of prompts.
fn play_to_end(directory: &Path, mut session: Process) -> usize {
    let mut prompts = 0;
    while reach_prompt(&mut session) {
        prompts += 1;
        let record = last_record(directory, "game.kgn");
        session.send_line(last_house(record.game().position()));
    }
    session.wait().success();
    prompts
}

#[test]
fn game_killed_at_a_prompt_resumes_to_the_same_record() {
    let directory = temp_dir();
    let session = start(directory.path(), &GAME);
    let prompts = play_to_end(directory.path(), session);
    let expected = fs::read_to_string(directory.path().join("game.kgn")).expect("a record");
    assert!(prompts > 3, "only {prompts} prompts");

    for kill_at in 1..=prompts {
        let directory = temp_dir();
        let mut session = start(directory.path(), &GAME);
        let mut plies = 0;
        for prompt in 1..=kill_at {
            assert!(reach_prompt(&mut session));
            let record = last_record(directory.path(), "game.kgn");
            let game = record.game();
            // The record has all moves before the prompt.
            assert_eq!(game.position().to_move(), Side::South);
            assert!(prompt == 1 || game.plies().len() > plies);
            plies = game.plies().len();
            if prompt < kill_at {
                session.send_line(last_house(game.position()));
            }
        }
        session.kill();
        let resumed = start(directory.path(), &RESUMED);
        let left = play_to_end(directory.path(), resumed);
        assert_eq!(left, prompts - kill_at + 1, "killed at prompt {kill_at}");
        let text = fs::read_to_string(directory.path().join("game.kgn")).expect("a record");
        assert_eq!(text, expected, "killed at prompt {kill_at}");
    }
}

#[test]
fn game_of_programs_killed_at_any_moment_resumes() {
    for min_plies in [0, 1, 2, 4, 8, 12, 16, 24, 32] {
        let directory = temp_dir();
        let file = directory.path().join("game.kgn");
        let programs = ["--south", "random", "--north", "minimax:1", "--no-pause"];
        let arguments = [
            &[
                "play", "--board", "6x6", "--seed", "1", "--record", "game.kgn",
            ],
            &programs[..],
        ]
        .concat();
        let mut session = start(directory.path(), &arguments);
        // A game with fewer plies is killed after its end.
        let recorded = || {
            let text = fs::read_to_string(&file).ok()?;
            let mut records = Record::parse_all(&text).expect("a complete record");
            Some(records.pop()?.game().plies().len())
        };
        wait_until("some plies are recorded", || {
            recorded().is_some_and(|plies| plies >= min_plies) || !session.is_running()
        });
        session.kill();
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
fn file_has_a_complete_record_at_every_moment() {
    let directory = temp_dir();
    let file = directory.path().join("game.kgn");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut reads = 0;
            while !over.load(Ordering::Relaxed) {
                if let Ok(text) = fs::read_to_string(&file) {
                    let games = Record::parse_all(&text);
                    assert_eq!(games.map(|games| games.len()), Ok(1), "in {text:?}");
                    reads += 1;
                }
            }
            reads
        });
        // Undo shortens the record.
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
    let files: Vec<_> = fs::read_dir(directory.path())
        .expect("a directory")
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
}

#[test]
fn undone_ply_is_removed_before_the_next_prompt() {
    let directory = temp_dir();
    let mut session = start(directory.path(), &GAME);
    let plies = || {
        last_record(directory.path(), "game.kgn")
            .game()
            .plies()
            .len()
    };
    assert!(reach_prompt(&mut session));
    assert_eq!(plies(), 0);
    session.send_line("1");
    assert!(reach_prompt(&mut session));
    assert_eq!(plies(), 1); // A bonus turn.
    session.send_line("undo");
    assert!(reach_prompt(&mut session));
    assert_eq!(plies(), 0);
    session.send_line("redo");
    assert!(reach_prompt(&mut session));
    assert_eq!(plies(), 1);
    session.kill();
}

/// Returns a record without its date, which must be the first tag of a game.
fn without_date(text: &str) -> String {
    let start = text.find("[Date \"").expect("a date");
    let end = start + text[start..].find('\n').expect("an end of the line") + 1;
    let date = &text[start..end];
    let is_day = date.len() == "[Date \"2026.11.29\"]\n".len();
    assert!(is_day, "{date}");
    text.replacen(date, "", 1)
}

#[test]
fn record_has_the_players_the_start_and_the_result() {
    let directory = temp_dir();
    let arguments = args_with(
        "play --position {} --rules standard --north human \
         --south first --south-name {} --record game.kgn",
        &["<2,0,0,2,2,2,2> n", "Marge \"M\""],
    );
    let last = last_line(directory.path(), &arguments, "resign\n");
    assert_eq!(last, "South (Marge \"M\") wins by resignation");
    let text = fs::read_to_string(directory.path().join("game.kgn")).expect("a record");
    assert_eq!(
        without_date(&text),
        "[South \"Marge \\\"M\\\"\"]\n[North \"Human\"]\n[Rules \"standard\"]\n\
         [Position \"<2,0,0,2,2,2,2> n\"]\n[Result \"*\"]\n[Termination \"resign\"]\n\
         [Winner \"South\"]\n[SouthPlayer \"first\"]\n[NorthPlayer \"human\"]\n\n*\n"
    );
    // Resuming a finished game does not change its file.
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
fn finished_game_is_shown_and_not_continued() {
    let directory = temp_dir();
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
fn new_game_is_appended_to_the_file() {
    let directory = temp_dir();
    let file = directory.path().join("game.kgn");
    // Without a line end.
    let old = "1. CF a { so far } ( 1... c ) *";
    fs::write(&file, old).expect("a writable file");
    let arguments = [
        "play", "--board", "3x2", "--north", "first", "--record", "game.kgn",
    ];
    last_line(directory.path(), &arguments, "1\nquit\n");
    let text = fs::read_to_string(&file).expect("a record");
    assert!(
        without_date(&text).starts_with(&format!("{old}\n\n[South \"Human\"]\n")),
        "{text}"
    );
    let games = records(directory.path(), "game.kgn");
    assert_eq!(games.len(), 2);

    // The last game is resumed, and the first one is not changed.
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
fn resumed_game_keeps_comments_variations_and_tags() {
    let directory = temp_dir();
    let text = "[Event \"Saturday\"]\n[North \"Homer\"]\n[Opening \"odd\"]\n\n\
                1. A { slow } ( 1. CF ) a { so } 2. B { soon } *";
    fs::write(directory.path().join("game.kgn"), text).expect("a writable file");
    let arguments = args(
        "play --resume game.kgn --south human --north human \
         --south-name Marge --labels letters",
    );
    // North undoes South's second turn, and South makes another move.
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
fn resumed_game_is_recorded_in_another_file() {
    let directory = temp_dir();
    fs::write(directory.path().join("old.kgn"), "1. A a *").expect("a writable file");
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

    // Two names of the same file are one file.
    let arguments = args("play --resume new.kgn --record ./new.kgn --north first");
    last_line(directory.path(), &arguments, "");
    assert_eq!(records(directory.path(), "new.kgn").len(), 1);
}

#[test]
fn files_without_valid_records_are_refused_and_not_changed() {
    let directory = temp_dir();
    let path = directory.path();
    let file =
        |name: &str, bytes: &[u8]| fs::write(path.join(name), bytes).expect("a writable file");
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
            "error: 'bytes.kgn' is not UTF-8 text: line 1, byte 5 of the file; save it as UTF-8\n",
        ),
        (
            vec!["play", "--resume", "empty.kgn"],
            "error: 'empty.kgn' contains no game\n",
        ),
        (
            vec!["replay", "empty.kgn"],
            "error: 'empty.kgn' contains no game\n",
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
        let message = failure(path, &arguments);
        assert!(message.starts_with(expected), "{arguments:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    let read = |name: &str| fs::read(path.join(name)).expect("a file");
    assert_eq!(read("letter.txt"), b"Dear Homer,\n");
    assert_eq!(read("illegal.kgn"), b"1. CF a\n2. CC *\n");
    // An empty file is a file without games.
    last_line(path, &["play", "--record", "empty.kgn"], "");
    assert_eq!(records(path, "empty.kgn").len(), 1);
}

#[test]
fn each_start_is_recorded() {
    for (setup, rules) in [
        ("3x2", "standard"),
        ("<1,2,2,0,0> n", "cs32"),
        ("3x2 n ply=2", "mankalah"),
        ("2x2", "ends=row,capture=always,swap=yes,first-bonus=yes"),
    ] {
        let directory = temp_dir();
        let arguments = args_with(
            "play --position {} --rules {} --south first \
             --north first --record game.kgn",
            &[setup, rules],
        );
        let result = last_line(directory.path(), &arguments, "");
        let record = last_record(directory.path(), "game.kgn");
        let setup: Setup = setup.parse().expect("a setup");
        let rules: Rules = rules.parse().expect("rules");
        assert_eq!(record.start(), setup.position(rules).expect("a position"));
        let outcome = record.game().outcome().expect("an outcome");
        assert!(result.ends_with(&outcome.to_string()), "{result}");
    }
}

/// Three games, of which the second has an error.
const ONE_INVALID: &str =
    "[Event \"1\"]\n\n1. CF a *\n\n[Event \"2\"]\n\n1. CFF a *\n\n[Event \"3\"]\n\n1. D *\n";

#[test]
fn invalid_game_of_a_file_hides_no_other() {
    let directory = temp_dir();
    let path = directory.path().join("games.kgn");
    fs::write(&path, ONE_INVALID).expect("a writable folder");
    let in_folder = |arguments: &str| run(&mut kalah_in(directory.path(), &args(arguments)));
    let error =
        "error: 'games.kgn': game 2, line 7, column 6, turn 1...: sowing `F`: it is North's turn\n";
    for game in [1, 3] {
        let output = in_folder(&format!("replay games.kgn --game {game}")).success();
        assert!(
            output.starts_with(&format!("Game {game} of 3.\n")),
            "{output}"
        );
        let review = format!("review games.kgn --game {game} --time 1ms --threads 1 --tables none");
        assert!(
            in_folder(&review)
                .success()
                .starts_with(&format!("Game {game} of 3.\n"))
        );
    }
    assert_eq!(in_folder("replay games.kgn --game 2").failure(1), error);
    let text = ONE_INVALID.replace("[Event", "[Rules \"standard\"]\n[Event");
    fs::write(&path, text).expect("a writable folder");
    let output = in_folder("export games.kgn --format openspiel");
    assert_eq!(output.stdout, "[3, 6, 8]\n[4]\n");
    let errors = output.failure(1);
    assert!(
        errors.contains("error: 'games.kgn': game 2, line "),
        "{errors}"
    );
    assert!(
        errors.ends_with("error: not all games are exported: 2 games, 1 error\n"),
        "{errors}"
    );
    let output = in_folder("export games.kgn --format openspiel --out games.json");
    assert_eq!(output.failure(1), errors);
    let exported = fs::read_to_string(directory.path().join("games.json"));
    assert_eq!(exported.expect("a file"), "[3, 6, 8]\n[4]\n");
    // Without a valid game there is no file.
    fs::write(&path, "1. CFF *\n").expect("a writable folder");
    in_folder("export games.kgn --format openspiel --out none.json").failure(1);
    assert!(!directory.path().join("none.json").exists());
}

#[test]
fn game_of_a_large_file_is_read() {
    const BYTES: usize = 65 << 20;
    let directory = temp_dir();
    let game = format!(
        "[Position \"6x4\"]\n\n1. CF a {{{}}} 2. A *\n\n",
        "x".repeat(100_000)
    );
    let games = BYTES / game.len() + 1;
    fs::write(directory.path().join("large.kgn"), game.repeat(games)).expect("free space");
    let arguments = args("replay large.kgn --game 2 --json");
    let output = run(&mut kalah_in(directory.path(), &arguments));
    assert_eq!(output.json()["ply_count"], 4);
    let arguments = args("replay large.kgn --game 9999");
    let errors = run(&mut kalah_in(directory.path(), &arguments)).failure(1);
    assert_eq!(
        errors,
        format!("error: 'large.kgn' contains {games} games, but not game 9999\n")
    );
}
