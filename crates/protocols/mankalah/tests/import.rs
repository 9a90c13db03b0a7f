//! Import of traces: errors, games that end early, and the same moves for random games.

use std::fmt::Write as _;

use kalah::{BySide, Game, Move, Position, Rules, Side, Termination};
use kalah_import::ImportedGames;
use kalah_mankalah::{AgentMessage, Host, MANKALAH_LOG};
use proptest::prelude::*;

/// A text, the number of its games, and the beginning of its only error.
const ERRORS: [(&str, usize, &str); 3] = [
    (
        "START;South\nMOVE;1\nSTART;South\nMOVE;8\nMOVE;1\n",
        1,
        "line 5: ply 1, `MOVE;8`: ",
    ),
    (
        "START;South\nCHANGE;1;7,7,7,7,7,7,7,0,1,8,8,8,8,8,8,1;OPP\nCHANGE;1;1,1,1,1;OPP",
        0,
        "line 2: ply 1, `CHANGE;1;7,7,7,7,7,7,7,0,1,8,8,8,8,8,8,1;OPP`: by the rules the board \
         after it is 7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1; are these the right rules?",
    ),
    (
        "MOVE;3\n",
        0,
        "line 1: `MOVE;3` comes before the start of a game",
    ),
];

#[test]
fn an_error_names_its_line_and_spares_the_other_games() {
    for (text, games, error) in ERRORS {
        let imported = MANKALAH_LOG.import(text, None);
        assert_eq!(imported.records.len(), games, "{text}: {imported:?}");
        let errors: Vec<String> = imported.errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].starts_with(error), "{errors:?}");
    }
}

#[test]
fn a_refused_move_ends_the_game() {
    let refused =
        "START;South\nMOVE;1\nCHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;OPP\nMOVE;9\nEND\n";
    let imported = MANKALAH_LOG.import(refused, None);
    assert_eq!(imported.errors, []);
    let ending = imported.records[0].ending();
    assert_eq!(ending.termination, Termination::Illegal);
    assert_eq!(ending.winner, Some(Side::South));
}

#[test]
fn other_lines_of_a_log_are_ignored() {
    let text = "the referee is ready\nSTART;South\n12:00 agent started\nMOVE;1\nover\nEND\n";
    let imported = MANKALAH_LOG.import(text, None);
    assert_eq!(imported.errors, [], "{imported:?}");
    assert_eq!(only_game(&imported).plies().len(), 1);
}

/// The times of plies in milliseconds.
fn elapsed(imported: &ImportedGames) -> Vec<Option<u128>> {
    let times = imported.records[0].ply_times().into_iter();
    times
        .map(|times| times.elapsed.map(|time| time.as_millis()))
        .collect()
}

#[test]
fn times_of_a_log_are_those_of_its_plies() {
    let of_an_agent = "\
        2026-11-29 12:00:00.000 engine START;South\n\
        2026-11-29 12:00:01.500 agent MOVE;1\n\
        2026-11-29 12:00:01.600 engine CHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;OPP\n\
        2026-11-29 12:00:04.600 engine CHANGE;SWAP;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;OPP\n";
    let imported = MANKALAH_LOG.import(of_an_agent, None);
    assert_eq!(imported.errors, []);
    assert_eq!(imported.records[0].tags().get("Date"), Some("2026.11.29"));
    assert_eq!(elapsed(&imported), [Some(1500), Some(3000)]);
    // The log of both agents has no `CHANGE`.
    let moves_alone = "10:00:00 START;South\n10:00:02 MOVE;1\n10:00:05 MOVE;2\n10:00:09 MOVE;3\n";
    assert_eq!(
        elapsed(&MANKALAH_LOG.import(moves_alone, None)),
        [Some(2000), Some(3000), Some(4000)]
    );
    let without_times = "START;South\nMOVE;1\nMOVE;2\n";
    assert_eq!(
        elapsed(&MANKALAH_LOG.import(without_times, None)),
        [None, None]
    );
}

/// A game on 7x7 in which each pick selects one of the legal moves of its ply.
fn random_game(picks: &[usize]) -> Game {
    let mut game = Game::new(Position::start(7, 7, Rules::MANKALAH).expect("a start"));
    for pick in picks {
        let moves: Vec<Move> = game.position().legal_moves().collect();
        if moves.is_empty() {
            break;
        }
        game.play(moves[pick % moves.len()]).expect("it is legal");
    }
    game
}

fn moves(game: &Game) -> Vec<Move> {
    game.plies().iter().map(|ply| ply.mv).collect()
}

/// Returns the only game of an import without errors.
fn only_game(imported: &ImportedGames) -> Game {
    assert_eq!(imported.errors, [], "{imported:?}");
    assert_eq!(imported.records.len(), 1, "{imported:?}");
    imported.records[0].game()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn traces_round_trip(picks in prop::collection::vec(0_usize..8, 1..120)) {
        let game = random_game(&picks);
        let mut host = Host::default();
        let mut logs = BySide::from_fn(|side| format!("12:00 engine: START;{side}\n"));
        let mut both = format!("{}{}", logs.south, logs.north);
        let mut answers = both.clone();
        for mv in moves(&game) {
            let mover = host.agent_to_move().expect("the game is not over");
            let answer = AgentMessage(mv);
            writeln!(both, "agent -> {answer}").expect("text");
            writeln!(answers, "{answer}").expect("text");
            let messages = host.handle_message(answer).expect("it is legal");
            for side in Side::ALL {
                if let Some(message) = &messages[side] {
                    writeln!(both, "{side} <- {message}").expect("text");
                    writeln!(logs[side], "{message}").expect("text");
                }
            }
            // The log of North reveals its swap only with the next ply.
            if mv == Move::Swap && mover == Side::North && game.plies().len() == 2 {
                writeln!(logs.north, "SWAP").expect("text");
            }
        }
        both.push_str("END\nEND\n");
        for text in [&both, &answers, &logs.south] {
            prop_assert!((MANKALAH_LOG.recognize)(text));
            let imported = MANKALAH_LOG.import(text, None);
            prop_assert_eq!(moves(&only_game(&imported)), moves(&game), "{}", text);
        }
        // After a swap, a ply that ends the game does not tell which agent would be next.
        if !(game.is_swapped() && game.plies().len() == 3) {
            let imported = MANKALAH_LOG.import(&logs.north, None);
            prop_assert_eq!(moves(&only_game(&imported)), moves(&game), "{}", logs.north);
        }
        let twice = MANKALAH_LOG.import(&format!("{both}{both}"), None);
        prop_assert_eq!(twice.records.len(), 2);
    }
}
