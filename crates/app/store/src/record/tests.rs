//! Tests of replays, with games that were changed by another program.

use std::time::Duration;

use kalah::{ByPlayer, ClockSetting};

use super::*;
use crate::clock::FriendClock;
use crate::tests::{at, new_game};

fn game(start: &str, plies: &[&str], ending: Option<(Termination, Option<Side>)>) -> StoredGame {
    let mut game = new_game(None, at(0));
    start.clone_into(&mut game.start);
    game.plies = plies.iter().map(|&ply| ply.to_owned()).collect();
    game.state.ending = ending.map(|(termination, winner)| StoredEnding {
        termination,
        winner,
    });
    game
}

#[test]
fn games_by_the_rules_become_records() {
    let south = Some(Side::South);
    for (game, result) in [
        (game("6x4", &[], None), "[Result \"*\"]\n"),
        (game("6x4", &["C", "swap", "a"], None), "[Result \"*\"]\n"),
        (
            game("<1,3,1,1,1> s", &["A"], Some((Termination::Normal, south))),
            "[Result \"4-2\"]\n[Termination \"normal\"]\n",
        ),
        (
            game("6x4", &["C"], Some((Termination::Adjudicated, None))),
            "[Result \"*\"]\n[Termination \"adjudicated\"]\n[Winner \"none\"]\n",
        ),
        (
            game("6x4", &["C"], Some((Termination::Unfinished, None))),
            "[Result \"*\"]\n[Termination \"unfinished\"]\n",
        ),
    ] {
        let text = game.to_record().expect("a game").to_string();
        assert!(text.contains(result), "{text}");
        let read: Record = text.parse().expect("a record");
        assert_eq!(read.main_line().count(), game.plies.len());
    }
}

#[test]
fn damaged_games_are_refused_with_the_reason() {
    let south = Some(Side::South);
    let normal = |winner| Some((Termination::Normal, winner));
    for (game, reason) in [
        (game("6x", &[], None), "tag Position"),
        (game("<1,1,1,0,0> n", &[], None), "1-1"),
        (game("6x4", &["a"], None), "ply 1: `a` is no move of South"),
        (
            game("6x4", &["CF"], None),
            "ply 1: `CF` is no move of South",
        ),
        (game("<2,3,1,1,0,1,1> s", &["B"], None), "ply 1, `B`: "),
        (game("6x4", &["G"], None), "ply 1, `G`: "),
        (game("<1,3,1,1,1> s", &["A"], None), "not marked as ended"),
        (
            game("<1,3,1,1,1> s", &["A"], normal(Some(Side::North))),
            "the winner is north, but the board says 4-2",
        ),
        (game("6x4", &["C"], normal(south)), "normal"),
        (
            game("6x4", &["C"], Some((Termination::Unfinished, south))),
            "the game has no result, but the winner South",
        ),
    ] {
        let error = game.to_record().expect_err(reason).to_string();
        assert!(error.contains(reason), "{error}");
    }
    let mut other = game("6x4", &[], None);
    other.rules = "chess".to_owned();
    assert!(other.replay().is_err());
}

#[test]
fn clock_is_named_by_its_times() {
    let setting = |minutes, seconds| {
        let times = (Duration::from_mins(minutes), Duration::from_secs(seconds));
        ClockSetting::new(times.0, times.1).expect("a time")
    };
    let unequal = ByPlayer::new(setting(10, 5), setting(5, 0));
    for (setting, text) in [
        (
            FriendClockSetting::Game(ByPlayer::new(setting(10, 5), setting(10, 5))),
            "10m+5s",
        ),
        (
            FriendClockSetting::Game(unequal),
            "10m+5s for South, 5m for North",
        ),
        (
            FriendClockSetting::correspondence(3).expect("days"),
            "3days a move",
        ),
    ] {
        assert_eq!(setting.to_string(), text);
        let mut game = game("6x4", &[], None);
        game.state.clock = Some(FriendClock::new(setting));
        let record = game.to_record().expect("a game");
        assert_eq!(record.tags().get(Tags::TIME_CONTROL), Some(text));
    }
}
