use kalah::{Move, Position};

use crate::evaluation::Evaluation;
use crate::key::PositionKey;
use crate::packed::PackedBoard;
use crate::sowings::{SowTable, Successor};
use crate::word::PackedRow;

/// What a search sees of a position: the houses, from the side to move.
pub(crate) trait SearchBoard: Clone + Send + Sync {
    /// What all positions of a game have in common.
    type MoveTables: Sync;

    /// The game of a position that can be seen like this.
    fn move_tables(position: &Position) -> Option<Self::MoveTables>;

    /// What is seen of a position, if it can be seen like this.
    fn from_position(position: &Position) -> Option<Self>;

    /// Every choice, and what comes of it: houses from the one next to the store, then the swap.
    /// None once the game is over.
    fn for_each_move(&self, game: &Self::MoveTables, each: impl FnMut(Move, Successor<Self>));

    /// What is expected without looking ahead.
    fn evaluation(&self) -> Evaluation;

    /// Houses with seeds, of the side to move and of the other.
    fn occupied_counts(&self) -> [i32; 2];

    /// Houses whose last seed would fall into the store, without a lap, of the side to move and of the
    /// other.
    fn bonus_turn_counts(&self) -> [i32; 2];

    /// Whether houses tell all that matters to a gain, so that a search of them can be remembered.
    fn is_cacheable(&self) -> bool;

    /// What the houses are remembered by, where they tell all.
    fn key(&self, game: &Self::MoveTables) -> PositionKey;

    /// The rows of a board that endgame tables may know, each packed in 64 bits.
    fn packed_rows(&self) -> Option<[u64; 2]>;
}

/// Up to 7 houses in 64 bits a row, which endgame tables know, or up to 15 in 128.
impl<W: PackedRow> SearchBoard for PackedBoard<W> {
    type MoveTables = SowTable<W>;

    fn move_tables(position: &Position) -> Option<Self::MoveTables> {
        SowTable::from_position(position)
    }

    fn from_position(position: &Position) -> Option<Self> {
        PackedBoard::from_position(position)
    }

    #[inline]
    fn for_each_move(&self, game: &Self::MoveTables, each: impl FnMut(Move, Successor<Self>)) {
        game.for_each_move(*self, each);
    }

    #[inline]
    fn evaluation(&self) -> Evaluation {
        Evaluation::from_packed(*self)
    }

    #[inline]
    fn occupied_counts(&self) -> [i32; 2] {
        [self.own, self.other].map(|row| row.occupied_count().into())
    }

    #[inline]
    fn bonus_turn_counts(&self) -> [i32; 2] {
        [self.own, self.other].map(|row| row.bonus_turn_count().into())
    }

    #[inline]
    fn is_cacheable(&self) -> bool {
        true
    }

    #[inline]
    fn key(&self, game: &Self::MoveTables) -> PositionKey {
        match self.packed_rows() {
            Some([own, other]) => PositionKey::exact(PackedBoard { own, other }, game.houses()),
            None => PositionKey::hash(*self),
        }
    }

    #[inline]
    fn packed_rows(&self) -> Option<[u64; 2]> {
        let rows = [self.own, self.other].map(|row| row.halves()[0]);
        (W::MAX_HOUSES <= u64::MAX_HOUSES).then_some(rows)
    }
}
