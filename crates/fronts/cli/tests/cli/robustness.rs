//! Unusual input, arguments and pipes: the program ends with an exit code and a message.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

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
fn network_that_is_not_one_is_named_with_the_reason() {
    let network = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../core/engine/src/evaluation/kalah.network");
    let whole = std::fs::read(network).expect("the network of the repository");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cut.network");
    let text = path.to_str().expect("a path of text");
    let analyze = ["analyze", "4x3", "--time", "10ms", "--network", text];
    std::fs::write(&path, &whole).expect("a file");
    run(&mut kalah(analyze)).success();
    std::fs::write(&path, &whole[..whole.len() - 2]).expect("a file");
    for arguments in [&analyze[..], &["engine", "--network", text]] {
        let message = format!(
            "error: invalid value '{text}' for '--network <FILE>': 44330 bytes after the header in \
             place of 44332\n\nFor more information, try '--help'.\n"
        );
        assert_eq!(run(&mut kalah(arguments)).failure(2), message);
    }
    let missing = run(&mut kalah(["solve", "4x3", "--network", "no/such.network"])).failure(2);
    assert!(
        missing.contains("invalid value 'no/such.network' for '--network <FILE>': "),
        "{missing}"
    );
}

#[test]
fn byte_order_mark_before_the_input_is_skipped() {
    let child = "3 0 0 2 2 2 2 2 2\n";
    let agent = "START;South\nEND\n";
    for (arguments, input, expected) in [
        ("engine --tables none", "uki\nquit\n", "ukiok\n"),
        (
            "play --plain --board 3x2 --north first",
            "quit\n",
            "Unfinished",
        ),
        ("kgp child --player first", child, "0\n"),
        ("mankalah agent --player first", agent, "MOVE;1\n"),
        (
            "puzzle --board 4x3 --min-depth 1 --seed 1 --count 1",
            "quit\n",
            "Puzzle",
        ),
        ("import - --from openspiel", "3 6\n", "CF"),
        (
            "export - --format openspiel",
            "[Rules \"standard\"]\n\n1. CF *\n",
            "[3, 6]\n",
        ),
    ] {
        let outputs = ["", "\u{feff}"].map(|mark| {
            let input = format!("{mark}{input}");
            let output = run_with_input(&mut kalah(args(arguments)), input);
            (output.code(), output.stdout, output.stderr)
        });
        assert_eq!(outputs[0], outputs[1], "{arguments}");
        assert!(outputs[0].1.contains(expected), "{arguments}: {outputs:?}");
    }
}

/// A library that lets the start of a thread fail after a number of threads.
const THREAD_LIMIT: &str = r#"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <atomic>

static std::atomic<int> threads_left{atoi(getenv("MAX_THREADS"))};

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*work)(void*), void* argument) {
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return threads_left-- > 0 ? create(thread, attributes, work, argument) : EAGAIN;
}
"#;

#[cfg(target_os = "linux")]
#[cfg_attr(not(has_gpp), ignore = "g++ not found")]
#[test]
fn missing_threads_are_no_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, library) = (
        folder.path().join("limit.cpp"),
        folder.path().join("limit.so"),
    );
    std::fs::write(&source, THREAD_LIMIT).expect("a writable folder");
    let mut compiler = Command::new("g++");
    run(compiler
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source]))
    .success();
    // These run for ever if they have a thread.
    let servers = ["serve --addr 127.0.0.1:0", "kgp serve --addr 127.0.0.1:0"];
    let commands = [
        "analyze 6x4 --threads 8 --memory 1MiB --time 200ms --tables none",
        "solve 3x3 --threads 8 --memory 1MiB --tables none",
        "prove 3x3 --threads 8 --memory 1MiB --tables none --store x.proof",
        "tables build --houses 3 --seeds 5 --dir tables",
        "engine --threads 2",
        "arena --engine first --engine cmd=cat,proto=mankalah --time 1s --rounds 1 --concurrency 4 --out x",
        "arena --engine first --engine random --board 3x2 --rounds 2 --concurrency 4 --out x",
    ];
    for threads in 0..6 {
        let servers = servers.iter().filter(|_| threads == 0);
        for command in commands.iter().chain(servers) {
            let folder = tempfile::tempdir().expect("a folder");
            let mut limited = kalah(args(command));
            limited
                .current_dir(&folder)
                .env("LD_PRELOAD", &library)
                .env("MAX_THREADS", threads.to_string());
            let output = run_with_input(&mut limited, "go nodes 1000\n");
            let has_ended = matches!(output.code(), Some(0 | 1));
            let is_expected = has_ended && !output.stderr.contains("panicked");
            assert!(is_expected, "{threads} threads, {command}: {output:?}");
        }
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
    assert_eq!(
        text.matches("the line is longer than 16,384 bytes.")
            .count(),
        1
    );
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
            // The text is a path.
            Some(1) => prop_assert!(errors.starts_with("error: cannot read "), "{}", errors),
            Some(2) => prop_assert!(errors.starts_with("error: "), "{}", errors),
            code => prop_assert!(false, "{:?}: {}", code, errors),
        }
    }
}
