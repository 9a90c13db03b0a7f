//! The commands that read a tournament without its programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::thread;
#[cfg(unix)]
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::ZlibDecoder;
use kalah_arena::Journal;
use serde_json::Value;

use super::runner::{arena, filtered, games, start};
use crate::harness::{args, args_with, kalah, path_text, run, temp_dir, wait_until};

/// Plays a tournament whose program is removed afterwards. Returns its folder and its results as
/// text.
fn played_tournament(directory: &Path) -> (PathBuf, String) {
    let (folder, program) = (directory.join("mine"), directory.join("bot.sh"));
    let script = filtered("forward", "level:2");
    fs::write(&program, script).expect("a writable file");
    let output = arena(&args_with(
        "--engine {} --engine level:3 --engine first --rounds 3 --board 4x3 --time 10m --out {}",
        &[
            &format!("cmd=sh '{}',name=Mine", path_text(&program)),
            path_text(&folder),
        ],
    ));
    assert_eq!(output.code(), Some(0), "{output:?}");
    fs::remove_file(&program).expect("a file");
    (folder, output.stdout)
}

/// The first line of the table of faults.
const FAULTS_HEADER: &str =
    "game,round,pair,leg,name,opponent,side,fault,description,position,plies\n";

/// Returns the index of the games in a report.
pub(super) fn games_index(report: &str) -> Value {
    let data = report.split_once("<script id=\"games-index\" type=\"text/plain\">");
    let (_, data) = data.expect("an index");
    let (base64, _) = data.split_once('<').expect("the end of the index");
    let bytes = STANDARD.decode(base64).expect("base64");
    serde_json::from_reader(ZlibDecoder::new(&bytes[..])).expect("JSON")
}

#[test]
fn report_needs_no_program() {
    let directory = temp_dir();
    let (folder, text) = played_tournament(directory.path());
    let folder_text = path_text(&folder);
    assert_eq!(arena(&["report", folder_text]).success(), text);
    let results: Value = arena(&["report", folder_text, "--json"]).json();
    assert_eq!(results["games_finished"], 18);
    assert_eq!(results["contestants"].as_array().map(Vec::len), Some(3));
    let file = directory.path().join("report.html");
    let page = "https://kalah.example.org/";
    let written = arena(&args_with(
        "report {} --html {} --page {}",
        &[folder_text, path_text(&file), page],
    ));
    assert_eq!(written.code(), Some(0), "{written:?}");
    let report = fs::read_to_string(&file).expect("a report");
    let default = fs::read_to_string(folder.join("report.html")).expect("a report");
    assert_eq!(games_index(&default)["page"], Value::Null);
    let index = games_index(&report);
    assert_eq!(index["page"], page);
    assert_eq!(index["games"].as_array().map(Vec::len), Some(18));
    for page in ["kalah.example.org", "https://kalah.example.org/#x"] {
        let arguments = args_with("report x --html y --page {}", &[page]);
        let error = arena(&arguments).failure(2);
        assert!(error.contains("expected an address"), "{error}");
    }
    let error = arena(&["report", path_text(directory.path())]).failure(1);
    assert!(error.contains("contains no tournament"), "{error}");
}

/// The seeds that the moves of each player cost according to `kalah review`, the most first. Moves
/// of openings are left out, and a move of the same position counts once, with its highest cost.
fn costs_by_review(folder: &Path, nodes: &str) -> BTreeMap<String, Vec<u64>> {
    let records = folder.join("games.kgn");
    let options = [
        "--all",
        "--nodes",
        nodes,
        "--tables",
        "none",
        "--threads",
        "1",
    ];
    let arguments = [&["review", path_text(&records)], &options[..]].concat();
    let reviews = run(&mut kalah(arguments)).success();
    let played: BTreeMap<String, kalah_arena::FinishedGame> = games(folder)
        .into_iter()
        .map(|game| (game.number_text(), game))
        .collect();
    let numbers: Vec<String> = fs::read_to_string(&records)
        .expect("records")
        .lines()
        .filter_map(|line| {
            Some(
                line.strip_prefix("[Round \"")?
                    .trim_end_matches("\"]")
                    .to_owned(),
            )
        })
        .collect();
    let mut moves: BTreeMap<String, BTreeMap<(String, String), u64>> = BTreeMap::new();
    for (review, number) in reviews.lines().zip(numbers) {
        let review: Value = serde_json::from_str(review).expect("JSON");
        let plies = review["plies"].as_array().expect("a list");
        let game = &played[&number];
        let replayed = game.game.replay();
        let after = replayed.plies().iter().map(|ply| ply.after.to_string());
        let before = std::iter::once(replayed.start().to_string()).chain(after);
        for (ply, position) in plies.iter().zip(before).skip(game.opening_plies) {
            let owner = ply["player"].as_str().expect("a side");
            let name = review[owner].as_str().expect("a name");
            let mv = ply["move"].as_str().expect("a move").to_owned();
            let cost = ply["cost"]["lower"].as_u64().expect("a number");
            let own = moves.entry(name.to_owned()).or_default();
            let highest = own.entry((position, mv)).or_default();
            *highest = cost.max(*highest);
        }
    }
    let costs = moves.into_iter().map(|(name, own)| {
        let mut costs: Vec<u64> = own.into_values().filter(|&cost| cost > 0).collect();
        costs.sort_unstable_by(|one, other| other.cmp(one));
        (name, costs)
    });
    costs.collect()
}

