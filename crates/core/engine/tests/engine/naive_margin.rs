//! Margins of moves by the naive reference.

use kalah::{Margin, Move, Position, reference};

/// Returns the margin of a move for its player, the position after it, and whether the same player
/// moves again.
pub(crate) fn move_margin(position: &Position, mv: Move) -> (Margin, Position, bool) {
    let mut next = position.clone();
    next.play(mv).unwrap();
    // After a swap the same side moves, but the other player.
    let is_same_player = next.to_move() == position.to_move() && mv != Move::Swap;
    let margin = reference::margin(&next);
    let margin = if is_same_player { margin } else { -margin };
    (margin, next, is_same_player)
}
