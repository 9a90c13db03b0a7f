//! Tournaments whose pairs of games are jobs of workers, without threads.
#![cfg(feature = "run")]

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, SystemTime};

use kalah::{Rules, Setup, Side};
use kalah_arena::{
    Adjudication, AdjudicationOption, ArenaConfig, ArenaOptions, DuePair, FinishedGame, Journal,
    Leg, PairRunner, RunDir, RunnerContext, Seal, SprtParam, TournamentFormat, TournamentRunner,
    TournamentState,
};
use kalah_players::{ContestantSpec, Shutdown};
use kalah_protocols::ENGINE_PROTOCOLS;
use tempfile::TempDir;

fn contestants(texts: &[&str]) -> Vec<ContestantSpec> {
    let specs = texts.iter();
    specs
        .map(|text| ContestantSpec::parse(text, ENGINE_PROTOCOLS).expect(text))
        .collect()
}

fn plain_start(text: &str) -> Setup {
    text.parse().expect("a start")
}

fn options(texts: &[&str], rounds: usize) -> ArenaOptions {
    ArenaOptions {
        contestants: Some(contestants(texts)),
        format: Some(TournamentFormat::RoundRobin),
        rounds: Some(rounds),
        seed: Some(5),
        start: Some(plain_start("4x3")),
        rules: Some(Rules::STANDARD),
        openings: None,
        time_control: Some("nodes=200".parse().expect("a time control")),
        grace: Some(Duration::ZERO),
        adjudication: Some(AdjudicationOption::Default),
        resign: None,
        sprt: None,
        memory: Some("1MiB".parse().expect("a size")),
        started_in: None,
    }
}

/// The options of a tournament of two contestants whose games are adjudicated early.
fn adjudicated() -> ArenaOptions {
    ArenaOptions {
        adjudication: Some(AdjudicationOption::Custom(Adjudication { max_seeds: 16 })),
        ..options(&["first", "level:1"], 2)
    }
}

/// A tournament that this process coordinates, with a worker that has parsed its configuration.
struct Coordinated {
    folder: TempDir,
    run_dir: RunDir,
    state: TournamentState,
    coordinator: PairRunner,
    worker: PairRunner,
}

impl Coordinated {
    fn new(options: &ArenaOptions) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ArenaConfig::new(options).expect("valid options");
        let run_dir = RunDir::create(folder.path(), &config).expect("an empty folder");
        let state = TournamentState::new(&config, Vec::new());
        let worker = ArenaConfig::from_worker_text(&config.to_worker_text(), ENGINE_PROTOCOLS)
            .expect("a text");
        let shutdown = Shutdown::default();
        Self {
            folder,
            run_dir,
            state,
            coordinator: PairRunner::new(config, &shutdown),
            worker: PairRunner::new(worker, &shutdown),
        }
    }

    /// Plays a pair as a worker does that has only its plain values.
    fn play(&self, pair: &DuePair) -> Vec<String> {
        let plies = pair.opening.plies_text();
        let parsed = self
            .worker
            .parse_pair(pair.encounter, pair.legs.clone(), &plies);
        let parsed = parsed.expect("a pair of the tournament");
        let lines = self.worker.play_lines(
            &parsed,
            &|| Duration::ZERO,
            &|| SystemTime::UNIX_EPOCH,
            &Shutdown::default(),
        );
        lines.expect("valid games").expect("not aborted")
    }

    fn parse(&self, pair: &DuePair, lines: &[String]) -> Result<Vec<FinishedGame>, String> {
        let games = self.coordinator.parse_games(pair, lines);
        games.map_err(|error| error.to_string())
    }

    /// Returns the reason why games are refused.
    fn refuse(&self, pair: &DuePair, lines: &[String]) -> String {
        let parsed = self.parse(pair, lines).map(|games| games.len());
        parsed.expect_err("wrong games")
    }

    /// Records the games of a pair, and returns how many are stored.
    fn record(&mut self, pair: &DuePair, lines: &[String]) -> usize {
        let games = self.parse(pair, lines).expect("games of the pair");
        let stored = games.into_iter().map(|game| {
            let recorded = self.state.record(game, &self.run_dir);
            recorded.expect("a writable folder")
        });
        stored.filter(|&is_stored| is_stored).count()
    }

    fn play_all(&mut self) {
        while let Some(pair) = self.state.next_pair() {
            let lines = self.play(&pair);
            self.record(&pair, &lines);
        }
    }
}

