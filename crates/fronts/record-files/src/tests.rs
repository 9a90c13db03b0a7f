//! Tests of reading, recording and saving games.

use std::fs;
use std::path::Path;
use std::time::Duration;

use kalah::record::{PlyTimes, Record};
use kalah::{BySide, Game, House, Move, PlayerAction, Position, Referee, Rules, Side, Termination};

use kalah_text::SaveOutcome;

use super::*;

#[test]
fn invalid_games_hide_no_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.kgn");
    let valid = "[Position \"3x2\"]\n\n1. A a\n\n*\n\n";
    for invalid in [
        "[Position \"2x1\"]\n\n1. B\n\nC *\n\n",
        "[Position \"x\"]\n\n*\n\n",
        "[Position 2x1]\n[Event \"B * 1-2\"]\n\n1. B *\n\n",
        "[Position \"2x1]\n\n1. B *\n\n",
        "1. A {without an end\n\n",
        "1. z *\n",
        "1. A ? *\n",
        "1. A (1. B *\n",
        "1. A 3-3\n",
        "1. A a\n\n[Event \"x\"]\n[Event \"x\"]\n\n1. A *\n\n",
    ] {
        let text = format!("{valid}{invalid}{valid}{invalid}{valid}");
        fs::write(&path, text).expect("a write");
        let (records, errors) = read_valid(&path).expect("games");
        let is_two_games = invalid.starts_with("1. A a");
        let expected = if is_two_games { 5 } else { 3 };
        assert_eq!(
            (records.len(), errors.len()),
            (expected, 2),
            "{invalid}: {errors:?}"
        );
        let last = if is_two_games { 7 } else { 5 };
        let source = RecordSource::open(&path).expect("a file");
        let last_game = read_one(source, &GameSelector::Number(last)).expect("the last game");
        let FileGame {
            record,
            number,
            games,
        } = last_game;
        assert_eq!(
            (record.start().houses(), number, games),
            (3, last, last),
            "{invalid}"
        );
        assert!(errors[1].to_string().contains("game "), "{errors:?}");
    }
    fs::write(&path, valid).expect("a write");
    assert!(
        matches!(read_valid(&path), Ok((records, errors)) if records.len() == 1 && errors.is_empty())
    );
    fs::write(&path, "1. x").expect("a write");
    assert!(read_valid(&path).is_err());
}

#[test]
fn games_are_selected_by_number_and_round() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.kgn");
    let text = "[Round \"1.1\"]\n\n1. A *\n\n1. x *\n\n[Round \"1.2\"]\n\n1. B *\n";
    fs::write(&path, text).expect("a write");
    let read = |selector: &str| {
        let source = RecordSource::open(&path).expect("a file");
        let game = read_one(source, &selector.parse().expect("a selector"));
        game.map_err(|error| error.to_string())
    };
    for (selector, number) in [("1", 1), ("3", 3), ("1.1", 1), ("1.2", 3)] {
        assert_eq!(
            read(selector).map(|game| game.number),
            Ok(number),
            "{selector}"
        );
    }
    let error = read("1.3").expect_err("no such round");
    assert!(
        error.ends_with("contains 3 games, but not round 1.3"),
        "{error}"
    );
    assert!(read("2").is_err());
    for text in [
        "",
        "0",
        "-1",
        "x",
        "1.",
        ".1",
        "1..2",
        "99999999999999999999",
    ] {
        assert!(text.parse::<GameSelector>().is_err(), "{text}");
    }
}

#[test]
fn recorder_writes_each_ply_to_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.kgn");
    let mut game = Game::new(Position::start(6, 4, Rules::CS32).expect("a start"));
    let mut recorder = Recorder::append(&path, Record::from_game(&game)).expect("a new file");
    let house = House::new(3).expect("a house");
    game.play(Move::Sow(house)).expect("a legal move");
    recorder.write(&game, None, &[]).expect("a write");
    let text = fs::read_to_string(&path).expect("a record");
    assert!(text.ends_with("\n1. C *\n"), "{text}");
}

#[test]
fn recorder_writes_the_times_of_the_plies_that_are_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.kgn");
    let mut game = Game::new(Position::start(6, 4, Rules::CS32).expect("a start"));
    let mut recorder = Recorder::append(&path, Record::from_game(&game)).expect("a new file");
    recorder.set_tag("TimeControl", "1m").expect("a tag");
    let clock = |seconds| PlyTimes {
        clock: Some(Duration::from_secs(seconds)),
        ..PlyTimes::default()
    };
    for number in [3, 6] {
        let house = House::new(number).expect("a house");
        game.play(Move::Sow(house)).expect("a legal move");
    }
    let times = [clock(60), clock(59)];
    recorder.write(&game, None, &times).expect("a write");
    let moves = |text: &str| text.lines().last().expect("a line").to_owned();
    let text = fs::read_to_string(&path).expect("a record");
    assert!(text.contains("[TimeControl \"1m\"]"), "{text}");
    assert_eq!(
        moves(&text),
        "1. C { [%clk 0:01:00] } F { [%clk 0:00:59] } *"
    );
    game.undo().expect("a ply");
    recorder.write(&game, None, &times).expect("a write");
    let text = fs::read_to_string(&path).expect("a record");
    assert_eq!(moves(&text), "1. C { [%clk 0:01:00] } *");
}