#[test]
fn feedback_has_the_biggest_mistakes_of_each_engine() {
    let directory = temp_dir();
    let (folder, _) = played_tournament(directory.path());
    let folder_text = path_text(&folder);
    let feedback = |options: &[&str]| {
        let fixed = [
            "feedback",
            folder_text,
            "--nodes",
            "500",
            "--tables",
            "none",
        ];
        arena(&[&fixed, options].concat())
    };
    let all_games = |jobs| {
        let options = "--json --games 100 --mistakes 7 --threads 1 --jobs";
        feedback(&[&args(options)[..], &[jobs]].concat()).success()
    };
    let all = all_games("1");
    assert!(
        all == all_games("2"),
        "the result depends on the number of jobs"
    );
    let json: Value = serde_json::from_str(&all).expect("JSON");
    let contestants = json["contestants"].as_array().expect("a list");
    assert_eq!(contestants.len(), 3);
    let costs = costs_by_review(&folder, "500");
    for contestant in contestants {
        let name = contestant["name"].as_str().expect("a name");
        let mistakes = contestant["mistakes"].as_array().expect("a list");
        let seeds: Vec<u64> = (mistakes.iter())
            .map(|mistake| mistake["seeds"].as_u64().expect("a number"))
            .collect();
        let most: Vec<u64> = costs[name].iter().copied().take(7).collect();
        assert_eq!(seeds, most, "{name}");
        assert!(!seeds.is_empty() || name != "first", "{contestant}");
        assert_eq!(contestant["games_reviewed"], 12);
        assert_eq!(contestant["games"].as_array().map(Vec::len), Some(12));
    }
    for option in ["--games", "--mistakes"] {
        let error = feedback(&[option, "0"]).failure(2);
        assert!(error.contains("expected a whole number from 1"), "{error}");
    }
    let pages = feedback(&["--games", "1", "--mistakes", "2"]).success();
    let files: Vec<&str> = pages.lines().collect();
    let names = ["1-mine.html", "2-level-3.html", "3-first.html"];
    for (file, name) in files.iter().zip(names) {
        assert_eq!(Path::new(file), folder.join("feedback").join(name));
        let page = fs::read_to_string(file).expect("a page");
        let index = games_index(&page);
        assert_eq!(index["games"].as_array().map(Vec::len), Some(12));
        assert!(page.matches("Played: ").count() <= 2);
    }
    assert_eq!(files.len(), 3);
    feedback(&["--json", "--out", "x"]).failure(2);
}

/// The number of runs of which one must be interrupted after it has installed its handler. Each one
/// gets twice the time of the one before it.
#[cfg(unix)]
const MAX_ATTEMPTS: u32 = 10;

#[cfg(unix)]
#[test]
fn interrupted_feedback_writes_nothing() {
    let directory = temp_dir();
    let folder = directory.path().join("mine");
    let options =
        "--engine first --engine random --board 6x6 --rounds 1 --play-out --quiet --out {}";
    let folder_text = path_text(&folder);
    arena(&args_with(options, &[folder_text])).success();
    let is_interrupted = (0..MAX_ATTEMPTS).any(|attempt| {
        let nodes = u64::MAX.to_string();
        let process = start(&[
            "feedback",
            folder_text,
            "--nodes",
            &nodes,
            "--tables",
            "none",
        ]);
        thread::sleep(Duration::from_millis(20) * 2_u32.pow(attempt));
        process.signal("INT");
        let output = process.wait();
        let is_handled = output.code() == Some(130);
        assert!(
            !is_handled || output.stderr.contains("nothing is written"),
            "{output:?}"
        );
        is_handled
    });
    assert!(is_interrupted, "the command installs a handler");
    assert!(!folder.join("feedback").exists());
}