/// Returns the lines of games by their numbers, without the time that the players used.
fn lines_by_number(games: &[FinishedGame]) -> BTreeMap<String, String> {
    let lines = games.iter().map(|game| {
        let mut game = game.clone();
        for time in [&mut game.think_time.south, &mut game.think_time.north] {
            (time.total_ms, time.longest_ms) = (0, 0);
        }
        game.ply_times_ms.fill(0);
        let line = Journal::format_line(&game, &mut Seal::START.clone());
        let line = line.expect("a valid game");
        (game.number_text(), line)
    });
    lines.collect()
}

/// Plays a tournament, or the rest of it, with the runner's threads.
fn run_threads(
    config: &ArenaConfig,
    run_dir: &RunDir,
    games: Vec<FinishedGame>,
) -> Vec<FinishedGame> {
    let shutdown = Shutdown::default();
    let context = RunnerContext {
        shutdown: &shutdown,
        now: &|| SystemTime::UNIX_EPOCH,
        clock: &|| Duration::ZERO,
        observer: &|_| {},
        paused: &|| panic!("the clock stands still"),
    };
    let runner = TournamentRunner::new(config, run_dir, games, context);
    let threads = NonZeroUsize::new(3).expect("not zero");
    runner.run(threads).expect("a writable folder")
}

#[test]
fn pairs_have_the_games_of_the_runner() {
    for format in TournamentFormat::ALL {
        let options = || ArenaOptions {
            format: Some(format),
            ..options(&["first", "random", "level:2", "smart"], 3)
        };
        let mut coordinated = Coordinated::new(&options());
        coordinated.play_all();
        assert!(coordinated.state.is_complete());
        let folder = tempfile::tempdir().expect("a folder");
        let config = ArenaConfig::new(&options()).expect("valid options");
        let run_dir = RunDir::create(folder.path(), &config).expect("an empty folder");
        let games = run_threads(&config, &run_dir, Vec::new());
        let expected = lines_by_number(&games);
        assert_eq!(expected.len() as u64, config.planned_games());
        assert_eq!(
            lines_by_number(coordinated.state.games()),
            expected,
            "{}",
            format.as_str()
        );
    }
}

#[test]
fn runner_and_pairs_continue_the_same_folder() {
    let mut coordinated = Coordinated::new(&options(&["first", "level:1", "random"], 4));
    let pair = coordinated.state.next_pair().expect("a pair");
    let lines = coordinated.play(&pair);
    coordinated.record(&pair, &lines);
    // One game of the next pair is finished.
    let pair = coordinated.state.next_pair().expect("a pair");
    let lines = coordinated.play(&pair);
    let mut games = coordinated.parse(&pair, &lines).expect("two games");
    let last = games.pop().expect("two games");
    assert!(
        coordinated
            .state
            .record(last, &coordinated.run_dir)
            .expect("writable")
    );
    let Coordinated {
        folder, run_dir, ..
    } = coordinated;
    drop(run_dir);

    let (run_dir, config, games) =
        RunDir::resume(folder.path(), ENGINE_PROTOCOLS).expect("a tournament");
    assert_eq!(games.len(), 3);
    let mut state = TournamentState::new(&config, games.clone());
    let next = state.next_pair().expect("a pair");
    assert_eq!(
        (next.encounter, next.legs),
        (pair.encounter, vec![Leg::First])
    );
    let all = run_threads(&config, &run_dir, games);
    assert_eq!(all.len() as u64, config.planned_games());
    drop(run_dir);

    let mut coordinated = Coordinated::new(&options(&["first", "level:1", "random"], 4));
    coordinated.play_all();
    assert_eq!(
        lines_by_number(&all),
        lines_by_number(coordinated.state.games())
    );
}

