//! `kalah analyze` and `kalah solve`: margins, bounds, checkpoints and interruption.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use kalah::record::Record;
use kalah::{Move, MoveResult, Position, Rules, Setup, Side, reference};
use serde_json::Value;

use crate::harness::{Process, args, kalah, path_text, run, temp_dir};

/// Returns a command without tables and with little memory.
fn small(arguments: &[&str]) -> Command {
    let mut command = kalah(arguments);
    command.args(["--tables", "none"]);
    if !arguments.contains(&"--memory") {
        command.args(["--memory", "16MiB"]);
    }
    command
}

/// Runs a command, which must succeed, and returns its JSON.
fn report(arguments: &[&str]) -> Value {
    let output = run(&mut small(arguments));
    let report = output.json();
    output.success();
    report
}

/// Removes the time at the end of an output, which depends on the machine.
fn without_time(output: &str) -> &str {
    let time = output.rfind(", ").max(output.rfind("\"seconds\":"));
    time.map_or(output, |start| &output[..start])
}

#[test]
fn examples_of_the_document_are_current() {
    let document = include_str!("../../../../../docs/analysis.md");
    let blocks = document.split("```text\n$ ").skip(1);
    let mut commands = 0;
    for block in blocks {
        let (example, _) = block.split_once("```").expect("the end of the block");
        let (command, expected) = example.split_once('\n').expect("a command and its output");
        let arguments = command.strip_prefix("kalah ").expect("a command of kalah");
        // The examples show the default memory. The tables of the user must not change the nodes.
        let output = run(kalah(args(arguments)).args(["--tables", "none"])).success();
        assert_eq!(
            without_time(&output),
            without_time(expected),
            "docs/analysis.md: {command}"
        );
        commands += 1;
    }
    assert_eq!(commands, 2);
}

/// Returns the margin of each move, from the slow reference implementation.
fn margins(position: &Position) -> BTreeMap<String, i32> {
    let mover = position.to_move();
    let margin_of = |mv: Move| {
        let mut next = position.clone();
        let result = next.play(mv).expect("a legal move");
        let margin = reference::margin(&next).seeds();
        let same_player = result != MoveResult::Swapped && next.to_move() == mover;
        let margin = if same_player { margin } else { -margin };
        (mv.text(mover), margin)
    };
    position.legal_moves().map(margin_of).collect()
}

