//! Each way in which a game ends by a fault of an engine, in each protocol.

use std::fs;
#[cfg(target_os = "linux")]
use std::process::Command;

use kalah::Side;
use kalah_arena::{Contestant, FinishedGame};
use serde_json::Value;

use super::runner::{arena, assert_records_agree, filtered, games, marked, process_mark};
use crate::harness::{KALAH, args_with, kalah, path_text, run, temp_dir, wait_until_gone};

/// Returns an engine that executes a command at `go` and is correct otherwise.
fn uki(at_go: &str) -> String {
    format!(
        "while read -r line; do case \"$line\" in uki) echo ukiok;; isready) echo readyok;; go*) {at_go};; esac; done"
    )
}

/// Plays two games of a faulty engine against `first`. Both must end by its fault, and the
/// termination `word`.
fn play_faulty(command: &str, protocol: &str, mark: &str, word: &str) -> Vec<FinishedGame> {
    let directory = temp_dir();
    let openings = directory.path().join("openings.txt");
    // With the opening of the other rules a store has seeds.
    let rules = if protocol == "mankalah" {
        "mankalah"
    } else {
        "standard"
    };
    let lines = if protocol == "mankalah" { "?" } else { "? B A" };
    fs::write(&openings, format!("rules {rules}\nboard 3x2\n{lines}\n")).expect("a writable file");
    let folder = directory.path().join("out");
    let command = marked(command, mark);
    let engine = format!("cmd={command},proto={protocol},name=Bad");
    let output = arena(&[
        "--engine",
        &engine,
        "--engine",
        "first",
        "--rounds",
        "1",
        "--board",
        "3x2",
        "--rules",
        rules,
        "--openings",
        path_text(&openings),
        "--play-out",
        "--concurrency",
        "2",
        // The limits are short only if the engine is to exceed them.
        "--time",
        if word == "time" { "2s" } else { "300ms" },
        "--grace",
        match word {
            "time" => "100ms",
            "stall" => "3s",
            _ => "10m",
        },
        "--out",
        path_text(&folder),
        "--json",
    ]);
    assert!(output.status.success(), "{command}: {output:?}");
    let results: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(results["terminations"][word], 2, "{command}: {results}");
    assert_eq!(results["contestants"][1]["faults"][word], 2, "{results}");
    assert_records_agree(&folder);
    wait_until_gone(&process_mark(mark));
    let games = games(&folder);
    assert_eq!(games.len(), 2);
    for game in &games {
        assert_eq!(game.end.termination().as_str(), word);
        let fault = game.end.side_at_fault().expect("a side at fault");
        assert_eq!(game.players()[fault], Contestant(0), "{command}: {game:?}");
        assert_eq!(game.names[fault], "Bad");
    }
    games
}

/// Plays games as [`play_faulty`] and returns the description of the end of the first.
fn play_to_fault(command: &str, protocol: &str, mark: &str, word: &str) -> String {
    play_faulty(command, protocol, mark, word)[0]
        .end
        .to_string()
}

#[test]
fn illegal_move_is_reported_with_its_position() {
    for (number, (response, reason)) in [
        ("Z", "there is no house"),
        ("z", "there is no house"),
        ("none", "the game is not over"),
        ("swap", "swap"),
    ]
    .into_iter()
    .enumerate()
    {
        let mark = format!("uki-cheat-{number}");
        let games = play_faulty(
            &uki(&format!("echo bestmove {response}")),
            "uki",
            &mark,
            "illegal",
        );
        let ends: Vec<String> = games.iter().map(|game| game.end.to_string()).collect();
        let all = ends.join("\n");
        assert!(all.contains(reason) || all.contains("is to move"), "{all}");
        assert!(all.contains(" in <3,"), "{all}");
    }
    let end = play_to_fault(
        "cat > /dev/null; echo 25",
        "kgp-child",
        "kgp-cheat",
        "illegal",
    );
    assert!(end.contains("`Z`") || end.contains("`z`"), "{end}");
    let script = "while read -r line; do echo 'MOVE;9'; done";
    let end = play_to_fault(script, "mankalah", "mankalah-cheat", "illegal");
    assert!(end.contains("`I`") || end.contains("`i`"), "{end}");
    // Numbers that are outside every board.
    let end = play_to_fault(
        "cat > /dev/null; echo 99",
        "kgp-child",
        "kgp-far",
        "illegal",
    );
    assert!(end.contains("`99` in <3,"), "{end}");
    let script = "while read -r line; do echo 'MOVE;99'; done";
    let end = play_to_fault(script, "mankalah", "mankalah-far", "illegal");
    assert!(end.contains("`MOVE;99` in <3,"), "{end}");
}

