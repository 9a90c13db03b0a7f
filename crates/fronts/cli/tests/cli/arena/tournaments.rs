//! Tournaments of correct engines, and refused arguments.

use std::fs;

use kalah::Side;
use kalah::record::Record;
use kalah_arena::{Contestant, FinishedGame};
use serde_json::{Value, json};
use test_tools::Tool;

use super::runner::{arena, assert_records_agree, games, games_without_times, results, start};
use crate::harness::{KALAH, args, args_with, kalah_in, path_text, run, temp_dir, wait_until};

#[test]
fn kalah_plays_as_a_contestant_in_each_protocol() {
    let directory = temp_dir();
    for (protocol, command) in [
        ("uki", "engine --player level:3"),
        ("kgp-child", "kgp child --player level:3"),
        ("mankalah", "mankalah agent --board 4x3 --player level:3"),
    ] {
        let folder = directory.path().join(protocol);
        let engine =
            format!("cmd='{KALAH}' {command} --tables none --seed 1,proto={protocol},name=Ours");
        let results = results(&args_with(
            "--engine {} --engine level:3 --rounds 2 --board 4x3 \
             --time 10m --concurrency 2 --out {}",
            &[&engine, path_text(&folder)],
        ));
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
        // Both games of a pair have the same opening, and the contestants exchange sides.
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
fn engine_ponders_during_the_turns_of_its_opponent() {
    let directory = temp_dir();
    let lines = directory.path().join("lines");
    let folder = directory.path().join("games");
    let command = format!(
        "tee '{}' | '{KALAH}' engine --tables none",
        path_text(&lines)
    );
    let engine = format!(r#"cmd="{command}",name=Ponders,ponder=on"#);
    let finished = results(&args_with(
        "--engine {} --engine minimax:3 --rounds 2 --board 4x3 --time nodes=500 --concurrency 1 \
         --seed 1 --out {}",
        &[&engine, path_text(&folder)],
    ));
    assert_eq!(finished["games_finished"], 4);
    let faults = (games(&folder).into_iter()).filter(|game| game.end.side_at_fault().is_some());
    assert_eq!(faults.count(), 0);
    let lines = fs::read_to_string(lines).expect("the lines of the host");
    let count = |line: &str| lines.lines().filter(|other| *other == line).count();
    let (searches, hits, misses) = (
        count("go nodes 500 ponder"),
        count("ponderhit"),
        count("stop"),
    );
    assert!(hits > 0 && misses > 0, "{lines}");
    // A search that the end of the program ends has neither.
    assert!((0..=1).contains(&(searches - hits - misses)), "{lines}");
}

#[test]
fn tournaments_with_the_same_seed_and_node_limit_have_the_same_games() {
    let directory = temp_dir();
    let mut all = Vec::new();
    for (name, concurrency, seed) in [("one", "1", "5"), ("other", "3", "5"), ("else", "1", "6")] {
        let folder = directory.path().join(name);
        results(&args_with(
            "--engine smart --engine level:4 --engine random --rounds 2 --board 5x3 \
             --time nodes=2000 --concurrency {} --seed {} --out {}",
            &[concurrency, seed, path_text(&folder)],
        ));
        all.push(games_without_times(&folder));
    }
    assert_eq!(all[0].len(), 12);
    assert_eq!(all[0], all[1]);
    assert_ne!(all[0], all[2]);
}

#[test]
fn contestants_have_limits_of_their_own() {
    let directory = temp_dir();
    let play = |name: &str, engines: [&str; 2], time: &str| {
        let folder = directory.path().join(name);
        let results = results(&args_with(
            "--engine {} --engine {} --rounds 2 --board 5x3 --time {} --out {}",
            &[engines[0], engines[1], time, path_text(&folder)],
        ));
        let mut limits: Vec<(u64, String)> = Vec::new();
        for contestant in results["contestants"].as_array().expect("contestants") {
            let number = contestant["contestant"].as_u64().expect("a number");
            let limit = contestant["time_control"].as_str().expect("a text");
            limits.push((number, limit.to_owned()));
        }
        limits.sort();
        let moves = |game: &FinishedGame| game.game.moves().to_vec();
        let games: Vec<_> = games(&folder).iter().map(moves).collect();
        (limits, games)
    };
    let names = ["smart,name=One", "smart,name=Two"];
    let program = format!("cmd='{KALAH}' engine --tables none,nodes=300,name=Two");
    let expected = [(0, "nodes=4000".to_owned()), (1, "nodes=300".to_owned())];
    let (limits, own) = play("own", [names[0], "smart,nodes=300,name=Two"], "nodes=4000");
    assert_eq!(limits, expected);
    let (limits, of_program) = play("program", ["smart,nodes=4000,name=One", &program], "10m");
    assert_eq!(limits, expected);
    let (_, same) = play("same", names, "nodes=4000");
    assert_eq!(own.len(), 4);
    assert_ne!(own, same);
    assert_eq!(of_program.len(), 4);
    // A protocol without limits of nodes.
    let child = format!("cmd='{KALAH}' kgp child,proto=kgp-child,nodes=5,name=Child");
    let error = arena(&args_with("--engine {} --engine first", &[&child])).failure(2);
    assert!(
        error.contains("'Child' speaks kgp-child, which cannot limit a search to nodes=5"),
        "{error}"
    );
}

#[test]
fn engines_that_agree_on_a_loss_resign() {
    let directory = temp_dir();
    let program = format!("cmd='{KALAH}' engine --tables none,name=Ours");
    let play = |name: &str, opponent: &str, resign: &[&str]| {
        let folder = directory.path().join(name);
        let fixed = args_with(
            "--engine {} --engine {} --rounds 2 --board 6x4 --time nodes=300 --out {}",
            &[&program, opponent, path_text(&folder)],
        );
        let results = results(&[&fixed[..], resign].concat());
        assert_records_agree(&folder);
        results["terminations"].clone()
    };
    let rule = ["--resign", "seeds=2,moves=1"];
    assert_eq!(play("both", "smart", &rule), json!({"resign": 4}));
    let record = fs::read_to_string(directory.path().join("both/games.kgn")).expect("records");
    assert_eq!(record.matches("[Termination \"resign\"]").count(), 4);
    // Without the option, or without an estimate of each player, games end by their margin.
    assert!(play("off", "smart", &[])["resign"].is_null());
    assert!(play("one", "level:5", &rule)["resign"].is_null());
}

#[test]
fn record_of_an_adjudicated_game_has_its_result() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let results = results(&args_with(
        "--engine first --engine minimax:1 --rounds 1 --board 6x4 --rules standard \
         --adjudicate seeds=12 --time 10m --seed 1 --out {}",
        &[path_text(&folder)],
    ));
    assert_eq!(results["terminations"]["adjudicated"], 2, "{results}");
    let path = folder.join("games.kgn");
    let text = fs::read_to_string(&path).expect("records");
    let in_folder = |line: &str| run(&mut kalah_in(&folder, &args(line)));
    for (record, game) in Record::parse_all(&text).expect("records").iter().zip(1..) {
        let margin = games(&folder)[game - 1]
            .end
            .margin()
            .expect("an adjudication");
        let outcome = record.ending().outcome.expect("a result");
        assert_eq!(outcome.margin(Side::South), margin);
        let result = outcome.to_string();
        assert_eq!(record.tags().get("Result"), Some(result.as_str()));
        assert!(
            record.to_string().ends_with(&format!("}} {result}\n")),
            "{record}"
        );
        let replay = in_folder(&format!("replay games.kgn --game {game} --json")).json();
        assert_eq!(
            (&replay["result"], &replay["is_over"]),
            (&json!(result), &json!(false))
        );
        let review = format!("review games.kgn --game {game} --tables none --time 1ms --json");
        let review = in_folder(&review).json();
        assert_eq!(review["score"], result);
        assert_eq!(review["termination"], "adjudicated");
    }
    for (format, loss) in [
        ("openspiel", "the termination"),
        ("kaggle", "the stores of an adjudication"),
    ] {
        let exported = in_folder(&format!("export games.kgn --format {format}"));
        assert_eq!(exported.code(), Some(0), "{exported:?}");
        let note = format!("note: left out of 2 games: {loss}\n");
        assert!(exported.stderr.contains(&note), "{exported:?}");
    }
}

#[test]
fn sprt_stops_when_it_has_decided() {
    let directory = temp_dir();
    let folder = directory.path().join("sprt");
    let arguments = args_with(
        "--engine level:8 --engine random --board 4x3 \
         --sprt elo0=0 elo1=100 --time 10m --out {}",
        &[path_text(&folder)],
    );
    let results = results(&arguments);
    assert_eq!(results["sprt"]["verdict"], "h1", "{results}");
    assert_eq!(results["is_complete"], true);
    let finished = results["games_finished"].as_u64().expect("a number");
    assert!(finished < 1000, "{finished}");
    let output = arena(&["--resume", path_text(&folder)]);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.contains("H1 accepted"), "{output:?}");
    assert_eq!(games(&folder).len() as u64, finished);
}

#[test]
fn each_format_plays_its_number_of_games() {
    let directory = temp_dir();
    for (format, games) in [("round-robin", 24), ("gauntlet", 12), ("swiss", 8)] {
        let folder = directory.path().join(format);
        let results = results(&args_with(
            "--engine first --engine random --engine level:1 --engine level:5 \
             --rounds 2 --board 3x2 --tournament {} --time 10m --out {}",
            &[format, path_text(&folder)],
        ));
        assert_eq!(results["games_finished"], games, "{format}");
        assert_eq!(results["games_planned"], games, "{format}");
    }
}

#[test]
fn engine_that_does_not_start_is_reported_before_the_directory_is_created() {
    let directory = temp_dir();
    let folder = directory.path().join("never");
    for protocol in ["uki", "kgp-child", "mankalah"] {
        let engine = format!("cmd=./there-is-no-such-bot,proto={protocol}");
        let output = arena(&args_with(
            "--engine {} --engine first --out {}",
            &[&engine, path_text(&folder)],
        ));
        assert_eq!(output.code(), Some(1));
        let stderr = output.stderr;
        assert!(
            stderr.contains("'./there-is-no-such-bot' cannot take part"),
            "{stderr}"
        );
        assert!(!folder.exists());
    }
    let output = arena(&args_with(
        "--engine {} --engine first --out {}",
        &["cmd=echo hello,name=Hello", path_text(&folder)],
    ));
    let message = "'Hello' cannot take part: exit status: 0; it has written `hello`: expected id";
    assert!(output.stderr.contains(message), "{output:?}");
    // Every fault is reported, each on a line of its own.
    let output = arena(&args_with(
        "--engine {} --engine first --engine {} --engine {} --out {}",
        &[
            "cmd=exit 3,name=Three",
            "cmd=exit 4,proto=kgp-child,name=Four",
            "cmd=exit 5,name=Five",
            path_text(&folder),
        ],
    ));
    let expected = [("Three", 3), ("Four", 4), ("Five", 5)]
        .map(|(name, code)| format!("error: '{name}' cannot take part: exit status: {code}\n"));
    let tip = "tip: --broken skip plays without them, and with --broken lose they lose all their \
               games\n";
    assert_eq!(output.failure(1), expected.concat() + tip);
    assert!(!folder.exists());
    let output = arena(&args_with(
        "--engine {} --engine first --out {}",
        &[
            &format!("cmd=true,dir={},name=Lost", path_text(&folder)),
            path_text(&folder),
        ],
    ));
    let expected = format!(
        "error: 'Lost' cannot take part: there is no folder '{}'\n{tip}",
        folder.display()
    );
    assert_eq!(output.failure(1), expected);
    let engine = format!("cmd='{KALAH}' engine,option.Nonsense=1");
    let output = arena(&args_with(
        "--engine {} --engine first --out {}",
        &[&engine, path_text(&folder)],
    ));
    assert!(output.stderr.contains("it reports an error"), "{output:?}");
}

#[test]
fn broken_engines_can_be_left_out() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let engines = [
        "--engine",
        "first",
        "--engine",
        "cmd=exit 3,name=Three",
        "--engine",
        "random",
        "--engine",
        "cmd=echo hello,name=Hello",
    ];
    let options = args_with(
        "--rounds 1 --board 3x2 --time 10m --broken skip --out {}",
        &[path_text(&folder)],
    );
    let output = arena(&[&engines[..], &options].concat());
    let reasons = [
        ("Three", "exit status: 3"),
        (
            "Hello",
            "exit status: 0; it has written `hello`: expected id",
        ),
    ];
    assert_eq!(output.code(), Some(0), "{output:?}");
    let (stdout, stderr) = (output.stdout, output.stderr);
    let report = fs::read_to_string(folder.join("report.html")).expect("a report");
    // Also a resumed tournament has no part for them.
    let results = results(&["--resume", path_text(&folder)]);
    assert_eq!(results["games_finished"], 2);
    assert_eq!(results["is_complete"], true);
    for (index, (name, reason)) in reasons.into_iter().enumerate() {
        let warning = format!("warning: {name} takes no part: {reason}");
        assert!(stderr.contains(&warning), "{stderr}");
        assert!(stdout.contains(&warning), "{stdout}");
        assert!(
            report.contains(&format!("{name} takes no part: {reason}")),
            "{report}"
        );
        assert_eq!(results["skipped"][index]["name"], name, "{results}");
    }
    let feedback: Value = arena(&["feedback", path_text(&folder), "--json"]).json();
    assert_eq!(feedback["skipped"], results["skipped"]);
    let pages = arena(&["feedback", path_text(&folder)]).success();
    let page = folder.join("feedback").join("skipped-1-three.html");
    assert_eq!(pages.lines().nth(2), Some(path_text(&page)));
    let page = fs::read_to_string(page).expect("a page");
    assert!(
        page.contains("Three takes no part: exit status: 3"),
        "{page}"
    );
    // Two engines are needed, and a gauntlet needs its first one.
    for arguments in [
        &["--engine", "first", "--engine", "cmd=exit 3,name=Three"][..],
        &args("--engine cmd=false,name=Three --engine first --engine random --tournament gauntlet"),
    ] {
        let output = arena(&[arguments, &["--broken", "skip"]].concat());
        let error = output.failure(1);
        assert!(
            error.starts_with("error: 'Three' cannot take part: exit status: "),
            "{error}"
        );
        let note = "\nnote: without these engines, fewer than two are left, or the first one of a \
                    gauntlet is missing\n";
        assert!(error.ends_with(note), "{error}");
    }
}

