//! docs/greedy.py, the small engine of the document, speaks the protocol and knows the rules.

use std::path::PathBuf;
use std::process::Command;

use kalah::{Game, Position, Rules, Side};
use kalah_protocols::uki::{EngineMessage, HostMessage, UkiMove};
use test_tools::Tool;

use crate::speaker::Speaker;

fn greedy() -> Speaker {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/greedy.py");
    Speaker::start(Command::new(Tool::Python.require()).arg(path))
}

/// What an engine chooses in a game.
fn answer(engine: &mut Speaker, game: &Game, go: &str) -> Option<UkiMove> {
    engine.say(&HostMessage::Position(Box::new(game.clone())).to_string());
    engine.say(go);
    match engine.hear_to_bestmove().pop() {
        Some(EngineMessage::BestMove(mv)) => mv,
        other => panic!("{other:?}"),
    }
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn the_example_plays_whole_games_against_kalah() {
    let (mut example, mut kalah) = (greedy(), Speaker::kalah(&[]));
    example.say("uki");
    assert_eq!(example.hear(), "id name Greedy");
    assert_eq!(example.hear(), "id author the Kalah project");
    assert_eq!(example.hear(), "ukiok");
    example.say("isready");
    assert_eq!(example.hear(), "readyok");
    for preset in Rules::PRESETS {
        let start = Position::start(5, 3, preset.rules).expect("a start");
        for side in Side::ALL {
            let mut game = Game::new(start.clone());
            while !game.position().is_over() {
                let to_move = game.position().to_move();
                let mv = if to_move == side {
                    answer(&mut example, &game, "go movetime 100")
                } else {
                    answer(&mut kalah, &game, "go nodes 500")
                };
                let mv = mv.and_then(|mv| mv.for_side(to_move));
                let mv = mv.expect("a choice of the side to move");
                if let Err(reason) = game.play(mv) {
                    panic!(
                        "{}: {reason}",
                        HostMessage::Position(Box::new(game.clone()))
                    );
                }
            }
            assert_eq!(answer(&mut example, &game, "go"), None, "{}", preset.name);
            assert_eq!(answer(&mut kalah, &game, "go"), None, "{}", preset.name);
        }
    }
    // And from a position in the middle of a game, of which it knows no plies.
    let literal = "position <4,9,8,0,0,2,1,1,0,3,0> n rules standard";
    example.say(literal);
    example.say("go");
    assert_eq!(example.hear(), "bestmove a");
    assert!(example.end().status.success());
    assert!(kalah.end().status.success());
}
