//! `kalah show`, `analyze` and `solve` with a position in each line, and the forms of positions.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Process, kalah, path_text, run, run_with_input, temp_dir};

/// Positions of three variants, in texts with different spaces.
const POSITIONS: [&str; 6] = [
    "3x3",
    "<4,2,3,0,1,5,2,3,0,1,4> n",
    "<3, 5,2, 1,0,2, 0,0,1> n",
    "2x5",
    "<4,0,9,4,1,0,2,3,0,1,1> s",
    "3x4",
];

/// A file with [`POSITIONS`], a comment and an empty line.
fn lines_of_positions() -> String {
    let mut lines = POSITIONS.join("\n");
    lines.insert_str(0, "# positions\n\n");
    lines + "\n"
}

/// Returns a command with little memory and without tables.
fn small(arguments: &[&str]) -> Command {
    let mut command = kalah(arguments);
    command.args(["--tables", "none", "--memory", "32MiB"]);
    command
}

fn json_lines(output: &str) -> Vec<Value> {
    let rows = output.lines().map(serde_json::from_str);
    rows.collect::<Result<_, _>>().expect("JSON")
}

/// Removes the keys of `row` that its line adds, and those that depend on the machine.
fn without_times(mut row: Value) -> Value {
    let object = row.as_object_mut().expect("an object");
    for key in [
        "input_line",
        "input",
        "command",
        "seconds",
        "nodes_per_second",
    ] {
        object.remove(key);
    }
    row
}

/// Returns the parts of a row that are proven.
fn proven(row: &Value) -> Vec<Value> {
    let moves = row["moves"].as_array().expect("moves").iter();
    let moves = moves.map(|mv| {
        Value::from(
            [&mv["move"], &mv["lower"], &mv["upper"]]
                .map(Value::clone)
                .to_vec(),
        )
    });
    ["position", "rules", "lower", "upper", "exact"]
        .map(|key| row[key].clone())
        .into_iter()
        .chain(moves)
        .collect()
}

#[test]
fn rows_have_the_margins_of_single_analyses() {
    let rows = run_with_input(
        &mut small(&["analyze", "-", "--jobs", "3"]),
        lines_of_positions(),
    );
    let rows = json_lines(&rows.success());
    assert_eq!(rows.len(), POSITIONS.len());
    for ((row, position), line) in rows.iter().zip(POSITIONS).zip(3..) {
        assert_eq!(
            (&row["input_line"], &row["input"]),
            (&line.into(), &position.into())
        );
        let single = run(&mut small(&["analyze", position, "--json"])).json();
        assert_eq!(proven(row), proven(&single), "{position}");
    }
}

#[test]
fn rows_of_a_node_limit_do_not_depend_on_other_lines() {
    let limits = ["--nodes", "2000", "--threads", "1"];
    let expected: Vec<Value> = POSITIONS
        .iter()
        .map(|position| {
            run(&mut small(
                &[&["analyze", position, "--json"], &limits[..]].concat(),
            ))
            .json()
        })
        .map(without_times)
        .collect();
    for jobs in ["1", "4"] {
        let arguments = [&["analyze", "-", "--jobs", jobs], &limits[..]].concat();
        let rows = run_with_input(&mut small(&arguments), lines_of_positions()).success();
        let rows: Vec<Value> = json_lines(&rows).into_iter().map(without_times).collect();
        assert_eq!(rows, expected, "{jobs} jobs");
    }
}

#[test]
fn an_input_without_positions_has_a_note() {
    let finished = run_with_input(&mut kalah(["analyze", "-"]), "\n# nothing\n");
    assert_eq!(finished.code(), Some(0), "{finished:#?}");
    assert_eq!(finished.stdout, "");
    assert_eq!(finished.stderr, "note: the input has no line to work on\n");
}

#[test]
fn lines_may_have_moves_and_errors_have_rows() {
    let input = "6x4 CF a\n6x4 CC\nchess\n<6,0,0,1> s\n6x4 s 1. C F 1... a\n";
    let finished = run_with_input(&mut kalah(["show", "-"]), input);
    let rows = json_lines(&finished.stdout);
    assert_eq!(rows[0]["position"], "<6,2,0,4,4,0,5,5,0,0,6,6,6,5,5> s");
    assert_eq!(rows[4]["position"], rows[0]["position"]);
    let errors: Vec<&Value> = rows[1..4].iter().map(|row| &row["error"]).collect();
    assert_eq!(errors[0], "move 2, `C`: house C is empty");
    assert!(errors.iter().all(|error| error.is_string()), "{rows:#?}");
    assert_eq!(
        finished.failure(1),
        "error: 3 of 5 lines failed: the output has the reasons\n"
    );
}

