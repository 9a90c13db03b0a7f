//! Tournaments of built-in players, run in this process.
#![cfg(feature = "run")]

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use kalah::{Rules, Setup};
use kalah_arena::{
    AdjudicationOption, ArenaConfig, ArenaOptions, ArenaSummary, ConfigError, FinishedGame, RunDir,
    RunError, RunnerContext, TournamentFormat, TournamentRunner, check_contestants, default_rules,
    default_start, html_report, results_json, standings_text, summary_text,
};
use kalah_players::{ContestantSpec, Shutdown};
use kalah_protocols::ENGINE_PROTOCOLS;

const CONCURRENCY: NonZeroUsize = NonZeroUsize::new(2).unwrap();

fn specs<const N: usize>(texts: [&str; N]) -> Vec<ContestantSpec> {
    texts
        .map(|text| ContestantSpec::parse(text, ENGINE_PROTOCOLS).expect(text))
        .to_vec()
}

fn plain_start(text: &str) -> Setup {
    text.parse().expect("a start")
}

fn options(contestants: Vec<ContestantSpec>, rounds: usize) -> ArenaOptions {
    ArenaOptions {
        contestants: Some(contestants),
        format: Some(TournamentFormat::RoundRobin),
        rounds: Some(rounds),
        seed: Some(3),
        start: Some(plain_start("3x2")),
        rules: Some(Rules::CS32),
        openings: None,
        time_control: Some("nodes=100".parse().expect("a time control")),
        grace: Some(Duration::ZERO),
        adjudication: Some(AdjudicationOption::Never),
        resign: None,
        sprt: None,
        memory: Some("1MiB".parse().expect("a size")),
        started_in: None,
    }
}

/// Runs the tournament of a folder, and returns its games and the calls of the observer.
fn run(
    config: &ArenaConfig,
    run_dir: &RunDir,
    games: Vec<FinishedGame>,
    shutdown: &Shutdown,
) -> (Vec<FinishedGame>, Vec<usize>) {
    let calls = Mutex::new(Vec::new());
    let context = RunnerContext {
        shutdown,
        now: &|| SystemTime::UNIX_EPOCH,
        clock: &|| Duration::ZERO,
        observer: &|games| calls.lock().expect("not poisoned").push(games.len()),
        paused: &|| panic!("the clock stands still"),
    };
    let runner = TournamentRunner::new(config, run_dir, games, context);
    let games = runner.run(CONCURRENCY).expect("a writable folder");
    (games, calls.into_inner().expect("not poisoned"))
}

fn create(path: &Path, config: &ArenaConfig) -> RunDir {
    RunDir::create(path, config).expect("an empty folder")
}

#[test]
fn games_are_stored_and_observed_and_a_finished_tournament_resumes() {
    let folder = tempfile::tempdir().expect("a folder");
    let config =
        ArenaConfig::new(&options(specs(["first", "random", "level:1"]), 2)).expect("valid");
    let shutdown = Shutdown::default();
    let slow = check_contestants(&config, &shutdown, &|| Duration::ZERO);
    assert_eq!(slow.expect("built-in players start"), []);
    let run_dir = create(folder.path(), &config);
    let (games, calls) = run(&config, &run_dir, Vec::new(), &shutdown);
    assert_eq!(games.len() as u64, config.planned_games());
    assert_eq!(calls, (1..=12).collect::<Vec<_>>());

    let summary = ArenaSummary::new(&config, &games);
    assert!(summary.is_complete());
    for width in [None, Some(40)] {
        let standings = standings_text(&summary, width);
        assert!(summary_text(&summary, width).starts_with(&standings));
        assert_eq!(standings.contains("#1"), width.is_none(), "{standings}");
        assert!(width.is_none() || standings.lines().all(|line| line.len() <= 40));
    }
    let json = serde_json::to_value(results_json(&summary, folder.path())).expect("a document");
    assert_eq!(json["games_finished"], 12);
    assert_eq!(json["terminations"]["normal"], 12);
    assert_eq!(json["head_to_head"].as_array().map(Vec::len), Some(3));

    assert!(matches!(
        RunDir::resume(folder.path(), ENGINE_PROTOCOLS),
        Err(RunError::InUse(_))
    ));
    drop(run_dir);
    assert!(matches!(
        RunDir::create(folder.path(), &config),
        Err(RunError::AlreadyExists(_))
    ));
    let (run_dir, config, stored) =
        RunDir::resume(folder.path(), ENGINE_PROTOCOLS).expect("a tournament");
    assert_eq!(stored, games);
    let (games, calls) = run(&config, &run_dir, stored, &shutdown);
    assert_eq!((games.len(), calls.len()), (12, 0));
}