#[test]
fn broken_engines_can_lose_their_games() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let arguments = args_with(
        "--engine first --engine {} --engine {} --rounds 2 --board 3x2 --time 10m --broken lose \
         --out {}",
        &[
            "cmd=exit 3,name=Three",
            "cmd=exit 4,name=Four",
            path_text(&folder),
        ],
    );
    let mut tournament = start(&arguments);
    wait_until("a game is finished", || {
        fs::metadata(folder.join("games.jsonl")).is_ok_and(|file| file.len() > 0)
    });
    tournament.kill();
    let output = arena(&["--resume", path_text(&folder)]);
    assert_eq!(output.code(), Some(0), "{output:?}");
    let warning = "warning: Three does not start, and loses all its games: exit status: 3";
    assert!(output.stderr.contains(warning), "{output:?}");
    let results: Value = arena(&["report", path_text(&folder), "--json"]).json();
    assert_eq!(results["terminations"], json!({ "crash": 12 }));
    // In a pair of broken engines each of them loses the game that it begins.
    let points = ["first", "Three", "Four"].map(|name| {
        let contestants = results["contestants"].as_array().expect("a list").iter();
        let mut with_name = contestants.filter(|contestant| contestant["name"] == name);
        with_name.next().expect(name)["points"].clone()
    });
    assert_eq!(points, [json!(8.0), json!(2.0), json!(2.0)]);
    let verified = arena(&["verify", path_text(&folder)]).success();
    assert!(verified.contains("no difference"), "{verified}");
    arena(&["export", path_text(&folder), "--csv"]).success();
    let faults = fs::read_to_string(folder.join("faults.csv")).expect("a table");
    let fault = "crash of South: it did not start: exit status: 4";
    assert!(faults.contains(fault), "{faults}");
    // A tournament needs an engine that starts.
    let error = arena(&args_with(
        "--engine {} --engine {} --broken lose",
        &["cmd=exit 3,name=Three", "cmd=exit 4,name=Four"],
    ));
    let error = error.failure(1);
    assert!(
        error.contains("'Three' cannot take part: exit status: 3"),
        "{error}"
    );
}