#[test]
fn status_tells_whether_a_tournament_is_played() {
    let directory = temp_dir();
    let folder = directory.path().join("mine");
    let journal = folder.join("games.jsonl");
    let wait = format!(
        "case \"$line\" in go*) while [ -s '{}' ]; do sleep 0.1; done;; esac; forward",
        path_text(&journal)
    );
    let engine = format!("cmd={},name=Slow", filtered(&wait, "first"));
    let mut tournament = start(&args_with(
        "--engine {} --engine first --engine random --rounds 5 --board 3x2 --time 10m \
         --concurrency 1 --quiet --out {}",
        &[&engine, path_text(&folder)],
    ));
    wait_until("a game is finished", || {
        fs::metadata(&journal).is_ok_and(|metadata| metadata.len() > 0)
    });
    let status = |extra: &[&str]| arena(&[&["status", path_text(&folder)], extra].concat());
    let json: Value = status(&["--json"]).json();
    assert_eq!(
        (&json["is_in_use"], &json["is_complete"]),
        (&true.into(), &false.into())
    );
    assert!(json["since_last_game_ms"].is_u64(), "{json}");
    assert!(status(&[]).success().contains(" of 30 games are in '"));
    tournament.kill();
    let text = status(&[]).success();
    assert!(
        text.contains("interrupted; resume with: kalah arena --resume "),
        "{text}"
    );
    assert_eq!(status(&["--json"]).json()["is_in_use"], false);
    let other = temp_dir();
    let (folder, _) = played_tournament(other.path());
    let text = arena(&["status", path_text(&folder)]).success();
    assert!(text.starts_with("18 of 18 games are in '"), "{text}");
    assert!(
        text.contains(": complete\n") && text.contains("level:3"),
        "{text}"
    );
}

#[test]
fn verification_finds_each_change() {
    let directory = temp_dir();
    let (folder, _) = played_tournament(directory.path());
    let (journal, records) = (folder.join("games.jsonl"), folder.join("games.kgn"));
    let verify = || arena(&["verify", path_text(&folder)]);
    let played = games(&folder);
    let adjudicated = played.iter().position(|game| {
        let margin = game.end.margin().filter(|margin| margin.seeds() != 0);
        margin.is_some() && game.game.replay().outcome().is_none()
    });
    let adjudicated = adjudicated.expect("an adjudicated game");
    let clean = verify().success();
    assert!(
        clean.starts_with("18 games replayed, ")
            && clean.contains(", 0 games left to play: no difference\nseal: ")
    );
    let original = fs::read_to_string(&journal).expect("a journal");
    let lines: Vec<&str> = original.lines().collect();
    let line = lines[adjudicated];
    let (game, _) = line.split_once(",\"seal\"").expect("a seal");
    let game = format!("{game}}}");
    let margin = played[adjudicated].end.margin().expect("a margin").seeds();
    let (right, wrong) = (
        format!("\"margin\":{margin}"),
        format!("\"margin\":{}", -margin),
    );
    let before = lines[..adjudicated].iter().map(|line| format!("{line}\n"));
    let before = Journal::parse(before.collect::<String>().as_bytes()).expect("a journal");
    let resealed = before.seal().seal(&game.replace(&right, &wrong));
    let unproven = format!("not `adjudicated {:+}`", -margin);
    let number = played[adjudicated].number_text();
    let south = format!("\"name\":\"{}\"", played[adjudicated].names.south);
    for (changed, reasons) in [
        (
            line.replace(&right, &wrong),
            &["differs from its seal", &unproven][..],
        ),
        (
            resealed,
            &[&*unproven, "games.kgn: ", "differs from its seal"],
        ),
        (game, &["the line has no seal", "differs from its seal"]),
        (
            line.replace(&south, "\"name\":\"Ours\""),
            &["differs from its seal", "`Ours`"],
        ),
        (
            lines[(adjudicated + 1) % lines.len()].to_owned(),
            &["an earlier line has game ", "differs from its seal"],
        ),
        (
            line.replace('{', "["),
            &[
                "differs from its seal",
                "column 8: the text is not JSON: `[",
            ],
        ),
    ] {
        let mut lines = lines.clone();
        lines[adjudicated] = &changed;
        fs::write(&journal, lines.join("\n") + "\n").expect("a writable file");
        let output = verify();
        assert_eq!(output.code(), Some(1), "{output:?}");
        for reason in reasons {
            assert!(output.stdout.contains(reason), "{reason}: {output:?}");
        }
        let json = arena(&["verify", path_text(&folder), "--json"]);
        assert_eq!(json.code(), Some(1));
        let json: Value = serde_json::from_str(&json.stdout).expect("JSON");
        assert!(
            json["differences"]
                .as_array()
                .is_some_and(|all| !all.is_empty())
        );
    }
    // A line that is cut off belongs to a game in progress.
    fs::write(&journal, &original[..original.len() - 5]).expect("a writable file");
    fs::write(&records, "").expect("a writable file");
    assert!(verify().success().starts_with("17 games replayed"));
    fs::write(&journal, &original).expect("a writable file");
    fs::write(&records, "[Round \"7.7.7\"]\n").expect("a writable file");
    let first = &played[0].number_text();
    let error = format!(
        "games.kgn: the record of game {first} differs from games.jsonl at `[Round \"7.7.7\"]`"
    );
    assert!(verify().stdout.contains(&error), "{number}");
}

