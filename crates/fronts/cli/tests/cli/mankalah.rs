//! `kalah mankalah`: hosts with correct and faulty agents, and the agent.

use std::fs;
use std::path::Path;

use kalah::record::Record;
use kalah::{Side, Termination};
use test_tools::Tool;

use crate::harness::{
    Finished, KALAH, Process, is_process_running, kalah, path_text, run, temp_dir, wait_until,
    wait_until_gone,
};

/// Returns the command line of `kalah mankalah agent`.
fn agent(arguments: &str) -> String {
    format!("'{KALAH}' mankalah agent --tables none {arguments}")
}

fn host(south: &str, north: &str, arguments: &[&str]) -> Finished {
    run(kalah(["mankalah", "host", south, north]).args(arguments))
}

/// Returns a command that sleeps. The number identifies its process on the machine.
fn sleep(number: u32) -> String {
    format!("sleep {number}.{:08}", std::process::id())
}

/// Returns for each agent whether it has won, from the two lines of the host.
fn results(output: &Finished) -> Vec<bool> {
    let text = &output.stdout;
    let lines = text.lines().map(|line| {
        let (has_won, average) = line.split_once(' ').expect("two numbers");
        average.parse::<u64>().expect("milliseconds");
        match has_won {
            "1" => true,
            "0" => false,
            _ => panic!("{line}"),
        }
    });
    let results: Vec<bool> = lines.collect();
    assert_eq!(results.len(), 2, "{text}");
    results
}

fn last_record(path: &Path) -> Record {
    let text = fs::read_to_string(path).expect("a record");
    Record::parse_all(&text).expect("games").pop().expect("one")
}

#[test]
fn games_of_two_agents_are_recorded() {
    let directory = temp_dir();
    let path = directory.path().join("games.kgn");
    let file = path_text(&path);
    for game in 1..=2 {
        let output = host(
            &agent("--player level:8 --seed 1"),
            &agent("--player random --seed 2"),
            &["--record", file],
        );
        assert!(output.status.success(), "{output:?}");
        let record = last_record(&path);
        let ending = record.ending();
        assert_eq!(ending.termination, Termination::Normal);
        let outcome = ending.outcome.expect("a finished game");
        assert_eq!(
            outcome.to_string(),
            record.tags().get("Result").expect("a tag")
        );
        let south_won = results(&output) == [true, false];
        assert_eq!(
            south_won,
            outcome.winner() == Some(Side::South) && !record.game().is_swapped()
        );
        assert!(
            record
                .tags()
                .get("North")
                .is_some_and(|name| name.ends_with("--seed 2"))
        );
        let text = fs::read_to_string(&path).expect("a record");
        assert_eq!(Record::parse_all(&text).expect("games").len(), game);
    }
}

#[test]
fn swap_exchanges_the_sides_of_the_agents() {
    // After South's first move a swap is best for North.
    let first = "read l; echo 'MOVE;1'; while read l; do case $l in *YOU) \
                 echo 'MOVE;1';; END) exit;; esac; done";
    let directory = temp_dir();
    let path = directory.path().join("game.kgn");
    let file = path_text(&path);
    let output = host(
        first,
        &agent("--time 1h"),
        &["--board", "1x4", "--record", file],
    );
    let record = last_record(&path);
    assert!(record.game().is_swapped(), "{record}");
    assert_eq!(record.ending().termination, Termination::Normal, "{record}");
    let winner = record.ending().winner;
    let expected = [winner == Some(Side::North), winner == Some(Side::South)];
    assert_eq!(results(&output), expected, "{record}");
    let messages = [
        "ply 2: the second agent plays swap\n\n\
         > the first agent\n        a\n        5\n   0         2\n        1\n        A\n  \
         the second agent\n\n\
         ply 3: the first agent plays a\n",
        "the second agent has won 6-2\n\
         the first agent, 2 moves: A a\n\
         the second agent, 2 moves: swap A\n",
    ];
    for text in messages {
        assert!(output.stderr.contains(text), "{}", output.stderr);
    }
}

