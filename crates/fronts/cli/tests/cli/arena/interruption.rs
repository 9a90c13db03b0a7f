//! Tournaments that are interrupted, and that are resumed.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::runner::{
    arena, assert_records_agree, filtered, games, games_without_times, marked, process_mark,
    results, start,
};
use crate::harness::{
    KALAH, Process, args, args_with, kalah_in, path_text, run, temp_dir, wait_until,
    wait_until_gone,
};

/// Returns the arguments of a tournament that takes some time and has the same games in each run.
fn slow(folder: &Path, mark: &str) -> Vec<String> {
    with_slow_engine("sleep 0.01", folder, mark)
}

/// Returns the arguments of a tournament that cannot end: after `games` games an engine stops
/// responding.
fn blocked_after(games: usize, folder: &Path, mark: &str) -> Vec<String> {
    let journal = folder.join("games.jsonl");
    let finished = format!("$(cat '{}' | wc -l)", path_text(&journal));
    with_slow_engine(
        &format!("while [ {finished} -ge {games} ]; do sleep 0.1; done"),
        folder,
        mark,
    )
}

/// Returns the arguments of a tournament in which an engine executes a command before each
/// response.
fn with_slow_engine(wait: &str, folder: &Path, mark: &str) -> Vec<String> {
    let slow = filtered(
        &format!("case \"$line\" in go*) {wait};; esac; forward"),
        "first",
    );
    let slow = marked(&slow, mark);
    let out = path_text(folder);
    args_with(
        "--engine {} --engine level:2 --engine level:4 --rounds 3 --board 4x2 \
         --openings plies:2 --seed 7 --time 10m --concurrency 2 --out {}",
        &[&format!("cmd={slow},name=Slow"), out],
    )
    .into_iter()
    .map(str::to_owned)
    .collect()
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// Waits for a number of finished games, or for the end of the tournament.
fn wait_for_games(folder: &Path, count: usize, tournament: &mut Process) {
    let journal = folder.join("games.jsonl");
    let games =
        || fs::read(&journal).map_or(0, |bytes| bytes.split(|&byte| byte == b'\n').count() - 1);
    wait_until("games are finished", || {
        games() >= count || !tournament.is_running()
    });
}

#[test]
fn tournament_killed_several_times_has_the_same_games() {
    let directory = temp_dir();
    let (whole, killed) = (
        directory.path().join("whole"),
        directory.path().join("killed"),
    );
    results(&words(&slow(&whole, "resume-whole")));
    assert_eq!(games(&whole).len(), 18);

    let mut tournament = start(&words(&slow(&killed, "resume-killed")));
    // Different moments of different games.
    for (number, pause) in [3_u64, 17, 41, 8, 29].into_iter().enumerate() {
        wait_for_games(&killed, 3 * (number + 1), &mut tournament);
        thread::sleep(Duration::from_millis(pause));
        tournament.kill();
        let before = games(&killed);
        tournament = start(&[
            "--resume",
            path_text(&killed),
            "--concurrency",
            "2",
            "--quiet",
        ]);
        // The finished games are still there and unchanged.
        wait_for_games(&killed, before.len(), &mut tournament);
        assert_eq!(games(&killed)[..before.len()], before[..]);
    }
    tournament.finish().success();
    assert_eq!(games_without_times(&killed), games_without_times(&whole));
    assert_records_agree(&killed);
    // No game is left.
    let again = results(&["--resume", path_text(&killed)]);
    assert_eq!(again["games_finished"], 18);
    assert_eq!(games_without_times(&killed), games_without_times(&whole));
    wait_until_gone(&process_mark("resume-killed"));
}

#[test]
fn incomplete_last_lines_are_repaired() {
    let directory = temp_dir();
    let folder = directory.path().join("torn");
    let arguments = args_with(
        "--engine level:2 --engine level:5 --rounds 4 \
         --board 4x2 --time 10m --out {}",
        &[path_text(&folder)],
    );
    results(&arguments);
    let expected = games_without_times(&folder);
    let (journal, records) = (folder.join("games.jsonl"), folder.join("games.kgn"));
    let lines = fs::read_to_string(&journal).expect("a journal");
    for cut in [lines.len() - 1, lines.len() - 30, lines.len() / 2, 5, 0] {
        fs::write(&journal, &lines[..cut]).expect("a writable file");
        let mut file = OpenOptions::new()
            .append(true)
            .open(&records)
            .expect("records");
        file.write_all(b"[Event \"torn").expect("a writable file");
        let again = results(&["--resume", path_text(&folder)]);
        assert_eq!(again["games_finished"], 8, "{cut}");
        assert_eq!(games_without_times(&folder), expected, "{cut}");
        assert_records_agree(&folder);
    }
    // A game that was changed by hand is an error.
    let journal_text = fs::read_to_string(&journal).expect("a journal");
    let changed = journal_text.replacen("\"name\":\"level:2\"", "\"name\":\"level:3\"", 1);
    assert_ne!(changed, journal_text);
    fs::write(&journal, changed).expect("a writable file");
    let errors = arena(&["--resume", path_text(&folder)]).failure(1);
    let message = "games.jsonl': line 1: the line differs from its seal";
    assert!(errors.contains(message), "{errors}");
    // A complete line with wrong contents is an error.
    fs::write(&journal, "{}\n").expect("a writable file");
    let output = arena(&["--resume", path_text(&folder)]);
    assert_eq!(output.code(), Some(1));
    assert!(
        output.stderr.contains("games.jsonl': line 1: invalid game"),
        "{output:?}"
    );
}

#[test]
fn sigint_and_sigterm_end_all_processes_and_print_the_resume_command() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let directory = temp_dir();
        let folder = directory.path().join("broken off");
        let mark = format!("break-{signal}");
        let mut tournament = start(&words(&blocked_after(2, &folder, &mark)));
        wait_for_games(&folder, 2, &mut tournament);
        tournament.signal(signal);
        let output = tournament.finish();
        assert_eq!(output.code(), Some(code), "{output:?}");
        let resume = format!("kalah arena --resume '{}'", path_text(&folder));
        assert!(output.stderr.contains(&resume), "{output:?}");
        // The results so far are printed.
        assert!(output.stdout.contains("of 18 games"), "{output:?}");
        wait_until_gone(&process_mark(&mark));
        let finished = games(&folder).len();
        assert!((2..18).contains(&finished), "{finished}");
        assert_records_agree(&folder);
    }
}

