//! Pondering: the search of an engine during the turn of its opponent.

use std::time::Duration;

use kalah::{Game, Move, Position, Side};
use kalah_players::ThinkLimits;

use crate::parse::UkiMove;

/// The option of a specification with which the host lets an engine ponder.
const PONDER_OPTION: &str = "Ponder";

/// The values of the option in a specification.
pub(crate) const ON: &str = "on";
pub(crate) const OFF: &str = "off";

/// Returns whether a name is that of the option for pondering, which the host obeys whether the
/// engine declares it or not.
pub fn is_ponder_option(name: &str) -> bool {
    name.eq_ignore_ascii_case(PONDER_OPTION)
}

/// Returns the value of the option that a word of a specification stands for.
pub(crate) fn parse_ponder(word: &str) -> Option<bool> {
    match word {
        ON => Some(true),
        OFF => Some(false),
        _ => None,
    }
}

/// Returns the game at the next turn of the engine if it plays `mv` now and everything then goes as
/// in `line`, which it has reported with this move. Returns `None` if the line does not reach this
/// turn, or contains a swap, after which the engine has the other side.
pub(crate) fn predicted_game(game: &Game, mv: Move, line: &[UkiMove]) -> Option<Game> {
    let side = game.position().to_move();
    let (&first, replies) = line.split_first()?;
    if ply_of(first, game.position()) != Some(mv) {
        return None;
    }
    let mut predicted = game.clone();
    predicted.play(mv).ok()?;
    if predicted.position().to_move() == side {
        // A bonus turn: the host sends `go` at once.
        return None;
    }
    for &ply in replies {
        let reply = ply_of(ply, predicted.position())?;
        predicted.play(reply).ok()?;
        if predicted.position().is_over() {
            return None;
        }
        if predicted.position().to_move() == side {
            return Some(predicted);
        }
    }
    None
}

/// Returns a ply as a move of the side to move, unless it is a swap.
fn ply_of(ply: UkiMove, position: &Position) -> Option<Move> {
    match ply.for_side(position.to_move())? {
        Move::Swap => None,
        sowing @ Move::Sow(_) => Some(sowing),
    }
}

/// Returns the limits of the next turn of `side`: those of a turn that took `elapsed`, and what is
/// left on its clock after it.
pub(crate) fn limits_of_next_turn(
    limits: ThinkLimits,
    side: Side,
    elapsed: Duration,
) -> ThinkLimits {
    let clocks = limits.clocks.map(|mut clocks| {
        let left = clocks.left[side].saturating_sub(elapsed);
        clocks.left[side] = left.saturating_add(clocks.increment[side]);
        clocks
    });
    ThinkLimits { clocks, ..limits }
}

#[cfg(test)]
mod tests {
    use kalah::BySide;
    use kalah_players::SideClocks;

    use super::*;
    use crate::message::HostMessage;

    fn game(moves: &str) -> Game {
        match format!("position startpos 6x4 rules mankalah {moves}").parse() {
            Ok(HostMessage::Position(game)) => *game,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn prediction_ends_at_the_next_turn_of_the_engine() {
        let line = |text: &str| -> Vec<UkiMove> {
            let plies = text.split_whitespace();
            plies
                .map(|ply| UkiMove::parse_one(ply).expect("a ply"))
                .collect()
        };
        let predict = |moves: &str, plies: &str| {
            let line = line(plies);
            let game = game(moves);
            let mv = line[0].for_side(game.position().to_move())?;
            let predicted = predicted_game(&game, mv, &line)?;
            Some(predicted.position().clone())
        };
        for (moves, plies, after) in [
            ("", "A b C", Some("moves A b")),
            // North has a bonus turn with c.
            ("", "A c b D", Some("moves A c b")),
            ("", "A", None),
            ("", "A c", None),
            ("", "A swap b", None),
            ("moves A", "swap B", None),
            // South has a bonus turn with B.
            ("moves A b", "B D", None),
            // North's b is empty then.
            ("moves A b C", "b D", None),
        ] {
            let after = after.map(|after| game(after).position().clone());
            assert_eq!(predict(moves, plies), after, "{moves} {plies}");
        }
    }

    #[test]
    fn clock_of_the_next_turn_has_the_increment() {
        let second = Duration::from_secs(1);
        let clocks = |south| SideClocks {
            left: BySide::new(south, 9 * second),
            increment: BySide::new(2 * second, second),
        };
        let limits = |south| ThinkLimits {
            clocks: Some(clocks(south)),
            nodes: Some(5),
            ..ThinkLimits::default()
        };
        for (elapsed, left) in [(1, 6), (4, 3), (7, 2)] {
            let next = limits_of_next_turn(limits(5 * second), Side::South, elapsed * second);
            assert_eq!(next, limits(left * second));
        }
    }
}
