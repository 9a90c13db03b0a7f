//! Whatever is typed, piped or handed over, the program ends in good order.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};

use proptest::prelude::*;

fn kalah(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalah"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs to the end with these bytes typed.
fn type_in(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_owned();
    let typist = std::thread::spawn(move || {
        // It may be gone before it has read everything.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("it ends");
    typist.join().expect("no panic");
    output
}

/// Reads one line, closes the pipe, and gives that line, the errors and the exit code.
fn first_line_only(arguments: &[&str]) -> (String, String, ExitStatus) {
    let mut child = kalah(arguments).spawn().expect("it starts");
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    stdout.read_line(&mut line).expect("a line");
    drop(stdout);
    let mut errors = String::new();
    let mut stderr = child.stderr.take().expect("piped");
    stderr.read_to_string(&mut errors).expect("text");
    (line, errors, child.wait().expect("it ends"))
}

#[test]
fn a_closed_pipe_ends_a_command_silently() {
    let programs = [
        "play",
        "--south",
        "random",
        "--north",
        "minimax:2",
        "--board",
        "26x100",
        "--no-pause",
    ];
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
        let (line, errors, status) = first_line_only(arguments);
        assert!(line.starts_with(first), "{arguments:?}: {line}");
        assert_eq!(errors, "", "{arguments:?}");
        assert!(status.success(), "{arguments:?}: {status}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn misuse_is_misuse_also_if_nobody_can_be_told() {
    for arguments in [&["dance"][..], &["show", "26x65535"]] {
        let full = File::options()
            .write(true)
            .open("/dev/full")
            .expect("it is there");
        let status = kalah(arguments).stderr(full).status().expect("it ends");
        assert_eq!(status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_person_whose_screen_is_gone_leaves_silently() {
    let mut child = kalah(["play"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("piped");
    let _ = stdin.write_all(b"1\n");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure_that_is_told() {
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
            .expect("it is there");
        let output = kalah(arguments).stdout(full).output().expect("it ends");
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
fn an_input_that_cannot_be_read_is_a_failure_that_is_told() {
    let directory = File::open(Path::new("/")).expect("it is there");
    let output = kalah(["play"]).stdin(directory).output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.starts_with("error: cannot read the input: "),
        "{errors}"
    );
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.ends_with("or help): \nUnfinished 0-0\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_misused_words_or_names_of_files() {
    use std::os::unix::ffi::OsStrExt as _;
    let noise = OsStr::from_bytes(b"\xff\xfe6x4");
    for arguments in [
        vec![noise],
        vec![OsStr::new("show"), noise],
        vec![OsStr::new("play"), OsStr::new("--south-name"), noise],
        vec![OsStr::new("frame"), noise],
    ] {
        let output = kalah(&arguments).output().expect("it ends");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let errors = String::from_utf8(output.stderr).expect("text");
        assert!(errors.starts_with("error: "), "{arguments:?}");
        let first = errors.lines().next().expect("a line");
        assert!(
            first.contains("'\u{fffd}\u{fffd}6x4'"),
            "{arguments:?}: {errors}"
        );
    }
    let output = kalah([OsStr::new("replay"), noise])
        .output()
        .expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.starts_with(b"error: cannot read '"));
}

#[test]
fn a_flood_without_an_end_of_line_is_one_bad_line() {
    let flood = b"3".repeat(20 << 20);
    let output = type_in(kalah(["play", "--north", "first"]), &flood);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(
        text.matches("this line is too long for an answer.").count(),
        1
    );
    assert!(text.len() < 10_000);
}

#[test]
fn one_seed_is_one_game() {
    let game = |seed: &str| {
        let arguments = [
            "play", "--south", "random", "--north", "random", "--seed", seed,
        ];
        let output = kalah(arguments).output().expect("it ends");
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(game("7"), game("7"));
    assert_ne!(game("7"), game("8"));
    let both = game("7");
    let houses = |side: &str| {
        let sowings = both.lines().filter(|line| line.starts_with(side));
        let houses = sowings.filter_map(|line| line.split("sows house ").nth(1)?.chars().next());
        houses.take(12).collect::<String>()
    };
    assert_ne!(houses("South"), houses("North"));
}

#[test]
fn colours_are_for_terminals() {
    let arguments = ["play", "--south", "first", "--north", "first"];
    let output = kalah(arguments).output().expect("it ends");
    assert!(!output.stdout.contains(&0x1b));
}

/// Something that a person, or a cat on the keyboard, may type.
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

    /// Random lines make no panic, and the last line is always a result.
    #[test]
    fn random_lines_do_no_harm(
        lines in proptest::collection::vec(line(), 0..80),
        labels in prop_oneof![Just("columns"), Just("letters"), Just("yale")],
        rules in prop_oneof![Just("cs32"), Just("mankalah")],
        north in prop_oneof![Just("first"), Just("human")],
    ) {
        let arguments = ["play", "--board", "3x2", "--labels", labels, "--rules", rules, "--north", north];
        let output = type_in(kalah(arguments), &lines.join(&b'\n'));
        let text = String::from_utf8(output.stdout).expect("text");
        prop_assert!(output.status.success(), "{}", text);
        prop_assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let last = text.lines().last().expect("a line");
        prop_assert!(
            last.starts_with("Unfinished ") || last.starts_with("Tie ") || last.contains(" wins "),
            "{}", last
        );
    }

    /// Random arguments end with one of the three codes, and complain as they should.
    #[test]
    fn random_positions_are_shown_or_refused(text in "[<>0-9x, sn=ply]{0,24}|\\PC{0,16}") {
        let output = kalah(["show", "--json", "--", &text]).output().expect("it ends");
        let errors = String::from_utf8(output.stderr).expect("text");
        match output.status.code() {
            Some(0) => prop_assert_eq!(errors, ""),
            Some(2) => prop_assert!(errors.starts_with("error: "), "{}", errors),
            code => prop_assert!(false, "{:?}: {}", code, errors),
        }
    }
}