#[test]
fn abandoned_pair_is_due_again_and_a_late_one_is_dropped() {
    let mut coordinated = Coordinated::new(&options(&["first", "random"], 2));
    let first = coordinated.state.next_pair().expect("a pair");
    let second = coordinated.state.next_pair().expect("another pair");
    assert_ne!(first.encounter, second.encounter);
    assert_eq!(coordinated.state.next_pair(), None);
    assert!(!coordinated.state.is_complete());
    let lines = coordinated.play(&first);
    for &leg in &first.legs {
        coordinated.state.abandon(first.encounter.pair, leg);
    }
    // Another worker had it before, and its games are not in progress.
    assert_eq!(coordinated.record(&first, &lines), 0);
    assert_eq!(coordinated.state.next_pair(), Some(first.clone()));
    assert_eq!(coordinated.record(&first, &lines), 2);
    assert_eq!(coordinated.record(&first, &lines), 0);
    let stored = coordinated.state.games().len();
    assert_eq!(stored, 2);
}

#[test]
fn decided_test_drops_pairs_that_arrive_late() {
    let sprt = ["elo0=-100", "elo1=0", "alpha=0.3", "beta=0.3"];
    let sprt: Vec<SprtParam> = sprt.map(|text| text.parse().expect(text)).into();
    let mut coordinated = Coordinated::new(&ArenaOptions {
        sprt: Some(sprt),
        ..options(&["smart", "first"], 100)
    });
    let late = coordinated.state.next_pair().expect("a pair");
    let late_lines = coordinated.play(&late);
    coordinated.play_all();
    assert!(coordinated.state.is_decided() && coordinated.state.is_complete());
    let stored = coordinated.state.games().len();
    assert!(stored < 200, "{stored}");
    assert_eq!(coordinated.record(&late, &late_lines), 0);
    assert_eq!(coordinated.state.games().len(), stored);
    let path = coordinated.folder.path().join("games.jsonl");
    let journal = Journal::parse(&std::fs::read(path).expect("a journal")).expect("games");
    assert_eq!(journal.games(), coordinated.state.games());
}

/// Replaces the only occurrence of a text.
fn replace(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
    text.replace(from, to)
}

#[test]
fn wrong_games_of_a_pair_are_refused() {
    let mut coordinated = Coordinated::new(&adjudicated());
    let pair = coordinated.state.next_pair().expect("a pair");
    let other = coordinated.state.next_pair().expect("another pair");
    let lines = coordinated.play(&pair);
    let (first, second) = (lines[0].clone(), lines[1].clone());
    let other_lines = coordinated.play(&other);
    let game: FinishedGame = serde_json::from_str(&first).expect("a game");
    let margin = game.end.margin().expect("adjudicated").seeds();
    let (margin, wrong_margin) = (
        format!("\"margin\":{margin}"),
        format!("\"margin\":{}", margin - 2),
    );
    let changed = |from, to| vec![replace(&first, from, to), second.clone()];
    let longer = replace(&first, "\"ply_times_ms\":[", "\"ply_times_ms\":[0,");
    let cases = [
        (vec![], "expected 2 games, not 0"),
        (vec![first.clone()], "expected 2 games, not 1"),
        (
            vec![second.clone(), first.clone()],
            "expected game 1.1.1 of contestants 1 and 0, not game 1.1.2",
        ),
        (
            vec![first.clone(), first.clone()],
            "expected game 1.1.2 of contestants 0 and 1, not game 1.1.1",
        ),
        (other_lines, "game 1.1.1: expected game 1.1.1"),
        (
            vec!["{}".to_owned(), second.clone()],
            "line 1, column 2: `game` is missing: `{}`",
        ),
        (
            changed("\"name\":\"first\"", "\"name\":\"last\""),
            "expected `level:1` and `first`, not `level:1` and `last`",
        ),
        (
            changed("\"standard\"", "\"empty-capture\""),
            "game 1.1.1: expected <",
        ),
        (
            changed("\"opening_plies\":2", "\"opening_plies\":1"),
            "`ply_times_ms` has 6 times, but the game has 7 after its opening",
        ),
        (
            vec![
                replace(&longer, "\"opening_plies\":2", "\"opening_plies\":1"),
                second.clone(),
            ],
            "expected the opening `",
        ),
        (changed(&margin, &wrong_margin), "expected `adjudicated"),
        (changed("\"moves\":\"", "\"moves\":\"z"), "line 1, "),
    ];
    for (lines, message) in cases {
        let error = coordinated.refuse(&pair, &lines);
        assert!(error.contains(message), "{error}\nhas no\n{message}");
    }
    let games = coordinated.parse(&pair, &lines).expect("two games");
    assert_eq!(games.first(), Some(&game));
}