#[test]
fn faulty_agent_loses_and_its_processes_end() {
    for (number, bad, limit, why) in [
        (
            1,
            "echo 'MOVE;9'; SLEEP",
            "1h",
            "illegal move, MOVE;9: there is no house I",
        ),
        (
            2,
            "echo SWAP; SLEEP",
            "1h",
            "illegal move, SWAP: sides can be exchanged",
        ),
        (
            3,
            "echo 'move 1'; SLEEP",
            "1h",
            "invalid message, `move 1` is not an agent message",
        ),
        (
            4,
            "echo; SLEEP",
            "1h",
            "invalid message, `` is not an agent message",
        ),
        (
            5,
            "printf '\\377\\n'; SLEEP",
            "1h",
            "invalid message, `\u{fffd}` is not an agent message",
        ),
        (
            6,
            "head -c 20000 /dev/zero; echo; SLEEP",
            "1h",
            "invalid message, the line is too long",
        ),
        (
            7,
            "SLEEP & echo oh no >&2; exit 3",
            "1h",
            "disconnected, exit status: 3; end of its standard error:\n  oh no",
        ),
        (
            8,
            "SLEEP & kill -9 $$",
            "1h",
            "disconnected, signal: 9 (SIGKILL)",
        ),
        (
            9,
            "exec >&-; SLEEP",
            "1h",
            "disconnected, it closed its output",
        ),
        (10, "SLEEP", "300ms", "out of time, after 300ms"),
        (
            11,
            "sleep 1; echo 'MOVE;1'; SLEEP",
            "300ms",
            "out of time, after 300ms",
        ),
        (
            12,
            "trap '' TERM INT HUP; SLEEP & yes",
            "1h",
            "invalid message, `y` is not an agent message",
        ),
        (
            13,
            "SLEEP & yes 'MOVE;1'",
            "1h",
            "illegal move, MOVE;1: house A is empty",
        ),
        (
            14,
            "SLEEP & cat /dev/zero",
            "1h",
            "invalid message, the line is too long",
        ),
        (
            15,
            "no-such-program-7715",
            "1h",
            "disconnected, exit status: 127; end of its standard error:\n  ",
        ),
    ] {
        let sleep = sleep(7700 + number);
        let bad = bad.replace("SLEEP", &sleep);
        let output = host(&bad, &agent("--player first"), &["--time", limit]);
        let why = format!("the first agent has lost: {why}");
        let errors = &output.stderr;
        assert!(errors.contains(&why), "{bad}: {errors}");
        assert!(output.status.success(), "{bad}: {errors}");
        assert_eq!(results(&output), [false, true], "{bad}");
        wait_until_gone(&sleep);
    }
}

#[test]
fn numbers_of_agents_are_those_of_java() {
    for (bad, why) in [
        (
            r"printf 'MOVE;6\r\n'; cat",
            r"invalid message, `MOVE;6\r` is not an agent message",
        ),
        (
            "echo 'MOVE;+6'; read l; read l; read l; echo bye; cat",
            "invalid message, `bye` is not an agent message",
        ),
    ] {
        let output = host(bad, &agent("--player first"), &[]);
        let why = format!("the first agent has lost: {why}");
        let errors = &output.stderr;
        assert!(errors.contains(&why), "{bad}: {errors}");
        assert_eq!(results(&output), [false, true], "{bad}");
    }
}

#[test]
fn average_time_of_an_agent_counts_all_its_answers() {
    let slow = "sleep 0.4; echo 'MOVE;2'; exit";
    let output = host(slow, &agent("--player first"), &[]);
    let average = output.stdout.split_whitespace().nth(1).expect("an average");
    let average: u64 = average.parse().expect("milliseconds");
    // The agent answers twice, and begins to sleep before it reads the first message.
    assert!(average >= 100, "{output:?}");
}

#[test]
fn game_is_printed_as_json() {
    let game = |south: &str| -> serde_json::Value {
        let output = host(south, &agent("--player first"), &["--json"]);
        assert_eq!(output.stdout.lines().count(), 1, "{output:?}");
        serde_json::from_str(&output.stdout).expect("JSON")
    };
    let played = game(&agent("--player first"));
    let winner = played["winner"].as_u64();
    let result = played["result"].as_str().expect("a result");
    let (south, north) = result.split_once('-').expect("two numbers");
    let [south, north] = [south, north].map(|seeds| seeds.parse::<u32>().expect("seeds"));
    assert_eq!(south + north, 98);
    assert_eq!(winner.is_none(), south == north, "{played}");
    assert_eq!(played["termination"], "normal");
    assert!(
        played["agents"][1]["moves"]
            .as_array()
            .is_some_and(|moves| !moves.is_empty())
    );

    let lost = game("echo nonsense");
    assert_eq!(
        (&lost["winner"], &lost["termination"]),
        (&2.into(), &"protocol".into())
    );
    let reason = lost["reason"].as_str().expect("a reason");
    assert!(
        reason.starts_with("invalid message, `nonsense`"),
        "{reason}"
    );
}

#[test]
fn processes_of_agents_end_after_the_game() {
    let (background, foreground) = (sleep(7750), sleep(7751));
    let agent = format!("{background} & {}; {foreground}", agent("--player first"));
    let output = host(&agent, &agent, &[]);
    assert!(output.status.success(), "{output:?}");
    results(&output);
    wait_until_gone(&background);
    wait_until_gone(&foreground);
}

#[test]
fn loss_by_a_fault_is_recorded_with_its_termination() {
    let directory = temp_dir();
    let path = directory.path().join("game.kgn");
    let file = path_text(&path);
    for (bad, limit, termination) in [
        ("echo nonsense", "1h", Termination::Protocol),
        ("echo SWAP; cat", "1h", Termination::Illegal),
        ("exit", "1h", Termination::Crash),
        ("cat > /dev/null", "100ms", Termination::Time),
    ] {
        host(
            bad,
            &agent("--player first"),
            &["--record", file, "--time", limit],
        );
        let ending = last_record(&path).ending();
        assert_eq!(ending.termination, termination, "{bad}");
        assert_eq!(ending.winner, Some(Side::North), "{bad}");
    }
}