/// Checks that the line consists of legal moves and, if it ends the game, ends with the margin.
/// Returns true if it ends the game.
fn check_line(position: &Position, report: &Value) -> bool {
    let line = report["line"].as_array().expect("moves").iter();
    let line: Vec<&str> = line.map(|mv| mv.as_str().expect("a move")).collect();
    let line = line.join(" ");
    let rules = position.rules();
    let record = format!("[Rules \"{rules}\"]\n[Position \"{position}\"]\n\n{line} *\n");
    let record: Record = record.parse().expect("a record");
    let game = record.game();
    let mover = position.to_move();
    let best = game.plies().first().map(|ply| ply.mv.text(mover));
    assert_eq!(report["best"], Value::from(best), "{line}");
    let Some(outcome) = game.outcome() else {
        return false;
    };
    let store = |side| i64::from(outcome.stores[side].get());
    // The side at the end of the player to move.
    let side = if game.is_swapped() {
        mover.opponent()
    } else {
        mover
    };
    assert_eq!(
        report["margin"],
        store(side) - store(side.opponent()),
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
fn margins_equal_those_of_the_reference_implementation() {
    let mut whole_games = 0;
    for rules in Rules::PRESETS.map(|preset| preset.rules) {
        for setup in POSITIONS {
            let position = setup.parse::<Setup>().unwrap().position(rules).unwrap();
            let rules = rules.to_string();
            let report = report(&["analyze", setup, "--rules", &rules, "--json"]);
            let command = format!("kalah analyze '{setup}' --rules {rules} --json: {report}");
            let side = match position.to_move() {
                Side::South => "south",
                Side::North => "north",
            };
            assert_eq!(report["position"], position.to_string(), "{command}");
            assert_eq!(report["rules"], rules, "{command}");
            assert_eq!(report["to_move"], side, "{command}");
            assert_eq!(
                report["margin"],
                reference::margin(&position).seeds(),
                "{command}"
            );
            assert_eq!(report["exact"], true, "{command}");
            let moves = report["moves"].as_array().expect("moves");
            let order: Vec<_> = (position.legal_moves())
                .map(|mv| mv.text(position.to_move()))
                .collect();
            let names: Vec<_> = moves.iter().filter_map(|mv| mv["move"].as_str()).collect();
            assert_eq!(names, order, "{command}");
            let margins = margins(&position);
            for mv in moves {
                let margin = margins[mv["move"].as_str().expect("a move")];
                for key in ["lower", "upper"] {
                    assert_eq!(mv[key], margin, "{command}");
                }
                assert_eq!(mv["exact"], true, "{command}");
            }
            if position.is_over() {
                assert_eq!(report["best"], Value::Null, "{command}");
                assert_eq!(report["line"], Value::Array(Vec::new()), "{command}");
            } else {
                let best = report["best"].as_str().expect("a move");
                assert_eq!(report["margin"], margins[best], "{command}");
                whole_games += usize::from(check_line(&position, &report));
            }
        }
    }
    assert!(whole_games > 20, "{whole_games}");
}

#[test]
fn proofs_agree_for_any_threads_and_memory() {
    for rules in ["cs32", "mankalah"] {
        let solve = ["solve", "4x3", "--json", "--rules", rules];
        let analyzed = report(&["analyze", "4x3", "--json", "--rules", rules]);
        for options in [
            &[] as &[&str],
            &["--threads", "3"],
            &["--threads", "1", "--memory", "1MiB"],
        ] {
            let solved = report(&[&solve, options].concat());
            assert_eq!(solved["margin"], analyzed["margin"]);
            assert_eq!(solved["exact"], true);
            assert_eq!(solved["moves"], Value::Array(Vec::new()));
            let all = report(&[&solve, options, &["--moves"]].concat());
            assert_eq!(bounds_of_moves(&all), bounds_of_moves(&analyzed));
        }
    }
}

/// Returns each move with its bounds.
fn bounds_of_moves(report: &Value) -> Vec<[&Value; 3]> {
    let moves = report["moves"].as_array().expect("moves");
    (moves.iter())
        .map(|mv| ["move", "lower", "upper"].map(|key| &mv[key]))
        .collect()
}

/// Checks that the bounds of the moves agree with each other and with the margin.
fn check_bounds(report: &Value) {
    let margin = |of: &Value, key: &str| of[key].as_i64().expect("a margin");
    let moves = report["moves"].as_array().expect("moves");
    for mv in moves {
        assert!(margin(mv, "lower") <= margin(mv, "upper"), "{report}");
        assert_eq!(mv["exact"], mv["lower"] == mv["upper"], "{report}");
    }
    let most = moves.iter().map(|mv| margin(mv, "lower")).max();
    assert_eq!(most, Some(margin(report, "lower")), "{report}");
}

#[test]
fn time_limit_leaves_bounds_and_the_best_move_so_far() {
    let report = report(&["analyze", "6x6", "--json", "--time", "100ms"]);
    assert_eq!(report["exact"], false, "{report}");
    assert!(report["best"].is_string(), "{report}");
    assert_eq!(
        report["moves"].as_array().map(Vec::len),
        Some(6),
        "{report}"
    );
    check_bounds(&report);
}

#[test]
fn follow_prints_snapshots_with_an_estimate_for_every_move() {
    for position in ["4x3", "6x6"] {
        let arguments = ["analyze", position, "--json", "--follow", "--time", "300ms"];
        let output = run(&mut small(&arguments)).success();
        let snapshots: Vec<Value> = (output.lines())
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert!(snapshots.len() > 10, "{output}");
        for snapshot in &snapshots {
            check_bounds(snapshot);
            let moves = snapshot["moves"].as_array().expect("moves");
            let estimates = moves.iter().map(|mv| mv["estimate"].as_i64());
            assert_eq!(estimates.max().flatten(), snapshot["margin"].as_i64());
            assert_eq!(snapshot["line"][0], snapshot["best"]);
        }
        let depth = |snapshot: &Value| snapshot["depth"].as_u64();
        assert_eq!(depth(&snapshots[0]), Some(0));
        assert!(snapshots.is_sorted_by_key(depth));
    }
    let output = run(&mut small(&["analyze", "3x2", "--follow"]));
    assert!(output.failure(2).contains("--json"));
}

#[test]
fn lines_of_several_moves_are_printed_and_begin_with_their_moves() {
    let analysis = report(&["analyze", "4x3", "--json", "--lines", "2"]);
    let moves = analysis["moves"].as_array().expect("moves");
    let lines: Vec<_> = moves.iter().filter(|mv| !mv["line"].is_null()).collect();
    assert_eq!(lines.len(), 2);
    for mv in lines {
        assert_eq!(mv["line"][0], mv["move"]);
    }
    let text = run(&mut small(&["analyze", "4x3", "--lines", "2"])).success();
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("Line: "))
            .count(),
        2
    );
}

