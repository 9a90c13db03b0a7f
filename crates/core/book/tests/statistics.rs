//! Opening statistics against a slow count that turns positions by replaying games from both sides.

use std::collections::BTreeMap;

use kalah::{Ending, Game, Move, Position, Rules, Setup, Side, Termination};
use kalah_book::{
    OPENING_PLIES, OpeningKey, OpeningResults, OpeningStatistics, opening_moves, own_text,
};
use proptest::prelude::*;

/// A random game: the choices among the legal moves, and the ending.
#[derive(Clone, Debug)]
struct RandomGame {
    rules: Rules,
    choices: Vec<usize>,
    winner: Option<Side>,
}

fn random_games() -> impl Strategy<Value = Vec<RandomGame>> {
    let presets = Rules::PRESETS;
    let side = prop_oneof![Just(None), Just(Some(Side::South)), Just(Some(Side::North))];
    let game = (
        0..presets.len(),
        prop::collection::vec(0..3_usize, 0..20),
        side,
    );
    let game = game.prop_map(move |(preset, choices, winner)| RandomGame {
        rules: presets[preset].rules,
        choices,
        winner,
    });
    prop::collection::vec(game, 1..30)
}

fn play(random: &RandomGame) -> Game {
    let mut game = Game::new(Position::start(3, 2, random.rules).unwrap());
    for &choice in &random.choices {
        let moves: Vec<Move> = game.position().legal_moves().collect();
        let Some(&mv) = moves.get(choice % moves.len().max(1)) else {
            break;
        };
        game.play(mv).unwrap();
    }
    game
}

/// The seeds of the houses and the store of the side to move, then those of the other side.
type Turned = (String, [(Vec<u64>, u64); 2], String);

/// Counts by going through the games one move at a time.
fn slow_counts(games: &[RandomGame]) -> BTreeMap<Turned, (u32, u32, u32)> {
    let mut counts = BTreeMap::new();
    for random in games {
        let game = play(random);
        let is_swapped_at_end = game.plies().iter().any(|ply| ply.mv == Move::Swap);
        let mut position = game.start().clone();
        let mut is_swapped = false;
        for ply in game.plies().iter().take(OPENING_PLIES) {
            let setup = Setup::from(&position);
            let sides = [position.to_move(), position.to_move().opponent()];
            let half = sides.map(|side| (setup.rows[side].clone(), setup.stores[side]));
            let mv = ply.mv.text(Side::South);
            let key = format!("{} {:?}", random.rules, position.first_plies());
            let entry: &mut (u32, u32, u32) = counts.entry((key, half, mv)).or_default();
            // The side of the mover at the end of the game.
            let side_at_end = if is_swapped == is_swapped_at_end {
                ply.side
            } else {
                ply.side.opponent()
            };
            match random.winner {
                None => entry.1 += 1,
                Some(winner) if winner == side_at_end => entry.0 += 1,
                Some(_) => entry.2 += 1,
            }
            is_swapped ^= ply.mv == Move::Swap;
            position.play(ply.mv).unwrap();
        }
    }
    counts
}

fn ending(winner: Option<Side>) -> Ending {
    Ending {
        termination: Termination::Resign,
        winner,
        outcome: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn counts_are_those_of_a_slow_count(games in random_games()) {
        let mut statistics = OpeningStatistics::default();
        for random in &games {
            statistics.add(opening_moves(&play(random), &ending(random.winner)));
        }
        let mut fast = BTreeMap::new();
        for (key, moves) in statistics.positions() {
            let rules: Rules = key.rules.parse().unwrap();
            let setup: Setup = key.position.parse().unwrap();
            let half = [Side::South, Side::North]
                .map(|side| (setup.rows[side].clone(), setup.stores[side]));
            let position = setup.position(rules).unwrap();
            prop_assert_eq!(&OpeningKey::new(&position), key, "a key is its own key");
            let name = format!("{rules} {:?}", position.first_plies());
            for (mv, &OpeningResults { wins, ties, losses }) in moves {
                fast.insert((name.clone(), half.clone(), mv.clone()), (wins, ties, losses));
            }
        }
        prop_assert_eq!(fast, slow_counts(&games));
    }
}

#[test]
fn games_without_a_result_have_no_moves() {
    let game = play(&RandomGame {
        rules: Rules::CS32,
        choices: vec![0, 1],
        winner: None,
    });
    let unfinished = Ending {
        termination: Termination::Unfinished,
        ..ending(None)
    };
    assert_eq!(opening_moves(&game, &unfinished), []);
    assert_eq!(opening_moves(&game, &ending(None)).len(), 2);
}

#[test]
fn moves_of_statistics_have_the_case_of_their_side() {
    assert_eq!(own_text("C", Side::North), "c");
    assert_eq!(own_text("C", Side::South), "C");
    assert_eq!(own_text("swap", Side::North), "swap");
}