#[test]
fn sigint_ends_the_game_and_both_agents() {
    let directory = temp_dir();
    let path = directory.path().join("game.kgn");
    let (background, foreground) = (sleep(7760), sleep(7761));
    let stalls = format!("{background} & while :; do {foreground}; done");
    let arguments = ["mankalah", "host", &stalls, &stalls, "--record"];
    let host = Process::spawn(kalah(arguments).arg(&path));
    wait_until("both agents run", || {
        is_process_running(&background) && is_process_running(&foreground)
    });
    host.signal("INT");
    let output = host.wait();
    assert_eq!(output.code(), Some(130));
    assert_eq!(output.stdout, "");
    assert_eq!(output.stderr, "error: the game was interrupted\n");
    wait_until_gone(&background);
    wait_until_gone(&foreground);
    let ending = last_record(&path).ending();
    assert_eq!(ending.termination, Termination::Unfinished);
}

/// Sends lines to an agent and compares its responses, where there are some. Returns its messages.
fn converse(arguments: &[&str], lines: &[(&str, Option<&str>)]) -> String {
    let mut command = kalah(["mankalah", "agent", "--tables", "none"]);
    let mut process = Process::spawn(command.args(arguments));
    for (line, response) in lines {
        process.send_line(line);
        if let Some(response) = response {
            assert_eq!(process.read_line(), *response, "{line}");
        }
    }
    let output = process.finish();
    assert_eq!(output.stdout, "");
    assert!(output.status.success(), "{output:#?}");
    output.stderr
}

#[test]
fn agent_swaps_if_the_margin_is_negative() {
    for (board, response) in [("0,0,1,0,5,5,5,20", "SWAP"), ("5,5,5,20,0,0,1,0", "MOVE;1")] {
        let change = format!("CHANGE;1;{board};YOU");
        let lines = [
            ("START;North", None),
            (&*change, Some(response)),
            ("END", None),
        ];
        assert_eq!(converse(&["--time", "1h"], &lines), "");
    }
}

#[test]
fn agent_warns_of_malformed_lines_and_ends_with_its_input() {
    let lines = [
        ("CHANGE;1;1,1,1,1;YOU", None),
        ("hello\u{1b}", None),
        ("START;South", Some("MOVE;1")),
        ("CHANGE;1;70000,1,1,1;YOU", None),
        ("CHANGE;1;1,1,1,1;YOU", Some("MOVE;1")),
    ];
    let errors = converse(&["--player", "first", "--board", "2x2"], &lines);
    let first = errors.lines().next().expect("a warning");
    assert_eq!(
        first,
        "warning: `CHANGE;1;1,1,1,1;YOU`: a change came before the start of a game"
    );
    assert!(
        errors.contains("warning: `hello\\u{1b}` is not an engine message"),
        "{errors}"
    );
    assert!(errors.contains("70003 seeds are too many"), "{errors}");
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn agent_of_the_documents_plays_whole_games() {
    Tool::Python.require();
    let document = include_str!("../../../../../docs/protocols.md");
    let (_, program) = document
        .split_once("This is a complete agent:\n\n```python\n")
        .expect("a program");
    let (program, _) = program.split_once("```").expect("its end");
    let directory = temp_dir();
    let path = directory.path().join("agent.py");
    fs::write(&path, program).expect("a writable file");
    let theirs = format!("python3 '{}'", path.display());
    for (south, north) in [
        (theirs.clone(), agent("--time 20ms")),
        (agent("--player first"), theirs),
    ] {
        let output = host(&south, &north, &[]);
        let errors = &output.stderr;
        assert!(!errors.contains("has lost"), "{errors}");
        results(&output);
    }
}

#[test]
fn host_without_time_is_refused() {
    for time in ["0", "0s", "soon"] {
        let output = host("cat", "cat", &["--time", time]);
        assert_eq!(output.code(), Some(2), "{output:?}");
        let message = format!("invalid value '{time}' for '--time");
        assert!(output.stderr.contains(&message), "{output:?}");
    }
}

#[test]
fn pause_of_the_host_is_no_fault_of_an_agent() {
    let directory = temp_dir();
    let path = directory.path().join("game.kgn");
    let slow = format!(
        "{} | while read -r line; do sleep 0.5; echo \"$line\"; done",
        agent("--player first --board 4x3")
    );
    let first = agent("--player first --board 4x3");
    let mut command = kalah(["mankalah", "host", &slow, &first, "--board", "4x3"]);
    let host = Process::spawn(command.args(["--time", "10s", "--record", path_text(&path)]));
    wait_until("a ply is recorded", || {
        fs::read_to_string(&path).is_ok_and(|text| text.contains("1. "))
    });
    host.signal("STOP");
    // Longer than the time of an agent for the game.
    std::thread::sleep(std::time::Duration::from_secs(12));
    host.signal("CONT");
    let output = host.finish();
    assert!(output.status.success(), "{output:?}");
    let note = "note: this program has paused, so the game begins again";
    assert!(output.stderr.contains(note), "{output:?}");
    assert!(!output.stderr.contains("out of time"), "{output:?}");
    assert_eq!(last_record(&path).ending().termination, Termination::Normal);
}