#[test]
fn rating_of_a_match_is_the_same_in_the_document_and_in_the_standings() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = ArenaConfig::new(&options(specs(["first", "random"]), 6)).expect("valid");
    let run_dir = create(folder.path(), &config);
    let (games, _) = run(&config, &run_dir, Vec::new(), &Shutdown::default());
    let summary = ArenaSummary::new(&config, &games);
    let json = serde_json::to_value(results_json(&summary, folder.path())).expect("a document");
    let contestants = json["contestants"].as_array().expect("contestants");
    let standings = standings_text(&summary, None);
    let ratings: Vec<f64> = contestants
        .iter()
        .zip(standings.lines().skip(1))
        .map(|(contestant, line)| {
            let elo = contestant["rating"]["elo"].as_f64().expect("a number");
            assert!(line.contains(&format!("  {elo:+.0}  ")), "{elo} in: {line}");
            elo
        })
        .collect();
    assert!(ratings[0] > 0.0 && ratings[1] < 0.0, "{ratings:?}");
    // The rating is the difference, as in the results of the two against each other.
    let estimate = json["head_to_head"][0]["estimate"]["elo"].as_f64();
    let elo = estimate.expect("a number").abs();
    assert!((ratings[0] - elo).abs() < 1e-9, "{ratings:?}");
}

/// A program that speaks the engine protocol and never moves.
#[cfg(unix)]
const ENGINE: &str = "cmd='while read -r line; do case \"$line\" in uki) echo ukiok;; \
                      isready) echo readyok;; quit) exit;; esac; done',name=Slow";

#[cfg(unix)]
#[test]
fn programs_that_need_a_tenth_of_a_second_to_start_are_named() {
    use std::sync::atomic::AtomicU32;
    use std::thread;

    let config = ArenaConfig::new(&options(specs(["first", ENGINE]), 1)).expect("valid");
    for (ms, text) in [
        (99, None),
        (
            100,
            Some("Slow needs 100 ms to start, which its time for moves does not include"),
        ),
    ] {
        let calls = AtomicU32::new(0);
        // Each call by the check of a program is later than the one before. The thread that waits
        // for the checks can call the clock, too.
        let waiting = thread::current().id();
        let clock = || {
            if thread::current().id() == waiting {
                return Duration::ZERO;
            }
            Duration::from_millis(ms) * calls.fetch_add(1, Ordering::Relaxed)
        };
        let slow = check_contestants(&config, &Shutdown::default(), &clock);
        let slow = slow.expect("both start");
        assert_eq!(slow.first().map(ToString::to_string).as_deref(), text);
        assert!(slow.len() <= 1, "{slow:?}");
        let summary = ArenaSummary::new(&config, &[]).with_slow_starts(&slow);
        let report = html_report(&summary, None);
        assert_eq!(report.contains("ms to start"), text.is_some());
    }
}

