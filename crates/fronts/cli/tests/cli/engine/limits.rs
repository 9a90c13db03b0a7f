//! Limits of depth, nodes and time, and the options of players.

use std::time::{Duration, Instant};

use kalah::Gain;
use kalah_engine::ResultChances;
use kalah_uki::{EngineMessage, Info, Score};

use super::{read_to_bestmove, start_engine};
use crate::harness::wait_until;

fn infos(messages: &[EngineMessage]) -> Vec<&Info> {
    let infos = messages.iter().filter_map(|message| match message {
        EngineMessage::Info(info) => Some(info),
        _ => None,
    });
    infos.collect()
}

/// Returns the last line of a search.
fn bestmove(messages: &[EngineMessage]) -> String {
    messages.last().expect("a message").to_string()
}

#[test]
fn searches_with_the_same_depth_or_nodes_return_the_same() {
    let search = |go: &str| {
        let mut engine = start_engine(&["--book", "none"]);
        engine.send_line("position startpos 6x4 rules standard");
        engine.send_line(go);
        let messages = read_to_bestmove(&mut engine);
        let last = (*infos(&messages).last().expect("an info line")).clone();
        let (time, nps) = (None, None);
        (Info { time, nps, ..last }, bestmove(&messages))
    };
    let by_depth = search("go depth 5");
    assert_eq!(by_depth.0.depth, Some(5));
    assert_eq!(search("go depth 5"), by_depth);
    let by_nodes = search("go nodes 3000");
    assert!(
        (2_500..=3_001).contains(&by_nodes.0.nodes.expect("a number of nodes")),
        "{by_nodes:?}"
    );
    assert_eq!(search("go nodes 3000"), by_nodes);
    let both = search("go nodes 3000000 depth 3");
    assert_eq!(both.0.depth, Some(3));
}

#[test]
fn proven_results_are_certain_and_the_hash_table_fills() {
    let mut engine = start_engine(&["--memory", "1MiB", "--book", "none"]);
    engine.send_line("position startpos 6x4 rules standard");
    engine.send_line("go nodes 100000");
    let messages = read_to_bestmove(&mut engine);
    let fullness: Vec<Option<u16>> = (infos(&messages).iter())
        .map(|info| info.hash_fullness)
        .collect();
    assert_eq!(fullness[0], Some(0));
    let last = fullness.last().copied().flatten();
    assert!(
        last.is_some_and(|last| (300..=1000).contains(&last)),
        "{fullness:?}"
    );
    for info in infos(&messages) {
        assert_eq!(info.score.is_some(), info.wdl.is_some(), "{info}");
    }
    let wdl = infos(&messages).last().and_then(|info| info.wdl);
    assert!(
        wdl.is_some_and(|wdl| (1..1000).contains(&wdl.win())),
        "{wdl:?}"
    );
    // The gain of 4x3 is 6 (docs/values.md); North has fewer seeds in its store than that, as many,
    // or more.
    for (position, wdl) in [
        ("<4,0,5,3,3,3,3,3,3,3,3> s", (1000, 0, 0)),
        ("<4,0,7,3,3,3,3,3,3,3,3> s", (0, 0, 1000)),
        ("<4,0,6,3,3,3,3,3,3,3,3> s", (0, 1000, 0)),
    ] {
        engine.send_line(format!("position {position} rules standard"));
        engine.send_line("go depth 100");
        let messages = read_to_bestmove(&mut engine);
        let infos = infos(&messages);
        let last = infos.last().expect("an info line");
        assert_eq!(last.score, Some(Score::Exact(Gain::new(6))), "{position}");
        let (win, tie, loss) = wdl;
        assert_eq!(last.wdl, ResultChances::new(win, tie, loss), "{position}");
    }
}

#[test]
fn principal_variation_begins_with_the_best_move() {
    let mut engine = start_engine(&[]);
    for position in ["startpos 6x4", "startpos 6x4 moves C F", "startpos 3x2"] {
        engine.send_line(format!("position {position} rules cs32"));
        engine.send_line("go nodes 20000");
        let messages = read_to_bestmove(&mut engine);
        let last = *infos(&messages).last().expect("an info line");
        let expected = format!("bestmove {}", last.pv[0]);
        assert_eq!(bestmove(&messages), expected);
    }
    // docs/analysis.md has the margin of 3x2.
    engine.send_line("go depth 60");
    let messages = read_to_bestmove(&mut engine);
    let score = infos(&messages).last().and_then(|info| info.score);
    assert_eq!(score, Some(Score::Exact(kalah::Gain::new(4))));
}

