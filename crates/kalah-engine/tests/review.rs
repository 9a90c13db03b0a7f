//! What a review tells of games, against margins that a naive search finds of every position by itself.

use std::time::Duration;

use kalah::{BySide, Game, Margin, Move, Player, Position, Rules, Side, reference};
use kalah_engine::{Bounds, Certainty, GameValue, RandomPlayer, Report, Review};
use proptest::prelude::*;

/// The margin of a choice for the player who makes it.
fn made(position: &Position, choice: Move) -> Margin {
    let mut next = position.clone();
    next.play(choice).unwrap();
    let same = next.to_move() == position.to_move() && choice != Move::Swap;
    let margin = reference::margin(&next);
    if same { margin } else { -margin }
}

/// A report of margins within bounds that `blur` makes of each.
fn report(position: &Position, mut blur: impl FnMut(Margin) -> Bounds) -> Report {
    let choices: Vec<(Move, Bounds)> = (position.legal_moves())
        .map(|choice| (choice, blur(made(position, choice))))
        .collect();
    let margin = reference::margin(position);
    let most = |of: fn(Bounds) -> Margin| choices.iter().map(|&(_, bounds)| of(bounds)).max();
    Report {
        best_move: choices.first().map(|&(choice, _)| choice),
        margin,
        certainty: Certainty::Estimate,
        bounds: Bounds {
            lower: most(|bounds| bounds.lower).unwrap_or(margin),
            upper: most(|bounds| bounds.upper).unwrap_or(margin),
        },
        moves: choices,
        depth: 0,
        nodes: 0,
        table_hits: 0,
        time: Duration::ZERO,
        line: Vec::new(),
    }
}

/// A game of random choices.
fn random_game(rules: Rules, houses: u8, seeds: u64, seed: u64) -> Game {
    let mut game = Game::new(Position::start(houses, seeds, rules).unwrap());
    let mut random = RandomPlayer::new("Random", seed);
    while let Some(choice) = random.choose_move(game.position(), Duration::ZERO) {
        game.play(choice).unwrap();
    }
    game
}

fn exact(margin: Margin) -> Bounds {
    Bounds {
        lower: margin,
        upper: margin,
    }
}

fn holds(bounds: Bounds, margin: Margin) -> bool {
    bounds.lower <= margin && margin <= bounds.upper
}

fn verdict(margin: Margin) -> GameValue {
    match margin.seeds().signum() {
        1 => GameValue::Win,
        0 => GameValue::Tie,
        _ => GameValue::Loss,
    }
}

/// Boards on which the naive search is quick.
const BOARDS: [(u8, u64); 3] = [(2, 2), (3, 1), (2, 3)];

fn any_game() -> impl Strategy<Value = Game> {
    (0..Rules::PRESETS.len(), 0..BOARDS.len(), any::<u64>()).prop_map(|(preset, board, seed)| {
        let (houses, seeds) = BOARDS[board];
        random_game(Rules::PRESETS[preset].rules, houses, seeds, seed)
    })
}

proptest! {
    #[test]
    fn what_is_proven_is_told_to_the_seed(game in any_game()) {
        let review = Review::from_game(&game, |position| report(position, exact));
        prop_assert_eq!(review.plies.len(), game.plies().len());
        prop_assert_eq!(review.unproven_count(), 0);
        let mut before = game.start();
        let mut exchanged = false;
        let mut lost = BySide::new(0, 0);
        let mut stakes = BySide::new(0, 0);
        for (ply, reviewed) in game.plies().iter().zip(&review.plies) {
            let margins: Vec<(Move, Margin)> = before.legal_moves().map(|choice| (choice, made(before, choice))).collect();
            let best = margins.iter().map(|&(_, margin)| margin).max().unwrap();
            let worst = margins.iter().map(|&(_, margin)| margin).min().unwrap();
            let own = made(before, ply.mv);
            prop_assert_eq!((reviewed.side, reviewed.mv), (ply.side, ply.mv));
            prop_assert_eq!(reviewed.player == ply.side, !exchanged);
            prop_assert_eq!(reviewed.before.bounds, exact(best));
            prop_assert_eq!(reviewed.after.bounds, exact(own));
            let cost = best.seeds() - own.seeds();
            prop_assert_eq!(reviewed.cost, exact(Margin::new(cost)));
            prop_assert_eq!(reviewed.stake, Some(best.seeds().abs_diff(worst.seeds())));
            let better: Vec<Move> = (margins.iter())
                .filter(|&&(_, margin)| cost > 0 && margin == best)
                .map(|&(choice, _)| choice)
                .collect();
            prop_assert_eq!(&reviewed.better_moves, &better);
            let turned = (verdict(best) != verdict(own)).then_some((verdict(best), verdict(own)));
            prop_assert_eq!(reviewed.value_change(), turned);
            lost[reviewed.player] += cost.unsigned_abs();
            stakes[reviewed.player] += best.seeds().abs_diff(worst.seeds());
            exchanged ^= ply.mv == Move::Swap;
            before = &ply.after;
        }
        for player in Side::ALL {
            let accuracy = review.accuracy[player];
            prop_assert_eq!((accuracy.cost, accuracy.stake), (lost[player], stakes[player]));
            if let Some(percent) = accuracy.percent() {
                prop_assert!((0.0..=100.0).contains(&percent));
            }
        }
        prop_assert_eq!(review.start.bounds, exact(reference::margin(game.start())), "South begins");
    }

    #[test]
    fn what_is_not_proven_is_within_the_bounds(game in any_game(), seed: u64) {
        let mut random = seed;
        let review = Review::from_game(&game, |position| report(position, |margin| {
            // Some margins are known, and others more or less.
            let mut wide = || {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                i32::try_from(random >> 62).unwrap()
            };
            Bounds {
                lower: Margin::new(margin.seeds() - wide()),
                upper: Margin::new(margin.seeds() + wide()),
            }
        }));
        let whole = Review::from_game(&game, |position| report(position, exact));
        for (told, known) in review.plies.iter().zip(&whole.plies) {
            prop_assert!(holds(told.cost, known.cost.lower), "{told:?}, {known:?}");
            prop_assert!(holds(told.before.bounds, known.before.bounds.lower), "{told:?}, {known:?}");
            prop_assert!(holds(told.after.bounds, known.after.bounds.lower), "{told:?}, {known:?}");
            prop_assert!(told.cost.lower >= Margin::ZERO);
            prop_assert!(told.stake.is_none() || told.stake == known.stake);
            if let Some(turned) = told.value_change() {
                prop_assert_eq!(Some(turned), known.value_change());
            }
            prop_assert!(!told.is_mistake() || !told.better_moves.contains(&told.mv));
        }
        prop_assert!(holds(review.start.bounds, whole.start.bounds.lower));
    }
}

#[test]
fn nothing_at_stake_is_no_accuracy() {
    let game = Game::new(Position::start(3, 2, Rules::CS32).unwrap());
    let review = Review::from_game(&game, |position| report(position, exact));
    assert!(review.plies.is_empty());
    assert_eq!(review.mistakes().count(), 0);
    assert_eq!(review.accuracy[Side::South].percent(), None);
}