#[cfg(unix)]
#[test]
fn program_without_an_answer_is_reported_while_it_is_checked() {
    use std::cell::RefCell;
    use std::sync::atomic::AtomicU32;

    use kalah_arena::{NamedProgram, StartupCheck};

    let engines = specs(["cmd='exec sleep 1000',name=Silent", "first"]);
    let config = ArenaConfig::new(&options(engines, 1)).expect("valid");
    let shutdown = Shutdown::default();
    let calls = AtomicU32::new(0);
    // Each call is a second later than the one before.
    let clock = || Duration::from_secs(1) * calls.fetch_add(1, Ordering::Relaxed);
    let reports = RefCell::new(Vec::new());
    let silent = |program: &NamedProgram, time: Duration| {
        reports.borrow_mut().push((program.name.clone(), time));
        shutdown.request();
    };
    let error = StartupCheck::run(&config, &shutdown, &clock, &silent).expect_err("a request");
    assert!(matches!(error, RunError::Aborted), "{error}");
    let expected = ("Silent".to_owned(), Duration::from_secs(2));
    assert_eq!(reports.into_inner(), [expected]);
}

#[test]
fn shutdown_leaves_an_incomplete_tournament() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = ArenaConfig::new(&options(specs(["first", "random"]), 2)).expect("valid");
    let run_dir = create(folder.path(), &config);
    let shutdown = Shutdown::default();
    shutdown.request();
    let (games, calls) = run(&config, &run_dir, Vec::new(), &shutdown);
    assert!(games.is_empty() && calls.is_empty());
    assert!(!ArenaSummary::new(&config, &games).is_complete());
}

#[test]
fn defaults_follow_the_first_protocol_that_requires_rules() {
    for (texts, rules, houses) in [
        (["first", "cmd=x,proto=uki"], Rules::CS32, 6),
        (["first", "cmd=x,proto=kgp-child"], Rules::STANDARD, 6),
        (["cmd=x,proto=mankalah", "first"], Rules::MANKALAH, 7),
        (
            ["cmd=x,proto=kgp-child", "cmd=x,proto=mankalah"],
            Rules::STANDARD,
            6,
        ),
    ] {
        let contestants = specs(texts);
        assert_eq!(default_rules(&contestants), rules, "{texts:?}");
        let start = default_start(&contestants, rules);
        assert_eq!(start.houses(), houses, "{texts:?}");
    }
}

#[test]
fn contradictory_options_are_rejected() {
    let reject = |options: ArenaOptions| match ArenaConfig::new(&options) {
        Err(RunError::Config(error)) => error,
        other => panic!("{other:?}"),
    };
    let error = reject(options(specs(["first"]), 1));
    assert_eq!(error, ConfigError::TooFewContestants);
    let error = reject(ArenaOptions {
        sprt: Some(Vec::new()),
        ..options(specs(["first", "random", "smart"]), 1)
    });
    assert_eq!(error, ConfigError::SprtContestants(3));
    let error = reject(ArenaOptions {
        start: Some(plain_start("9x2")),
        rules: Some(Rules::CS32),
        adjudication: Some(AdjudicationOption::Custom(
            "seeds=3".parse().expect("an adjudication"),
        )),
        ..options(specs(["first", "random"]), 1)
    });
    assert_eq!(error, ConfigError::AdjudicationHouses { houses: 9, max: 8 });
    let error = reject(options(specs(["first", "cmd=x,proto=kgp-child"]), 1));
    assert!(
        matches!(error, ConfigError::UnsupportedRules { .. }),
        "{error}"
    );
    let error = reject(ArenaOptions {
        start: Some(plain_start("3x2")),
        rules: Some(Rules::STANDARD),
        ..options(specs(["first", "cmd=x,proto=kgp-child"]), 1)
    });
    assert!(
        matches!(error, ConfigError::UnsupportedNodeLimit { .. }),
        "{error}"
    );
}