#[test]
fn programs_that_do_not_start_are_started_again() {
    let directory = temp_dir();
    let (folder, counter) = (directory.path().join("out"), directory.path().join("count"));
    // The program starts at the third time.
    let script = format!(
        "echo x >> '{0}'; [ $(cat '{0}' | wc -l) -ge 3 ] || exit 9; exec '{KALAH}' engine --tables \
         none --player first",
        path_text(&counter)
    );
    let engine = format!("cmd={script},name=Late");
    let options = |retries: &str| {
        arena(&args_with(
            "--engine {} --engine first --rounds 1 --board 3x2 --time 10m --quiet --retry-broken {} \
             --out {}",
            &[&engine, retries, path_text(&folder)],
        ))
    };
    let error = options("1").failure(1);
    assert!(
        error.contains("'Late' cannot take part: exit status: 9"),
        "{error}"
    );
    fs::remove_file(&counter).expect("a file");
    options("2").success();
}

/// A program that exceeds its limit is ended, and one within it is not.
#[cfg(target_os = "linux")]
#[test]
fn limits_end_a_program_that_exceeds_them() {
    let directory = temp_dir();
    let large_file = directory.path().join("large");
    let script = format!(
        "while read -r line; do case \"$line\" in uki) echo ukiok;; isready) echo readyok;; go*) \
         head -c 9000 /dev/zero > '{}' || exit 7; exit 8;; esac; done",
        path_text(&large_file)
    );
    for (limit, status) in [("10KB", 8), ("1KB", 7)] {
        let engine = format!("cmd={script},limits=file-size={limit} files=40,name=Writer");
        let folder = directory.path().join(limit);
        arena(&args_with(
            "--engine {} --engine first --rounds 1 --board 3x2 --time 10m --quiet --out {}",
            &[&engine, path_text(&folder)],
        ))
        .success();
        let end = games(&folder)[0].end.to_string();
        assert!(
            end.contains(&format!("exit status: {status}")),
            "{limit}: {end}"
        );
    }
}

