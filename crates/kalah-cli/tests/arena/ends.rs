//! Each way in which a game can end, in each protocol where it can.

use std::fs;

use kalah::Side;
use kalah_arena::{Contestant, FinishedGame};
use serde_json::Value;

use super::run::{
    KALAH, arena, as_text, assert_records_agree, filtered, games, is_gone, marked, text,
};

/// An engine that does this at `go`, and what is to be said otherwise.
fn uki(at_go: &str) -> String {
    format!(
        "while read -r line; do case \"$line\" in uki) echo ukiok;; isready) echo readyok;; go*) {at_go};; esac; done"
    )
}

/// A pair of games of a bad engine against `first`, on a board where games are short. Both have to end by its fault
/// and with that word.
fn bad(command: &str, protocol: &str, mark: &str, word: &str) -> Vec<FinishedGame> {
    let directory = tempfile::tempdir().expect("a folder");
    let openings = directory.path().join("openings.txt");
    // Seeds are in a store.
    let rules = if protocol == "mankalah" {
        "mankalah"
    } else {
        "standard"
    };
    let lines = if protocol == "mankalah" { "?" } else { "? B A" };
    fs::write(&openings, format!("rules {rules}\nboard 3x2\n{lines}\n")).expect("it is written");
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
        as_text(&openings),
        "--play-out",
        "--concurrency",
        "2",
        // The other player has time on the slowest machine, and so has who is not meant to be late or silent.
        "--time",
        if word == "time" { "2s" } else { "300ms" },
        "--grace",
        match word {
            "time" => "100ms",
            "stall" => "3s",
            _ => "10m",
        },
        "--out",
        as_text(&folder),
        "--json",
    ]);
    assert!(output.status.success(), "{command}: {output:?}");
    let results: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(results["terminations"][word], 2, "{command}: {results}");
    assert_eq!(results["contestants"][1]["faults"][word], 2, "{results}");
    assert_records_agree(&folder);
    assert!(
        is_gone(&format!("{mark}.{}", std::process::id())),
        "{command} is left behind"
    );
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

/// How the first of such games ended, in words.
fn told(command: &str, protocol: &str, mark: &str, word: &str) -> String {
    bad(command, protocol, mark, word)[0].end.to_string()
}

#[test]
fn cheats_lose_with_what_they_did_and_where() {
    for (number, (answer, reason)) in [
        ("Z", "there is no house"),
        ("z", "there is no house"),
        ("none", "the game is not over"),
        ("swap", "swap"),
    ]
    .into_iter()
    .enumerate()
    {
        let mark = format!("uki-cheat-{number}");
        let games = bad(
            &uki(&format!("echo bestmove {answer}")),
            "uki",
            &mark,
            "illegal",
        );
        let ends: Vec<String> = games.iter().map(|game| game.end.to_string()).collect();
        let all = ends.join("\n");
        assert!(all.contains(reason) || all.contains("is to move"), "{all}");
        assert!(all.contains(" in <3,"), "{all}");
    }
    let end = told(
        "cat > /dev/null; echo 25",
        "kgp-child",
        "kgp-cheat",
        "illegal",
    );
    assert!(end.contains("`Z`") || end.contains("`z`"), "{end}");
    let script = "while read -r line; do echo 'MOVE;9'; done";
    let end = told(script, "mankalah", "mankalah-cheat", "illegal");
    assert!(end.contains("`I`") || end.contains("`i`"), "{end}");
    // Numbers that no board has.
    let end = told(
        "cat > /dev/null; echo 99",
        "kgp-child",
        "kgp-far",
        "illegal",
    );
    assert!(end.contains("`99` in <3,"), "{end}");
    let script = "while read -r line; do echo 'MOVE;99'; done";
    let end = told(script, "mankalah", "mankalah-far", "illegal");
    assert!(end.contains("`MOVE;99` in <3,"), "{end}");
}

#[test]
fn an_answer_that_comes_twice_is_not_taken_for_another() {
    let engine = format!(
        "'{KALAH}' engine --tables none --player first | while read -r line; do echo \"$line\"; \
         case \"$line\" in bestmove*) echo \"$line\";; esac; done"
    );
    for game in bad(&engine, "uki", "uki-twice", "protocol") {
        let end = game.end.to_string();
        assert!(end.contains("without being asked"), "{end}");
    }
}