/// Returns the number of nodes of a proof with the tables of a data directory, and its messages.
/// The first estimates of an analysis would precede the verification of the tables.
#[cfg(target_os = "linux")]
fn solve_with_data(data: &Path, arguments: &[&str]) -> (u64, String) {
    let mut command = kalah(["solve", "<3,4,5,1,0,2,0,1,2> s", "--json"]);
    command.args(["--memory", "16MiB"]).args(arguments);
    let output = run(command.env("XDG_DATA_HOME", data));
    assert!(output.status.success(), "{output:#?}");
    let nodes = output.json()["nodes"].as_u64().expect("a number");
    (nodes, output.stderr)
}

#[cfg(target_os = "linux")]
#[test]
fn largest_valid_table_of_the_data_directory_is_used() {
    let data = temp_dir();
    for seeds in ["4", "6", "8"] {
        let mut build = kalah(["tables", "build", "--houses", "3", "--seeds", seeds]);
        run(build.env("XDG_DATA_HOME", data.path())).success();
    }
    assert_eq!(solve_with_data(data.path(), &[]), (0, String::new()));
    let (nodes, warnings) = solve_with_data(data.path(), &["--tables", "none"]);
    assert!(nodes > 0);
    assert_eq!(warnings, "");

    // The table of 6 seeds has the positions after all moves.
    let tables = data.path().join("kalah/tables");
    let damaged = tables.join("kalah-3-houses-8-seeds-cs32.table");
    fs::OpenOptions::new()
        .write(true)
        .open(&damaged)
        .and_then(|file| file.set_len(5000))
        .unwrap();
    let (nodes, warnings) = solve_with_data(data.path(), &[]);
    assert_eq!(nodes, 0);
    assert!(
        warnings.starts_with("warning: skipping this file: '"),
        "{warnings}"
    );
    assert!(warnings.contains("8-seeds-cs32.table"), "{warnings}");
    assert!(warnings.contains("is truncated"), "{warnings}");
    assert_eq!(warnings.lines().count(), 1, "{warnings}");
}

fn solve_with(checkpoint: &Path, more: &[&str]) -> Command {
    let mut command = small(&["solve", "4x4", "--json", "--book", "none"]);
    command.args(more).arg("--checkpoint").arg(checkpoint);
    command
}

#[test]
fn proof_killed_several_times_resumes_from_its_checkpoint() {
    use std::thread;
    use std::time::Duration;

    const KILLS: u64 = 8;
    let plain = report(&["solve", "4x4", "--json", "--book", "none", "--moves"]);
    let folder = temp_dir();
    let path = folder.path().join("proof");
    for kill in 1..=KILLS {
        let mut proof = Process::spawn(&mut solve_with(&path, &["--moves"]));
        thread::sleep(Duration::from_millis(10 * kill));
        proof.kill();
    }
    let finish = |more: &[&str]| {
        let output = run(&mut solve_with(&path, more));
        assert!(output.status.success(), "{output:#?}");
        output.json()
    };
    let all = finish(&["--moves"]);
    let bounds = |report: &Value| {
        let moves = report["moves"].as_array().expect("moves").iter();
        let bounds = moves.map(|mv| ["move", "lower", "upper"].map(|key| mv[key].clone()));
        bounds.collect::<Vec<_>>()
    };
    assert_eq!(bounds(&all), bounds(&plain));
    let again = finish(&[]);
    assert_eq!(again["margin"], plain["margin"]);
    assert_eq!(
        (&again["lower"], &again["upper"]),
        (&plain["margin"], &plain["margin"])
    );
    let nodes = |report: &Value| report["nodes"].as_u64().expect("a number");
    assert!(nodes(&again) < nodes(&plain) / 2, "{again} after {plain}");
}