#[test]
fn game_in_which_the_process_pauses_is_played_again() {
    // The clock advances by an hour within a game; the games that it interrupts begin again.
    const READINGS_BEFORE_PAUSE: u64 = 30;
    let readings = AtomicU64::new(0);
    let clock = || {
        let is_later = readings.fetch_add(1, Ordering::Relaxed) >= READINGS_BEFORE_PAUSE;
        Duration::from_hours(is_later.into())
    };
    let folder = tempfile::tempdir().expect("a folder");
    let options = ArenaOptions {
        time_control: Some("1s".parse().expect("a time control")),
        ..options(specs(["first", "random"]), 2)
    };
    let config = ArenaConfig::new(&options).expect("valid");
    let run_dir = create(folder.path(), &config);
    let void_games = AtomicU64::new(0);
    let context = RunnerContext {
        shutdown: &Shutdown::default(),
        now: &|| SystemTime::UNIX_EPOCH,
        clock: &clock,
        observer: &|_| {},
        paused: &|| {
            void_games.fetch_add(1, Ordering::Relaxed);
        },
    };
    let runner = TournamentRunner::new(&config, &run_dir, Vec::new(), context);
    let games = runner.run(NonZeroUsize::MIN).expect("a writable folder");
    assert_eq!(games.len() as u64, config.planned_games());
    assert_eq!(void_games.into_inner(), 1);
    let is_played_out = |game: &FinishedGame| game.end.side_at_fault().is_none();
    assert!(games.iter().all(is_played_out), "{games:?}");
}

#[test]
fn no_game_begins_during_a_pause() {
    const CALLS_OF_A_PAUSE: u64 = 3;

    let folder = tempfile::tempdir().expect("a folder");
    let config = ArenaConfig::new(&options(specs(["first", "random"]), 3)).expect("valid");
    let run_dir = create(folder.path(), &config);
    let (paused_calls, is_paused) = (AtomicU64::new(0), AtomicBool::new(false));
    // The tournament is paused after its second game, until the runner has asked a few times.
    let observer = |games: &[FinishedGame]| {
        assert!(!is_paused.load(Ordering::Relaxed), "{games:?}");
        is_paused.store(games.len() == 2, Ordering::Relaxed);
    };
    let context = RunnerContext {
        shutdown: &Shutdown::default(),
        now: &|| SystemTime::UNIX_EPOCH,
        clock: &|| Duration::ZERO,
        observer: &observer,
        paused: &|| panic!("the clock stands still"),
    };
    let ask = || {
        let paused = is_paused.load(Ordering::Relaxed);
        if paused && paused_calls.fetch_add(1, Ordering::Relaxed) == CALLS_OF_A_PAUSE {
            is_paused.store(false, Ordering::Relaxed);
        }
        paused
    };
    let runner = TournamentRunner::new(&config, &run_dir, Vec::new(), context).with_pause(&ask);
    let games = runner.run(NonZeroUsize::MIN).expect("a writable folder");
    assert_eq!(games.len(), 6);
    assert_eq!(paused_calls.into_inner(), CALLS_OF_A_PAUSE + 1);
}

#[test]
fn complete_or_interrupted_tournament_ends_during_a_pause() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = ArenaConfig::new(&options(specs(["first", "random"]), 1)).expect("valid");
    let run_dir = create(folder.path(), &config);
    let (games, _) = run(&config, &run_dir, Vec::new(), &Shutdown::default());
    assert_eq!(games.len(), 2);
    for (games, is_interrupted) in [(games, false), (Vec::new(), true)] {
        let shutdown = Shutdown::default();
        let context = RunnerContext {
            shutdown: &shutdown,
            now: &|| SystemTime::UNIX_EPOCH,
            clock: &|| Duration::ZERO,
            observer: &|_| {},
            paused: &|| panic!("the clock stands still"),
        };
        let is_paused = || {
            if is_interrupted {
                shutdown.request();
            }
            true
        };
        let count = games.len();
        let runner = TournamentRunner::new(&config, &run_dir, games, context);
        let games = runner
            .with_pause(&is_paused)
            .run(CONCURRENCY)
            .expect("a writable folder");
        assert_eq!(games.len(), count);
    }
}