#[test]
fn second_response_to_a_request_is_a_protocol_error() {
    let engine = format!(
        "'{KALAH}' engine --tables none --player first | while read -r line; do echo \"$line\"; \
         case \"$line\" in bestmove*) echo \"$line\";; esac; done"
    );
    for game in play_faulty(&engine, "uki", "uki-twice", "protocol") {
        let end = game.end.to_string();
        assert!(end.contains("without being asked"), "{end}");
    }
}

#[test]
fn crash_is_reported_with_exit_status_and_last_line_of_stderr() {
    let crash = "echo one >&2; echo 'last words' >&2; exit 3";
    let end = play_to_fault(&uki(crash), "uki", "uki-crash", "crash");
    assert!(
        end.contains("exit status: 3, last line on stderr `last words`"),
        "{end}"
    );
    let end = play_to_fault(&uki("kill -9 $$"), "uki", "uki-kill", "crash");
    assert!(end.contains("signal: 9"), "{end}");
    let end = play_to_fault(
        &uki("exec >&-; exec sleep 1000"),
        "uki",
        "uki-close",
        "crash",
    );
    assert!(end.contains("it closed its output"), "{end}");

    let child =
        format!("read -r n; read -r a b; if [ \"$a $b\" = '0 0' ]; then echo 0; else {crash}; fi");
    let end = play_to_fault(&child, "kgp-child", "kgp-crash", "crash");
    assert!(
        end.contains("exit status: 3, last line on stderr `last words`"),
        "{end}"
    );

    let agent = format!("read -r line; sleep 1.5; {crash}");
    let end = play_to_fault(&agent, "mankalah", "mankalah-crash", "crash");
    assert!(end.contains("exit status: 3"), "{end}");
}

#[test]
fn engine_without_a_response_stalls() {
    let end = play_to_fault(&uki("exec sleep 1000"), "uki", "uki-stall", "stall");
    assert!(end.contains("no answer for"), "{end}");
}

#[test]
#[ignore = "slow: cargo xtask ci --slow runs it"]
fn engine_without_a_response_stalls_in_other_protocols() {
    play_to_fault("exec sleep 1000", "kgp-child", "kgp-stall", "stall");
    let end = play_to_fault("exec sleep 1000", "mankalah", "mankalah-stall", "stall");
    assert!(end.contains("no answer for"), "{end}");
}

#[test]
fn floods_of_output_end_the_game() {
    let flood = "while :; do echo info string flood; done";
    play_to_fault(&uki(flood), "uki", "uki-flood", "stall");
    let line = "yes | tr -d '\\n'";
    play_to_fault(&uki(line), "uki", "uki-line", "stall");
    let long = "cat > /dev/null; head -c 20000 /dev/zero | tr '\\0' x; echo";
    let end = play_to_fault(long, "kgp-child", "kgp-long", "protocol");
    assert!(end.contains("a line that is too long"), "{end}");
    // A flood of errors is limited, too.
    let errors = "yes words >&2 & sleep 0.2; exit 1";
    let end = play_to_fault(&uki(errors), "uki", "uki-errors", "crash");
    assert!(end.contains("last line on stderr `words`"), "{end}");
}

#[test]
fn late_response_loses_on_time() {
    let late = filtered("case \"$line\" in go*) sleep 3;; esac; forward", "first");
    let end = play_to_fault(&late, "uki", "uki-late", "time");
    assert!(end.contains("ms too late"), "{end}");
    play_to_fault(
        "cat > /dev/null; sleep 3; echo 0",
        "kgp-child",
        "kgp-late",
        "time",
    );
    let agent = "while read -r line; do sleep 3; echo 'MOVE;1'; done";
    play_to_fault(agent, "mankalah", "mankalah-late", "time");
}

