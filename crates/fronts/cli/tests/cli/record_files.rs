//! `kalah games FILE`, and `kalah replay` and `review` of many games of a file.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::harness::{kalah, path_text, run, run_with_input, temp_dir};

/// Two games of Ann, between them a game of others and a text that is no game.
const GAMES: &str = r#"[Event "Club"]
[Date "2026.03.01"]
[Round "1.10.1"]
[South "Ann"]
[North "Bo, Jr."]
[Position "3x2"]

1. A a { why? } 2. B *

[Round "1.10.2"]
[South "Cy"]
[North "Di"]
[Position "2x1"]

1. BA b 3-1

[Position "3x2"]

1. Q *

[Round "1.100"]
[South "Di"]
[North "Joanne"]
[Position "3x2"]
[Rules "standard"]

1. A a 2. B *
"#;

fn rows(text: &str) -> Vec<Value> {
    let rows = text.lines().map(serde_json::from_str);
    rows.collect::<Result<_, _>>().expect("JSON")
}

fn numbers(rows: &[Value]) -> Vec<u64> {
    let numbers = rows.iter().map(|row| row["game"].as_u64());
    numbers.collect::<Option<_>>().expect("numbers")
}

/// Returns `kalah review` of small, reproducible searches.
fn review(arguments: &[&str]) -> Command {
    let mut command = kalah(["review"]);
    let search = ["--nodes", "2000", "--tables", "none", "--memory", "32MiB"];
    command.args(search).args(arguments);
    command
}

/// A game of a tournament whose opening has an expensive first ply.
const OPENING: &str = r#"[South "Ann"]
[North "Bo"]
[Position "3x2"]
[OpeningPlies "1"]

1. A { the opening } a 2. B *
"#;

#[test]
fn review_grades_no_ply_of_an_opening() {
    let whole = OPENING.replace("[OpeningPlies \"1\"]\n", "");
    let json = |record: &str| -> Value {
        let report = run_with_input(&mut review(&["--json", "-"]), record).success();
        serde_json::from_str(&report).expect("JSON")
    };
    let (graded, report) = (json(&whole), json(OPENING));
    assert_eq!(graded["plies"][0]["grade"], "blunder");
    assert_eq!(
        (&graded["opening_plies"], &report["opening_plies"]),
        (&0.into(), &1.into())
    );
    let ply = &report["plies"][0];
    for (key, expected) in [
        ("grade", Value::Null),
        ("better_moves", Value::Array(Vec::new())),
        ("reasons", Value::Array(Vec::new())),
        ("before", graded["plies"][0]["before"].clone()),
        ("after", graded["plies"][0]["after"].clone()),
    ] {
        assert_eq!(ply[key], expected, "{key}");
    }
    assert_eq!(report["grades"]["south"]["blunder"], 0);
    assert_eq!(graded["grades"]["south"]["blunder"], 1);
    assert_eq!(report["accuracy"]["south"]["plies"], 1);

    let text = run_with_input(&mut review(&["-"]), OPENING).success();
    let sentence =
        "The first ply is the opening of the tournament, which no player chose, and is not graded.";
    assert_eq!(text.matches(sentence).count(), 1, "{text}");
    assert!(text.contains("1.     A    -8 exact\n"), "{text}");
    assert!(text.contains("in 1 of 1 ply)"), "{text}");
    let summary = "North (Bo) was winning by 8 after the opening, sowed house a in turn 1";
    assert!(text.contains(summary), "{text}");

    let csv = run_with_input(&mut review(&["--all", "--csv", "-"]), OPENING).success();
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let column = header.iter().position(|name| name == "opening_plies");
    let row = reader.records().next().expect("a row").expect("CSV");
    assert_eq!(&row[column.expect("the column")], "1");

    let directory = temp_dir();
    let path = directory.path().join("annotated.kgn");
    let annotation = run_with_input(&mut review(&["--annotate", path_text(&path), "-"]), OPENING);
    assert!(annotation.status.success(), "{annotation:?}");
    let annotated = fs::read_to_string(path).expect("the record");
    assert!(annotated.contains("[OpeningPlies \"1\"]"), "{annotated}");
    let words: Vec<&str> = annotated.split_whitespace().collect();
    let first = "1. A { the opening } 1... a { Cost 2 seeds.";
    assert!(words.join(" ").contains(first), "{annotated}");
}

