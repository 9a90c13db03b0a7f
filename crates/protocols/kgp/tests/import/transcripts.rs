//! Logs of KGP: random games, concurrent games, gaps and crossed lines.

use std::fmt::Write as _;

use kalah::record::Tags;
use kalah::{BySide, Game, Move, Position, Rules, Side, Termination};
use kalah_import::{ImportFormat, ImportedGames};
use kalah_kgp::{KGP_LOG, KgpBoard, Line, Message};
use proptest::prelude::*;

use super::{moves, only_game, random_game};

/// The picks of a game of 24 plies.
const LONG_GAME: [usize; 24] = {
    let mut picks = [0; 24];
    let mut index = 0;
    while index < picks.len() {
        picks[index] = index * 7 + 3;
        index += 1;
    }
    picks
};

fn long_game() -> Game {
    random_game(6, 4, Rules::STANDARD, &LONG_GAME)
}

/// Returns the log of a server for a game of two clients. Every state takes four lines: the state,
/// two moves of which the last one counts, and `stop`.
fn transcript(game: &Game, names: BySide<&str>) -> String {
    let mut text = String::new();
    let mut id = 8;
    let mut position = game.start().clone();
    for ply in game.plies() {
        let name = names[ply.side];
        // A server sends no state for a forced move.
        if position.legal_moves().count() > 1 {
            let state = Line {
                id: Some(id),
                reference: None,
                message: Message::State(KgpBoard::from(&position)),
            };
            let Move::Sow(house) = ply.mv else {
                panic!("the rules have no swap")
            };
            writeln!(text, "[debug] 12:00:00.5 client.go:229: ({name}) > {state}").expect("text");
            let first = position.legal_houses().next().expect("it has two");
            writeln!(
                text,
                "[debug] 12:00:01 client.go:300: ({name}) < 3@{id} move {first}"
            )
            .expect("text");
            writeln!(
                text,
                "[debug] 12:00:01 client.go:300: ({name}) < 5@{id} move {house}"
            )
            .expect("text");
            writeln!(
                text,
                "[debug] 12:00:05 client.go:229: ({name}) > {}@{id} stop",
                id + 2
            )
            .expect("text");
            id += 4;
        }
        position = ply.after.clone();
    }
    text
}

