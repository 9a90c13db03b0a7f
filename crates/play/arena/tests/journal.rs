//! Finished games and journals: round trips, incomplete lines, invalid lines, and records.

use kalah::record::{Record, Tags};
use kalah::{BySide, Game, House, Move, Position, Rules, Side, Termination};
use kalah_arena::{
    CompactGame, Contestant, Encounter, FinishedGame, GameEnd, GameScore, Journal, JournalTail,
    Leg, Results, Seal, ThinkTime,
};
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand::seq::IteratorRandom as _;
use rand_pcg::Pcg64Mcg;

/// Returns a game of up to `plies` random plies.
fn random_game(rules: Rules, plies: usize, seed: u64) -> Game {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut game = Game::new(Position::start(4, 3, rules).expect("a start"));
    for _ in 0..plies {
        let mv = game.position().legal_moves().choose(&mut rng);
        let Some(mv) = mv else { break };
        game.play(mv).expect("legal");
    }
    game
}

/// Returns a game after its first ply and the swap.
fn swapped_game(mut game: Game) -> Game {
    for mv in [Move::Sow(House::new(1).expect("a house")), Move::Swap] {
        game.play(mv).expect("legal");
    }
    game
}

/// Returns the game with this end, or with a normal end if it is over on the board.
fn finished(pair: usize, leg: Leg, game: &Game, early_end: GameEnd) -> FinishedGame {
    let end = game.outcome().map_or(early_end, GameEnd::normal);
    FinishedGame {
        encounter: Encounter {
            pair,
            round: 1,
            first: Contestant(2),
            second: Contestant(0),
        },
        leg,
        date: Some("2026.11.29".to_owned()),
        names: BySide::new("Mine \"1\"".to_owned(), "level:5".to_owned()),
        time_controls: BySide::new("1s a move".to_owned(), "1m+1s".to_owned()),
        opening_plies: game.plies().len().min(2),
        ply_times_ms: (0..).take(game.plies().len().saturating_sub(2)).collect(),
        game: CompactGame::from(game),
        end,
        think_time: BySide::new(
            ThinkTime {
                moves: 3,
                total_ms: 1234,
                longest_ms: 1000,
            },
            ThinkTime::default(),
        ),
        ignored_lines: BySide::new(Some("`hello`: expected another word".to_owned()), None),
    }
}

/// Returns one end of each kind except a normal one.
fn early_ends() -> Vec<GameEnd> {
    let by = Side::North;
    vec![
        GameEnd::Adjudicated { margin: -4 },
        GameEnd::IllegalMove {
            by: Side::South,
            answer: "Z\u{1b}[2J".to_owned(),
            reason: "house Z is empty".to_owned(),
            position: "4x3".to_owned(),
        },
        GameEnd::Crash {
            by,
            status: "exit status: 3".to_owned(),
            stderr_tail: "one\nsegfault".to_owned(),
        },
        GameEnd::Stall {
            by,
            waited_ms: 10_000,
        },
        GameEnd::TimeLoss { by, late_ms: 17 },
        GameEnd::ProtocolError {
            by,
            message: "`hello` is not a move".to_owned(),
        },
        GameEnd::Resignation { by, seeds: 30 },
    ]
}

#[test]
fn record_has_the_number_of_plies_of_the_opening() {
    for text in ["", "C", "CF a B"] {
        let game = format!("{text} *")
            .parse::<Record>()
            .expect("a record")
            .game();
        let game = finished(1, Leg::First, &game, GameEnd::Adjudicated { margin: 0 });
        let record = game.to_record().expect("a record");
        assert_eq!(record.opening_plies(), game.opening_plies, "{text}");
        let has_tag = record.tags().get(Tags::OPENING_PLIES).is_some();
        assert_eq!(has_tag, game.opening_plies > 0, "{text}");
    }
}