/// Parses CSV: its rows with the names of their columns.
fn csv_rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize();
    rows.collect::<Result<_, _>>().expect("CSV")
}

#[test]
fn csv_has_a_row_for_each_move() {
    // The last position is finished.
    let input = "3x3\nchess, \"no\"\n<3,5,2,1,0,2,0,0,1> n\n<2,4,2,0,0,0,0> s\n";
    for command in [
        &["analyze", "-"][..],
        &["solve", "-", "--moves"],
        &["analyze", "-", "--nodes", "5"],
    ] {
        let one_thread = ["--threads", "1", "--jobs", "1"];
        let csv = run_with_input(small(command).args(one_thread).arg("--csv"), input);
        let json = run_with_input(small(command).args(one_thread), input);
        let mut rows = csv_rows(&csv.stdout).into_iter();
        for line in json_lines(&json.stdout) {
            let mut next = || rows.next().expect("a row");
            let check = |row: &BTreeMap<String, String>, object: &Value, keys: &[&str]| {
                for &key in keys {
                    let value = &object[key];
                    let text = value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned);
                    assert_eq!(row[key], text, "{command:?}: {key} of {row:?}");
                }
            };
            let of_line = ["input_line", "input", "position", "rules", "to_move"];
            let Some(moves) = line["moves"].as_array() else {
                check(&next(), &line, &["input_line", "input", "error"]);
                continue;
            };
            let count = moves.len().max(1).to_string();
            for mv in moves {
                let row = next();
                check(&row, &line, &of_line);
                let of_move = ["move", "lower", "upper", "exact", "estimate", "depth"];
                check(&row, mv, &of_move);
                let is_best = line["best"] == mv["move"];
                assert_eq!((&row["rows"], &row["best"]), (&count, &is_best.to_string()));
            }
            if moves.is_empty() {
                let row = next();
                check(&row, &line, &of_line);
                check(&row, &line, &["lower", "upper", "exact"]);
                assert_eq!(
                    (&*row["move"], &row["rows"], &*row["estimate"]),
                    ("", &count, "2")
                );
            }
        }
        assert_eq!(rows.next(), None);
    }
}

#[test]
fn csv_of_solve_has_a_row_for_each_position() {
    let csv = run_with_input(&mut small(&["solve", "-", "--csv"]), lines_of_positions());
    let json = run_with_input(&mut small(&["solve", "-"]), lines_of_positions());
    let (rows, lines) = (csv_rows(&csv.success()), json_lines(&json.success()));
    assert_eq!(rows.len(), lines.len());
    for (row, line) in rows.iter().zip(lines) {
        for key in ["input_line", "lower", "upper", "margin", "exact"] {
            assert_eq!(row[key], line[key].to_string(), "{key} of {row:?}");
        }
        assert_eq!(Some(&*row["best"]), line["best"].as_str(), "{row:?}");
    }
}

/// Runs a batch of `file` with `--out`.
fn batch_to(file: &Path, out: &Path, options: &[&str]) -> crate::harness::Finished {
    let arguments = [
        "solve",
        path_text(file),
        "--out",
        path_text(out),
        "--jobs",
        "2",
    ];
    run(&mut small(&[&arguments, options].concat()))
}

/// Returns the number of bytes of the items of which `whole` has all rows before `cut`.
fn complete_items(whole: &[u8], cut: usize) -> usize {
    let number = |line: &[u8]| line.split(|&byte| byte == b',').next().map(<[u8]>::to_vec);
    let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    let (mut kept, mut end) = (0, 0);
    for (line, next) in lines
        .iter()
        .zip(lines.iter().skip(1).map(Some).chain([None]))
    {
        end += line.len();
        let is_last_of_item = next.is_none_or(|next| number(next) != number(line));
        if end <= cut && is_last_of_item {
            kept = end;
        }
    }
    kept
}

#[test]
fn a_file_of_results_is_continued_wherever_it_was_cut() {
    let folder = temp_dir();
    let (input, out) = (
        folder.path().join("positions"),
        folder.path().join("results"),
    );
    fs::write(&input, lines_of_positions()).expect("a file");
    for options in [&[][..], &["--csv"], &["--csv", "--moves"]] {
        let _ = fs::remove_file(&out);
        assert_eq!(batch_to(&input, &out, options).success(), "");
        let whole = fs::read(&out).expect("results");
        for cut in (0..whole.len()).step_by(whole.len() / 12) {
            fs::write(&out, &whole[..cut]).expect("a file");
            batch_to(&input, &out, options).success();
            let continued = fs::read(&out).expect("results");
            let kept = complete_items(&whole, cut);
            assert_eq!(continued[..kept], whole[..kept], "cut at {cut}");
            let lines = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').count();
            assert_eq!(lines(&continued), lines(&whole), "cut at {cut}");
        }
        let unchanged = fs::read(&out).expect("results");
        batch_to(&input, &out, options).success();
        assert_eq!(fs::read(&out).expect("results"), unchanged);
    }
}

