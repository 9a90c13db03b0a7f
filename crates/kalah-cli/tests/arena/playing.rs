//! Tournaments of engines that play as they should.

use std::fs;

use kalah_arena::Contestant;
use test_tools::Tool;

use super::run::{KALAH, arena, as_text, assert_records_agree, games, results, text, timeless};

#[test]
fn ours_play_as_children_of_every_protocol() {
    let directory = tempfile::tempdir().expect("a folder");
    for (protocol, command) in [
        ("uki", "engine --player level:3"),
        ("kgp-child", "kgp child --player level:3"),
        ("mankalah", "mankalah agent --board 4x3 --player level:3"),
    ] {
        let folder = directory.path().join(protocol);
        let engine =
            format!("cmd='{KALAH}' {command} --tables none --seed 1,proto={protocol},name=Ours");
        let results = results(&[
            "--engine",
            &engine,
            "--engine",
            "level:3",
            "--rounds",
            "2",
            "--board",
            "4x3",
            "--time",
            "10m",
            "--concurrency",
            "2",
            "--out",
            as_text(&folder),
        ]);
        assert_eq!(results["games_finished"], 4, "{protocol}");
        assert_eq!(results["is_complete"], true);
        let games = games(&folder);
        assert!(
            games.iter().all(|game| game.end.side_at_fault().is_none()),
            "{games:?}"
        );
        assert_records_agree(&folder);
        let rules = match protocol {
            "uki" => "cs32",
            "kgp-child" => "standard",
            _ => "mankalah",
        };
        assert_eq!(results["rules"], rules);
        // Both sides of a pair begin alike, and everybody has both.
        for pair in games.chunks(2) {
            let openings = pair.iter().map(|game| game.opening_plies);
            assert!(openings.clone().all(|plies| plies == pair[0].opening_plies));
        }
        let souths = games
            .iter()
            .filter(|game| game.players().south == Contestant(0));
        assert_eq!(souths.count(), 2);
    }
}

#[test]
fn with_a_seed_and_positions_to_search_all_games_come_again() {
    let directory = tempfile::tempdir().expect("a folder");
    let mut all = Vec::new();
    for (name, concurrency, seed) in [("one", "1", "5"), ("other", "3", "5"), ("else", "1", "6")] {
        let folder = directory.path().join(name);
        results(&[
            "--engine",
            "smart",
            "--engine",
            "level:4",
            "--engine",
            "random",
            "--rounds",
            "2",
            "--board",
            "5x3",
            "--time",
            "nodes=2000",
            "--concurrency",
            concurrency,
            "--seed",
            seed,
            "--out",
            as_text(&folder),
        ]);
        all.push(timeless(&folder));
    }
    assert_eq!(all[0].len(), 12);
    assert_eq!(all[0], all[1]);
    assert_ne!(all[0], all[2]);
}

#[test]
fn a_test_stops_when_it_is_decided() {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = directory.path().join("sprt");
    let arguments = [
        "--engine",
        "level:8",
        "--engine",
        "random",
        "--board",
        "4x3",
        "--sprt",
        "elo0=0",
        "elo1=100",
        "--time",
        "10m",
        "--out",
        as_text(&folder),
    ];
    let results = results(&arguments);
    assert_eq!(results["sprt"]["verdict"], "h1", "{results}");
    assert_eq!(results["is_complete"], true);
    let finished = results["games_finished"].as_u64().expect("a number");
    assert!(finished < 1000, "{finished}");
    // It stays decided.
    let output = arena(&["--resume", as_text(&folder)]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).contains("H1 accepted"), "{output:?}");
    assert_eq!(games(&folder).len() as u64, finished);
}

#[test]
fn every_format_pairs_as_it_should() {
    let directory = tempfile::tempdir().expect("a folder");
    for (format, games) in [("round-robin", 24), ("gauntlet", 12), ("swiss", 8)] {
        let folder = directory.path().join(format);
        let results = results(&[
            "--engine",
            "first",
            "--engine",
            "random",
            "--engine",
            "level:1",
            "--engine",
            "level:5",
            "--rounds",
            "2",
            "--board",
            "3x2",
            "--tournament",
            format,
            "--time",
            "10m",
            "--out",
            as_text(&folder),
        ]);
        assert_eq!(results["games_finished"], games, "{format}");
        assert_eq!(results["games_planned"], games, "{format}");
    }
}