#[test]
fn times_and_comments_of_a_log_are_those_of_its_plies() {
    let log = "\
        2026/11/29 12:00:00.250 < 2 kgp 1 0 0\n\
        2026/11/29 12:00:01.000 < 4 state <3,0,0,2,2,2,2,2,2>\n\
        2026/11/29 12:00:01.500 > 1@4 set info:comment \"a guess {so far}\"\n\
        2026/11/29 12:00:01.500 > 3@4 move 2\n\
        2026/11/29 12:00:03.000 > 5@4 yield\n\
        2026/11/29 12:00:03.500 < 6 state <3,1,0,2,0,3,2,2,2>\n\
        2026/11/29 12:00:04.750 > 7@6 move 1\n\
        2026/11/29 12:00:05.000 < 8@6 stop\n";
    let imported = KGP_LOG.import(log, None);
    assert_eq!(imported.errors, []);
    let record = &imported.records[0];
    assert_eq!(record.tags().get(Tags::DATE), Some("2026.11.29"));
    let text = record.to_string();
    let movetext = text.split("\n\n").nth(1).expect("moves");
    let words: Vec<&str> = movetext.split_whitespace().collect();
    assert_eq!(
        words.join(" "),
        "1. B { [%emt 0:00:02] a guess (so far) } A { [%emt 0:00:01.25] } *"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn server_logs_round_trip(
        houses in 3_u8..8,
        seeds in 1_u64..7,
        picks in prop::collection::vec(0_usize..8, 1..80),
    ) {
        let mut game = random_game(houses, seeds, Rules::STANDARD, &picks);
        let text = transcript(&game, BySide::new("one", "two"));
        let imported = KGP_LOG.import(&text, None);
        if text.is_empty() {
            prop_assert_eq!(imported, ImportedGames::default());
        } else {
            prop_assert_eq!(ImportFormat::detect(&[&KGP_LOG], &text), Some(&KGP_LOG));
            let imported_game = only_game(&imported);
            // A server sends no states for the forced moves at the end, and it ends a game that is
            // decided, so the imported game may be shorter or longer by forced moves.
            let half = game.position().total().get() / 2;
            let is_decided = |position: &Position| {
                Side::ALL.into_iter().any(|side| position.store(side).get() > half)
            };
            while moves(&game).len() > moves(&imported_game).len() {
                game.undo();
                let is_forced = game.position().legal_moves().count() == 1;
                prop_assert!(is_decided(game.position()) && is_forced);
            }
            while moves(&game).len() < moves(&imported_game).len() {
                let mv = game.position().legal_moves().next().expect("the game is not over");
                prop_assert_eq!(game.position().legal_moves().count(), 1);
                game.play(mv).expect("it is legal");
            }
            prop_assert_eq!(moves(&imported_game), moves(&game));
        }
    }

    #[test]
    fn a_game_from_a_client_log_has_the_logged_states(
        houses in 3_u8..7,
        seeds in 1_u64..5,
        picks in prop::collection::vec(0_usize..8, 1..60),
        side in prop::sample::select(Side::ALL.to_vec()),
    ) {
        let game = random_game(houses, seeds, Rules::STANDARD, &picks);
        let text = transcript(&game, BySide::new("one", "two"));
        let name = if side == Side::South { "(one)" } else { "(two)" };
        let mut own = String::new();
        for line in text.lines().filter(|line| line.contains(name)) {
            writeln!(own, "{}", line.split_once(") ").expect("a connection").1).expect("text");
        }
        let states = own.lines().filter_map(|line| line.split_once("state "));
        let states: Vec<String> = states.map(|(_, board)| board.to_owned()).collect();
        let imported = KGP_LOG.import(&own, None);
        prop_assert_eq!(&imported.errors, &[]);
        if states.is_empty() {
            prop_assert_eq!(imported.records, []);
        } else {
            let imported_game = only_game(&imported);
            prop_assert_eq!(imported_game.start(), game.start());
            let mut positions = vec![imported_game.start().clone()];
            positions.extend(imported_game.plies().iter().map(|ply| ply.after.clone()));
            let boards = positions.iter().filter(|position| {
                position.to_move() == side && position.legal_moves().count() > 1
            });
            let boards: Vec<String> =
                boards.map(|position| KgpBoard::from(position).to_string()).collect();
            prop_assert!(boards.starts_with(&states), "{:?} {:?}", boards, states);
        }
    }
}

#[test]
fn concurrent_games_are_separated_or_reported() {
    let one = long_game();
    let two = random_game(6, 4, Rules::STANDARD, &LONG_GAME.map(|pick| pick + 1));
    let transcripts = [
        transcript(&one, BySide::new("a", "b")),
        transcript(&two, BySide::new("c", "d")),
    ];
    // The states of the two games alternate, each with all of its four lines.
    let states = transcripts.each_ref().map(|text| {
        let lines: Vec<&str> = text.lines().collect();
        lines
            .chunks(4)
            .map(|lines| lines.join("\n"))
            .collect::<Vec<_>>()
    });
    let mut text = String::new();
    for turn in 0..states[0].len().max(states[1].len()) {
        for states in &states {
            if let Some(state) = states.get(turn) {
                writeln!(text, "{state}").expect("text");
            }
        }
    }
    let imported = KGP_LOG.import(&text, None);
    let is_complete = |record: &kalah::record::Record| {
        let imported_moves = moves(&record.game());
        [&one, &two]
            .into_iter()
            .any(|game| imported_moves.starts_with(&moves(game)))
    };
    let is_separated = imported.records.len() == 2 && imported.records.iter().all(is_complete);
    assert!(is_separated || !imported.errors.is_empty(), "{imported:?}");
}

#[test]
fn a_state_may_be_logged_before_the_stop_of_the_last_one() {
    let game = long_game();
    let text = transcript(&game, BySide::new("a", "b"));
    let mut lines: Vec<&str> = text.lines().collect();
    for index in (3..lines.len() - 1).step_by(4) {
        lines.swap(index, index + 1);
    }
    let crossed = lines.join("\n");
    assert_ne!(crossed, text.trim_end());
    let imported = only_game(&KGP_LOG.import(&crossed, None));
    assert!(moves(&imported).starts_with(&moves(&game)), "{crossed}");
}

#[test]
fn a_state_of_an_unknown_game_is_reported() {
    let text = "(a) > 8 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>\n(a) < 9@8 move 1\n(a) < 11@8 yield\n\
                (a) > 12 state <6,5,5,2,3,4,3,4,4,4,4,4,3,4,3>\n";
    let imported = KGP_LOG.import(text, None);
    assert_eq!(imported.errors.len(), 1, "{imported:?}");
    let error = imported.errors[0].to_string();
    assert!(error.starts_with("line 4: `state <6,"), "{error}");
    assert!(
        error.contains("continues none of the games before it"),
        "{error}"
    );
}

#[test]
fn forced_moves_at_the_end_are_played() {
    // After South has sown B, every move to the end of the game is forced.
    let text = "8 state <2,0,0,0,1,1,0>\n9@8 move 2\n9@8 yield\n";
    let game = only_game(&KGP_LOG.import(text, None));
    assert!(game.position().is_over());
    let waiting = "8 state <2,0,0,1,1,1,0>\n";
    let game = only_game(&KGP_LOG.import(waiting, None));
    assert_eq!(game.plies().len(), 0);
}

#[test]
fn a_client_log_names_the_games() {
    let text = "< 2 kgp 1 0 1\n> 1 set info:name \"Lisa\"\n\
                < 4 set game:id \"1\"\n< 6 set game:opponent \"Bart\"\n\
                < 8 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>\n> 3@8 move 1\n> 5@8 yield\n\
                < 10 set game:id \"2\"\n< 12 set game:opponent \"Homer\"\n\
                < 14 state <6,0,0,4,4,4,4,4,4,0,5,5,5,5,4>\n";
    let names = |text: &str| {
        let imported = KGP_LOG.import(text, None);
        assert_eq!(imported.errors, [], "{imported:?}");
        let names = imported.records.iter().map(|record| {
            let name = |tag| record.tags().get(tag).map(ToOwned::to_owned);
            (name(Tags::SOUTH), name(Tags::NORTH))
        });
        names.collect::<Vec<_>>()
    };
    let some = |south: &str, north: &str| (Some(south.to_owned()), Some(north.to_owned()));
    assert_eq!(names(text), [some("Lisa", "Bart"), some("Homer", "Lisa")]);
    let unnamed = text.replace("> 1 set info:name \"Lisa\"\n", "");
    let expected = [some("KGP client", "Bart"), some("Homer", "KGP client")];
    assert_eq!(names(&unnamed), expected);
    let reset = text.replace("\"Homer\"", "\"\"");
    let expected = (None, Some("Lisa".to_owned()));
    assert_eq!(names(&reset), [some("Lisa", "Bart"), expected]);
}

#[test]
fn a_game_belongs_to_the_announced_id() {
    // Both games have the same states.
    let state = "state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>";
    let next = "state <6,1,0,4,4,0,5,5,5,4,4,4,4,4,4>";
    let text = format!(
        "2 set game:id a\n4 {state}\n1@4 move 3\n6 set game:id b\n8 {state}\n3@8 move 3\n\
         10 set game:id a\n12 {next}\n14 set game:id b\n16 {next}\n"
    );
    let imported = KGP_LOG.import(&text, None);
    assert_eq!(imported.errors, [], "{imported:?}");
    let plies = imported
        .records
        .iter()
        .map(|record| record.game().plies().len());
    assert_eq!(plies.collect::<Vec<_>>(), [1, 1], "{imported:?}");
}

#[test]
fn a_result_is_inferred_if_every_possible_end_has_it() {
    // After South's last move, North has two moves; North loses after each one.
    let lost = "8 state <2,2,0,1,1,1,1>\n9@8 move 2\n9@8 yield\n";
    let next = format!("{lost}12 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>\n");
    let goodbye = format!("{lost}12 goodbye\n");
    for text in [&next, &goodbye] {
        let imported = KGP_LOG.import(text, None);
        let ending = imported.records[0].ending();
        assert_eq!(ending.winner, Some(Side::South), "{text}: {imported:?}");
    }
}

#[test]
fn a_result_is_written_if_every_possible_end_has_its_stores() {
    let cases = [
        // North's two last houses end the game, in any order, and South's last seed is its own.
        ("8 state <2,2,0,1,1,1,1>\n9@8 move 1\n9@8 yield\n", "3-3"),
        ("8 state <2,0,0,1,1,1,1>\n9@8 move 1\n9@8 yield\n", "1-3"),
        // North's store has more than half of the seeds, and the others stay in the houses.
        ("8 state <3,3,9,1,1,1,1,1,1>\n9@8 move 1\n9@8 yield\n", "*"),
    ];
    for (log, result) in cases {
        let imported = KGP_LOG.import(&format!("{log}12 goodbye\n"), None);
        let record = &imported.records[0];
        assert_eq!(record.ending().termination, Termination::Adjudicated);
        assert_eq!(record.tags().get("Result"), Some(result), "{record}");
    }
}

#[test]
fn a_possible_end_is_assumed_only_after_the_server_has_ended_the_game() {
    // North's last house gives it more than half of all seeds. After its other moves, South has a
    // choice, for which the server would send a state.
    let open = "8 state <3,3,9,1,1,1,1,1,1>\n9@8 move 1\n9@8 yield\n";
    let cases = [
        ("", None),
        ("11 goodbye\n", None),
        ("12 goodbye\n", Some(Side::North)),
        (
            "12 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>\n",
            Some(Side::North),
        ),
    ];
    for (end, winner) in cases {
        let imported = KGP_LOG.import(&format!("{open}{end}"), None);
        let ending = imported.records[0].ending();
        assert_eq!(ending.winner, winner, "{end}: {imported:?}");
    }
}

#[test]
fn a_last_answer_that_is_illegal_is_reported() {
    let text = "2 kgp 1 0 1\n10 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>\n3@10 move 9\n";
    let imported = KGP_LOG.import(text, None);
    let errors: Vec<String> = imported.errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].starts_with("line 3: ply 1, `move 9`: "),
        "{errors:?}"
    );
}

#[test]
fn a_log_of_problems_is_recognised() {
    let text = "2 kgp 1 0 1\n1 mode verify\n4 problem <2,0,0,1,1,1,1> 1\n\
                3@4 solution <2,1,0,1,0,1,1> 1\n6@3 ok\n";
    assert_eq!(ImportFormat::detect(&[&KGP_LOG], text), Some(&KGP_LOG));
    let imported = KGP_LOG.import(text, None);
    let errors: Vec<String> = imported.errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors, ["line 3: the log contains problems and no games"]);
}