#[test]
fn seal_that_was_noted_proves_that_no_game_was_changed_or_removed() {
    let directory = temp_dir();
    let (folder, _) = played_tournament(directory.path());
    let (journal, records) = (folder.join("games.jsonl"), folder.join("games.kgn"));
    let verify = |extra: &[&str]| arena(&[&["verify", path_text(&folder)], extra].concat());
    let seal_of = |text: &str| {
        let (_, seal) = text.split_once("seal: ").expect("a seal");
        seal.trim_end().to_owned()
    };
    let noted = seal_of(&verify(&[]).success());
    assert!(
        verify(&["--seal", &noted])
            .success()
            .ends_with(&format!("{noted}, as given\n"))
    );
    let json: Value = verify(&["--json", "--seal", &noted]).json();
    assert_eq!(json["seal"], *noted);
    assert_eq!(json["games_up_to_given_seal"], 18);

    // Without its last games, the tournament has an older seal.
    let original = fs::read_to_string(&journal).expect("a journal");
    let original_records = fs::read_to_string(&records).expect("records");
    let length = original.match_indices('\n').nth(9).expect("10 lines").0 + 1;
    fs::write(&journal, &original[..length]).expect("a writable file");
    fs::write(&records, "").expect("a writable file");
    let earlier = seal_of(&verify(&[]).success());
    let output = verify(&["--seal", &noted]);
    assert_eq!(output.code(), Some(1));
    assert!(
        output
            .stdout
            .contains(&format!("never had the given seal {noted} with its"))
    );

    // The records of the games that were removed are left. The seal of a changed tournament says
    // nothing, so it has none.
    fs::write(&records, &original_records).expect("a writable file");
    let text = verify(&[]).stdout;
    let difference = "games.kgn has more than the 10 games of games.jsonl: it goes on with `[";
    assert!(
        text.starts_with(difference) && !text.contains("seal"),
        "{text}"
    );

    // A whole journal with another time of a move, which its author has sealed again.
    let mut games = games_of(&original);
    games[3].think_time.south.total_ms += 1;
    let mut seal = kalah_arena::Seal::START;
    let lines = games
        .iter()
        .map(|game| Journal::format_line(game, &mut seal));
    let forged: String = lines.map(|line| line.expect("a valid game")).collect();
    fs::write(&journal, &forged).expect("a writable file");
    assert!(verify(&[]).success().contains("no difference"));
    let output = verify(&["--seal", &noted]);
    assert!(
        output.stdout.contains("never had the given seal"),
        "{output:?}"
    );

    fs::write(&journal, &original).expect("a writable file");
    let text = verify(&["--seal", &earlier]).success();
    assert!(
        text.ends_with("; the given one is that of the first 10 games\n"),
        "{text}"
    );
    let error = verify(&["--seal", "123"]).failure(2);
    assert!(error.contains("`123` is not a seal"), "{error}");
    // A line that was removed is found by each command that reads the journal.
    let without: Vec<&str> = original
        .lines()
        .enumerate()
        .filter_map(|(line, text)| (line != 4).then_some(text))
        .collect();
    fs::write(&journal, without.join("\n") + "\n").expect("a writable file");
    for command in ["report", "status", "--resume"] {
        let error = arena(&[command, path_text(&folder)]).failure(1);
        assert!(
            error.contains("line 5: the line differs from its seal"),
            "{error}"
        );
    }
}