#[test]
fn a_file_of_other_results_is_refused_and_unchanged() {
    let folder = temp_dir();
    let (input, out) = (
        folder.path().join("positions"),
        folder.path().join("results"),
    );
    fs::write(&input, "3x3\n2x2\n").expect("a file");
    batch_to(&input, &out, &[]).success();
    let results = fs::read(&out).expect("results");
    for (other, options, reason) in [
        (
            "3x3\n",
            &[][..],
            "has more results than the input has lines",
        ),
        ("3x3\n1x1\n", &[], "it is that of another input"),
        (
            "3x3\n2x2\n",
            &["--csv"],
            "does not begin with the header of this CSV",
        ),
    ] {
        fs::write(&input, other).expect("a file");
        let message = batch_to(&input, &out, options).failure(1);
        assert!(message.contains(reason), "{message}");
        assert_eq!(fs::read(&out).expect("results"), results);
    }
    let no_results = "has lines that are no results of this command";
    for (notes, options) in [
        ("notes\n", &[][..]),
        ("notes", &[]),
        ("notes", &["--csv"]),
        ("{\"input\":", &[]),
    ] {
        fs::write(&out, notes).expect("a file");
        let message = batch_to(&input, &out, options).failure(1);
        assert!(message.contains(no_results), "{message}");
        assert_eq!(fs::read(&out).expect("notes"), notes.as_bytes());
    }
    let message = batch_to(&input, &input, &[]).failure(1);
    assert!(message.contains(no_results), "{message}");
}

#[test]
fn results_of_other_commands_or_options_are_refused() {
    let folder = temp_dir();
    let (input, out) = (folder.path().join("positions"), folder.path().join("rows"));
    fs::write(&input, "2x2\nnone\n").expect("a file");
    let game = folder.path().join("game.kgn");
    fs::write(&game, "[Position \"2x1\"]\n\n1. B *\n").expect("a file");
    let (input, game) = (path_text(&input), path_text(&game));
    let analyze = &["analyze", input, "--rules", "standard"][..];
    for (earlier, later, earlier_text, later_text) in [
        (
            analyze,
            &["analyze", input, "--rules", "cs32"][..],
            "analyze --rules standard",
            "analyze --rules cs32",
        ),
        (
            analyze,
            &["analyze", input, "--rules", "standard", "--depth", "2"],
            "analyze --rules standard",
            "analyze --rules standard --depth 2",
        ),
        (
            analyze,
            &["solve", input, "--rules", "standard", "--moves"],
            "analyze --rules standard",
            "solve --moves --rules standard",
        ),
        (
            &["solve", input, "--nodes", "9"],
            &["solve", input, "--time", "90s"],
            "solve --rules cs32 --nodes 9",
            "solve --rules cs32 --time '1m 30s'",
        ),
        (
            &["show", input],
            &["show", input, "--line", "B A"],
            "show --rules cs32",
            "show --line 'B A' --rules cs32",
        ),
        (
            &["review", game, "--all", "--nodes", "9"],
            &["review", game, "--all"],
            "review --nodes 9",
            "review --time 5s",
        ),
    ] {
        for format in [&[][..], &["--csv"]] {
            let options = [&["--out", path_text(&out)], format].concat();
            let _ = fs::remove_file(&out);
            let first = run(kalah(earlier).args(&options));
            assert!(first.code() < Some(2), "{first:#?}");
            let rows = fs::read(&out).expect("rows");
            let message = run(kalah(later).args(&options)).failure(1);
            let reason = format!("has results of `{earlier_text}`, and this is `{later_text}`: ");
            assert!(message.contains(&reason), "{message}");
            assert_eq!(fs::read(&out).expect("rows"), rows, "{later:?}");
        }
    }
}

#[test]
fn errors_of_an_earlier_run_count() {
    let folder = temp_dir();
    let input = folder.path().join("positions");
    fs::write(&input, "3x3\nnone\n2x2\n").expect("a file");
    for options in [&[][..], &["--csv"]] {
        let out = folder.path().join(options.concat());
        let out = out.with_extension("rows");
        let messages = [(); 2].map(|()| batch_to(&input, &out, options).failure(1));
        let expected = "error: 1 of 3 lines failed: the output has the reasons\n";
        assert_eq!(messages, [expected; 2]);
    }
}