#[test]
fn malformed_response_is_quoted() {
    for (number, (response, quoted)) in [
        ("echo error no idea", "it reports an error: no idea"),
        ("echo bestmove ABC", "`bestmove ABC`"),
        ("echo bestmove", "`bestmove`: the line ends early"),
    ]
    .into_iter()
    .enumerate()
    {
        let mark = format!("uki-protocol-{number}");
        let end = play_to_fault(&uki(response), "uki", &mark, "protocol");
        assert!(end.contains(quoted), "{end}");
    }
    let end = play_to_fault(
        "cat > /dev/null; echo B",
        "kgp-child",
        "kgp-protocol",
        "protocol",
    );
    assert!(end.contains("`B` is not a move"), "{end}");
    let child = "cat > /dev/null; printf '\\377\\n'";
    let end = play_to_fault(child, "kgp-child", "kgp-bytes", "protocol");
    assert!(end.contains("`\u{fffd}` is not a move"), "{end}");
    let agent = "while read -r line; do echo 'MOVE 1'; done";
    let end = play_to_fault(agent, "mankalah", "mankalah-protocol", "protocol");
    assert!(end.contains("`MOVE 1` is not an agent message"), "{end}");
    // The engine of the course refuses a CR, and so does the arena.
    let agent = r"while read -r line; do printf 'MOVE;1\r\n'; done";
    let end = play_to_fault(agent, "mankalah", "mankalah-cr", "protocol");
    assert!(end.contains(r"`MOVE;1\r` is not an agent message"), "{end}");
}

#[test]
fn last_move_of_a_kgp_child_counts_when_its_time_is_over() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let child = marked(
        "cat > /dev/null; echo 25; echo 1; exec sleep 1000",
        "kgp-last",
    );
    let engine = format!("cmd={child},proto=kgp-child,name=Child");
    let output = arena(&args_with(
        "--engine {} --engine random --rounds 1 --board 3x2 --time 1s \
         --grace 5s --openings start --play-out --out {}",
        &[&engine, path_text(&folder)],
    ));
    assert!(output.status.success(), "{output:?}");
    for game in games(&folder) {
        // The last move that the child has sent is house 1, which becomes illegal at some point.
        let side = Side::ALL
            .into_iter()
            .find(|&side| game.names[side] == "Child")
            .expect("a side of the child");
        let replayed = game.game.replay();
        let made = replayed.plies().iter().filter(|ply| ply.side == side);
        assert!(made.count() >= 1, "{game:?}");
        assert_eq!(game.end.termination().as_str(), "illegal");
        assert!(output.stdout.contains("lost by 2 illegal"));
    }
    wait_until_gone(&process_mark("kgp-last"));
}