#[test]
fn edited_settings_are_refused_and_a_noted_seal_finds_those_with_a_new_seal() {
    let directory = temp_dir();
    let (folder, _) = played_tournament(directory.path());
    let settings = folder.join("tournament.json");
    let original = fs::read_to_string(&settings).expect("settings");
    let verify = |extra: &[&str]| arena(&[&["verify", path_text(&folder)], extra].concat());
    let json: Value = verify(&["--json"]).json();
    let noted = json["seal"].as_str().expect("a seal").to_owned();
    for (from, to) in [
        ("\"spec\": \"level:3\"", "\"spec\": \"level:9\""),
        ("\"spec\": \"level:3\"", "\"spec\": \"level:3,id=s9\""),
        ("\"time_control\": \"", "\"time_control\": \"7s+"),
        ("\"versions\": [\n    \"", "\"versions\": [\n    \"9."),
    ] {
        let edited = original.replacen(from, to, 1);
        assert_ne!(edited, original, "{original}");
        fs::write(&settings, &edited).expect("a writable file");
        for command in ["verify", "report", "status", "--resume"] {
            let error = arena(&[command, path_text(&folder)]).failure(1);
            assert!(
                error.contains("tournament.json': the settings differ from their seal"),
                "{command}: {error}"
            );
        }
        // The author of the change has computed the seal of the settings again.
        let (fields, end) = edited.rsplit_once(",\n  \"seal\": \"").expect("a seal");
        let seal = kalah_arena::Seal::START.next(fields).to_string();
        let forged = format!("{fields},\n  \"seal\": \"{seal}{}", &end[seal.len()..]);
        fs::write(&settings, forged).expect("a writable file");
        let is_time = from.contains("time_control");
        let output = verify(&[]);
        assert_eq!(output.code(), Some(i32::from(is_time)), "{to}: {output:?}");
        let difference = ": expected the time control `7s+";
        assert_eq!(output.stdout.contains(difference), is_time, "{output:?}");
        let output = verify(&["--seal", &noted]);
        assert_eq!(output.code(), Some(1), "{output:?}");
        let never = format!("the tournament never had the given seal {noted}");
        assert!(output.stdout.contains(&never), "{output:?}");
    }
}

fn games_of(journal: &str) -> Vec<kalah_arena::FinishedGame> {
    Journal::parse(journal.as_bytes())
        .expect("a journal")
        .into_games()
}

#[test]
fn tables_of_the_export_agree_with_the_results() {
    let directory = temp_dir();
    let (folder, _) = played_tournament(directory.path());
    let tables = directory.path().join("tables");
    let written = arena(&args_with(
        "export {} --csv --out {}",
        &[path_text(&folder), path_text(&tables)],
    ));
    assert_eq!(written.success().lines().count(), 4);
    let rows = |name: &str| {
        let mut reader = csv::Reader::from_path(tables.join(name)).expect("a table");
        let rows = reader.deserialize::<std::collections::HashMap<String, String>>();
        rows.map(|row| row.expect("a row")).collect::<Vec<_>>()
    };
    let results: Value = arena(&["report", path_text(&folder), "--json"]).json();
    let contestants = results["contestants"].as_array().expect("a list");
    let number = |text: &str| text.parse::<f64>().expect("a number");
    for (row, contestant) in rows("results.csv").iter().zip(contestants) {
        assert_eq!(contestant["name"], *row["name"]);
        assert_eq!(contestant["points"], number(&row["points"]));
        let of_pairs = rows("pairs.csv").into_iter().map(|pair| {
            let is = |side: &str| pair[side] == row["name"];
            let points = |side: &str| number(&pair[&format!("{side}_points")]);
            f64::from(u8::from(is("first"))) * points("first")
                + f64::from(u8::from(is("second"))) * points("second")
        });
        assert_eq!(contestant["points"], of_pairs.sum::<f64>());
    }
    let table = rows("games.csv");
    let mut played = games(&folder);
    played.sort_by_key(|game| (game.encounter.pair, game.leg));
    assert_eq!(table.len(), played.len());
    for (row, game) in table.iter().zip(&played) {
        assert_eq!(row["game"], game.number_text());
        let number = format!("{}.{}.{}", row["round"], row["pair"], row["leg"]);
        assert_eq!(number, row["game"]);
        assert_eq!(Some(&row["date"]), game.date.as_ref());
        assert_eq!(row["south"], game.names.south);
        assert_eq!(row["south_time_control"], game.time_controls.south);
        assert_eq!(row["north_time_control"], game.time_controls.north);
        assert_eq!(row["ending"], game.end.termination().as_str());
    }
    assert_eq!(
        fs::read_to_string(tables.join("faults.csv")).expect("a table"),
        FAULTS_HEADER
    );
    let error = arena(&["export", path_text(&folder)]).failure(2);
    assert!(error.contains("--csv"), "{error}");
}