#[test]
fn search_ends_by_each_kind_of_time_limit() {
    let mut engine = start_engine(&[]);
    engine.send_line("position startpos 7x6 rules standard");
    for go in [
        "go movetime 300",
        "go stime 6000 ntime 1",
        "go stime 800 ntime 1 sinc 100000",
        "go stime 60000 ntime 60000 movetime 300",
        "go movetime 0",
        "go stime 0 ntime 0",
    ] {
        engine.send_line(go);
        let messages = read_to_bestmove(&mut engine);
        assert_ne!(bestmove(&messages), "bestmove none", "{go}");
    }
}

#[test]
fn search_uses_its_time() {
    let mut engine = start_engine(&[]);
    engine.send_line("position startpos 7x6 rules standard");
    let start = Instant::now();
    engine.send_line("go movetime 400");
    read_to_bestmove(&mut engine);
    assert!(start.elapsed() > Duration::from_millis(200));
}

#[test]
fn infinite_search_reports_until_it_is_stopped() {
    let mut engine = start_engine(&[]);
    engine.send_line("position startpos 7x6 rules standard");
    engine.send_line("go infinite");
    for _ in 0..5 {
        let line = engine.read_line();
        assert!(line.starts_with("info depth "), "{line}");
    }
    engine.send_line("isready");
    while engine.read_line() != "readyok" {}
    engine.send_line("stop");
    let messages = read_to_bestmove(&mut engine);
    assert_ne!(bestmove(&messages), "bestmove none");
    // A stop without a search has no effect.
    engine.send_line("stop");
    engine.send_line("go depth 2");
    read_to_bestmove(&mut engine);
    assert!(engine.is_silent_for(Duration::from_millis(100)));
}

#[test]
fn infinite_search_waits_for_stop_after_a_proof() {
    let mut engine = start_engine(&[]);
    for position in ["startpos 2x1", "startpos 1x1 moves A"] {
        for go in [
            "go infinite",
            "go infinite depth 2",
            "go infinite movetime 10",
        ] {
            engine.send_line(format!("position {position} rules cs32"));
            engine.send_line(go);
            engine.send_line("isready");
            while engine.read_line() != "readyok" {}
            wait_until("the search is proven", || {
                engine.is_silent_for(Duration::from_millis(200))
            });
            engine.send_line("go depth 1");
            let mut line = engine.read_line();
            while line.starts_with("info ") {
                line = engine.read_line();
            }
            assert!(line.starts_with("error a search is in progress"), "{line}");
            engine.send_line("stop");
            let messages = read_to_bestmove(&mut engine);
            assert_eq!(
                infos(&messages).len() + 1,
                messages.len(),
                "{position} {go}"
            );
        }
    }
}

#[test]
fn each_player_returns_a_move_and_can_be_stopped() {
    let mut engine = start_engine(&["--seed", "3"]);
    engine.send_line("position startpos 6x4 rules mankalah moves A");
    for player in [
        "first",
        "random",
        "minimax:3",
        "level:1",
        "level:9",
        "level:10",
        "smart",
    ] {
        engine.send_line(format!("setoption name Player value {player}"));
        engine.send_line("go movetime 100");
        assert_ne!(
            bestmove(&read_to_bestmove(&mut engine)),
            "bestmove none",
            "{player}"
        );
    }
    engine.send_line("setoption name Threads value 2");
    engine.send_line("setoption name Memory value 64");
    engine.send_line("go movetime 100");
    assert_ne!(bestmove(&read_to_bestmove(&mut engine)), "bestmove none");
    // A depth that takes far longer than the test.
    engine.send_line("position startpos 26x100 rules standard");
    engine.send_line("setoption name Player value minimax:12");
    engine.send_line("go movetime 50");
    assert_ne!(bestmove(&read_to_bestmove(&mut engine)), "bestmove none");
    engine.send_line("go infinite");
    engine.send_line("isready");
    assert_eq!(engine.read_line(), "readyok");
    engine.send_line("stop");
    assert_ne!(bestmove(&read_to_bestmove(&mut engine)), "bestmove none");
}

#[test]
fn players_with_the_same_seed_choose_the_same_moves() {
    let moves = |seed: &str| {
        let mut engine = start_engine(&["--player", "random"]);
        engine.send_line(format!("setoption name Seed value {seed}"));
        engine.send_line("position startpos 26x100 rules cs32");
        let moves: Vec<String> = (0..12)
            .map(|_| {
                engine.send_line("go");
                engine.read_line()
            })
            .collect();
        moves
    };
    assert_eq!(moves("7"), moves("7"));
    assert_ne!(moves("7"), moves("8"));
    assert_ne!(moves("random"), moves("random"));
}
