//! Logs of games: the lines of programs in both directions and their standard error.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;

use super::reading::games_index;
use super::runner::{arena, filtered, games, start};
use crate::harness::{args_with, path_text, temp_dir, wait_until};

/// An engine that floods its standard error before each move, and crashes after a traceback.
const FLOODING: &str = "cmd=while read -r line; do case \"$line\" in uki) echo ukiok;; isready) \
                        echo readyok;; go*) yes flood | head -c 3000000 >&2; printf \
                        '\\033[2JValueError\\n' >&2; exit 3;; esac; done,name=Flooding";

/// Returns the text of a log without `kalah`.
fn unzip(folder: &Path, number: &str) -> String {
    let file = folder.join("logs").join(format!("{number}.log.gz"));
    let mut text = String::new();
    let mut decoder = GzDecoder::new(fs::File::open(&file).expect("a log"));
    decoder.read_to_string(&mut text).expect("text");
    text
}

#[test]
fn log_has_the_lines_of_a_crash_and_is_bounded() {
    const MAX_FILE_BYTES: u64 = 100_000;

    let directory = temp_dir();
    let folder = directory.path().join("mine");
    arena(&args_with(
        "--engine {} --engine first --rounds 1 --board 3x2 --time 10m --quiet --log --out {}",
        &[FLOODING, path_text(&folder)],
    ))
    .success();
    for number in ["1.1.1", "1.1.2"] {
        let text = unzip(&folder, number);
        assert!(text.starts_with(&format!("game {number}: ")), "{text}");
        for part in [
            " < uki\n",
            " > ukiok\n",
            " < isready\n",
            " < position startpos 3x2 ",
            " < go ",
            " ! flood\n",
            " lines with ",
            " bytes left out\n",
            " ! \u{1b}[2JValueError\n",
            " * exit status: 3\n",
            "\nend: crash of ",
        ] {
            assert!(text.contains(part), "{part} is missing in {number}");
        }
        // The log of a program has 1 MiB, and its lines have times.
        assert!(text.len() < 4 << 20, "{}", text.len());
        let file = folder.join("logs").join(format!("{number}.log.gz"));
        let length = fs::metadata(file).expect("a log").len();
        assert!(length < MAX_FILE_BYTES, "{length}");
    }
    let printed = arena(&["log", path_text(&folder), "1.1.2"]).success();
    assert!(printed.contains(" ! \\u{1b}[2JValueError\n") && !printed.contains('\u{1b}'));
    assert_eq!(
        printed.lines().count(),
        unzip(&folder, "1.1.2").lines().count()
    );
    let error = arena(&["log", path_text(&folder), "1.2.1"]).failure(1);
    assert!(error.ends_with("has no finished game 1.2.1\n"), "{error}");
    let error = arena(&["log", path_text(&folder), "../1.1.1"]).failure(2);
    assert!(error.contains("is not the number of a game"), "{error}");
}

#[test]
fn games_without_programs_and_tournaments_without_the_option_have_no_logs() {
    let directory = temp_dir();
    for (name, engine, option) in [
        ("builtin", "random", "--log"),
        ("unlogged", FLOODING, "--play-out"),
    ] {
        let folder = directory.path().join(name);
        arena(&args_with(
            &format!(
                "--engine {{}} --engine first --rounds 1 --board 3x2 --time 10m --quiet {option} --out {{}}"
            ),
            &[engine, path_text(&folder)],
        ))
        .success();
        assert!(!folder.join("logs").exists(), "{name}");
    }
}

