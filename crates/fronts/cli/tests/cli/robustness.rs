//! Unusual input, arguments and pipes: the program ends with an exit code and a message.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use proptest::prelude::*;

use crate::harness::{Finished, Process, args, kalah, run, run_with_input};

/// Reads the first line of the output and closes the pipe. Returns the line and the rest.
fn first_line_only(arguments: &[&str]) -> (String, Finished) {
    let mut child = kalah(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdout.read_line(&mut line).expect("a line");
    drop(stdout);
    (line, Process::new(child).wait())
}

#[test]
fn closed_pipe_ends_a_command_without_a_message() {
    let programs = args("play --south random --north minimax:2 --board 26x100 --no-pause");
    for (arguments, first) in [
        (&["perft", "6x4", "9"][..], "1  6\n"),
        (&["tree", "6x4", "3"], "South to move: "),
        (&["frame", "10000"], "The board:\n"),
        (&["frame", "10000", "--json"], "{\"pits\":[{"),
        (&["rules"], "Each side has "),
        (&["completions", "zsh"], "#compdef kalah"),
        (&["show", "6x4"], "                North"),
        (&programs, "South (Random) plays North (Minimax)"),
    ] {
        let (line, rest) = first_line_only(arguments);
        assert!(line.starts_with(first), "{arguments:?}: {line}");
        assert_eq!(rest.success(), "", "{arguments:?}");
    }
}

#[test]
fn missing_folder_of_tables_is_an_error_at_the_start() {
    for command in [
        "analyze 3x2",
        "solve 3x2",
        "play --north first",
        "serve --addr 127.0.0.1:0",
        "engine",
        "kgp child",
        // No server listens at this address.
        "kgp connect tcp://127.0.0.1:9",
        "kgp serve --addr 127.0.0.1:0",
        "mankalah agent",
    ] {
        let errors = run(kalah(args(command)).args(["--tables", "./nope"])).failure(1);
        assert_eq!(errors, "error: there is no folder './nope'\n", "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn usage_error_on_a_full_disk_keeps_its_exit_code() {
    for arguments in [&["dance"][..], &["show", "26x65535"]] {
        let full = File::options()
            .write(true)
            .open("/dev/full")
            .expect("an existing file");
        let status = kalah(arguments).stderr(full).status().expect("a process");
        assert_eq!(status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn play_with_a_closed_output_ends_without_a_message() {
    let mut play = Process::with_closed_output(&mut kalah(["play"]));
    play.send_line("1");
    assert_eq!(play.finish().success(), "");
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_an_error() {
    for arguments in [
        &["show", "6x4"][..],
        &["show", "6x4", "--json"],
        &["perft", "6x4", "2"],
        &["completions", "bash"],
        &["play", "--south", "first", "--north", "first"],
        &["play"],
        &["--help"],
        &["--version"],
    ] {
        let full = File::options()
            .write(true)
            .open("/dev/full")
            .expect("an existing file");
        let output = kalah(arguments).stdout(full).output().expect("a process");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
        assert!(
            errors.starts_with("error: cannot write the output: No space left on device"),
            "{arguments:?}: {errors}"
        );
    }
}

#[cfg(unix)]
#[test]
fn unreadable_input_is_an_error() {
    let directory = File::open(Path::new("/")).expect("an existing file");
    let output = kalah(["play"])
        .stdin(directory)
        .output()
        .expect("a process");
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.starts_with("error: cannot read the input: "),
        "{errors}"
    );
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.ends_with("or help): \nUnfinished 0-0\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8_are_refused_except_as_file_names() {
    use std::os::unix::ffi::OsStrExt as _;
    let invalid = OsStr::from_bytes(b"\xff\xfe6x4");
    for arguments in [
        vec![invalid],
        vec![OsStr::new("show"), invalid],
        vec![OsStr::new("play"), OsStr::new("--south-name"), invalid],
        vec![OsStr::new("frame"), invalid],
    ] {
        let errors = run(&mut kalah(&arguments)).failure(2);
        assert!(errors.starts_with("error: "), "{arguments:?}");
        let first = errors.lines().next().expect("a line");
        assert!(
            first.contains("'\u{fffd}\u{fffd}6x4'"),
            "{arguments:?}: {errors}"
        );
    }
    let errors = run(&mut kalah([OsStr::new("replay"), invalid])).failure(1);
    assert!(errors.starts_with("error: cannot read '"), "{errors}");
}

#[test]
fn endless_line_is_one_malformed_line() {
    let line = b"3".repeat(20 << 20);
    let text = run_with_input(&mut kalah(["play", "--north", "first"]), line).success();
    assert_eq!(text.matches("the line is too long.").count(), 1);
    assert!(text.len() < 10_000);
}

#[test]
fn games_with_the_same_seed_are_equal() {
    let game = |seed: &str| {
        let arguments = [
            "play", "--south", "random", "--north", "random", "--seed", seed,
        ];
        run(&mut kalah(arguments)).success()
    };
    assert_eq!(game("7"), game("7"));
    assert_ne!(game("7"), game("8"));
    // The two players do not share a generator.
    let game = game("7");
    let houses = |side: &str| {
        let sowings = game.lines().filter(|line| line.starts_with(side));
        let houses = sowings.filter_map(|line| line.split("sows house ").nth(1)?.chars().next());
        houses.take(12).collect::<String>()
    };
    assert_ne!(houses("South"), houses("North"));
}

#[test]
fn pipe_gets_no_colours() {
    let arguments = ["play", "--south", "first", "--north", "first"];
    assert!(!run(&mut kalah(arguments)).success().contains('\u{1b}'));
}

/// Returns lines of input: houses, words, and random text and bytes.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let word = |word: &'static str| Just(word.as_bytes().to_vec());
    prop_oneof![
        6 => (1..=6_u32).prop_map(|house| house.to_string().into_bytes()),
        2 => word("undo"),
        1 => word("redo"),
        1 => word("help"),
        1 => word("swap"),
        1 => word("save /"),
        2 => "\\PC{0,20}".prop_map(String::into_bytes),
        2 => proptest::collection::vec(any::<u8>(), 0..30),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn game_with_random_lines_ends_with_a_result(
        lines in proptest::collection::vec(line(), 0..80),
        labels in prop_oneof![Just("columns"), Just("letters"), Just("yale")],
        rules in prop_oneof![Just("cs32"), Just("mankalah")],
        north in prop_oneof![Just("first"), Just("human")],
    ) {
        let arguments = ["play", "--board", "3x2", "--labels", labels, "--rules", rules, "--north", north];
        let output = run_with_input(&mut kalah(arguments), lines.join(&b'\n'));
        prop_assert!(output.status.success(), "{:?}", output);
        prop_assert_eq!(output.stderr, "");
        let text = output.stdout;
        let last = text.lines().last().expect("a line");
        prop_assert!(
            last.starts_with("Unfinished ") || last.starts_with("Tie ") || last.contains(" wins "),
            "{}", last
        );
    }

    #[test]
    fn random_positions_are_shown_or_refused(text in "[<>0-9x, sn=ply]{0,24}|\\PC{0,16}") {
        let output = run(&mut kalah(["show", "--json", "--", &text]));
        let (code, errors) = (output.code(), output.stderr);
        match code {
            Some(0) => prop_assert_eq!(errors, ""),
            Some(2) => prop_assert!(errors.starts_with("error: "), "{}", errors),
            code => prop_assert!(false, "{:?}: {}", code, errors),
        }
    }
}
