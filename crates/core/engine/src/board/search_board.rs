//! The board as the search sees it: a trait, and its implementations for packed and for all
//! positions.

use kalah::{FirstPlies, House, Move, Position, SeedCount};
use kalah_board::{PackedBoard, PackedRow, SowTable, Successor};

use super::key::PositionKey;

/// The houses of a position from the point of view of the side to move.
pub(crate) trait SearchBoard: Clone + Send + Sync + 'static {
    /// Data that all positions of a game share.
    type MoveTables: Send + Sync + 'static;

    /// The seeds of the houses of a row.
    type RowBytes: AsRef<[u8]>;

    /// Builds the shared data for the game of `position`, if this type can represent it.
    fn move_tables(position: &Position) -> Option<Self::MoveTables>;

    /// Converts a position, if this type can represent it.
    fn from_position(position: &Position) -> Option<Self>;

    /// Calls `each` with every legal move and its result: houses from the one next to the store,
    /// then the swap. There are none once the game is over.
    fn for_each_move(&self, tables: &Self::MoveTables, each: impl FnMut(Move, Successor<Self>));

    /// Returns the seeds of the houses of the side to move and of the opponent, those next to the
    /// store first. A house with more than 255 seeds counts as 255, and lanes behind the last house
    /// are empty.
    fn row_bytes(&self) -> [Self::RowBytes; 2];

    /// Returns the number of occupied houses of the side to move and of the opponent.
    fn occupied_counts(&self) -> [i32; 2];

    /// Returns the number of houses whose last seed falls into the store without a lap, of the side
    /// to move and of the opponent.
    fn bonus_turn_counts(&self) -> [i32; 2];

    /// Returns whether the gain depends on the houses alone, so that hash tables can store it.
    fn is_cacheable(&self) -> bool;

    /// Returns the hash key, given that [`Self::is_cacheable`] holds.
    fn key(&self, tables: &Self::MoveTables) -> PositionKey;

    /// Returns the rows as endgame tables read them, packed in 64 bits each, if they fit.
    fn packed_rows(&self) -> Option<[u64; 2]>;
}

/// Up to 7 houses a side in 64 bits a row, or up to 15 in 128 bits.
impl<W: PackedRow> SearchBoard for PackedBoard<W> {
    type MoveTables = SowTable<W>;
    type RowBytes = W::Bytes;

    fn move_tables(position: &Position) -> Option<Self::MoveTables> {
        SowTable::from_position(position)
    }

    fn from_position(position: &Position) -> Option<Self> {
        PackedBoard::from_position(position)
    }

    #[inline]
    fn for_each_move(&self, tables: &Self::MoveTables, each: impl FnMut(Move, Successor<Self>)) {
        tables.for_each_move(*self, each);
    }

    #[inline]
    fn row_bytes(&self) -> [Self::RowBytes; 2] {
        [self.own, self.other].map(PackedRow::bytes)
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
    fn key(&self, tables: &Self::MoveTables) -> PositionKey {
        PositionKey::packed(*self, tables.houses())
    }

    #[inline]
    fn packed_rows(&self) -> Option<[u64; 2]> {
        let [[own, own_rest], [other, other_rest]] = [self.own, self.other].map(PackedRow::halves);
        (own_rest | other_rest == 0).then_some([own, other])
    }
}

/// The seeds of a row of any board.
pub(super) type WideRowBytes = [u8; House::MAX as usize];

/// Returns the seeds of a row, those next to the store first.
#[inline]
pub(super) fn to_row_bytes(seeds: impl Iterator<Item = u16>) -> WideRowBytes {
    let mut bytes = [0; House::MAX as usize];
    for (byte, seeds) in bytes.iter_mut().zip(seeds) {
        *byte = u8::try_from(seeds).unwrap_or(u8::MAX);
    }
    bytes
}

const PACKED_HAS_TABLES: &str = "packed boards have move tables";

/// The houses of any position: packed if possible, and a complete position otherwise.
///
/// A game whose first plies have rules of their own becomes packable after them.
#[derive(Clone)]
pub(crate) enum GenericBoard<B> {
    Packed(B),
    /// A position that is not over.
    Full(Box<Position>),
}

/// Data that the positions of any game share.
pub(crate) struct GenericMoveTables<B: SearchBoard> {
    /// The shared data of its packable positions, if there are any.
    packed: Option<B::MoveTables>,
}

impl<B: SearchBoard> GenericBoard<B> {
    /// Returns the result of a legal move.
    fn successor(position: &Position, mv: Move) -> Successor<Self> {
        let mut next = position.clone();
        let is_legal = next.play(mv).is_ok();
        debug_assert!(is_legal, "only legal moves are searched");
        let before = position.lead().seeds();
        let same_side = next.to_move() == position.to_move();
        let (banked, same_player) = match mv {
            // The mover's margin after the swap is the opponent's negated, stores included.
            Move::Swap => (-2 * before, false),
            Move::Sow(_) if same_side => (next.lead().seeds() - before, true),
            Move::Sow(_) => (-next.lead().seeds() - before, false),
        };
        Successor {
            banked,
            same_player,
            is_over: next.is_over(),
            board: Self::new(next),
        }
    }

