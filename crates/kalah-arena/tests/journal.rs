//! Finished games as lines: what is written reads back, and what is torn or wrong is told apart.

use kalah::{BySide, Game, House, Move, Position, Rules, Side, Termination};
use kalah_arena::{
    Contestant, Encounter, FinishedGame, GameEnd, GameScore, Journal, JournalTail, Leg, Results,
    ThinkTime,
};
use proptest::prelude::*;
use rand::SeedableRng as _;
use rand::seq::IteratorRandom as _;
use rand_pcg::Pcg64Mcg;

/// A game of so many plies at random, or to its end.
fn game(rules: Rules, plies: usize, seed: u64) -> Game {
    let mut generator = Pcg64Mcg::seed_from_u64(seed);
    let mut game = Game::new(Position::start(4, 3, rules).expect("a start"));
    for _ in 0..plies {
        let mv = game.position().legal_moves().choose(&mut generator);
        let Some(mv) = mv else { break };
        game.play(mv).expect("legal");
    }
    game
}

fn finished(pair: usize, leg: Leg, game: Game, otherwise: GameEnd) -> FinishedGame {
    let end = game.outcome().map_or(otherwise, GameEnd::normal);
    FinishedGame {
        encounter: Encounter {
            pair,
            round: 1,
            first: Contestant(2),
            second: Contestant(0),
        },
        leg,
        names: BySide::new("Mine \"1\"".to_owned(), "level:5".to_owned()),
        opening_plies: game.plies().len().min(2),
        game,
        end,
        think_time: BySide::new(
            ThinkTime {
                moves: 3,
                total_ms: 1234,
                longest_ms: 1000,
            },
            ThinkTime::default(),
        ),
    }
}

/// All ways to end that are nobody's merit.
fn ends() -> Vec<GameEnd> {
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
            message: "`hello` is no move".to_owned(),
        },
    ]
}

#[test]
fn every_end_has_a_name_a_culprit_and_a_winner() {
    let names = [
        "adjudicated",
        "illegal",
        "crash",
        "stall",
        "time",
        "protocol",
    ];
    for (end, name) in ends().into_iter().zip(names) {
        assert_eq!(end.termination().as_str(), name);
        let scores = Side::ALL.map(|side| end.score(side, false));
        assert_eq!(scores[0], scores[1].mirrored(), "{end}");
        if let Some(side) = end.side_at_fault() {
            assert_eq!(end.score(side, true), GameScore::Loss);
            assert_eq!(end.ending(false).winner, Some(side.opponent()));
            // Rows were exchanged: the winner sits on the other side now.
            assert_eq!(end.ending(true).winner, Some(side));
        } else {
            // The seeds of North's row, whoever sits there.
            assert_eq!(end.ending(false).winner, Some(Side::North));
            assert_eq!(end.ending(true).winner, Some(Side::North));
            assert_eq!(end.score(Side::South, true), GameScore::Win);
        }
    }
    assert_eq!(
        GameEnd::Adjudicated { margin: 0 }.ending(false).winner,
        None
    );
}

#[test]
fn people_are_told_without_what_would_move_their_cursor() {
    let texts: Vec<_> = ends().iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "adjudicated -4",
            "illegal move by South: `Z\\u{1b}[2J` in 4x3: house Z is empty",
            "crash of North: exit status: 3, last words `segfault`",
            "stall of North: no answer for 10000 ms",
            "time loss of North: 17 ms too late",
            "protocol error of North: `hello` is no move",
        ]
    );
}

#[test]
fn an_illegal_move_says_what_and_where() {
    let game = game(Rules::CS32, 0, 0);
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
    fn what_is_written_reads_back(
        rules in prop_oneof![Just(Rules::CS32), Just(Rules::STANDARD), Just(Rules::EMPTY_CAPTURE), Just(Rules::MANKALAH)],
        plies in 0_usize..60,
        seed in any::<u64>(),
        which in 0_usize..6,
    ) {
        let mut written = String::new();
        let mut games = Vec::new();
        for (pair, leg) in [(0, Leg::Second), (7, Leg::First), (7, Leg::Second)] {
            let game = finished(pair, leg, game(rules, plies, seed), ends()[which].clone());
            written += &Journal::format_line(&game).expect("it fits together");
            games.push(game);
        }
        let journal = Journal::parse(written.as_bytes()).expect("a journal");
        prop_assert_eq!(journal.games(), &games[..]);
        prop_assert_eq!(journal.tail(), JournalTail::Complete);
        prop_assert_eq!(journal.results(), &games.iter().collect::<Results>());
        // And as a record.
        for game in &games {
            let record = game.to_record().expect("it fits together");
            let text = record.to_string();
            let read: kalah::record::Record = text.parse().expect("a record");
            prop_assert_eq!(read.ending(), game.end.ending(game.game.is_swapped()));
            prop_assert_eq!(read.game(), game.game.clone());
        }
    }

    /// Wherever the last line is cut, the games before it are there, and it is said where they end.
    #[test]
    fn a_torn_line_loses_its_own_game_only(cut in 0_usize..1000, junk in proptest::collection::vec(any::<u8>(), 0..20)) {
        let whole = finished(0, Leg::First, game(Rules::CS32, 8, 1), ends()[3].clone());
        let last = finished(0, Leg::Second, game(Rules::CS32, 5, 2), ends()[4].clone());
        let first = Journal::format_line(&whole).expect("it fits together");
        let second = Journal::format_line(&last).expect("it fits together");
        let cut = cut % second.len();
        let mut bytes = format!("{first}{}", &second[..cut]).into_bytes();
        let journal = Journal::parse(&bytes).expect("a journal");
        if cut == second.len() - 1 {
            prop_assert_eq!(journal.games(), &[whole, last][..]);
            prop_assert_eq!(journal.tail(), JournalTail::MissingNewline);
            return Ok(());
        }
        let expected = if cut == 0 { JournalTail::Complete } else { JournalTail::Truncated { complete_bytes: first.len() as u64 } };
        prop_assert_eq!(journal.tail(), expected);
        prop_assert_eq!(journal.games(), std::slice::from_ref(&whole));
        // What a disk leaves after a power failure need not be text.
        bytes.extend(junk.iter().filter(|&&byte| byte != b'\n'));
        bytes.push(0);
        let journal = Journal::parse(&bytes).expect("a journal");
        prop_assert_eq!(journal.tail(), JournalTail::Truncated { complete_bytes: first.len() as u64 });
        prop_assert_eq!(journal.games(), &[whole][..]);
    }

    #[test]
    fn no_bytes_are_too_much(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(journal) = Journal::parse(&bytes) {
            prop_assert_eq!(journal.games(), []);
        }
    }
}