#[test]
fn rows_are_written_while_the_input_is_open() {
    let mut process = Process::spawn(&mut small(&["analyze", "-"]));
    for position in ["2x2", "1x3"] {
        process.send_line(position);
        let row: Value = serde_json::from_str(&process.read_line()).expect("JSON");
        assert_eq!(row["input"], position);
    }
    process.finish().success();
}

#[cfg(unix)]
#[test]
fn interrupted_batch_ends_while_it_waits_for_input() {
    let mut process = Process::spawn(&mut small(&["analyze", "-"]));
    process.send_line("2x2");
    process.read_line();
    process.signal("INT");
    assert_eq!(process.wait().failure(130), "error: stopped after 1 line\n");
}

#[test]
fn options_of_batches_are_refused_for_one_position() {
    for (arguments, option) in [
        (&["analyze", "6x4", "--jobs", "2"][..], "--jobs"),
        (&["solve", "6x4", "--out", "results"], "--out"),
        (&["show", "6x4", "--csv"], "--csv"),
        (&["analyze", "-", "--json", "--follow"], "--follow"),
        (&["solve", "-", "--checkpoint", "bounds"], "--checkpoint"),
    ] {
        let message = run(&mut kalah(arguments)).failure(2);
        assert!(
            message.starts_with(&format!("error: {option} is for ")),
            "{message}"
        );
    }
}

#[test]
fn games_and_puzzles_begin_at_positions_of_recorded_games() {
    let folder = temp_dir();
    let file = folder.path().join("games.kgn");
    fs::write(&file, "[Rules \"standard\"]\n\n1. CF a *\n").expect("a file");
    let file = path_text(&file);
    for command in ["play", "puzzle"] {
        for (position, options, code, reason) in [
            (
                &*format!("{file}#1@4"),
                &[][..],
                1,
                "has no ply 4: it ends with ply 3",
            ),
            (file, &["--rules", "cs32"], 2, "leave out --rules"),
        ] {
            let arguments = [&[command, "--position", position], options].concat();
            let error = run(&mut kalah(arguments)).failure(code);
            assert!(error.contains(reason), "{error}");
        }
    }
    let record = folder.path().join("played.kgn");
    let position = format!("{file}@2");
    let start = [
        "play",
        "--position",
        &position,
        "--record",
        path_text(&record),
    ];
    let players = [
        "--plain",
        "--no-pause",
        "--south",
        "first",
        "--north",
        "first",
    ];
    run(&mut kalah([&start[..], &players].concat())).success();
    let show = |position: &str| run(&mut kalah(["show", position, "--json"])).json();
    let [recorded, played] = [&position, &format!("{}@0", path_text(&record))].map(|it| show(it));
    for key in ["position", "rules"] {
        assert_eq!(recorded[key], played[key]);
    }
}

#[test]
fn positions_are_given_by_moves_and_by_games() {
    let folder = temp_dir();
    let file = folder.path().join("games.kgn");
    fs::write(
        &file,
        "[Rules \"standard\"]\n\n1. CF a *\n\n[Rules \"mankalah\"]\n[Position \"3x2\"]\n\n1. B swap *\n",
    )
    .expect("a file");
    let file = path_text(&file);
    let show =
        |arguments: &[&str]| run(&mut kalah([&["show"], arguments, &["--json"]].concat())).json();
    let after = "<6,2,0,4,4,0,5,5,0,0,6,6,6,5,5> s";
    for arguments in [
        &["6x4", "--line", "CF a", "--rules", "standard"][..],
        &["6x4", "--rules", "standard", "--line", "1. CF 1... a"],
        &[file],
        &[&format!("{file}#1@3")],
        &[&format!("{file}@2"), "--line", "a"],
    ] {
        let view = show(arguments);
        assert_eq!(
            (&view["position"], &view["rules"]),
            (&after.into(), &"standard".into()),
            "{arguments:?}"
        );
    }
    assert_eq!(show(&[&format!("{file}#2@1")])["legal_moves"][3], "swap");
    let lines = format!("{file}\n{file}#1@2 a\n{file}#2@1\n{file}#0\n{file}#1@4\n");
    let finished = run_with_input(&mut kalah(["show", "-"]), lines);
    let rows = json_lines(&finished.stdout);
    assert_eq!(rows[0]["position"], after);
    assert_eq!(rows[1]["position"], after);
    assert_eq!(rows[2]["rules"], "mankalah");
    let reasons = ["`#0` after `", "has no ply 4: it ends with ply 3"];
    for (row, reason) in rows[3..].iter().zip(reasons) {
        let error = row["error"].as_str().expect("an error");
        assert!(error.contains(reason), "{error}");
    }
    for (arguments, reason) in [
        (
            &[&*format!("{file}#3")][..],
            "games.kgn' contains 2 games, but not game 3",
        ),
        (
            &[&format!("{file}#1@4")],
            "has no ply 4: it ends with ply 3",
        ),
        (
            &[file, "--rules", "cs32"],
            "has the rules standard, not cs32: leave out --rules",
        ),
        (
            &["6x4", "--line", "CC"],
            "--line: move 2, `C`: house C is empty",
        ),
        (&["positions"], "or the name of a file"),
        (
            &["<6,0,0,4,4,4,4> s"],
            "expected 14 numbers after the first for 6 houses a side, found 6\n",
        ),
        (&["--", "-4x3"], "`-4` is not a number of houses or seeds\n"),
        (&["no/positions"], "cannot read 'no/positions': "),
        (&["positions.txt"], "cannot read 'positions.txt': "),
    ] {
        let finished = run(&mut kalah([&["show"], arguments].concat()));
        assert!(finished.stderr.contains(reason), "{finished:#?}");
        assert_ne!(finished.code(), Some(0));
    }
}