#[test]
fn crashes_have_a_status_and_last_words() {
    let crash = "echo one >&2; echo 'last words' >&2; exit 3";
    let end = told(&uki(crash), "uki", "uki-crash", "crash");
    assert!(
        end.contains("exit status: 3, last line on stderr `last words`"),
        "{end}"
    );
    let end = told(&uki("kill -9 $$"), "uki", "uki-kill", "crash");
    assert!(end.contains("signal: 9"), "{end}");
    let end = told(
        &uki("exec >&-; exec sleep 1000"),
        "uki",
        "uki-close",
        "crash",
    );
    assert!(end.contains("it closed its output"), "{end}");

    let child =
        format!("read -r n; read -r a b; if [ \"$a $b\" = '0 0' ]; then echo 0; else {crash}; fi");
    let end = told(&child, "kgp-child", "kgp-crash", "crash");
    assert!(
        end.contains("exit status: 3, last line on stderr `last words`"),
        "{end}"
    );

    let agent = format!("read -r line; sleep 1.5; {crash}");
    let end = told(&agent, "mankalah", "mankalah-crash", "crash");
    assert!(end.contains("exit status: 3"), "{end}");
}

#[test]
fn who_never_answers_stalls() {
    let end = told(&uki("exec sleep 1000"), "uki", "uki-stall", "stall");
    assert!(end.contains("no answer for"), "{end}");
}

#[test]
#[ignore = "slow: cargo xtask ci --all runs it"]
fn who_never_answers_stalls_in_other_protocols() {
    told("exec sleep 1000", "kgp-child", "kgp-stall", "stall");
    let end = told("exec sleep 1000", "mankalah", "mankalah-stall", "stall");
    assert!(end.contains("no answer for"), "{end}");
}

#[test]
fn floods_drown_nobody() {
    let flood = "while :; do echo info string flood; done";
    told(&uki(flood), "uki", "uki-flood", "stall");
    let line = "yes | tr -d '\\n'";
    told(&uki(line), "uki", "uki-line", "protocol");
    let long = "head -c 20000 /dev/zero | tr '\\0' x; echo";
    let end = told(&uki(long), "uki", "uki-long", "protocol");
    assert!(end.contains("a line that is too long"), "{end}");
    // A flood of errors is cut off too.
    let errors = "yes words >&2 & sleep 0.2; exit 1";
    let end = told(&uki(errors), "uki", "uki-errors", "crash");
    assert!(end.contains("last line on stderr `words`"), "{end}");
}

#[test]
fn who_is_late_loses_on_time() {
    let late = filtered("case \"$line\" in go*) sleep 3;; esac; tell", "first");
    let end = told(&late, "uki", "uki-late", "time");
    assert!(end.contains("ms too late"), "{end}");
    told(
        "cat > /dev/null; sleep 3; echo 0",
        "kgp-child",
        "kgp-late",
        "time",
    );
    let agent = "while read -r line; do sleep 3; echo 'MOVE;1'; done";
    told(agent, "mankalah", "mankalah-late", "time");
}

#[test]
fn who_does_not_speak_the_protocol_is_quoted() {
    for (number, (said, quoted)) in [
        ("echo hello there", "`hello there`"),
        ("echo error no idea", "it reports an error: no idea"),
        ("printf '\\377\\n'", "a line that is not UTF-8"),
        ("echo bestmove ABC", "`bestmove ABC`"),
    ]
    .into_iter()
    .enumerate()
    {
        let mark = format!("uki-protocol-{number}");
        let end = told(&uki(said), "uki", &mark, "protocol");
        assert!(end.contains(quoted), "{end}");
    }
    let end = told(
        "cat > /dev/null; echo B",
        "kgp-child",
        "kgp-protocol",
        "protocol",
    );
    assert!(end.contains("`B` is not a move"), "{end}");
    let agent = "while read -r line; do echo 'MOVE 1'; done";
    let end = told(agent, "mankalah", "mankalah-protocol", "protocol");
    assert!(end.contains("`MOVE 1` is not an agent message"), "{end}");
}

#[test]
fn the_last_answer_of_a_child_counts_when_its_time_is_over() {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = directory.path().join("out");
    // It would answer better for ever.
    let child = marked(
        "cat > /dev/null; echo 25; echo 1; exec sleep 1000",
        "kgp-last",
    );
    let engine = format!("cmd={child},proto=kgp-child,name=Child");
    let output = arena(&[
        "--engine",
        &engine,
        "--engine",
        "random",
        "--rounds",
        "1",
        "--board",
        "3x2",
        "--time",
        "1s",
        "--grace",
        "5s",
        "--openings",
        "start",
        "--play-out",
        "--out",
        as_text(&folder),
    ]);
    assert!(output.status.success(), "{output:?}");
    for game in games(&folder) {
        // It sows its second house as long as it can.
        let side = Side::ALL
            .into_iter()
            .find(|&side| game.names[side] == "Child")
            .expect("it plays");
        let made = game.game.plies().iter().filter(|ply| ply.side == side);
        assert!(made.count() >= 1, "{game:?}");
        assert_eq!(game.end.termination().as_str(), "illegal");
        assert!(text(&output.stdout).contains("lost by 2 illegal"));
    }
    assert!(is_gone(&format!("kgp-last.{}", std::process::id())));
}