#[test]
fn engines_of_a_file_run_in_their_folders() {
    let directory = temp_dir();
    let (file, folder) = (
        directory.path().join("course.toml"),
        directory.path().join("out"),
    );
    let submission = directory.path().join("my bot");
    fs::create_dir(&submission).expect("a new folder");
    let script = format!("exec '{KALAH}' engine --tables none --player \"$PLAYER\"\n");
    fs::write(submission.join("bot.sh"), script).expect("a writable file");
    let text = "[[engine]]\nname = 'Ana'\nid = 's12'\ncmd = 'sh bot.sh'\ndir = 'my bot'\n\
                env = { PLAYER = 'first' }\n\
                [[engine]]\nname = 'Bo'\ncmd = 'sh bot.sh'\ndir = 'missing'\n";
    fs::write(&file, text).expect("a writable file");
    let options = args_with(
        "--engines {} --engine first --rounds 2 --board 3x2 --time 10m --broken skip --out {}",
        &[path_text(&file), path_text(&folder)],
    );
    let results = results(&options);
    assert_eq!(results["terminations"]["crash"], json!(null), "{results}");
    assert_eq!(results["games_finished"], 4);
    let ids = ["Ana", "first"].map(|name| {
        let contestants = results["contestants"].as_array().expect("a list").iter();
        let mut with_name = contestants.filter(|contestant| contestant["name"] == name);
        with_name.next().expect(name)["id"].clone()
    });
    assert_eq!(ids, [json!("s12"), json!(null)]);
    assert_eq!(results["skipped"][0]["name"], "Bo");
    fs::write(&file, "[[engine]]\nplayer = 'frist'\n").expect("a writable file");
    let error = arena(&options).failure(1);
    assert!(
        error.contains("course.toml', line 2: `frist` is not a player"),
        "{error}"
    );
    fs::write(&file, "[[engine]]\ncmd = \"bot.exe\nname = 'Bo'\n").expect("a writable file");
    let error = arena(&options).failure(1);
    assert!(
        error.ends_with("course.toml', line 2: `cmd = \"bot.exe`: the closing quote is missing\n"),
        "{error}"
    );
    fs::write(&file, b"[[engine]]\nname = 'J\xfcrg'\n").expect("a writable file");
    let error = arena(&options).failure(1);
    assert!(
        error.ends_with(
            "course.toml' is not UTF-8 text: line 2, byte 21 of the file; save it as UTF-8\n"
        ),
        "{error}"
    );
    let missing = arena(&args_with("--engines {}", &["missing.toml"])).failure(1);
    assert!(missing.contains("cannot read 'missing.toml'"), "{missing}");
}