#[test]
fn adjudication_of_a_worker_is_checked() {
    let play_out = ArenaOptions {
        adjudication: Some(AdjudicationOption::Never),
        ..adjudicated()
    };
    let mut played_out = Coordinated::new(&play_out);
    let pair = played_out.state.next_pair().expect("a pair");
    let long = played_out.play(&pair);
    let adjudicated = Coordinated::new(&adjudicated());
    let short = adjudicated.play(&pair);
    let error = adjudicated.refuse(&pair, &long);
    assert!(error.contains("expected `adjudicated "), "{error}");
    let error = played_out.refuse(&pair, &short);
    assert!(
        error.contains("expected a game that is not adjudicated, not `adjudicated"),
        "{error}"
    );
    assert!(played_out.parse(&pair, &long).is_ok() && adjudicated.parse(&pair, &short).is_ok());
}

#[test]
fn resignations_of_a_worker_need_the_rule() {
    let play_out = ArenaOptions {
        adjudication: Some(AdjudicationOption::Never),
        ..options(&["smart,name=One", "smart,name=Two"], 2)
    };
    let resigning = ArenaOptions {
        resign: Some("seeds=1,moves=1".parse().expect("a rule")),
        ..play_out.clone()
    };
    let mut resigning = Coordinated::new(&resigning);
    let pair = resigning.state.next_pair().expect("a pair");
    let lines = resigning.play(&pair);
    let games = resigning.parse(&pair, &lines).expect("two games");
    for game in &games {
        assert_eq!(game.end.termination().as_str(), "resign", "{}", game.end);
        assert!(game.margin(Side::South).is_none() && game.game.replay().outcome().is_none());
        assert_ne!(game.score(Side::South), game.score(Side::North));
    }
    let played_out = Coordinated::new(&play_out);
    let error = played_out.refuse(&pair, &lines);
    assert!(
        error.contains("expected a game without resignations, not `resignation of "),
        "{error}"
    );
    let lines = played_out.play(&pair);
    for game in played_out.parse(&pair, &lines).expect("two games") {
        assert_eq!(game.end.termination().as_str(), "normal");
    }
}

#[cfg(unix)]
#[test]
fn contestant_that_does_not_start_loses_also_where_games_are_adjudicated() {
    for (other, is_at_fault) in [("cmd=/nonexistent", true), ("level:1", false)] {
        let mut coordinated = Coordinated::new(&ArenaOptions {
            contestants: Some(contestants(&["first", other])),
            // The positions after the openings are adjudicated.
            adjudication: Some(AdjudicationOption::Custom(Adjudication { max_seeds: 20 })),
            openings: Some("plies:6".parse().expect("openings")),
            time_control: Some("1s".parse().expect("a time")),
            ..adjudicated()
        });
        let pair = coordinated.state.next_pair().expect("a pair");
        let lines = coordinated.play(&pair);
        for game in coordinated.parse(&pair, &lines).expect("two games") {
            assert_eq!(game.game.moves().len(), game.opening_plies);
            assert_eq!(game.end.side_at_fault().is_some(), is_at_fault);
        }
    }
}