    fn new(position: Position) -> Self {
        match B::from_position(&position) {
            Some(packed) => Self::Packed(packed),
            None => Self::Full(Box::new(position)),
        }
    }
}

impl<B: SearchBoard> SearchBoard for GenericBoard<B> {
    type MoveTables = GenericMoveTables<B>;
    type RowBytes = WideRowBytes;

    fn move_tables(position: &Position) -> Option<Self::MoveTables> {
        Some(GenericMoveTables {
            packed: B::move_tables(position),
        })
    }

    fn from_position(position: &Position) -> Option<Self> {
        Some(Self::new(position.clone()))
    }

    fn for_each_move(
        &self,
        tables: &Self::MoveTables,
        mut each: impl FnMut(Move, Successor<Self>),
    ) {
        match (self, &tables.packed) {
            (Self::Packed(packed), Some(tables)) => {
                packed.for_each_move(tables, |mv, successor| {
                    each(
                        mv,
                        Successor {
                            board: Self::Packed(successor.board),
                            banked: successor.banked,
                            same_player: successor.same_player,
                            is_over: successor.is_over,
                        },
                    );
                });
            }
            (Self::Full(position), _) => {
                let houses = position.legal_houses().rev().map(Move::Sow);
                for mv in houses.chain(position.can_swap().then_some(Move::Swap)) {
                    each(mv, Self::successor(position, mv));
                }
            }
            (Self::Packed(_), None) => unreachable!("{PACKED_HAS_TABLES}"),
        }
    }

    fn row_bytes(&self) -> [Self::RowBytes; 2] {
        match self {
            Self::Packed(packed) => packed.row_bytes().map(|row| {
                let mut bytes = [0; House::MAX as usize];
                let packed = row.as_ref();
                bytes[..packed.len()].copy_from_slice(packed);
                bytes
            }),
            Self::Full(position) => {
                let mover = position.to_move();
                [mover, mover.opponent()].map(|side| {
                    let seeds = position.houses_of(side).iter().rev();
                    to_row_bytes(seeds.map(|seeds| seeds.get()))
                })
            }
        }
    }

    fn occupied_counts(&self) -> [i32; 2] {
        match self {
            Self::Packed(packed) => packed.occupied_counts(),
            Self::Full(position) => {
                let mover = position.to_move();
                [mover, mover.opponent()].map(|side| {
                    let row = position.houses_of(side).iter();
                    row.map(|&seeds| i32::from(seeds > SeedCount::ZERO)).sum()
                })
            }
        }
    }

    fn bonus_turn_counts(&self) -> [i32; 2] {
        match self {
            Self::Packed(packed) => packed.bonus_turn_counts(),
            Self::Full(position) => {
                let mover = position.to_move();
                [mover, mover.opponent()].map(|side| {
                    let row = position.houses_of(side).iter().rev();
                    (1..)
                        .zip(row)
                        .map(|(distance, &seeds)| i32::from(seeds.get() == distance))
                        .sum()
                })
            }
        }
    }

    fn is_cacheable(&self) -> bool {
        match self {
            Self::Packed(_) => true,
            // While a swap is possible the gain depends on the stores, and before ply 2 on the ply.
            Self::Full(position) => position.first_plies() == FirstPlies::Later,
        }
    }

    fn key(&self, tables: &Self::MoveTables) -> PositionKey {
        match (self, &tables.packed) {
            (Self::Packed(packed), Some(tables)) => packed.key(tables),
            (Self::Packed(_), None) => unreachable!("{PACKED_HAS_TABLES}"),
            (Self::Full(position), _) => PositionKey::hash_position(position),
        }
    }

    fn packed_rows(&self) -> Option<[u64; 2]> {
        match self {
            Self::Packed(packed) => packed.packed_rows(),
            Self::Full(_) => None,
        }
    }
}