/// Bounds in a file are not proven by the run that reads them.
#[test]
fn margins_are_conditional_on_the_bounds_of_a_checkpoint() {
    let folder = temp_dir();
    let path = folder.path().join("proof");
    let file = path.to_str().expect("UTF-8");
    let solve = |more: &[&str]| {
        let arguments = ["solve", "3x2", "--moves", "--checkpoint", file];
        run(small(&arguments).args(more))
    };
    let first = solve(&["--json"]).json();
    assert_eq!(first["exact"], true, "{first}");
    let text = solve(&[]).success();
    assert!(
        text.starts_with("South to move: +4, conditional\n"),
        "{text}"
    );
    assert!(!text.contains("exact"), "{text}");
    let note = format!("Conditional on the bounds in '{file}', which this run has not proven\n");
    assert!(text.ends_with(&note), "{text}");
    let again = solve(&["--json"]).json();
    for report in again["moves"]
        .as_array()
        .expect("moves")
        .iter()
        .chain([&again])
    {
        assert_eq!(report["exact"], false, "{again}");
    }
    assert_eq!(again["margin"], first["margin"]);
}

/// Returns the checkpoint of a finished proof.
fn checkpoint(folder: &Path) -> String {
    let path = folder.join("proof");
    let output = run(&mut solve_with(&path, &["--moves"]));
    assert!(output.status.success(), "{output:#?}");
    fs::read_to_string(&path).unwrap()
}

#[test]
fn damaged_checkpoint_is_refused_and_not_changed() {
    let folder = temp_dir();
    let good = checkpoint(folder.path());
    let path = folder.path().join("proof");
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{good}");
        good.replacen(from, to, 1)
    };
    for (contents, expected) in [
        (
            String::new(),
            "' is not a checkpoint: line 1: the text ends too early; name another file, or \
             remove this one to begin the proof anew",
        ),
        (
            good[..good.len() / 2].to_owned(),
            ": the text ends too early; name another file",
        ),
        (
            "1. C b *\n".to_owned(),
            "' is not a checkpoint: line 1, column 3: the text is not JSON; name another file",
        ),
        (
            changed("\"lower\":", "\"lowest\":"),
            ": `lowest` is an unknown key, expected one of `move`, `lower`, `upper`; name another file",
        ),
        (
            changed("kalah checkpoint 1", "kalah checkpoint 2"),
            "' has the format `kalah checkpoint 2`, not `kalah checkpoint 1`",
        ),
        (
            changed("\"lower\":", "\"lower\":1"),
            "' is damaged: its checksum is ",
        ),
    ] {
        fs::write(&path, &contents).unwrap();
        let output = run(&mut solve_with(&path, &[]));
        assert_eq!(output.stdout, "");
        let errors = output.failure(1);
        assert!(errors.contains(expected), "{errors}");
        assert_eq!(fs::read_to_string(&path).unwrap(), contents);
    }
}

#[test]
fn checkpoint_of_another_proof_is_refused() {
    let folder = temp_dir();
    let good = checkpoint(folder.path());
    let path = folder.path().join("proof");
    let file = path_text(&path);
    for (proof, expected) in [
        (
            ["4x3", "--rules", "cs32"],
            "' has the position `<4,0,0,4,4,4,4,4,4,4,4> s` under the rules cs32, \
             not `<4,0,0,3,3,3,3,3,3,3,3> s` under cs32\n",
        ),
        (
            ["4x4", "--rules", "standard"],
            "' has the position `<4,0,0,4,4,4,4,4,4,4,4> s` under the rules cs32, \
             not `<4,0,0,4,4,4,4,4,4,4,4> s` under standard\n",
        ),
    ] {
        let arguments = [&["solve", "--checkpoint", file], &proof as &[&str]].concat();
        let errors = run(&mut small(&arguments)).failure(1);
        assert!(errors.ends_with(expected), "{errors}");
        assert_eq!(fs::read_to_string(&path).unwrap(), good);
    }
}

#[cfg(unix)]
mod interrupted {
    use super::*;
    use crate::harness::{spawn_on_terminal, wait_until};

    /// The exit code after Ctrl-C.
    const INTERRUPTED: i32 = 130;

    /// The message if no step of a proof was finished.
    const NOTHING: &str = "error: interrupted: no margin is proven\n";

    /// The finished part of a proof depends on the machine.
    fn is_interruption(text: &str) -> bool {
        text.ends_with("error: interrupted: the bounds are those proven so far\n")
            || text.ends_with(NOTHING)
    }

    /// Waits until the process has used a second of a processor: then it searches, and a proof of
    /// 6x6 is far from its end.
    fn wait_for_search(process: &Process) {
        let id = process.id().to_string();
        wait_until("the process searches", || {
            let time = run(Command::new("ps").args(["-o", "time=", "-p", &id])).success();
            time.contains(|digit: char| ('1'..='9').contains(&digit))
        });
    }

