//! The choice of the board type for the positions of a game.

use kalah::Position;
use kalah_board::PackedBoard;

use super::key::KeyKind;
use super::search_board::{GenericBoard, SearchBoard};

/// A function of a board type.
pub(crate) trait BoardVisitor {
    type Output;

    /// Calls the function with the board type `H`, whose keys are of the given kind.
    fn visit<H: SearchBoard>(self, key_kind: KeyKind) -> Self::Output;
}

/// Calls `visitor` with the fastest board type that can represent `position` and all positions of
/// the game after it.
pub(crate) fn visit_board_type<V: BoardVisitor>(position: &Position, visitor: V) -> V::Output {
    let is_packable = position.seeds_in_play().get() <= u8::MAX.into();
    if PackedBoard::<u64>::from_position(position).is_some() {
        visitor.visit::<PackedBoard<u64>>(KeyKind::Exact)
    } else if is_packable && position.houses() <= 7 {
        visitor.visit::<GenericBoard<u64>>(KeyKind::Exact)
    } else if PackedBoard::<u128>::from_position(position).is_some() {
        visitor.visit::<PackedBoard<u128>>(KeyKind::Hashed)
    } else {
        visitor.visit::<GenericBoard<u128>>(KeyKind::Hashed)
    }
}