#[test]
fn jobs_that_the_tournament_cannot_have_are_refused() {
    let mut coordinated = Coordinated::new(&options(&["first", "random"], 1));
    let pair = coordinated.state.next_pair().expect("a pair");
    let parse = |encounter, legs: &[Leg], plies: &str| {
        let result = coordinated
            .worker
            .parse_pair(encounter, legs.to_vec(), plies);
        result.map(|_| ()).expect_err(plies).to_string()
    };
    let mut unknown = pair.encounter;
    unknown.second.0 = 7;
    assert_eq!(
        parse(unknown, &Leg::ALL, "A a"),
        "contestant 7 does not exist: the tournament has 2"
    );
    let mut alone = pair.encounter;
    alone.second = alone.first;
    assert_eq!(
        parse(alone, &Leg::ALL, "A a"),
        "contestant 1 plays against itself"
    );
    let twice = [Leg::First, Leg::First];
    for legs in [&twice[..], &[]] {
        assert!(parse(pair.encounter, legs, "A a").contains("no games, or the same"));
    }
    assert!(parse(pair.encounter, &Leg::ALL, "z").starts_with("opening `z`: "));
}

#[test]
fn longest_time_of_a_pair_follows_the_time_control() {
    let seconds = |time: &str| {
        let config = ArenaConfig::new(&ArenaOptions {
            time_control: Some(time.parse().expect(time)),
            grace: Some(Duration::from_secs(1)),
            ..options(&["first", "random"], 1)
        });
        let time = config.expect("valid options").max_pair_time();
        time.map(|time| time.as_secs())
    };
    // 24 seeds, and two games.
    assert_eq!(seconds("9s"), Some(2 * 24 * 10));
    assert_eq!(seconds("100s+2s"), Some(2 * (2 * 100 + 24 * 2)));
    assert_eq!(seconds("nodes=5"), None);
}

fn given(texts: &[&str]) -> ArenaOptions {
    ArenaOptions {
        contestants: Some(contestants(texts)),
        start: Some("4x3".parse().expect("a start")),
        rules: Some(Rules::STANDARD),
        rounds: Some(2),
        ..ArenaOptions::default()
    }
}

/// Opens a folder and returns its number of finished games.
fn open(path: &Path, options: &ArenaOptions) -> Result<usize, String> {
    let opened = RunDir::open_or_create(path, options, ENGINE_PROTOCOLS);
    let (_run_dir, _, games) = opened.map_err(|error| error.to_string())?;
    Ok(games.len())
}

#[test]
fn folder_is_created_and_opened_again_with_the_same_options() {
    let parent = tempfile::tempdir().expect("a folder");
    let path = parent.path().join("new");
    let error = open(&path, &ArenaOptions::default()).expect_err("no contestants");
    assert!(error.starts_with("there is no folder"), "{error}");
    fs::create_dir(&path).expect("a new folder");
    let error = open(&path, &ArenaOptions::default()).expect_err("no contestants");
    assert!(error.ends_with("it has no tournament.json"), "{error}");
    fs::remove_dir(&path).expect("an empty folder");
    let options = given(&["first", "level:1"]);
    for given in [&options, &options, &ArenaOptions::default()] {
        assert_eq!(open(&path, given).expect("a tournament"), 0);
    }
    let (_, config, _) = RunDir::resume(&path, ENGINE_PROTOCOLS).expect("a tournament");
    let explicit = ArenaOptions {
        format: Some(TournamentFormat::RoundRobin),
        seed: Some(1),
        openings: Some("plies:2".parse().expect("openings")),
        time_control: Some("1s".parse().expect("a time")),
        grace: Some(Duration::from_micros(50_700)),
        adjudication: Some(AdjudicationOption::Custom(Adjudication { max_seeds: 6 })),
        memory: Some("64MiB".parse().expect("a size")),
        ..options
    };
    assert_eq!(config.openings.as_slice().len(), 15);
    assert_eq!(open(&path, &explicit).expect("the same options"), 0);
}