#[test]
fn engine_that_ignores_the_end_of_its_input_is_ended() {
    let directory = temp_dir();
    let folder = directory.path().join("silent");
    let asleep = directory.path().join("asleep");
    let engine = format!(
        "while read -r line; do case \"$line\" in uki) echo ukiok;; isready) echo readyok;; \
         go*) touch '{}'; exec sleep 1000;; esac; done",
        path_text(&asleep)
    );
    let engine = marked(&engine, "silent");
    let engine = format!("cmd={engine}");
    let tournament = start(&args_with(
        "--engine {} --engine first --time 10m --out {}",
        &[&engine, path_text(&folder)],
    ));
    wait_until("the engine is asleep", || {
        folder.join("tournament.json").exists() && asleep.exists()
    });
    tournament.signal("INT");
    let output = tournament.finish();
    assert_eq!(output.code(), Some(130), "{output:?}");
    wait_until_gone(&process_mark("silent"));
}

#[test]
fn directory_is_used_by_one_tournament_at_a_time() {
    let directory = temp_dir();
    let folder = directory.path().join("locked");
    let mut tournament = start(&words(&blocked_after(1, &folder, "locked")));
    wait_for_games(&folder, 1, &mut tournament);
    let output = arena(&["--resume", path_text(&folder)]);
    assert_eq!(output.code(), Some(1));
    assert!(
        output.stderr.contains("another program is playing"),
        "{output:?}"
    );
    let again = slow(&folder, "locked");
    let output = arena(&words(&again));
    assert_eq!(output.code(), Some(1));
    assert!(
        output.stderr.contains("already contains a tournament"),
        "{output:?}"
    );
    tournament.signal("INT");
    tournament.finish();
}

#[test]
fn resume_of_other_directories_and_with_other_options_is_refused() {
    let directory = temp_dir();
    let folder = path_text(directory.path());
    let output = arena(&["--resume", folder]);
    assert_eq!(output.code(), Some(1));
    assert!(
        output.stderr.contains("contains no tournament"),
        "{output:?}"
    );
    for (option, value) in [
        ("--engine", "first"),
        ("--seed", "2"),
        ("--out", "x"),
        ("--time", "2s"),
    ] {
        let output = arena(&["--resume", folder, option, value]);
        assert_eq!(output.code(), Some(2), "{option}");
        assert!(output.stderr.contains("cannot be used with"), "{output:?}");
    }
    fs::write(directory.path().join("tournament.json"), "{\"version\": 2}")
        .expect("a writable file");
    let output = arena(&["--resume", folder]);
    assert_eq!(output.code(), Some(1));
    assert!(
        (output.stderr).contains(
            "tournament.json': the file has the format 2, which an older kalah has written"
        ),
        "{output:?}"
    );
}