    /// Sends the signal twice, as a terminal and a parent process may do. The program counts both
    /// as one Ctrl-C.
    fn interrupt(process: &Process) {
        let kill = format!("kill -INT {0} && (kill -INT {0} || true)", process.id());
        run(Command::new("sh").args(["-c", &kill])).success();
    }

    #[test]
    fn interrupted_analysis_reports_its_bounds() {
        let analyze = ["analyze", "6x6", "--json", "--memory", "32MiB"];
        let process = Process::spawn(&mut small(&analyze));
        wait_for_search(&process);
        interrupt(&process);
        let output = process.wait();
        let report = output.json();
        assert!(is_interruption(&output.failure(INTERRUPTED)));
        assert_eq!(report["exact"], false, "{report}");
        assert!(report["best"].is_string(), "{report}");
        check_bounds(&report);
    }

    #[test]
    fn hangup_ends_an_analysis_with_its_results_and_without_a_message() {
        /// The exit code after SIGHUP.
        const HUNG_UP: i32 = 129;

        let analyze = ["analyze", "6x6", "--json", "--memory", "32MiB"];
        let process = Process::spawn(&mut small(&analyze));
        wait_for_search(&process);
        process.signal("HUP");
        let output = process.wait();
        check_bounds(&output.json());
        assert_eq!(output.failure(HUNG_UP), "");
    }

    #[test]
    fn interrupted_review_reports_the_bounds_of_all_plies() {
        let folder = temp_dir();
        let path = folder.path().join("game.kgn");
        // The analysis of the last position would take hours.
        fs::write(&path, "[Position \"6x6\"]\n\n1. B a 2. C *\n").expect("a writable file");
        let file = path_text(&path);
        let review = [
            "review", file, "--time", "1h", "--json", "--memory", "32MiB",
        ];
        let process = Process::spawn(&mut small(&review));
        wait_for_search(&process);
        interrupt(&process);
        let output = process.wait();
        let report = output.json();
        assert!(is_interruption(&output.failure(INTERRUPTED)));
        assert_eq!(report["unproven"], 3, "{report}");
        assert_eq!(
            report["plies"].as_array().map(Vec::len),
            Some(3),
            "{report}"
        );
    }

    #[test]
    fn interrupted_proof_keeps_its_bounds_in_the_checkpoint() {
        let folder = temp_dir();
        let path = folder.path().join("proof");
        let file = path_text(&path);
        let solve = ["solve", "6x6", "--memory", "32MiB", "--checkpoint", file];
        let process = Process::spawn(&mut small(&solve));
        wait_until("the checkpoint is written", || path.exists());
        wait_for_search(&process);
        interrupt(&process);
        let output = process.wait();
        assert!(output.stdout.starts_with("South to move: from -"));
        let errors = output.failure(INTERRUPTED);
        let kept = "proof' has these bounds of the moves: the same command resumes from them and \
                    repeats only the interrupted step\n";
        assert!(errors.ends_with(kept) || errors == NOTHING, "{errors}");
        let checkpoint = fs::read_to_string(&path).expect("a checkpoint");
        let checkpoint: Value = serde_json::from_str(&checkpoint).expect("JSON");
        let moves = checkpoint["proof"]["moves"].as_array().expect("moves");
        assert_eq!(moves.len(), 6, "{checkpoint}");
    }

    #[test]
    fn terminal_shows_the_progress_of_a_proof() {
        let proof = r"[1-9][0-9,]* positions, [0-9]+\.[0-9] million/s, [1-9][0-9]*s";
        let analysis = r"F: ~[-+0-9]+, wins [0-9]+ %, (?s:.)*depth [1-9][0-9]*, [1-9][0-9,]* positions a second";
        for (arguments, progress) in [
            (&["solve", "6x6"] as &[&str], proof),
            (&["analyze", "6x6", "--labels", "letters"], analysis),
        ] {
            let mut command = small(&[arguments, &["--memory", "32MiB"]].concat());
            command.env("TERM", "xterm");
            let mut session = spawn_on_terminal(command);
            session.exp_regex(progress).expect("a progress line");
            session.send_control('c').expect("an open terminal");
            let rest = session.exp_eof().expect("the end of the program");
            let mut lines = rest.lines().map(|line| format!("{line}\n"));
            assert!(lines.any(|line| is_interruption(&line)), "{rest}");
        }
    }
}