#[test]
fn rows_on_standard_output_and_in_a_file_have_the_same_bytes() {
    let dir = temp_dir();
    let path = dir.path().join("rows");
    // Each byte but the end of a line alone, the begins of control sequences, and a valid line.
    let mut input = Vec::new();
    for byte in (u8::MIN..=u8::MAX).filter(|&byte| byte != b'\n') {
        input.extend([b'Z', b' ', byte, b'\n']);
    }
    input.extend(b"Z \x1b[\nZ \x1b]0;t\nZ \xc2\x9b1m\n3x2 B\n");
    for format in [&["--csv"][..], &[]] {
        let arguments = [&["show", "-"], format].concat();
        let printed = run_with_input(&mut kalah(&arguments), &input);
        let _ = fs::remove_file(&path);
        let arguments = [&arguments[..], &["--out", path_text(&path)]].concat();
        run_with_input(&mut kalah(&arguments), &input).failure(1);
        let written = fs::read_to_string(&path).expect("rows");
        assert_eq!(printed.stdout, written, "{format:?}");
    }
    let printed = run_with_input(&mut kalah(["show", "-", "--csv"]), &input).stdout;
    let rows = csv_rows(&printed);
    assert!(rows.iter().any(|row| row["input"] == "Z \u{1b}]0;t"));
    let last = rows.last().expect("a row");
    assert_eq!((&*last["input"], &*last["error"]), ("3x2 B", ""));
}

#[test]
fn results_name_the_program_that_has_computed_them() {
    let dir = temp_dir();
    let game = dir.path().join("game.kgn");
    fs::write(&game, "[Position \"3x2\"]\n\n1. A a *\n").expect("a file");
    let game = path_text(&game);
    let mut programs = Vec::new();
    for line in [
        "show 3x2",
        "solve 3x2",
        "analyze 3x2",
        "perft 3x2 2",
        "tree 3x2 1",
        "puzzle --board 3x2 --seed 1 --count 1",
        "replay {}",
        "review {}",
    ] {
        let line = line.replace("{}", game) + " --json";
        let json = run(&mut kalah(line.split(' '))).json();
        programs.push(json["program"].as_str().expect(&line).to_owned());
    }
    for line in ["show -", "solve -", "solve - --moves", "analyze -"] {
        let line = format!("{line} --csv");
        let rows = run_with_input(&mut kalah(line.split(' ')), "3x2\n").success();
        programs.push(csv_rows(&rows)[0].get("program").expect(&line).clone());
    }
    for line in ["replay", "review"] {
        let rows = run(&mut kalah([line, game, "--all", "--csv"])).success();
        programs.push(csv_rows(&rows)[0].get("program").expect(line).clone());
    }
    let version = env!("CARGO_PKG_VERSION");
    assert!(programs[0].starts_with(version), "{programs:?}");
    assert!(programs.iter().all(|program| *program == programs[0]));
}

#[test]
fn random_seed_of_puzzles_gives_them_again() {
    let puzzle = ["puzzle", "--board", "3x2", "--count", "1", "--json"];
    let first = run(&mut kalah(puzzle)).json();
    let seed = first["seed"].to_string();
    let again = run(kalah(puzzle).args(["--seed", &seed])).json();
    assert_eq!(again, first);
}
