//! What `SmartPlayer` does among equally good choices, against margins that a naive search finds.

use std::time::Duration;

use kalah::{Margin, Move, Player, Position, Rules, Side, reference};
use kalah_engine::{Engine, Limits, RandomPlayer, SmartPlayer};

/// The margin of a choice for the player who makes it, the position behind it, and whether that
/// player goes on.
fn made(position: &Position, choice: Move) -> (Margin, Position, bool) {
    let mut next = position.clone();
    next.play(choice).unwrap();
    let same = next.to_move() == position.to_move() && choice != Move::Swap;
    let margin = reference::margin(&next);
    (if same { margin } else { -margin }, next, same)
}

/// The choices with the greatest margin, in order, and what is behind them.
fn best_choices(position: &Position) -> (Margin, Vec<(Move, Position, bool)>) {
    let margin = reference::margin(position);
    let choices = position.legal_moves().filter_map(|choice| {
        let (found, next, same) = made(position, choice);
        (found == margin).then_some((choice, next, same))
    });
    (margin, choices.collect())
}

/// How many replies lose margin, where the other player is to move.
fn losing_replies(position: &Position) -> usize {
    let (_, best) = best_choices(position);
    position.legal_moves().count() - best.len()
}

/// Games of each board and rule set.
const GAMES: u64 = 12;

/// Positions with more seeds in play take the naive search too long.
const MOST_SEEDS: i32 = 10;

/// Positions of small boards with several best choices, from games of random choices.
fn ties() -> impl Iterator<Item = Position> {
    let boards = [(2, 3), (3, 2), (3, 3), (4, 2)];
    let games = Rules::PRESETS.into_iter().flat_map(move |preset| {
        boards.into_iter().flat_map(move |(houses, seeds)| {
            (0..GAMES)
                .map(move |game| (Position::start(houses, seeds, preset.rules).unwrap(), game))
        })
    });
    let positions = games.flat_map(|(mut position, game)| {
        let mut random = RandomPlayer::new("Random", game);
        let mut positions = Vec::new();
        while let Some(choice) = random.choose_move(&position, Duration::ZERO) {
            positions.push(position.clone());
            position.play(choice).unwrap();
        }
        positions
    });
    positions.filter(|position| {
        let in_play: i32 = (Side::ALL.iter())
            .map(|&side| i32::from(position.row_total(side)))
            .sum();
        in_play <= MOST_SEEDS && best_choices(position).1.len() > 1
    })
}

fn smart() -> SmartPlayer {
    SmartPlayer::new("Smart", || Duration::ZERO)
}

fn smart_choice(smart: &mut SmartPlayer, position: &Position) -> Move {
    smart
        .choose_move(position, SmartPlayer::DEFAULT_TIME_LIMIT)
        .unwrap()
}

/// The first of the choices with the least cost.
fn cheapest<C: Ord>(choices: &[(Move, C)]) -> Move {
    choices.iter().min_by_key(|(_, cost)| cost).unwrap().0
}

#[test]
fn of_equals_smart_takes_the_lowest_house_when_tied() {
    let (mut smart, mut compared) = (smart(), 0);
    for position in ties() {
        let (margin, best) = best_choices(&position);
        if margin == Margin::ZERO {
            assert_eq!(smart_choice(&mut smart, &position), best[0].0, "{position}");
            compared += 1;
        }
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn of_equals_smart_takes_the_shortest_line_when_winning() {
    let plies = |position: &Position| {
        let report = Engine::new().analyse(position, Limits::default(), &|| Duration::ZERO);
        report.line.len()
    };
    let mut smart = smart();
    let (mut compared, mut not_first) = (0, 0);
    for position in ties() {
        let (margin, best) = best_choices(&position);
        // Lines of the same margin can differ in length where there are further ties.
        let unique = best.iter().all(|(_, next, _)| line_is_unique(next));
        if margin > Margin::ZERO && unique {
            let costs: Vec<_> = best
                .iter()
                .map(|(choice, next, _)| (*choice, plies(next)))
                .collect();
            let choice = smart_choice(&mut smart, &position);
            assert_eq!(choice, cheapest(&costs), "{position}: {costs:?}");
            compared += 1;
            not_first += usize::from(choice != best[0].0);
        }
    }
    assert!(
        compared > 20 && not_first > 0,
        "{compared} compared, {not_first} not the lowest house"
    );
}

/// Whether there is one best choice all the way to the end.
fn line_is_unique(position: &Position) -> bool {
    let mut position = position.clone();
    while !position.is_over() {
        let (_, best) = best_choices(&position);
        let [(_, next, _)] = &best[..] else {
            return false;
        };
        position = next.clone();
    }
    true
}

#[test]
fn of_equals_smart_takes_the_hardest_to_answer_when_losing() {
    let mut smart = smart();
    let (mut compared, mut not_first) = (0, 0);
    for position in ties() {
        let (margin, best) = best_choices(&position);
        // Behind bonus turns it depends on what follows whose replies count.
        let replies_at_once = best.iter().all(|&(_, _, same)| !same);
        if margin < Margin::ZERO && replies_at_once {
            let costs: Vec<_> = best
                .iter()
                .map(|(choice, next, _)| (*choice, std::cmp::Reverse(losing_replies(next))))
                .collect();
            let choice = smart_choice(&mut smart, &position);
            assert_eq!(choice, cheapest(&costs), "{position}: {costs:?}");
            compared += 1;
            not_first += usize::from(choice != best[0].0);
        }
    }
    assert!(
        compared >= 20 && not_first > 5,
        "{compared} compared, {not_first} not the lowest house"
    );
}

#[test]
fn no_tie_is_broken_for_a_worse_margin() {
    let mut smart = smart();
    for position in ties() {
        let (margin, _) = best_choices(&position);
        let choice = smart_choice(&mut smart, &position);
        assert_eq!(made(&position, choice).0, margin, "{position}");
    }
}
