//! `kalah analyze` and `kalah solve`: that their margins are right, and what is left of them when
//! they are broken off.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use kalah::record::Record;
use kalah::{Move, MoveResult, Position, Rules, Setup, Side, reference};
use serde_json::Value;

/// A command that reads no tables, with little memory, which is soon ready.
fn kalah(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalah"));
    command
        .args(arguments)
        .args(["--tables", "none"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if !arguments.contains(&"--memory") {
        command.args(["--memory", "16MiB"]);
    }
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// The line of JSON that a command writes.
fn parsed(output: &Output) -> Value {
    let told = text(&output.stdout);
    assert_eq!(told.lines().count(), 1, "{told}{}", text(&output.stderr));
    serde_json::from_str(&told).expect("JSON")
}

/// What a command finds that does its work.
fn found(arguments: &[&str]) -> Value {
    let output = kalah(arguments).output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    parsed(&output)
}

/// What each choice is worth, found slowly.
fn margins(position: &Position) -> BTreeMap<String, i32> {
    let mover = position.to_move();
    let worth = |mv: Move| {
        let mut next = position.clone();
        let played = next.play(mv).expect("it is legal");
        let margin = reference::margin(&next).seeds();
        let same_person = played != MoveResult::Swapped && next.to_move() == mover;
        let margin = if same_person { margin } else { -margin };
        (mv.text(mover), margin)
    };
    position.legal_moves().map(worth).collect()
}

/// That the line can be played from the position and, if it is a whole game, ends with the margin.
/// Whether it is.
fn check_line(position: &Position, found: &Value) -> bool {
    let line = found["line"].as_str().expect("text");
    let rules = position.rules();
    let record = format!("[Rules \"{rules}\"]\n[Position \"{position}\"]\n\n{line} *\n");
    let record: Record = record.parse().expect("a record");
    let game = record.game();
    let mover = position.to_move();
    let best = game.plies().first().map(|ply| ply.mv.text(mover));
    assert_eq!(found["best"], Value::from(best), "{line}");
    let Some(outcome) = game.outcome() else {
        return false;
    };
    let store = |side| i64::from(outcome.stores[side].get());
    // The player to move sits there at the end.
    let seat = if game.is_swapped() {
        mover.opponent()
    } else {
        mover
    };
    assert_eq!(
        found["margin"],
        store(seat) - store(seat.opponent()),
        "{line}"
    );
    true
}

const POSITIONS: [&str; 10] = [
    "2x2",
    "3x2",
    "2x4",
    "<1,0,0,1,1> s",
    "<3,4,5,1,0,2,0,1,1> n",
    "<3,0,0,2,2,2,2,2,0> n ply=2",
    "<4,1,0,0,1,2,0,3,0,0,1> s",
    "<8,0,9,0,0,0,0,0,0,1,1,1,0,0,0,0,0,2,0> n",
    "<3,4,5,0,0,0,0,1,1> s",
    "<2,0,0,0,0,0,0> s",
];

#[test]
fn every_margin_is_that_of_a_slow_search() {
    let mut whole_games = 0;
    for rules in Rules::PRESETS.map(|preset| preset.rules) {
        for typed in POSITIONS {
            let position = typed.parse::<Setup>().unwrap().position(rules).unwrap();
            let rules = rules.to_string();
            let found = found(&["analyze", typed, "--rules", &rules, "--json"]);
            let asked = format!("kalah analyze '{typed}' --rules {rules} --json: {found}");
            let side = match position.to_move() {
                Side::South => "south",
                Side::North => "north",
            };
            assert_eq!(found["position"], position.to_string(), "{asked}");
            assert_eq!(found["rules"], rules, "{asked}");
            assert_eq!(found["side"], side, "{asked}");
            assert_eq!(
                found["margin"],
                reference::margin(&position).seeds(),
                "{asked}"
            );
            assert_eq!(found["exact"], true, "{asked}");
            let moves = found["moves"].as_array().expect("moves");
            let order: Vec<_> = (position.legal_moves())
                .map(|mv| mv.text(position.to_move()))
                .collect();
            let told: Vec<_> = moves
                .iter()
                .filter_map(|told| told["move"].as_str())
                .collect();
            assert_eq!(told, order, "{asked}");
            let margins = margins(&position);
            for told in moves {
                let margin = margins[told["move"].as_str().expect("a move")];
                for key in ["margin", "lower", "upper"] {
                    assert_eq!(told[key], margin, "{asked}");
                }
                assert_eq!(told["exact"], true, "{asked}");
            }
            if position.is_over() {
                assert_eq!(found["best"], Value::Null, "{asked}");
                assert_eq!(found["line"], "", "{asked}");
            } else {
                let best = found["best"].as_str().expect("a move");
                assert_eq!(found["margin"], margins[best], "{asked}");
                whole_games += usize::from(check_line(&position, &found));
            }
        }
    }
    assert!(whole_games > 20, "{whole_games}");
}

#[test]
fn solving_proves_the_same_with_any_threads_and_memory() {
    for rules in ["cs32", "mankalah"] {
        let solve = ["solve", "4x3", "--json", "--rules", rules];
        let analyzed = found(&["analyze", "4x3", "--json", "--rules", rules]);
        for options in [
            &[] as &[&str],
            &["--threads", "3"],
            &["--threads", "1", "--memory", "1MiB"],
        ] {
            let solved = found(&[&solve, options].concat());
            assert_eq!(solved["margin"], analyzed["margin"]);
            assert_eq!(solved["exact"], true);
            assert_eq!(solved["moves"], Value::Array(Vec::new()));
            let all = found(&[&solve, options, &["--moves"]].concat());
            assert_eq!(all["moves"], analyzed["moves"]);
        }
    }
}

/// That bounds are told which may be true.
fn check_bounds(found: &Value) {
    let margin = |of: &Value, key: &str| of[key].as_i64().expect("a margin");
    let moves = found["moves"].as_array().expect("moves");
    for told in moves {
        assert_eq!(told["margin"], told["lower"], "{found}");
        assert!(margin(told, "lower") <= margin(told, "upper"), "{found}");
        assert_eq!(told["exact"], told["lower"] == told["upper"], "{found}");
    }
    let most = moves.iter().map(|told| margin(told, "lower")).max();
    assert_eq!(most, Some(margin(found, "margin")), "{found}");
}

#[test]
fn a_limit_of_time_leaves_bounds_and_the_best_choice_so_far() {
    let found = found(&["analyze", "6x6", "--json", "--time", "100ms"]);
    assert_eq!(found["exact"], false, "{found}");
    assert!(found["best"].is_string(), "{found}");
    assert_eq!(found["moves"].as_array().map(Vec::len), Some(6), "{found}");
    check_bounds(&found);
}

/// Positions that an analysis had to search, by the tables where a system like Linux keeps them; and
/// what it complains of.
#[cfg(target_os = "linux")]
fn searched(data: &Path, more: &[&str]) -> (u64, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kalah"));
    command
        .args(["analyze", "<3,4,5,1,0,2,0,1,2> s", "--json"])
        .args(["--memory", "16MiB"])
        .args(more)
        .env("XDG_DATA_HOME", data);
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let nodes = parsed(&output)["nodes"].as_u64().expect("a number");
    (nodes, text(&output.stderr))
}

#[cfg(target_os = "linux")]
#[test]
fn the_largest_good_table_of_the_user_is_used_unless_none_is_wanted() {
    let data = tempfile::tempdir().unwrap();
    for seeds in ["4", "6", "8"] {
        let status = Command::new(env!("CARGO_BIN_EXE_kalah"))
            .args(["tables", "build", "--houses", "3", "--seeds", seeds])
            .env("XDG_DATA_HOME", data.path())
            .stdout(Stdio::null())
            .status();
        assert!(status.expect("it runs").success());
    }
    assert_eq!(searched(data.path(), &[]), (0, String::new()));
    let (nodes, complaints) = searched(data.path(), &["--tables", "none"]);
    assert!(nodes > 0);
    assert_eq!(complaints, "");

    // That of 6 seeds still knows what is behind each choice.
    let tables = data.path().join("kalah/tables");
    let damaged = tables.join("kalah-3-houses-8-seeds-cs32.table");
    fs::OpenOptions::new()
        .write(true)
        .open(&damaged)
        .and_then(|file| file.set_len(5000))
        .unwrap();
    let (nodes, complaints) = searched(data.path(), &[]);
    assert_eq!(nodes, 0);
    assert!(
        complaints.starts_with("warning: this file is passed over: '"),
        "{complaints}"
    );
    assert!(complaints.contains("8-seeds-cs32.table"), "{complaints}");
    assert!(complaints.contains("is truncated"), "{complaints}");
    assert_eq!(complaints.lines().count(), 1, "{complaints}");
}

fn solve_with(checkpoint: &Path, more: &[&str]) -> Command {
    let mut command = kalah(&["solve", "4x4", "--json"]);
    command.args(more).arg("--checkpoint").arg(checkpoint);
    command
}

#[test]
fn a_proof_that_is_killed_again_and_again_goes_on_with_its_checkpoint() {
    use std::thread;
    use std::time::Duration;

    const KILLS: u64 = 8;
    let plain = found(&["solve", "4x4", "--json", "--moves"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    for kill in 1..=KILLS {
        let mut child = solve_with(&path, &["--moves"]).spawn().expect("it starts");
        thread::sleep(Duration::from_millis(10 * kill));
        child.kill().expect("it was started");
        child.wait().expect("it ends");
    }
    let finish = |more: &[&str]| {
        let output = solve_with(&path, more).output().expect("it runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        parsed(&output)
    };
    let all = finish(&["--moves"]);
    assert_eq!(all["moves"], plain["moves"]);
    let again = finish(&[]);
    assert_eq!(again["margin"], plain["margin"]);
    assert_eq!(again["exact"], true);
    let nodes = |found: &Value| found["nodes"].as_u64().expect("a number");
    assert!(nodes(&again) < nodes(&plain) / 2, "{again} after {plain}");
}

/// A checkpoint of a proof that is done.
fn checkpoint(folder: &Path) -> String {
    let path = folder.join("proof");
    let output = solve_with(&path, &["--moves"]).output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    fs::read_to_string(&path).unwrap()
}

#[test]
fn a_checkpoint_that_is_not_what_it_should_be_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let good = checkpoint(folder.path());
    let path = folder.path().join("proof");
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{good}");
        good.replacen(from, to, 1)
    };
    for (contents, expected) in [
        (String::new(), "' is no checkpoint: EOF while parsing"),
        (good[..good.len() / 2].to_owned(), "' is no checkpoint: "),
        ("1. C b *\n".to_owned(), "' is no checkpoint: "),
        (
            changed("kalah checkpoint 1", "kalah checkpoint 2"),
            "' is `kalah checkpoint 2`, and not `kalah checkpoint 1`",
        ),
        (
            changed("\"lower\":", "\"lower\":1"),
            "' is damaged: its checksum is ",
        ),
    ] {
        fs::write(&path, &contents).unwrap();
        let output = solve_with(&path, &[]).output().expect("it runs");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains(expected), "{errors}");
        assert_eq!(text(&output.stdout), "");
        assert_eq!(fs::read_to_string(&path).unwrap(), contents);
    }
}

#[test]
fn a_checkpoint_of_something_else_is_refused_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let good = checkpoint(folder.path());
    let path = folder.path().join("proof");
    let file = path.to_str().expect("text");
    for (asked, expected) in [
        (
            ["4x3", "--rules", "cs32"],
            "' is about `<4,0,0,4,4,4,4,4,4,4,4> s` under the rules cs32, \
             and not about `<4,0,0,3,3,3,3,3,3,3,3> s` under cs32\n",
        ),
        (
            ["4x4", "--rules", "standard"],
            "' is about `<4,0,0,4,4,4,4,4,4,4,4> s` under the rules cs32, \
             and not about `<4,0,0,4,4,4,4,4,4,4,4> s` under standard\n",
        ),
    ] {
        let arguments = [&["solve", "--checkpoint", file], &asked as &[&str]].concat();
        let output = kalah(&arguments).output().expect("it runs");
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.ends_with(expected), "{errors}");
        assert_eq!(fs::read_to_string(&path).unwrap(), good);
    }
}

#[cfg(unix)]
mod interrupted {
    use super::*;
    use std::process::Child;
    use std::thread;
    use std::time::{Duration, Instant};

    /// What the shell says of a program that Ctrl-C has ended.
    const INTERRUPTED: Option<i32> = Some(130);
    /// Longer than any machine takes.
    const PATIENCE: Duration = Duration::from_mins(5);

    /// What is said where no step of a proof was finished.
    const NOTHING: &str = "error: broken off: nothing is proven yet\n";

    /// How far a proof is by then is a matter of the machine.
    fn is_broken_off(told: &str) -> bool {
        told.ends_with("error: broken off: this is what is proven so far\n")
            || told.ends_with(NOTHING)
    }

    /// Waits until a search is under way: until the process has used a second of a processor, far too little to end
    /// a proof of 6x6.
    fn wait_for_a_search(child: &Child) {
        let start = Instant::now();
        loop {
            let id = child.id().to_string();
            let output = Command::new("ps").args(["-o", "time=", "-p", &id]).output();
            let used = text(&output.expect("ps is there").stdout);
            if used.contains(|digit: char| ('1'..='9').contains(&digit)) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "nothing is searched: {used}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Sends the signal twice, as who ends a program and its group does: it is one Ctrl-C.
    fn interrupt(child: &Child) {
        let kill = format!("kill -INT {0} && (kill -INT {0} || true)", child.id());
        let status = Command::new("sh").args(["-c", &kill]).status();
        assert!(status.expect("a shell is there").success());
    }

    #[test]
    fn ctrl_c_tells_what_an_analysis_has_found() {
        let analyze = ["analyze", "6x6", "--json", "--memory", "32MiB"];
        let child = kalah(&analyze).spawn().expect("it starts");
        wait_for_a_search(&child);
        interrupt(&child);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), INTERRUPTED);
        assert!(is_broken_off(&text(&output.stderr)));
        let found = parsed(&output);
        assert_eq!(found["exact"], false, "{found}");
        assert!(found["best"].is_string(), "{found}");
        check_bounds(&found);
    }

    #[test]
    fn ctrl_c_keeps_what_a_proof_has_found_in_its_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proof");
        let file = path.to_str().expect("text");
        let solve = ["solve", "6x6", "--memory", "32MiB", "--checkpoint", file];
        let child = kalah(&solve).spawn().expect("it starts");
        let start = Instant::now();
        while !path.exists() {
            assert!(start.elapsed() < PATIENCE, "nothing is written");
            thread::sleep(Duration::from_millis(1));
        }
        wait_for_a_search(&child);
        interrupt(&child);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), INTERRUPTED);
        let errors = text(&output.stderr);
        let kept = "proof' keeps these bounds of the moves: the same command goes on with them, \
                    and begins the step under way again\n";
        assert!(errors.ends_with(kept) || errors == NOTHING, "{errors}");
        assert!(text(&output.stdout).starts_with("South to move: from -"));
        let kept: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let moves = kept["proof"]["moves"].as_array().expect("moves");
        assert_eq!(moves.len(), 6, "{kept}");
    }

    #[test]
    fn on_a_terminal_it_is_shown_how_far_a_proof_is() {
        for command in ["solve", "analyze"] {
            shows_how_far(command);
        }
    }

    fn shows_how_far(command: &str) {
        let plain = kalah(&[command, "6x6", "--memory", "32MiB"]);
        let mut command = Command::new(plain.get_program());
        command.args(plain.get_args()).env("TERM", "xterm");
        let patience = u64::try_from(PATIENCE.as_millis()).unwrap();
        let mut session =
            rexpect::session::spawn_command(command, Some(patience)).expect("it starts");
        session
            .exp_regex(r"[1-9][0-9,]* positions, [0-9]+\.[0-9] million/s, [1-9][0-9]*s")
            .expect("a line");
        session.send_control('c').expect("it listens");
        let rest = session.exp_eof().expect("it ends");
        let mut lines = rest.lines().map(|line| format!("{line}\n"));
        assert!(lines.any(|line| is_broken_off(&line)), "{rest}");
    }
}
