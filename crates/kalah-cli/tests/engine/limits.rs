//! How long a search takes, and what ends it.

use std::time::{Duration, Instant};

use kalah_protocols::uki::{EngineMessage, Info, Score};

use crate::speaker::Speaker;

/// Only a search without an end takes so long: a machine may be busy with other things.
const LATE: Duration = Duration::from_mins(5);

fn infos(heard: &[EngineMessage]) -> Vec<&Info> {
    let infos = heard.iter().filter_map(|message| match message {
        EngineMessage::Info(info) => Some(info),
        _ => None,
    });
    infos.collect()
}

/// What the engine answers, as text.
fn bestmove(heard: &[EngineMessage]) -> String {
    heard.last().expect("an answer").to_string()
}

#[test]
fn limits_of_depth_and_nodes_always_find_the_same() {
    let ask = |go: &str| {
        let mut engine = Speaker::kalah(&[]);
        engine.say("position startpos 6x4 rules standard");
        engine.say(go);
        let heard = engine.hear_to_bestmove();
        let last = (*infos(&heard).last().expect("it tells something")).clone();
        let (time, nps) = (None, None);
        (Info { time, nps, ..last }, bestmove(&heard))
    };
    let by_depth = ask("go depth 5");
    assert_eq!(by_depth.0.depth, Some(5));
    assert_eq!(ask("go depth 5"), by_depth);
    let by_nodes = ask("go nodes 3000");
    assert!(
        (2_500..=3_001).contains(&by_nodes.0.nodes.expect("told")),
        "{by_nodes:?}"
    );
    assert_eq!(ask("go nodes 3000"), by_nodes);
    let both = ask("go nodes 3000000 depth 3");
    assert_eq!(both.0.depth, Some(3));
}

#[test]
fn the_line_begins_with_the_choice() {
    let mut engine = Speaker::kalah(&[]);
    for position in ["startpos 6x4", "startpos 6x4 moves C F", "startpos 3x2"] {
        engine.say(&format!("position {position} rules cs32"));
        engine.say("go nodes 20000");
        let heard = engine.hear_to_bestmove();
        let last = *infos(&heard).last().expect("it tells something");
        let expected = format!("bestmove {}", last.pv[0]);
        assert_eq!(bestmove(&heard), expected);
    }
    // docs/analysis.md has the margin of 3x2.
    engine.say("go depth 60");
    let heard = engine.hear_to_bestmove();
    let score = infos(&heard).last().and_then(|info| info.score);
    assert_eq!(score, Some(Score::Exact(kalah::Gain::new(4))));
}

#[test]
fn a_time_is_kept() {
    let mut engine = Speaker::kalah(&[]);
    engine.say("position startpos 6x6 rules standard");
    for go in [
        "go movetime 300",
        "go stime 6000 ntime 1",
        "go stime 800 ntime 1 sinc 100000",
        "go stime 60000 ntime 60000 movetime 300",
        "go movetime 0",
        "go stime 0 ntime 0",
    ] {
        let began = Instant::now();
        engine.say(go);
        let heard = engine.hear_to_bestmove();
        assert!(began.elapsed() < LATE, "{go}: {:?}", began.elapsed());
        assert_ne!(bestmove(&heard), "bestmove none", "{go}");
    }
}

#[test]
fn a_time_is_used() {
    let mut engine = Speaker::kalah(&[]);
    engine.say("position startpos 6x6 rules standard");
    let began = Instant::now();
    engine.say("go movetime 400");
    engine.hear_to_bestmove();
    assert!(began.elapsed() > Duration::from_millis(200));
}

#[test]
fn who_has_no_limit_answers_when_told_to() {
    let mut engine = Speaker::kalah(&[]);
    engine.say("position startpos 6x6 rules standard");
    engine.say("go infinite");
    let mut heard = Vec::new();
    // It tells how far it is all the time.
    while heard.len() < 5 {
        let line = engine.hear();
        assert!(line.starts_with("info depth "), "{line}");
        heard.push(line);
    }
    engine.say("isready");
    while engine.hear() != "readyok" {}
    engine.say("stop");
    let began = Instant::now();
    let heard = engine.hear_to_bestmove();
    assert!(began.elapsed() < LATE);
    assert_ne!(bestmove(&heard), "bestmove none");
    // It is there for the next question, and a late stop means nothing.
    engine.say("stop");
    engine.say("go depth 2");
    engine.hear_to_bestmove();
    assert!(engine.is_silent_for(Duration::from_millis(100)));
}

#[test]
fn a_proven_answer_waits_too_where_it_has_to() {
    let mut engine = Speaker::kalah(&[]);
    for position in ["startpos 2x1", "startpos 1x1 moves A"] {
        for go in [
            "go infinite",
            "go infinite depth 2",
            "go infinite movetime 10",
        ] {
            engine.say(&format!("position {position} rules cs32"));
            engine.say(go);
            engine.say("isready");
            while engine.hear() != "readyok" {}
            while !engine.is_silent_for(Duration::from_millis(200)) {}
            engine.say("go depth 1");
            let mut line = engine.hear();
            while line.starts_with("info ") {
                line = engine.hear();
            }
            assert!(line.starts_with("error a search is going on"), "{line}");
            engine.say("stop");
            let heard = engine.hear_to_bestmove();
            assert_eq!(infos(&heard).len() + 1, heard.len(), "{position} {go}");
        }
    }
}

#[test]
fn every_player_answers_and_can_be_stopped() {
    let mut engine = Speaker::kalah(&["--seed", "3"]);
    engine.say("position startpos 6x4 rules mankalah moves A");
    for player in [
        "first",
        "random",
        "minimax:3",
        "level:1",
        "level:9",
        "level:10",
        "smart",
    ] {
        engine.say(&format!("setoption name Player value {player}"));
        engine.say("go movetime 100");
        assert_ne!(
            bestmove(&engine.hear_to_bestmove()),
            "bestmove none",
            "{player}"
        );
    }
    engine.say("setoption name Threads value 2");
    engine.say("setoption name Memory value 64");
    engine.say("go movetime 100");
    assert_ne!(bestmove(&engine.hear_to_bestmove()), "bestmove none");
    // It looks as far ahead as nobody waits for.
    engine.say("position startpos 26x100 rules standard");
    engine.say("setoption name Player value minimax:12");
    let began = Instant::now();
    engine.say("go movetime 50");
    assert_ne!(bestmove(&engine.hear_to_bestmove()), "bestmove none");
    engine.say("go infinite");
    engine.say("isready");
    assert_eq!(engine.hear(), "readyok");
    engine.say("stop");
    assert_ne!(bestmove(&engine.hear_to_bestmove()), "bestmove none");
    assert!(began.elapsed() < LATE);
}

#[test]
fn a_seed_makes_the_same_game_again() {
    let game = |seed: &str| {
        let mut engine = Speaker::kalah(&["--player", "random"]);
        engine.say(&format!("setoption name Seed value {seed}"));
        engine.say("position startpos 26x100 rules cs32");
        let answers: Vec<String> = (0..12)
            .map(|_| {
                engine.say("go");
                engine.hear()
            })
            .collect();
        answers
    };
    assert_eq!(game("7"), game("7"));
    assert_ne!(game("7"), game("8"));
    assert_ne!(game("random"), game("random"));
}