#[test]
fn pause_of_the_program_is_no_fault_of_an_engine() {
    let directory = temp_dir();
    let folder = directory.path().join("paused");
    let [thinking, resumed] = ["thinking", "resumed"].map(|name| directory.path().join(name));
    // The engine begins its first move before the pause, and ends it after the pause.
    let slow = filtered(
        &format!(
            "case \"$line\" in go*) if [ ! -e '{0}' ]; then touch '{0}'; \
             while [ ! -e '{1}' ]; do sleep 0.1; done; fi;; esac; forward",
            path_text(&thinking),
            path_text(&resumed)
        ),
        "first",
    );
    let mut tournament = start(&args_with(
        "--engine {} --engine first --rounds 1 --board 3x2 --openings start --play-out \
         --time 2s --grace 2s --concurrency 1 --out {}",
        &[&format!("cmd={slow},name=Slow"), path_text(&folder)],
    ));
    wait_until("the engine thinks", || {
        thinking.exists() || !tournament.is_running()
    });
    tournament.signal("STOP");
    // Longer than the time for a move and the grace.
    thread::sleep(Duration::from_secs(6));
    fs::write(&resumed, "").expect("a writable folder");
    tournament.signal("CONT");
    let output = tournament.finish();
    assert!(output.status.success(), "{output:?}");
    let note = "note: this program has paused, so a game begins again";
    assert!(output.stderr.contains(note), "{output:?}");
    assert!(
        output.stdout.contains("2 of 2 games: 2 normal"),
        "{output:?}"
    );
}

#[test]
fn late_and_corrected_engines_play_only_the_missing_games() {
    let directory = temp_dir();
    let folder = directory.path().join("course");
    let path = path_text(&folder);
    arena(&args_with(
        "--engine first --engine level:1,name=Ana,id=s7 --engine random --rounds 2 --board 3x2 \
         --time 10m --quiet --out {}",
        &[path],
    ))
    .success();
    let before = games(&folder);
    // A broken engine changes nothing.
    let error = arena(&["--resume", path, "--add", "cmd=exit 3,name=Late"]).failure(1);
    assert!(
        error.contains("'Late' cannot take part: exit status: 3"),
        "{error}"
    );
    let extended = [
        "--resume",
        path,
        "--add",
        "level:2,name=Late",
        "--replace",
        "Ana",
        "level:3",
        "--rounds",
        "3",
    ];
    let results = results(&extended);
    // Four engines play three rounds, and four games of those so far count.
    assert_eq!(results["games_finished"], 36, "{results}");
    assert_eq!(results["games_planned"], 36);
    assert_eq!(results["withdrawn"][0]["games"], 8);
    let contestants = results["contestants"].as_array().expect("a list").iter();
    let ana: Vec<_> = contestants
        .filter(|contestant| contestant["name"] == "Ana")
        .collect();
    assert_eq!(
        (ana.len(), &ana[0]["engine"]),
        (1, &"level:3,id=s7,name=Ana".into())
    );
    let after = games(&folder);
    assert_eq!(after[..before.len()], before[..]);
    assert_eq!(after.len(), 36 + 8);
    assert_records_agree(&folder);
    let verified = arena(&["verify", path]).success();
    assert!(verified.starts_with("44 games replayed") && verified.contains("no difference"));
    let text = arena(&["report", path]).success();
    let note = "note: Ana as level:1,id=s7,name=Ana was replaced, and 8 games of it do not count";
    assert!(text.contains(note), "{text}");
    for (changes, code, reason) in [
        (
            &["--rounds", "2"][..],
            2,
            "the tournament has 3 rounds, and cannot have 2",
        ),
        (
            &["--replace", "Eve", "first"],
            2,
            "`Eve` is not an engine of the tournament",
        ),
        (&["--replace", "Ana", "frist"], 2, "`frist` is not a player"),
        (&["--replace", "Ana"], 2, "2 values required"),
    ] {
        let error = arena(&[&["--resume", path], changes].concat()).failure(code);
        assert!(error.contains(reason), "{error}");
    }
    let error = arena(&["--engine", "first", "--engine", "random", "--add", "first"]).failure(2);
    assert!(error.contains("cannot be used with"), "{error}");
}