#[test]
fn faults_are_in_their_table() {
    let directory = temp_dir();
    let folder = directory.path().join("faults");
    let cheat = "while read -r line; do case \"$line\" in uki) echo ukiok;; isready) echo \
                 readyok;; go*) echo bestmove Z;; esac; done";
    arena(&args_with(
        "--engine {} --engine first --rounds 1 --board 3x2 --time 10m --quiet --out {}",
        &[&format!("cmd={cheat},name=Cheat"), path_text(&folder)],
    ))
    .success();
    arena(&["export", path_text(&folder), "--csv"]).success();
    let faults = fs::read_to_string(folder.join("faults.csv")).expect("a table");
    assert!(faults.starts_with(FAULTS_HEADER), "{faults}");
    assert!(
        faults.contains("1.1.2,1,1,2,Cheat,first,south,illegal,"),
        "{faults}"
    );
    assert_eq!(faults.lines().count(), 3);
    // The files of the tables do not prevent the tournament from being resumed.
    arena(&["--resume", path_text(&folder), "--quiet"]).success();
    assert!(
        arena(&["verify", path_text(&folder)])
            .success()
            .contains("no difference")
    );
}

#[test]
fn damaged_settings_of_a_tournament_have_the_line_and_the_files_that_are_kept() {
    let directory = temp_dir();
    let folder = directory.path().join("mine");
    let path = path_text(&folder);
    arena(&args_with(
        "--engine first --engine random --rounds 1 --board 3x2 --quiet --out {}",
        &[path],
    ))
    .success();
    let file = folder.join("tournament.json");
    let original = fs::read(&file).expect("a file");
    let cut = original[..original.len() / 2].to_vec();
    let text = String::from_utf8(original.clone()).expect("UTF-8");
    let kept = "; restore the file from a copy: the games so far are kept beside it, in games.jsonl \
                and games.kgn\n";
    let start = format!("error: '{}': ", file.display());
    for (content, line, expected) in [
        (cut, "line ", format!(": the text ends too early{kept}")),
        (
            text.replacen("\"seed\": 1", "\"seed\": \"one\"", 1).into(),
            "line ",
            format!(
                ": `tournament.seed`: expected a whole number from 0 to 18446744073709551615, not \
                 the text `one`{kept}"
            ),
        ),
        (
            text.replacen("\"version\": 5", "\"version\": 9", 1).into(),
            "the file has the format 9, which a newer kalah has written",
            ": this one reads the format 5\n".to_owned(),
        ),
        (
            [text.as_bytes(), b"\xe4"].concat(),
            "the file is not UTF-8 text: line ",
            " of the file; save it as UTF-8\n".to_owned(),
        ),
    ] {
        fs::write(&file, content).expect("a writable file");
        for command in ["status", "report", "verify", "--resume"] {
            let error = arena(&[command, path]).failure(1);
            let is_expected =
                error.starts_with(&format!("{start}{line}")) && error.ends_with(&expected);
            assert!(is_expected, "{command}: {error}");
        }
    }
    fs::write(&file, original).expect("a writable file");
    arena(&["verify", path]).success();
}

#[test]
fn folders_without_a_tournament_are_named_by_each_command() {
    let directory = temp_dir();
    let (missing, empty) = (
        directory.path().join("missing"),
        directory.path().join("empty"),
    );
    fs::create_dir(&empty).expect("a new folder");
    for (command, arguments) in [
        ("status", &[] as &[&str]),
        ("report", &[]),
        ("verify", &[]),
        ("log", &["1.1.1"]),
        ("export", &["--csv"]),
        ("feedback", &[]),
        ("--resume", &[]),
    ] {
        for (folder, expected) in [
            (
                &missing,
                format!("error: there is no folder '{}'\n", missing.display()),
            ),
            (
                &empty,
                format!(
                    "error: '{}' contains no tournament: it has no tournament.json\n",
                    empty.display()
                ),
            ),
        ] {
            let error = arena(&[&[command, path_text(folder)], arguments].concat()).failure(1);
            assert_eq!(error, expected, "{command}");
        }
    }
}