#[test]
fn lines_that_the_protocol_does_not_know_are_ignored_with_a_warning() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let engine = format!(
        "'{KALAH}' engine --tables none --player first | while read -r line; do case \"$line\" in \
         'id name'*) printf '\\357\\273\\277Welcome\\n'; echo \"$line\";; \
         bestmove*) printf 'info string caf\\351\\n'; echo 'info depth -1 time 1.5'; \
         head -c 20000 /dev/zero | tr '\\0' x; echo; printf '%s ponder \\374\\n' \"$line\";; \
         *) echo \"$line\";; esac; done"
    );
    let output = arena(&args_with(
        "--engine {} --engine first --rounds 1 --board 3x2 --time 10m --play-out --out {}",
        &[&format!("cmd={engine},name=Chatty"), path_text(&folder)],
    ));
    assert!(output.status.success(), "{output:?}");
    assert!(
        output.stdout.contains("2 of 2 games: 2 normal"),
        "{output:?}"
    );
    let warning = "Chatty writes lines that its protocol does not know and that are ignored, the \
                   first in game 1.1.";
    assert!(output.stdout.contains(warning), "{output:?}");
    assert!(
        output.stdout.contains(": `Welcome`: expected id"),
        "{output:?}"
    );
    let report = fs::read_to_string(folder.join("report.html")).expect("a report");
    assert!(report.contains(warning), "{report}");
    let output = arena(&args_with("--resume {} --json", &[path_text(&folder)]));
    let results: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let contestants = results["contestants"].as_array().expect("a list");
    let chatty = contestants.iter().find(|one| one["name"] == "Chatty");
    let ignored = &chatty.expect("a contestant")["ignored_line"]["line"];
    assert!(
        ignored
            .as_str()
            .is_some_and(|line| line.starts_with("`Welcome`")),
        "{results}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn limit_of_open_files_lowers_the_number_of_games_at_a_time() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let arena = format!(
        "ulimit -n 40; exec '{KALAH}' arena --engine \"cmd='{KALAH} engine --player first',name=A\" \
         --engine \"cmd='{KALAH} engine --player random',name=B\" --board 3x2 --rounds 10 \
         --concurrency 12 --time 10m --out '{}'",
        path_text(&folder)
    );
    let output = run(Command::new("sh").args(["-c", &arena]));
    assert!(output.status.success(), "{output:?}");
    let warning =
        "warning: only 1 game at a time instead of 12: the limit of open files is too low";
    assert!(output.stderr.contains(warning), "{output:?}");
    assert!(output.stdout.contains("20 of 20 games"), "{output:?}");
    assert!(!output.stdout.contains("crash"), "{output:?}");
}

#[test]
fn programs_write_messages_of_the_system_in_english() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let arguments = args_with(
        "--engine {} --engine first --out {}",
        &[
            "cmd=echo \"<$LC_ALL><$LC_MESSAGES>\" >&2; exit 2,name=A",
            path_text(&folder),
        ],
    );
    for (all, messages) in [("", "<><C>"), ("de_DE.UTF-8", "<de_DE.UTF-8><fr_FR.UTF-8>")] {
        let mut command = kalah(["arena"]);
        command.args(&arguments);
        command.env("LC_ALL", all).env("LC_MESSAGES", "fr_FR.UTF-8");
        let errors = run(&mut command).failure(1);
        assert!(errors.contains(messages), "{errors}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn program_that_the_host_cannot_start_stops_the_tournament_and_loses_no_game() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    // The program reports what a shell without a free process reports, but not at the first start.
    let started = directory.path().join("started");
    let program = format!(
        "if [ -e '{0}' ]; then echo 'sh: 1: Cannot fork' >&2; exit 2; fi; touch '{0}'; \
         exec '{KALAH}' engine --player first",
        path_text(&started)
    );
    let output = arena(&args_with(
        "--engine {} --engine first --rounds 1 --board 3x2 --time 10m --out {}",
        &[&format!("cmd={program},name=A"), path_text(&folder)],
    ));
    let errors = output.failure(1);
    let error = "error: this machine cannot start 'A': sh: 1: Cannot fork; resume with: kalah arena \
                 --resume ";
    assert!(errors.contains(error), "{errors}");
    assert_eq!(games(&folder), []);
}

#[test]
fn mankalah_agent_gets_the_message_of_the_end() {
    let directory = temp_dir();
    let log = directory.path().join("log");
    let command = format!(
        "cmd=tee '{}' | '{KALAH}' mankalah agent --tables none --player first",
        path_text(&log)
    );
    let engine = format!("{command},proto=mankalah,name=Agent");
    let folder = directory.path().join("out");
    let output = arena(&[
        "--engine",
        &engine,
        "--engine",
        "first",
        "--rounds",
        "1",
        "--rules",
        "mankalah",
        "--board",
        "3x2",
        "--concurrency",
        "1",
        "--out",
        path_text(&folder),
    ]);
    assert!(output.status.success(), "{output:?}");
    // The log has the last game.
    let log = fs::read_to_string(&log).expect("a log");
    assert!(log.starts_with("START;"), "{log}");
    assert_eq!(log.matches("\nEND").count(), 1, "{log}");
}