#[test]
fn each_end_has_a_termination_and_a_winner() {
    let names = [
        "adjudicated",
        "illegal",
        "crash",
        "stall",
        "time",
        "protocol",
        "resign",
    ];
    let game = Game::new(Position::start(6, 4, Rules::MANKALAH).expect("a start"));
    let swapped = swapped_game(game.clone());
    for (end, name) in early_ends().into_iter().zip(names) {
        assert_eq!(end.termination().as_str(), name);
        let scores = Side::ALL.map(|side| end.score(side, false));
        assert_eq!(scores[0], scores[1].mirrored(), "{end}");
        let [(winner, outcome), (winner_after_swap, outcome_after_swap)] =
            [&game, &swapped].map(|game| {
                let ending = end.ending(game);
                (ending.winner, ending.outcome.map(|of| of.to_string()))
            });
        assert_eq!(outcome, outcome_after_swap);
        let resigned = match end {
            GameEnd::Resignation { by, .. } => Some(by),
            _ => None,
        };
        if let Some(side) = end.side_at_fault().or(resigned) {
            assert_eq!(end.score(side, true), GameScore::Loss);
            assert_eq!((winner, outcome), (Some(side.opponent()), None));
            // After the swap the winner has the other row.
            assert_eq!(winner_after_swap, Some(side));
        } else {
            // The margin is that of the rows, whichever player has them.
            assert_eq!(outcome.as_deref(), Some("22-26"));
            assert_eq!(winner, Some(Side::North));
            assert_eq!(winner_after_swap, Some(Side::North));
            assert_eq!(end.score(Side::South, true), GameScore::Win);
        }
    }
    let tie = GameEnd::Adjudicated { margin: 0 }.ending(&game);
    assert_eq!(tie.winner, None);
    assert_eq!(tie.outcome.expect("a result").to_string(), "24-24");
}

#[test]
fn display_escapes_control_characters() {
    let texts: Vec<_> = early_ends().iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "adjudicated -4",
            "illegal move by South: `Z\\u{1b}[2J` in 4x3: house Z is empty",
            "crash of North: exit status: 3, last line on stderr `segfault`",
            "stall of North: no answer for 10000 ms",
            "time loss of North: 17 ms too late",
            "protocol error of North: `hello` is not a move",
            "resignation of North: both players estimate a loss by 30 seeds or more",
        ]
    );
}

#[test]
fn illegal_move_display_quotes_answer_position_and_reason() {
    let game = random_game(Rules::CS32, 0, 0);
    let house = House::new(9).expect("from 1 to 26");
    let reason = game
        .position()
        .check_legal(Move::Sow(house))
        .expect_err("no such house");
    let end = GameEnd::illegal_move(Side::South, "I", reason, game.position());
    assert_eq!(
        end.to_string(),
        "illegal move by South: `I` in <4,0,0,3,3,3,3,3,3,3,3> s: there is no house I on a board of 4 houses a side"
    );
    assert_eq!(end.termination(), Termination::Illegal);
}

proptest! {
    #[test]
    fn journal_and_record_round_trip(
        rules in prop_oneof![Just(Rules::CS32), Just(Rules::STANDARD), Just(Rules::EMPTY_CAPTURE), Just(Rules::MANKALAH)],
        plies in 0_usize..60,
        seed in any::<u64>(),
        end in 0_usize..6,
    ) {
        let (mut text, mut seal) = (String::new(), Seal::START);
        let mut games = Vec::new();
        for (pair, leg) in [(0, Leg::Second), (7, Leg::First), (7, Leg::Second)] {
            let game = finished(pair, leg, &random_game(rules, plies, seed), early_ends()[end].clone());
            text += &Journal::format_line(&game, &mut seal).expect("a consistent game");
            games.push(game);
        }
        let journal = Journal::parse(text.as_bytes()).expect("a journal");
        prop_assert_eq!(journal.games(), &games[..]);
        prop_assert_eq!(journal.tail(), JournalTail::Complete);
        prop_assert_eq!((journal.seal(), journal.unsealed_line()), (seal, None));
        prop_assert_eq!(journal.results(), &games.iter().collect::<Results>());
        for game in &games {
            let text = game.to_record().expect("a consistent game").to_string();
            let record: kalah::record::Record = text.parse().expect("a record");
            prop_assert_eq!(record.ending(), game.end.ending(&game.game.replay()));
            prop_assert_eq!(record.game(), game.game.replay());
        }
    }

    #[test]
    fn incomplete_last_line_loses_only_its_own_game(
        cut in 0_usize..1000,
        junk in proptest::collection::vec(any::<u8>(), 0..20),
    ) {
        let first = finished(0, Leg::First, &random_game(Rules::CS32, 8, 1), early_ends()[3].clone());
        let last = finished(0, Leg::Second, &random_game(Rules::CS32, 5, 2), early_ends()[4].clone());
        let mut seal = Seal::START;
        let first_line = Journal::format_line(&first, &mut seal).expect("a consistent game");
        let first_seal = seal;
        let last_line = Journal::format_line(&last, &mut seal).expect("a consistent game");
        let truncated = JournalTail::Truncated { complete_bytes: first_line.len() as u64 };
        let cut = cut % last_line.len();
        let mut bytes = format!("{first_line}{}", &last_line[..cut]).into_bytes();
        let journal = Journal::parse(&bytes).expect("a journal");
        if cut == last_line.len() - 1 {
            prop_assert_eq!(journal.games(), &[first, last][..]);
            prop_assert_eq!(journal.tail(), JournalTail::MissingNewline);
            return Ok(());
        }
        let expected = if cut == 0 { JournalTail::Complete } else { truncated };
        prop_assert_eq!(journal.tail(), expected);
        prop_assert_eq!(journal.seal(), first_seal);
        prop_assert_eq!(journal.games(), std::slice::from_ref(&first));
        // After a power failure a file may end with bytes that are not text.
        bytes.extend(junk.iter().filter(|&&byte| byte != b'\n'));
        bytes.push(0);
        let journal = Journal::parse(&bytes).expect("a journal");
        prop_assert_eq!(journal.tail(), truncated);
        prop_assert_eq!(journal.games(), &[first][..]);
    }

    #[test]
    fn arbitrary_bytes_are_no_games(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(journal) = Journal::parse(&bytes) {
            prop_assert_eq!(journal.games(), []);
        }
    }
}