#[test]
fn other_options_replace_a_tournament_without_games() {
    let parent = tempfile::tempdir().expect("a folder");
    let first = given(&["first", "level:1"]);
    assert_eq!(open(parent.path(), &first).expect("a tournament"), 0);
    let second = given(&["first", "random"]);
    let opened = RunDir::open_or_create(parent.path(), &second, ENGINE_PROTOCOLS);
    let (run_dir, config, _) = opened.expect("another tournament");
    let error = open(parent.path(), &second).expect_err("locked");
    assert!(error.contains("another program is playing"), "{error}");
    assert_eq!(config.contestants[1].name, "random");
    assert_eq!(run_threads(&config, &run_dir, Vec::new()).len(), 4);
    drop(run_dir);
    let (_run_dir, config, games) =
        RunDir::resume(parent.path(), ENGINE_PROTOCOLS).expect("a tournament");
    assert_eq!(
        (config.contestants[1].name.as_str(), games.len()),
        ("random", 4)
    );
}

#[test]
fn other_options_than_those_of_the_folder_are_refused() {
    let parent = tempfile::tempdir().expect("a folder");
    let path = parent.path().join("new");
    let options = given(&["first", "level:1"]);
    let opened = RunDir::open_or_create(&path, &options, ENGINE_PROTOCOLS);
    let (run_dir, config, games) = opened.expect("a new tournament");
    assert_eq!(run_threads(&config, &run_dir, games).len(), 4);
    drop(run_dir);
    let sprt = vec![SprtParam::Elo1(20.0)];
    let cases: Vec<(ArenaOptions, &str)> = vec![
        (
            given(&["first", "level:2"]),
            "contestants: the tournament in '",
        ),
        (
            ArenaOptions {
                rounds: Some(3),
                ..options.clone()
            },
            "has `2`, not `3`",
        ),
        (
            ArenaOptions {
                seed: Some(9),
                ..options.clone()
            },
            "has `1`, not `9`",
        ),
        (
            ArenaOptions {
                format: Some(TournamentFormat::Swiss),
                ..options.clone()
            },
            "has `round-robin`, not `swiss`",
        ),
        (
            ArenaOptions {
                rules: Some(Rules::CS32),
                ..options.clone()
            },
            "rules: the tournament",
        ),
        (
            ArenaOptions {
                start: Some("4x4".parse().expect("a start")),
                ..options.clone()
            },
            "start: the tournament",
        ),
        (
            ArenaOptions {
                openings: Some("start".parse().expect("openings")),
                ..options.clone()
            },
            "openings: the tournament",
        ),
        (
            ArenaOptions {
                time_control: Some("2s".parse().expect("a time")),
                ..options.clone()
            },
            "has `1s`, not `2s`",
        ),
        (
            ArenaOptions {
                grace: Some(Duration::ZERO),
                ..options.clone()
            },
            "has `50ms`, not `0ns`",
        ),
        (
            ArenaOptions {
                adjudication: Some(AdjudicationOption::Never),
                ..options.clone()
            },
            "has `6`, not `0`",
        ),
        (
            ArenaOptions {
                sprt: Some(sprt),
                ..options.clone()
            },
            "has `no test`, not `elo0=0.0 elo1=+20.0 alpha=0.05",
        ),
        (
            ArenaOptions {
                memory: Some("2MiB".parse().expect("a size")),
                ..options
            },
            "not `2.0 MiB`",
        ),
    ];
    for (options, message) in cases {
        let error = open(&path, &options).expect_err(message);
        assert!(error.contains(message), "{error}\nhas no\n{message}");
    }
}
