//! The board as the search sees it.

use kalah::{FirstPlies, Move, Position, SeedCount};

use super::evaluation::Evaluation;
use super::key::PositionKey;
use super::packed::{PackedBoard, PackedRow};
use super::sow_table::{SowTable, Successor};

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

/// The houses of any position: packed where they can be, and a whole position where they cannot.
///
/// A game that begins with a swap to choose, or with more than 255 seeds, can be packed later on.
#[derive(Clone)]
pub(crate) enum GenericBoard<W> {
    Packed(PackedBoard<W>),
    /// Not over.
    Full(Box<Position>),
}

/// What the positions of any game have in common.
pub(crate) struct GenericSowTable<W> {
    /// How its packed positions are sown, if any are.
    packed: Option<SowTable<W>>,
}

impl<W: PackedRow> GenericBoard<W> {
    /// What comes of a legal choice.
    fn successor(position: &Position, choice: Move) -> Successor<Self> {
        let mut next = position.clone();
        let legal = next.play(choice).is_ok();
        debug_assert!(legal, "only legal choices are searched");
        let before = position.lead().seeds();
        let same_side = next.to_move() == position.to_move();
        let (banked, same_player) = match choice {
            // The mover's margin afterwards is the other player's turned round, stores included.
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
        match PackedBoard::from_position(&position) {
            Some(packed) => Self::Packed(packed),
            None => Self::Full(Box::new(position)),
        }
    }
}

impl<W: PackedRow> SearchBoard for GenericBoard<W> {
    type MoveTables = GenericSowTable<W>;

    fn move_tables(position: &Position) -> Option<Self::MoveTables> {
        Some(GenericSowTable {
            packed: SowTable::from_position(position),
        })
    }

    fn from_position(position: &Position) -> Option<Self> {
        Some(Self::new(position.clone()))
    }

    fn for_each_move(&self, game: &Self::MoveTables, mut each: impl FnMut(Move, Successor<Self>)) {
        match (self, &game.packed) {
            (Self::Packed(packed), Some(sowings)) => {
                sowings.for_each_move(*packed, |choice, sown| {
                    each(
                        choice,
                        Successor {
                            board: Self::Packed(sown.board),
                            banked: sown.banked,
                            same_player: sown.same_player,
                            is_over: sown.is_over,
                        },
                    );
                });
            }
            (Self::Full(position), _) => {
                let houses = position.legal_houses().rev().map(Move::Sow);
                for choice in houses.chain(position.can_swap().then_some(Move::Swap)) {
                    each(choice, Self::successor(position, choice));
                }
            }
            (Self::Packed(_), None) => unreachable!("what is packed can be sown"),
        }
    }

    fn evaluation(&self) -> Evaluation {
        match self {
            Self::Packed(packed) => packed.evaluation(),
            Self::Full(position) => Evaluation::from_position(position),
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
            // With a swap to choose, the stores matter too, and with ply 1 to make, what it is.
            Self::Full(position) => position.first_plies() == FirstPlies::Later,
        }
    }

    fn key(&self, game: &Self::MoveTables) -> PositionKey {
        match (self, &game.packed) {
            (Self::Packed(packed), Some(sowings)) => packed.key(sowings),
            (Self::Packed(packed), None) => PositionKey::hash(*packed),
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