/// Returns a game that is not over on the board and ended by a time loss.
fn time_loss() -> FinishedGame {
    let game = random_game(Rules::CS32, 4, 9);
    finished(3, Leg::First, &game, early_ends()[4].clone())
}

/// Returns the line of [`time_loss`] without its checksum.
fn time_loss_line() -> String {
    serde_json::to_string(&time_loss()).expect("a consistent game") + "\n"
}

#[test]
fn change_of_a_finished_game_is_reported_with_its_line() {
    let game = finished(
        0,
        Leg::First,
        &random_game(Rules::CS32, 8, 1),
        early_ends()[0].clone(),
    );
    let mut seal = Seal::START;
    let other = Journal::format_line(&time_loss(), &mut seal).expect("a consistent game");
    let line = Journal::format_line(&game, &mut seal).expect("a consistent game");
    for (original, replacement) in [
        ("\"margin\":-4", "\"margin\":-6"),
        ("\"level:5\"", "\"level:6\""),
        ("\"game\":\"2.1.1\"", "\"game\":\"2.2.1\""),
        ("\"total_ms\":1234", "\"total_ms\":1235"),
        ("\"seal\":\"", "\"seal\":\"0"),
    ] {
        let changed = line.replacen(original, replacement, 1);
        assert_ne!(changed, line, "{original}");
        // An editor can remove the last newline.
        for text in [&*changed, changed.trim_end()] {
            let error = Journal::parse((other.clone() + text).as_bytes());
            assert_eq!(
                error.expect_err("a changed line").to_string(),
                "line 2: the line differs from its seal, so it was changed after the game, or \
                 lines before it were removed, added or moved: remove it and all lines after it to \
                 play their games again"
            );
        }
    }
}

/// Returns a journal of `count` games, one string for each line.
fn sealed_lines(count: usize) -> Vec<String> {
    let mut seal = Seal::START;
    let lines = (0..count).map(|pair| {
        let game = random_game(Rules::CS32, 5, 7);
        let game = finished(pair, Leg::First, &game, early_ends()[3].clone());
        Journal::format_line(&game, &mut seal).expect("a consistent game")
    });
    lines.collect()
}

proptest! {
    /// A journal whose lines were removed, repeated or exchanged, or of which one was changed and
    /// sealed again, is refused at the first line that is not behind the one before it. Only lines
    /// at the end can be removed.
    #[test]
    fn each_change_of_the_lines_is_found(
        count in 2_usize..12,
        at in 0_usize..12,
        other in 0_usize..12,
        change in 0_usize..4,
    ) {
        let original = sealed_lines(count);
        let (at, other) = (at % count, other % count);
        let mut lines = original.clone();
        match change {
            0 => {
                lines.remove(at);
            }
            1 => lines.insert(at, original[other].clone()),
            2 => lines.swap(at, other),
            _ => {
                let before = at.checked_sub(1).map_or(Seal::START, |before| {
                    Journal::parse(original[..=before].concat().as_bytes()).expect("valid").seal()
                });
                let game = random_game(Rules::CS32, 6, 8);
                let game = finished(at, Leg::First, &game, early_ends()[4].clone());
                lines[at] = Journal::format_line(&game, &mut before.clone()).expect("consistent");
            }
        }
        let different = (0..lines.len()).find(|&line| lines.get(line) != original.get(line));
        let parsed = Journal::parse(lines.concat().as_bytes());
        let Some(different) = different.filter(|&line| line < lines.len()) else {
            prop_assert!(parsed.is_ok());
            return Ok(());
        };
        // The changed line itself has a seal that follows the line before it.
        let found = if change == 3 { different + 1 } else { different };
        match parsed {
            Err(error) => prop_assert_eq!(error.line, found + 1, "{}", error),
            Ok(journal) => {
                prop_assert_eq!(found, lines.len());
                let seal = Journal::parse(original.concat().as_bytes()).expect("valid").seal();
                prop_assert_ne!(journal.seal(), seal);
            }
        }
    }
}