/// Returns the number of plies of each game in a file, and whether it ended by resignation.
fn saved_games(path: &Path) -> Vec<(usize, bool)> {
    let records = read(path).expect("games");
    let games = records.iter().map(|record| {
        let is_resigned = record.ending().termination == Termination::Resign;
        (record.game().plies().len(), is_resigned)
    });
    games.collect()
}

#[test]
fn save_replaces_the_previous_save_only_if_the_game_continues_it() {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("game.kgn");
    let mut game = Game::new(Position::start(6, 4, Rules::CS32).expect("a board"));
    let mut save_files = SaveFiles::new(Record::from_game(&game), None);
    let mut save = |game: &Game, ending| {
        let result = save_files.save(game, ending, &[], &path);
        assert_eq!(result.expect("it can be written"), SaveOutcome::Written);
        saved_games(&path)
    };
    let sow = |game: &mut Game, number| {
        let mv = Move::Sow(House::new(number).expect("from 1 to 26"));
        game.play(mv).expect("legal");
    };
    sow(&mut game, 3);
    assert_eq!(save(&game, None), [(1, false)]);
    sow(&mut game, 6);
    assert_eq!(save(&game, None), [(2, false)]);
    let mut referee = Referee::new(game.clone(), BySide::from_fn(|_: Side| true));
    referee.apply(PlayerAction::Resign).expect("legal");
    assert_eq!(save(&game, referee.ending()), [(2, true)]);
    // Saving the same game again changes nothing.
    assert_eq!(save(&game, referee.ending()), [(2, true)]);
    game.undo();
    sow(&mut game, 1);
    assert_eq!(save(&game, None), [(2, true), (2, false)]);
    game.undo();
    assert_eq!(save(&game, None), [(2, true), (2, false), (1, false)]);
}

#[test]
fn games_are_appended_behind_a_blank_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.kgn");
    let game = Game::new(Position::start(3, 2, Rules::CS32).expect("a start"));
    let record = Record::from_game(&game);
    append(&path, &[]).expect("nothing to write");
    check_append(&path).expect("a folder for the file");
    assert!(!path.exists());
    assert!(check_append(&path.join("file")).is_err());
    for (previous, games) in [("", 0), ("1. A *", 1), ("1. A *\n", 1), ("1. A *\n\n", 1)] {
        fs::write(&path, previous).expect("a write");
        append(&path, &[record.clone(), record.clone()]).expect("a write");
        let separator = if games == 0 { "" } else { "\n\n" };
        let expected = format!("{}{separator}{record}\n{record}", previous.trim_end());
        assert_eq!(fs::read_to_string(&path).expect("games"), expected);
        assert_eq!(read(&path).expect("games").len(), games + 2);
    }
    fs::write(&path, "1. A x").expect("a write");
    assert!(check_append(&path).is_err());
    assert!(append(&path, &[record]).is_err());
    assert_eq!(fs::read_to_string(&path).expect("a file"), "1. A x");
}

#[cfg(unix)]
#[test]
fn games_that_are_appended_at_once_are_all_kept() {
    const THREADS: usize = 8;
    const GAMES: usize = 8;

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.kgn");
    let game = Game::new(Position::start(3, 2, Rules::CS32).expect("a start"));
    let append_game = |number: usize| {
        let record = Record::from_game(&game);
        if number.is_multiple_of(2) {
            append(&path, &[record]).expect("a write");
        } else {
            Recorder::append(&path, record).expect("a write");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..GAMES).for_each(append_game));
        }
    });
    assert_eq!(read(&path).expect("games").len(), THREADS * GAMES);
}

#[test]
fn game_that_was_appended_meanwhile_is_not_replaced_by_a_resumed_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.kgn");
    let game = Game::new(Position::start(3, 2, Rules::CS32).expect("a start"));
    let record = Record::from_game(&game);
    append(&path, &[record.clone(), record.clone()]).expect("a write");
    let preceding = [record.clone()];
    let mut recorder = Recorder::resume(&path, &preceding, record.clone()).expect("a write");
    append(&path, std::slice::from_ref(&record)).expect("a write");
    for refused in [
        Recorder::resume(&path, &preceding, record.clone()).map(drop),
        recorder.write(&game, None, &[]),
    ] {
        let is_modified = matches!(refused, Err(RecorderError::ModifiedExternally(_)));
        assert!(is_modified, "{refused:?}");
        assert_eq!(read(&path).expect("games").len(), 3);
    }
    // A file that was deleted is written again.
    fs::remove_file(&path).expect("a file");
    recorder.write(&game, None, &[]).expect("a write");
    assert_eq!(read(&path).expect("games").len(), 2);
}