#[test]
fn games_of_a_file_are_listed_by_player_and_round() {
    let list = |options: &[&str]| {
        let mut command = kalah(["games", "-"]);
        run_with_input(command.args(options), GAMES)
    };
    let all = list(&[]);
    assert_eq!(
        all.stdout,
        "game  round   date        south  north    board  rules     plies  result\n\
         1     1.10.1  2026.03.01  Ann    Bo, Jr.  3x2    cs32      3      unfinished\n\
         2     1.10.2              Cy     Di       2x1    cs32      3      South wins 3-1\n\
         4     1.100               Di     Joanne   3x2    standard  3      unfinished\n"
    );
    let errors = all.failure(1);
    assert!(errors.contains("standard input: "), "{errors}");
    assert!(
        errors.ends_with("error: 1 of 4 games cannot be read\n"),
        "{errors}"
    );
    for (options, expected) in [
        (&["--player", "ANN"][..], vec![1, 4]),
        (&["--round", "1.10"], vec![1, 2]),
        (&["--round", "1.1"], vec![]),
        (&["--player", "di", "--round", "1.10.2"], vec![2]),
    ] {
        let options = [options, &["--json"]].concat();
        let listed = list(&options);
        assert_eq!(numbers(&rows(&listed.stdout)), expected, "{options:?}");
        let selected = format!("note: {} of 4 games listed\n", expected.len());
        assert!(listed.stderr.starts_with(&selected), "{listed:#?}");
    }
}

#[test]
fn a_review_appends_the_annotated_game_to_a_file() {
    let folder = temp_dir();
    let path = folder.path().join("annotated.kgn");
    let options = ["-", "--game", "1", "--annotate", path_text(&path)];
    let reviewed = run_with_input(&mut review(&options), GAMES);
    let note = format!("the annotated game is in '{}'\n", path.display());
    assert!(reviewed.stderr.ends_with(&note), "{reviewed:#?}");
    assert_eq!(reviewed.code(), Some(0));
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.contains("\n[Annotator \"kalah/"), "{text}");
    assert!(
        text.contains("1. A { ?? }") && text.contains("( 1. B )"),
        "{text}"
    );
    assert!(text.contains("{ why? }"), "{text}");
    let damaged = folder.path().join("damaged.kgn");
    fs::write(&damaged, "1. A x").expect("a file");
    for target in [damaged, folder.path().join("none").join("annotated.kgn")] {
        let options = ["-", "--annotate", path_text(&target)];
        let refused = run_with_input(&mut review(&options), GAMES);
        assert_eq!(refused.stdout, "", "the target is checked first");
        let name = path_text(&target).to_owned();
        assert!(refused.failure(1).contains(&name), "{name}");
    }
    let all = ["-", "--all", "--annotate", path_text(&path)];
    let refused = run_with_input(&mut review(&all), GAMES).failure(2);
    let reason = "error: --annotate writes one game: select it with --game\n";
    assert!(refused.starts_with(reason), "{refused}");
}