#[test]
fn lines_without_a_seal_are_named() {
    let sealed = sealed_lines(2);
    let text = format!("{}{}{}", sealed[0], time_loss_line(), sealed[1]);
    let journal = Journal::parse(text.as_bytes()).expect("a journal");
    assert_eq!(journal.unsealed_line(), Some(2));
    assert_eq!(journal.games().len(), 3);
}

#[test]
fn invalid_complete_line_is_an_error() {
    let end = r#"{"kind":"time-loss","by":"north","late_ms":17}"#;
    for (original, replacement, message) in [
        ("\"game\"", "\"gain\"", "column 7: `gain` is an unknown key"),
        ("\"2.4.1\"", "\"2.4\"", "`2.4` is not the number of a game"),
        (
            "\"2.4.1\"",
            "\"2.0.1\"",
            "`2.0.1` is not the number of a game",
        ),
        (
            "\"2.4.1\"",
            "\"2.4.3\"",
            "`2.4.3` is not the number of a game",
        ),
        (
            "\"2.4.1\"",
            "\"2.+4.1\"",
            "`2.+4.1` is not the number of a game",
        ),
        (
            "\"game\"",
            "\"pair\":3,\"game\"",
            "`pair` is an unknown key",
        ),
        (
            "\"contestant\":0",
            "\"contestant\":2",
            "contestant 2 plays against itself",
        ),
        ("\"cs32\"", "\"chess\"", "chess"),
        ("3,3,3> s", "3,3> s", "expected 10 numbers after the first"),
        ("\"moves\":\"", "\"moves\":\"a", "moves `a"),
        (
            "\"moves\":\"",
            "\"moves\":\"{",
            "unexpected `{` among moves",
        ),
        (
            "\"opening_plies\":2",
            "\"opening_plies\":9",
            "the opening has 9 plies, but the game only 4",
        ),
        (
            end,
            r#"{"kind":"adjudicated","margin":26}"#,
            "reported end `adjudicated +26` contradicts the board: the game has 24 seeds",
        ),
        (
            end,
            r#"{"kind":"normal","stores":{"south":12,"north":12}}"#,
            "reported end `12-12` contradicts the board: the game is not over",
        ),
    ] {
        let line = time_loss_line();
        let invalid = line.replacen(original, replacement, 1);
        assert_ne!(invalid, line, "`{original}` is not in {line}");
        let error = Journal::parse(invalid.as_bytes()).expect_err("an invalid line");
        let text = error.to_string();
        assert!(
            text.starts_with("line 1: ") && text.contains(message),
            "{text}"
        );
    }
}

#[test]
fn duplicate_game_is_an_error() {
    let line = time_loss_line();
    let error = Journal::parse(format!("{line}{line}").as_bytes()).expect_err("a duplicate");
    assert_eq!(
        error.to_string(),
        "line 2: pair 4 already has this game or different players"
    );
}

#[test]
fn empty_file_is_an_empty_journal() {
    let journal = Journal::parse(b"").expect("a journal");
    assert_eq!(
        (journal.games().len(), journal.tail()),
        (0, JournalTail::Complete)
    );
}

#[test]
fn swapped_players_score_for_the_other_row() {
    let start = Position::start(4, 3, Rules::MANKALAH).expect("a start");
    let game = swapped_game(Game::new(start));
    let game = finished(0, Leg::Second, &game, GameEnd::Adjudicated { margin: 6 });
    // South's row won, which belongs to the player that began as North. In the second leg that is
    // the encounter's first contestant.
    assert_eq!(game.first_score(), GameScore::Win);
    assert_eq!(game.players(), BySide::new(Contestant(0), Contestant(2)));
    let record = game.to_record().expect("a consistent game");
    assert_eq!(record.tags().get("Winner"), Some("South"));
    assert_eq!(record.tags().get("Result"), Some("15-9"));
    assert!(record.to_string().ends_with(" { adjudicated +6 } 15-9\n"));
    assert_eq!(record.tags().get("Round"), Some("2.1.2"));
    assert_eq!(record.tags().get("Date"), Some("2026.11.29"));
    let times = record.tags().get("TimeControl");
    assert_eq!(times, Some("1s a move for South, 1m+1s for North"));
}
