use kalah::{FirstPlies, Move, Position, SeedCount};

use crate::evaluation::Evaluation;
use crate::houses::SearchBoard;
use crate::key::PositionKey;
use crate::packed::PackedBoard;
use crate::sowings::{SowTable, Successor};
use crate::word::PackedRow;

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