#[test]
fn replays_of_all_games_have_players_plies_and_comments() {
    let replayed = run_with_input(&mut kalah(["replay", "-", "--all"]), GAMES);
    let games = rows(&replayed.stdout);
    assert_eq!(
        replayed.failure(1),
        "error: 1 of 4 games failed: the output has the reasons\n"
    );
    assert_eq!(numbers(&games), [1, 2, 3, 4]);
    let first = &games[0];
    assert_eq!(
        (&first["input"], &first["south"]),
        (&"Ann - Bo, Jr.".into(), &"Ann".into())
    );
    assert_eq!(
        (&first["tags"]["Event"], &first["ply_count"]),
        (&"Club".into(), &3.into())
    );
    let ply = r#"{"turn":1,"side":"north","move":"a","comment":"why?"}"#;
    assert_eq!(
        first["plies"][1],
        serde_json::from_str::<Value>(ply).expect("JSON")
    );
    let (result, winner) = (&games[1]["result"], &games[1]["winner"]);
    assert_eq!((result, winner), (&"3-1".into(), &"south".into()));
    assert!(
        games[2]["error"]
            .as_str()
            .expect("an error")
            .contains("`Q`"),
        "{}",
        games[2]
    );

    let csv = run_with_input(
        &mut kalah(["replay", "-", "--player", "ann", "--csv"]),
        GAMES,
    );
    let lines: Vec<&str> = csv.stdout.lines().collect();
    assert!(
        lines[0].starts_with("game,input,command,error,south,north,"),
        "{lines:#?}"
    );
    assert!(
        lines[1].starts_with(r#"1,"Ann - Bo, Jr.",replay,,Ann,"Bo, Jr.",cs32,"#),
        "{lines:#?}"
    );
    assert!(
        lines[1].contains(",Club,2026.03.01,1.10.1,A a B,"),
        "{lines:#?}"
    );
    assert!(lines[2].starts_with("3,,"), "{lines:#?}");
    assert_eq!(lines.len(), 4, "{lines:#?}");
}

#[test]
fn reviews_of_all_games_are_those_of_single_games_with_any_number_of_jobs() {
    let folder = temp_dir();
    let file = folder.path().join("games.kgn");
    fs::write(&file, GAMES.replace("1. Q *", "1. C *")).expect("a write");
    let file = path_text(&file);
    let all = run(&mut review(&[file, "--all", "--threads", "1"])).success();
    let jobs = run(&mut review(&[
        file,
        "--all",
        "--threads",
        "2",
        "--jobs",
        "2",
    ]))
    .success();
    assert_eq!(jobs, all);
    for (mut row, number) in rows(&all).into_iter().zip(1..) {
        let number = number.to_string();
        let one = run(&mut review(&[
            file,
            "--game",
            &number,
            "--json",
            "--threads",
            "1",
        ]))
        .json();
        let object = row.as_object_mut().expect("an object");
        object.remove("game");
        object.remove("input");
        object.remove("command");
        assert_eq!(row, one, "game {number}");
    }
}

#[test]
fn results_of_games_are_continued_wherever_they_were_cut() {
    let folder = temp_dir();
    let (file, out) = (folder.path().join("games.kgn"), folder.path().join("rows"));
    fs::write(&file, GAMES).expect("a write");
    let arguments = [
        "replay",
        path_text(&file),
        "--all",
        "--out",
        path_text(&out),
    ];
    run(&mut kalah(arguments)).failure(1);
    let whole = fs::read(&out).expect("rows");
    for cut in [0, 1, whole.len() / 2, whole.len() - 1, whole.len()] {
        fs::write(&out, &whole[..cut]).expect("a write");
        run(&mut kalah(arguments)).failure(1);
        assert_eq!(fs::read(&out).expect("rows"), whole, "cut at {cut}");
    }
    let others = [
        "replay",
        path_text(&file),
        "--player",
        "joanne",
        "--out",
        path_text(&out),
    ];
    let error = run(&mut kalah(others)).failure(1);
    assert!(
        error.contains("has the result of game 1, `Ann - Bo, Jr.`"),
        "{error}"
    );
}

#[test]
fn options_for_one_game_and_for_many_are_not_mixed() {
    let folder = temp_dir();
    let file = folder.path().join("games.kgn");
    fs::write(&file, GAMES.replace("1. Q *", "1. C *")).expect("a write");
    let file = path_text(&file);
    let [third, by_round, ply, ply_of_round] =
        ["#3", "#1.10.2", "@1", "#1.10.2@1"].map(|part| format!("{file}{part}"));
    for (arguments, code, expected) in [
        (
            &["replay", file, "--csv"][..],
            2,
            "--csv is for many games: add --all or --player",
        ),
        (
            &["review", file, "--jobs", "2"],
            2,
            "--jobs is for many games: add --all or --player",
        ),
        (
            &["replay", file, "--all", "--to", "1"],
            2,
            "--to is for one game: add --game",
        ),
        (
            &["replay", &third, "--game", "2"],
            2,
            "#3 after the file and --game 2 contradict each other: leave out one of them",
        ),
        (
            &["review", &by_round, "--game", "1.10.1"],
            2,
            "#1.10.2 after the file and --game 1.10.1 contradict each other",
        ),
        (
            &["review", &third, "--all"],
            2,
            "#3 after the file and --all contradict each other",
        ),
        (
            &["replay", &third, "--player", "ann"],
            2,
            "#3 after the file and --player contradict each other",
        ),
        (
            &["replay", &ply_of_round, "--to", "2"],
            2,
            "@1 after the file and --to 2 contradict each other",
        ),
        (
            &["replay", &ply, "--all"],
            2,
            "@1 is for one game: add --game",
        ),
        (
            &["review", &ply_of_round],
            2,
            "a review is that of a whole game: leave out @1 after the file",
        ),
        (
            &["replay", file, "--player", "zoe"],
            1,
            "no game has a player `zoe`",
        ),
        (
            &["replay", file, "--game", "7.1"],
            1,
            "contains 4 games, but not round 7.1",
        ),
    ] {
        let error = run(&mut kalah(arguments)).failure(code);
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    for command in ["replay", "review"] {
        for game in [
            &[file, "--game", "1.10.2"][..],
            &[&by_round],
            &[&by_round, "--game", "1.10.2"],
        ] {
            let row = run(kalah([command]).args(game).arg("--json")).json();
            assert_eq!(row["south"], "Cy", "{command} {game:?}");
        }
    }
    for arguments in [
        &["show", &ply_of_round][..],
        &["replay", &ply_of_round],
        &["replay", &ply_of_round, "--to", "1"],
    ] {
        let row = run(kalah(arguments).arg("--json")).json();
        assert_eq!(row["position"], "<2,1,0,1,0,1,1> s", "{arguments:?}");
    }
    let fourth = run_with_input(&mut kalah(["replay", "--json", "--", "-#4@1"]), GAMES).json();
    assert_eq!(
        (&fourth["south"], &fourth["ply_count"]),
        (&"Di".into(), &1.into())
    );
}

#[test]
fn replay_up_to_a_ply_has_the_result_of_the_game() {
    let folder = temp_dir();
    let file = folder.path().join("games.kgn");
    fs::write(&file, GAMES).expect("a write");
    let game = format!("{}#2", path_text(&file));
    let whole = run(&mut kalah(["replay", &game, "--json"])).json();
    let first = run(&mut kalah(["replay", &game, "--to", "1", "--json"])).json();
    for key in ["result", "termination", "winner"] {
        assert_eq!(first[key], whole[key], "{key}");
    }
    assert_eq!(
        (&first["result"], &first["is_over"], &first["ply_count"]),
        (&"3-1".into(), &false.into(), &1.into())
    );
}

#[test]
fn wrong_games_and_plies_after_a_file_are_named() {
    let folder = temp_dir();
    let file = folder.path().join("games.kgn");
    fs::write(&file, GAMES).expect("a write");
    let file = path_text(&file);
    for command in ["replay", "review", "show", "analyze", "games"] {
        for suffix in ["#0", "#x", "#1@", "#1@-1", "@x"] {
            let error = run(&mut kalah([command, &format!("{file}{suffix}")])).failure(2);
            let expected = format!("`{suffix}` after `{file}` selects no game: expected # with");
            assert!(error.contains(&expected), "{command}: {error}");
        }
    }
    let error = run(&mut kalah(["games", &format!("{file}#1@2")])).failure(2);
    let expected = "error: the list is that of a whole file: leave out #1@2 after the file, or ";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn files_without_games_are_refused() {
    for arguments in [["replay", "-", "--all"], ["review", "-", "--all"]] {
        let error = run_with_input(&mut kalah(arguments), "").failure(1);
        assert_eq!(error, "error: standard input contains no game\n");
    }
}

#[cfg(unix)]
#[test]
fn results_are_continued_only_in_regular_files() {
    for device in ["/dev/full", "/dev/zero", "/dev/null"] {
        let replay = ["replay", "-", "--all", "--out", device];
        let error = run_with_input(&mut kalah(replay), GAMES).failure(2);
        let expected = format!("error: '{device}' is no regular file");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn names_and_comments_of_records_are_escaped_for_people_and_kept_in_rows() {
    let dir = temp_dir();
    let path = dir.path().join("games.kgn");
    let name = "Ann\u{1b}]0;t\u{7}B";
    let record = format!(
        "[South \"{name}\"]\n[North \"Bob\"]\n[Rules \"cs32\"]\n[Position \"3x2\"]\n\n1. A a {{a\u{1b}[31mb}} *\n"
    );
    fs::write(&path, record).expect("a file");
    let path = path_text(&path);
    for command in ["replay", "review"] {
        let text = run(&mut kalah([command, path])).success();
        assert!(!text.contains('\u{1b}'), "{command}: {text}");
        assert!(text.contains(r"Ann\u{1b}]0;t\u{7}B"), "{command}: {text}");
    }
    let rows = run(&mut kalah(["replay", path, "--all", "--csv"])).success();
    assert!(rows.contains(&format!("{name} - Bob")), "{rows}");
}

#[test]
fn game_that_is_not_valid_has_its_players_in_its_row() {
    let tags = "[South \"Ann\"]\n[North \"Bob\"]\n[Position \"3x2\"]\n\n";
    let input = format!("{tags}1. A a 7-5\n\n{tags}1. Q *\n\n[South \"Ann\n\n1. A *\n");
    let rows = |arguments: &[&str]| -> Vec<(u64, String)> {
        let rows = run_with_input(&mut kalah(arguments), &input).stdout;
        let rows = rows.lines().map(|row| {
            let row: Value = serde_json::from_str(row).expect("JSON");
            assert!(row["error"].is_string(), "{row}");
            let input = row["input"].as_str().expect("a text").to_owned();
            (row["game"].as_u64().expect("a number"), input)
        });
        rows.collect()
    };
    let players = "Ann - Bob".to_owned();
    let expected = [(1, players.clone()), (2, players), (3, String::new())];
    assert_eq!(rows(&["replay", "-", "--all"]), expected);
    assert_eq!(rows(&["review", "-", "--all"]), expected);
    assert_eq!(rows(&["replay", "-", "--player", "bo"]), expected);
    assert_eq!(rows(&["replay", "-", "--player", "cy"]), expected[2..]);
}

#[test]
fn replay_shows_comments_without_times_and_players_without_names_as_sides() {
    let game = "[South \"Ann\"]\n[Position \"3x2\"]\n\n1. A { [%clk 0:05:00] nice } a { [%emt 0:00:01] } *\n";
    let text = run_with_input(&mut kalah(["replay", "-"]), game).success();
    assert!(text.contains("\n  nice\n"), "{text}");
    assert!(!text.contains('%') && !text.contains('?'), "{text}");
    assert!(text.starts_with("South (Ann) plays North under"), "{text}");
}