#[test]
fn invalid_arguments_are_refused() {
    let directory = temp_dir();
    let folder = directory.path().join("never");
    let openings = directory.path().join("openings.txt");
    fs::write(&openings, "rules standard\nboard 4x3\n? A\n").expect("a writable file");
    let from_file = path_text(&openings).to_owned();
    let child = "cmd=x,proto=kgp-child";
    let agent = "cmd=x,proto=mankalah";
    let cases: &[(&[&str], &str)] = &[
        (&["--engine", "first"], "at least two engines"),
        (
            &["--engine", "first", "--engine", "level:11"],
            "`level:11`: expected a level from 1 to 10, such as level:3",
        ),
        (
            &["--engine", "first", "--engine", child, "--rules", "cs32"],
            "supports only the rules standard",
        ),
        (
            &["--engine", child, "--engine", agent],
            "supports only the rules",
        ),
        (
            &["--engine", "first", "--engine", child, "--time", "nodes=5"],
            "set a time",
        ),
        (
            &args_with("--engine first --engine {} --openings plies:2", &[agent]),
            "games have no openings",
        ),
        (
            &[
                "--engine", "first", "--engine", "first", "--engine", "first", "--sprt",
            ],
            "exactly two engines",
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
                "--sprt",
                "elo0=5 elo1=1",
            ],
            "each needs a word of its own, as in elo0=0 elo1=10; and elo1 must be greater than elo0",
        ),
        (
            &args("--engine first --engine first --openings balanced:3 --board 5x5"),
            "cargo lab openings",
        ),
        (
            &args("--engine first --engine first --openings balanced:301"),
            "the opening list of 6x4 cs32 has 300 openings, not 301",
        ),
        (
            &args("--engine first --engine first --board 9x8 --adjudicate seeds=3"),
            "adjudication needs a board of at most 8 houses a side; this board has 9",
        ),
        (
            &args("--engine first --engine first --board 7x7 --adjudicate seeds=18"),
            "with 7 houses a side, it supports at most 17 seeds",
        ),
        (
            &args_with("--engine first --engine first --openings {}", &[&from_file]),
            "choose the same board and rules",
        ),
        (
            &["--engine", "first", "--engine", "first", "--time", "soon"],
            "is not a duration",
        ),
    ];
    for (arguments, reason) in cases {
        let output = arena(&[arguments, &["--out", path_text(&folder)][..]].concat());
        assert_eq!(output.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(output.stderr.contains(reason), "{arguments:?}: {output:?}");
        assert!(!folder.exists(), "{arguments:?}");
    }
}

/// Returns the example bot of docs/arena.md.
fn documented_bot() -> String {
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/arena.md");
    let document = fs::read_to_string(document).expect("the document");
    let (_, rest) = document.split_once("```python\n").expect("a bot");
    let (bot, _) = rest.split_once("```").expect("its end");
    bot.to_owned()
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn bots_of_the_documents_play_whole_games() {
    Tool::Python.require();
    let directory = temp_dir();
    let bot = directory.path().join("bot.py");
    fs::write(&bot, documented_bot()).expect("a writable file");
    let child = format!(
        "cmd='python3 \"{}\"',proto=kgp-child,name=Mine",
        path_text(&bot)
    );
    let greedy = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/greedy.py");
    let greedy = format!("cmd=python3 '{greedy}',name=Greedy");
    let folder = directory.path().join("out");
    let results = results(&args_with(
        "--engine {} --engine {} --engine random --rounds 1 \
         --board 3x2 --time 10m --play-out --out {}",
        &[&child, &greedy, path_text(&folder)],
    ));
    assert_eq!(results["terminations"]["normal"], 6, "{results}");
}