#[test]
fn who_cannot_be_started_is_named_before_anything_is_made() {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = directory.path().join("never");
    for protocol in ["uki", "kgp-child", "mankalah"] {
        let engine = format!("cmd=./there-is-no-such-bot,proto={protocol}");
        let output = arena(&[
            "--engine",
            &engine,
            "--engine",
            "first",
            "--out",
            as_text(&folder),
        ]);
        assert_eq!(output.status.code(), Some(1));
        let told = text(&output.stderr);
        assert!(
            told.contains("'./there-is-no-such-bot' cannot take part"),
            "{told}"
        );
        assert!(!folder.exists());
    }
    let engine = format!("cmd='{KALAH}' engine,option.Nonsense=1");
    let output = arena(&[
        "--engine",
        &engine,
        "--engine",
        "first",
        "--out",
        as_text(&folder),
    ]);
    assert!(
        text(&output.stderr).contains("it reports an error"),
        "{output:?}"
    );
}

#[test]
fn what_cannot_be_asked_for_is_refused() {
    let directory = tempfile::tempdir().expect("a folder");
    let folder = directory.path().join("never");
    let openings = directory.path().join("openings.txt");
    fs::write(&openings, "rules standard\nboard 4x3\n? A\n").expect("it is written");
    let from_file = as_text(&openings).to_owned();
    let child = "cmd=x,proto=kgp-child";
    let agent = "cmd=x,proto=mankalah";
    let cases: &[(&[&str], &str)] = &[
        (&["--engine", "first"], "two engines are needed"),
        (
            &["--engine", "first", "--engine", "level:11"],
            "a level needs its number",
        ),
        (
            &["--engine", "first", "--engine", child, "--rules", "cs32"],
            "knows only the rules standard",
        ),
        (
            &["--engine", child, "--engine", agent],
            "knows only the rules",
        ),
        (
            &["--engine", "first", "--engine", child, "--time", "nodes=5"],
            "give a time",
        ),
        (
            &[
                "--engine",
                "first",
                "--engine",
                agent,
                "--openings",
                "plies:2",
            ],
            "games have no openings",
        ),
        (
            &[
                "--engine", "first", "--engine", "first", "--engine", "first", "--sprt",
            ],
            "about two engines",
        ),
        (
            &[
                "--engine", "first", "--engine", "first", "--sprt", "elo0=5", "elo1=3",
            ],
            "elo1 must be greater",
        ),
        (
            &[
                "--engine",
                "first",
                "--engine",
                "first",
                "--openings",
                "balanced:3",
                "--board",
                "5x5",
            ],
            "cargo xtask openings",
        ),
        (
            &[
                "--engine",
                "first",
                "--engine",
                "first",
                "--openings",
                &from_file,
            ],
            "give --board and --rules",
        ),
        (
            &["--engine", "first", "--engine", "first", "--time", "soon"],
            "is not a duration",
        ),
    ];
    for (arguments, reason) in cases {
        let output = arena(&[arguments, &["--out", as_text(&folder)][..]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(
            text(&output.stderr).contains(reason),
            "{arguments:?}: {output:?}"
        );
        assert!(!folder.exists(), "{arguments:?}");
    }
}

/// The one bot that stands in the document.
fn documented_bot() -> String {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/arena.md");
    let document = fs::read_to_string(document).expect("the document");
    let (_, rest) = document.split_once("```python\n").expect("a bot");
    let (bot, _) = rest.split_once("```").expect("its end");
    bot.to_owned()
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn the_bots_of_the_documents_play() {
    Tool::Python.require();
    let directory = tempfile::tempdir().expect("a folder");
    let bot = directory.path().join("bot.py");
    fs::write(&bot, documented_bot()).expect("it is written");
    let child = format!(
        "cmd='python3 \"{}\"',proto=kgp-child,name=Mine",
        as_text(&bot)
    );
    let greedy = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/greedy.py");
    let greedy = format!("cmd=python3 '{greedy}',name=Greedy");
    let folder = directory.path().join("out");
    let results = results(&[
        "--engine",
        &child,
        "--engine",
        &greedy,
        "--engine",
        "random",
        "--rounds",
        "1",
        "--board",
        "3x2",
        "--time",
        "10m",
        "--play-out",
        "--out",
        as_text(&folder),
    ]);
    assert_eq!(results["terminations"]["normal"], 6, "{results}");
}