#[test]
fn file_of_engines_adds_the_late_ones() {
    let directory = temp_dir();
    let (file, folder) = (
        directory.path().join("course.toml"),
        directory.path().join("course"),
    );
    let (file, path) = (path_text(&file), path_text(&folder));
    let ana = "[[engine]]\nname = 'Ana'\nplayer = 'level:1'\n";
    let first = "[[engine]]\nplayer = 'first'\n";
    fs::write(file, format!("{ana}{first}")).expect("a writable folder");
    arena(&args_with(
        "--engines {} --rounds 1 --board 3x2 --time 10m --quiet --out {}",
        &[file, path],
    ))
    .success();
    let late = "[[engine]]\nname = 'Late'\nplayer = 'random'\n";
    fs::write(file, format!("{late}{first}{ana}")).expect("a writable folder");
    let resumed = ["--resume", path, "--engines", file];
    for _ in 0..2 {
        let results = results(&resumed);
        assert_eq!(results["games_finished"], 6, "{results}");
        assert_eq!(results["withdrawn"], serde_json::json!([]));
    }
    fs::write(file, ana.replace("level:1", "level:2")).expect("a writable folder");
    let error = arena(&resumed).failure(2);
    let tip = "use --replace Ana ENGINE";
    assert!(
        error.contains("`Ana` is `level:1,name=Ana`") && error.contains(tip),
        "{error}"
    );
    let replaced = [&resumed[..], &["--replace", "Ana", "level:2"]].concat();
    assert_eq!(results(&replaced)["games_finished"], 6);
}

/// A folder of `dir=` does not depend on the current one, and a relative command does.
#[test]
fn tournament_is_resumed_in_another_folder() {
    let directory = temp_dir();
    let root = directory.path();
    for folder in ["mybot", "other"] {
        fs::create_dir(root.join(folder)).expect("a new folder");
    }
    let script = format!("exec '{KALAH}' engine --tables none --player first\n");
    fs::write(root.join("mybot/bot.sh"), &script).expect("a script");
    fs::write(root.join("late.sh"), &script).expect("a script");
    let engines = "[[engine]]\ncmd = 'sh bot.sh'\ndir = 'mybot'\n[[engine]]\nplayer = 'random'\n";
    fs::write(root.join("engines.toml"), engines).expect("a file of engines");
    let arena_in = |folder: &str, arguments: &str| {
        let mut command = kalah_in(&root.join(folder), &["arena", "--quiet"]);
        run(command.args(args(arguments)))
    };
    let new = "--engines engines.toml --rounds 1 --board 3x2 --time 10m --out out";
    arena_in("", new).success();
    arena_in(
        "other",
        "--resume ../out --engines ../engines.toml --rounds 2",
    )
    .success();
    assert_eq!(games(&root.join("out")).len(), 4);
    let replace = ["--replace", "random", "cmd=sh late.sh"];
    let mut command = kalah_in(root, &["arena", "--quiet", "--resume", "out"]);
    run(command.args(replace)).success();
    let error = arena_in("other", "--resume ../out --rounds 3").failure(1);
    let tip = format!(
        "\ntip: the tournament was started in '{}', to which relative commands refer: resume it \
         there\n",
        root.display()
    );
    assert!(
        error.starts_with("error: 'random' cannot take part: exit status: "),
        "{error}"
    );
    assert!(error.ends_with(&tip), "{error}");
    assert_eq!(games(&root.join("out")).len(), 8);
}

#[test]
fn engine_cannot_be_replaced_twice() {
    let directory = temp_dir();
    let folder = directory.path().join("out");
    let new = "--engine first --engine random --rounds 1 --board 3x2 --quiet --out {}";
    arena(&args_with(new, &[path_text(&folder)])).success();
    let error = arena(&args_with(
        "--resume {} --replace first level:1 --replace first level:2",
        &[path_text(&folder)],
    ));
    assert_eq!(
        error.failure(2),
        "error: --replace: `first` is replaced twice\n"
    );
    assert_eq!(games(&folder).len(), 2);
}