/// The line of a game, with something in it replaced, and what is said of it.
fn refused(what: &str, by: &str) -> String {
    let game = finished(3, Leg::First, game(Rules::CS32, 4, 9), ends()[4].clone());
    let line = Journal::format_line(&game).expect("it fits together");
    let other = line.replacen(what, by, 1);
    assert_ne!(other, line, "`{what}` is not in {line}");
    let error = Journal::parse(other.as_bytes()).expect_err("it is wrong");
    error.to_string()
}

#[test]
fn a_whole_line_that_is_wrong_is_an_error() {
    assert!(refused("\"pair\"", "\"pear\"").contains("unknown field `pear`"));
    assert!(
        refused("\"contestant\":0", "\"contestant\":2")
            .contains("contestant 2 plays against itself")
    );
    assert!(refused("\"cs32\"", "\"chess\"").contains("chess"));
    assert!(refused("3,3,3> s", "3,3> s").contains("rows of 4 need 10 numbers"));
    assert!(refused("\"moves\":\"", "\"moves\":\"a").contains("moves `a"));
    assert!(refused("\"moves\":\"", "\"moves\":\"{").contains("`{` cannot stand among plies"));
    assert!(
        refused("\"opening_plies\":2", "\"opening_plies\":9")
            .contains("an opening of 9 plies in a game of 4")
    );
    let adjudicated = r#"{"how":"adjudicated","margin":26}"#;
    let said = refused(
        r#"{"how":"time-loss","by":"north","late_ms":17}"#,
        adjudicated,
    );
    assert!(
        said.contains("the game ended `adjudicated +26`, and on the board it has 24 seeds"),
        "{said}"
    );
    let normal = r#"{"how":"normal","stores":{"south":12,"north":12}}"#;
    let said = refused(r#"{"how":"time-loss","by":"north","late_ms":17}"#, normal);
    assert!(
        said.contains("the game ended `12-12`, and on the board it is not over"),
        "{said}"
    );
    assert!(said.starts_with("line 1: "), "{said}");
}

#[test]
fn a_game_is_not_there_twice() {
    let game = finished(3, Leg::First, game(Rules::CS32, 4, 9), ends()[4].clone());
    let line = Journal::format_line(&game).expect("it fits together");
    let error = Journal::parse(format!("{line}{line}").as_bytes()).expect_err("twice");
    assert_eq!(
        error.to_string(),
        "line 2: pair 3 is there already, as this game or with other players"
    );
}

#[test]
fn an_empty_journal_is_one() {
    let journal = Journal::parse(b"").expect("a journal");
    assert_eq!(
        (journal.games().len(), journal.tail()),
        (0, JournalTail::Complete)
    );
}

#[test]
fn whoever_swapped_has_the_other_row() {
    let start = Position::start(4, 3, Rules::MANKALAH).expect("a start");
    let mut game = Game::new(start);
    game.play(Move::Sow(House::new(1).expect("a house")))
        .expect("legal");
    game.play(Move::Swap).expect("legal at ply 2");
    let game = finished(0, Leg::Second, game, GameEnd::Adjudicated { margin: 6 });
    // South's row made it, which is that of the player who began as North: the first, in the second game.
    assert_eq!(game.first_score(), GameScore::Win);
    assert_eq!(game.players(), BySide::new(Contestant(0), Contestant(2)));
    let record = game.to_record().expect("it fits together");
    assert_eq!(record.tags().get("Winner"), Some("South"));
    assert_eq!(record.tags().get("Round"), Some("2.1.2"));
}