#[test]
fn killed_tournament_goes_on_with_its_logs() {
    let directory = temp_dir();
    let folder = directory.path().join("mine");
    let journal = folder.join("games.jsonl");
    // The engine stops in its third game until the tournament is killed.
    let block = directory.path().join("block");
    fs::write(&block, "").expect("a writable file");
    let wait = format!(
        "case \"$line\" in go*) while [ -e '{}' ] && [ $(cat '{}' | wc -l) -ge 2 ]; do sleep \
         0.1; done;; esac; forward",
        path_text(&block),
        path_text(&journal)
    );
    let engine = format!("cmd={},name=Slow", filtered(&wait, "first"));
    let mut tournament = start(&args_with(
        "--engine {} --engine first --rounds 3 --board 3x2 --time 10m --concurrency 1 --quiet \
         --log --out {}",
        &[&engine, path_text(&folder)],
    ));
    wait_until("two games are finished", || {
        fs::read_to_string(&journal).is_ok_and(|text| text.lines().count() >= 2)
    });
    tournament.kill();
    let played: Vec<String> = (games(&folder).iter())
        .map(kalah_arena::FinishedGame::number_text)
        .collect();
    let before: Vec<String> = played.iter().map(|number| unzip(&folder, number)).collect();
    fs::remove_file(&block).expect("a file");
    // A kill during the write of a log or of the report leaves such files.
    let abandoned = [&folder, &folder.join("logs")].map(|it| it.join(".kalah-killed.tmp"));
    for file in &abandoned {
        fs::write(file, "").expect("a writable folder");
    }
    arena(&["--resume", path_text(&folder), "--quiet"]).success();
    for file in &abandoned {
        assert!(!file.exists(), "{file:?}");
    }
    for (number, text) in played.iter().zip(before) {
        assert_eq!(unzip(&folder, number), text);
    }
    let games = games(&folder);
    assert_eq!(games.len(), 6);
    for game in games {
        let text = unzip(&folder, &game.number_text());
        let end = format!("\nend: {}\n", game.end);
        assert!(
            text.ends_with(&end) && text.contains(" > bestmove "),
            "{text}"
        );
    }
}

#[test]
fn logs_of_a_resumed_tournament_begin_with_its_next_game() {
    let directory = temp_dir();
    let folder = directory.path().join("mine");
    let path = path_text(&folder);
    arena(&args_with(
        "--engine {} --engine first --rounds 1 --board 3x2 --time 10m --quiet --out {}",
        &[FLOODING, path],
    ))
    .success();
    arena(&["--resume", path, "--log", "--rounds", "2", "--quiet"]).success();
    arena(&["--resume", path, "--rounds", "3", "--quiet"]).success();
    for number in ["2.2.1", "2.2.2", "3.3.1", "3.3.2"] {
        assert!(unzip(&folder, number).contains(" > ukiok\n"), "{number}");
    }
    assert!(!folder.join("logs").join("1.1.1.log.gz").exists());
    // The report has no links to logs that do not exist.
    let file = directory.path().join("report.html");
    let written = arena(&["report", path, "--html", path_text(&file)]);
    assert!(written.status.success(), "{written:#?}");
    let report = fs::read_to_string(&file).expect("a report");
    assert_eq!(games_index(&report)["logs"], serde_json::Value::Null);
}

#[test]
fn missing_and_damaged_logs_are_named_with_their_games() {
    let directory = temp_dir();
    let folder = directory.path().join("mine");
    let path = path_text(&folder);
    let engine = format!("cmd={},name=Mine", filtered("forward", "first"));
    arena(&args_with(
        "--engine {} --engine first --rounds 2 --board 3x2 --time 10m --quiet --log --out {}",
        &[&engine, path],
    ))
    .success();
    let list = || arena(&["log", path]).success();
    let intact = list();
    assert_eq!(intact.lines().count(), 4, "{intact}");
    assert!(intact.contains("1.1.2 Mine - first: "), "{intact}");
    let verified = arena(&["verify", path]).success();
    assert!(verified.contains(": no difference\n"), "{verified}");

    let file = |number: &str| folder.join("logs").join(format!("{number}.log.gz"));
    fs::remove_file(file("1.1.1")).expect("a log");
    let content = fs::read(file("1.1.2")).expect("a log");
    fs::write(file("1.1.2"), &content[..content.len() - 20]).expect("a writable file");
    fs::write(file("2.2.1"), "text").expect("a writable file");
    for (number, fault) in [
        ("1.1.1", "is missing"),
        ("1.1.2", "is damaged: the file ends too early"),
        ("2.2.1", "is damaged: the file ends too early"),
    ] {
        let expected = format!(
            "'{}', the log of game {number}, {fault}\n",
            file(number).display()
        );
        let list = list();
        assert!(
            list.contains(&expected) && list.lines().count() == 4,
            "{list}"
        );
        let verified = arena(&["verify", path]).success();
        assert!(verified.contains(&expected), "{verified}");
        assert!(
            verified.contains(": no difference, 3 logs missing or damaged\n"),
            "{verified}"
        );
        let output = arena(&["log", path, number]);
        let has_start = output
            .stdout
            .starts_with("game 1.1.2: Mine (South) - first (North)\n");
        assert_eq!(has_start, number == "1.1.2", "{output:?}");
        assert_eq!(output.failure(1), format!("error: {expected}"));
    }
    let json: serde_json::Value = arena(&["verify", path, "--json"]).json();
    assert_eq!(
        json["log_faults"].as_array().map(Vec::len),
        Some(3),
        "{json}"
    );
    arena(&["log", path, "2.2.2"]).success();
}
