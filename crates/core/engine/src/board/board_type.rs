//! The choice of the board type for the positions of a game.

use kalah::Position;
use kalah_board::{PackedBoard, PackedRow, WideBoard, WideRow};

use super::key::{KeyKind, MAX_EXACT_HOUSES, MAX_EXACT_SEEDS_OF_8_HOUSES};
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
    let houses = position.houses();
    let fits_bytes = position.seeds_in_play().get() <= u8::MAX.into();
    if fits_bytes && houses <= u64::MAX_HOUSES {
        visit_packed::<PackedBoard<u64>, V>(position, visitor, KeyKind::Exact)
    } else if fits_bytes && houses <= u128::MAX_HOUSES {
        let is_exact = u32::from(houses) <= MAX_EXACT_HOUSES
            && position.seeds_in_play().get() <= MAX_EXACT_SEEDS_OF_8_HOUSES;
        let key_kind = if is_exact {
            KeyKind::Exact
        } else {
            KeyKind::Hashed
        };
        visit_packed::<PackedBoard<u128>, V>(position, visitor, key_kind)
    } else if houses <= WideRow::<4>::MAX_HOUSES {
        visit_packed::<WideBoard<4>, V>(position, visitor, KeyKind::Hashed)
    } else {
        visit_packed::<WideBoard<8>, V>(position, visitor, KeyKind::Hashed)
    }
}

/// Calls `visitor` with a board type that can represent all positions of the game from `position`
/// on, those of the first plies by [`GenericBoard`].
fn visit_packed<B: SearchBoard, V: BoardVisitor>(
    position: &Position,
    visitor: V,
    key_kind: KeyKind,
) -> V::Output {
    if B::from_position(position).is_some() {
        visitor.visit::<B>(key_kind)
    } else {
        visitor.visit::<GenericBoard<B>>(key_kind)
    }
}
