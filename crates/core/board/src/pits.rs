//! Boards with their stores in one word a side, and their conversion from and to positions.

use kalah::{BySide, FirstPlies, Position, Rules, SeedCount, Setup, Side};

use crate::bytes::nonzero_bytes;

const _: () = assert!((PackedPits::MAX_HOUSES as u32 + 1) * PackedPits::PIT_BITS == u64::BITS);

/// The maximum number of seeds, stores included: sums of any pits fit into a byte.
pub(crate) const MAX_SEEDS: u8 = u8::MAX;

/// The factor that moves the lowest bit of byte i to bit 56 + i, for each i. No two products of
/// single bits fall on the same bit, so nothing is carried.
const GATHER_BITS: u64 = 0x0102_0408_1020_4080;

/// The pits of a board with at most [`PackedPits::MAX_HOUSES`] houses a side and 255 seeds, as the
/// side to move sees them.
///
/// Byte i of a word, from the lowest, is house i + 1, and the byte after the last house is the
/// store. The bytes above it are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPits {
    /// The pits of the side to move.
    pub own: u64,
    /// The pits of the opponent.
    pub other: u64,
}

/// The side to move and the phase of a game, in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnFlags(u8);

impl TurnFlags {
    const NORTH_TO_MOVE: u8 = 1;
    const PLY_ONE: u8 = 2;
    const PLY_TWO: u8 = 4;

    /// Returns the flags of a phase in which `to_move` is to move.
    pub fn new(to_move: Side, first_plies: FirstPlies) -> Self {
        let side = match to_move {
            Side::South => 0,
            Side::North => Self::NORTH_TO_MOVE,
        };
        let phase = match first_plies {
            FirstPlies::PlyOne => Self::PLY_ONE,
            FirstPlies::PlyTwo => Self::PLY_TWO,
            FirstPlies::Later => 0,
        };
        Self(side | phase)
    }

    /// Returns 0 if South is to move, and 1 if North is.
    #[inline]
    pub fn side_index(self) -> u8 {
        self.0 & Self::NORTH_TO_MOVE
    }

    /// Returns whether ply 1 is next and the rules treat it differently from later plies.
    #[inline]
    pub fn is_ply_one(self) -> bool {
        self.0 & Self::PLY_ONE != 0
    }

    /// Returns whether ply 2 is next and the rules treat it differently from later plies.
    #[inline]
    pub fn is_ply_two(self) -> bool {
        self.0 & Self::PLY_TWO != 0
    }

    /// Returns the flags of a later ply, of the other side if `turn_passes`.
    #[inline]
    #[must_use]
    pub fn later(self, turn_passes: bool) -> Self {
        Self(self.side_index() ^ u8::from(turn_passes))
    }

    /// Returns the flags at ply 2 of the same side.
    #[inline]
    #[must_use]
    pub fn ply_two(self) -> Self {
        Self(self.side_index() | Self::PLY_TWO)
    }

    fn to_move(self) -> Side {
        match self.side_index() {
            0 => Side::South,
            _ => Side::North,
        }
    }

    fn first_plies(self) -> FirstPlies {
        if self.is_ply_one() {
            FirstPlies::PlyOne
        } else if self.is_ply_two() {
            FirstPlies::PlyTwo
        } else {
            FirstPlies::Later
        }
    }
}

/// Returns a byte whose bit i says whether byte i of `word` is not 0.
#[inline]
pub fn occupied_pits(word: u64) -> u8 {
    ((nonzero_bytes(word) >> 7).wrapping_mul(GATHER_BITS) >> 56) as u8
}

/// Returns the word with `seeds` in byte `index`.
#[inline]
pub(crate) fn pit_word(index: u32, seeds: u8) -> u64 {
    u64::from(seeds) << (PackedPits::PIT_BITS * index)
}

impl PackedPits {
    /// The number of bits of a pit in a word.
    pub const PIT_BITS: u32 = u8::BITS;

    /// The maximum number of houses a side: a word has one byte for each and one for the store.
    pub const MAX_HOUSES: u8 = 7;

    /// Packs the pits and the flags of a position; `None` if it has more than [`Self::MAX_HOUSES`]
    /// houses a side or more than 255 seeds, stores included.
    pub fn pack(position: &Position) -> Option<(Self, TurnFlags)> {
        if position.houses() > Self::MAX_HOUSES || position.total().get() > MAX_SEEDS.into() {
            return None;
        }
        let word = |side| {
            let pits = (position.houses_of(side).iter().copied()).chain([position.store(side)]);
            (0..)
                .zip(pits.map(SeedCount::get))
                .try_fold(0, |word, (index, seeds)| {
                    Some(word | pit_word(index, u8::try_from(seeds).ok()?))
                })
        };
        let to_move = position.to_move();
        let pits = Self {
            own: word(to_move)?,
            other: word(to_move.opponent())?,
        };
        Some((pits, TurnFlags::new(to_move, position.first_plies())))
    }

    /// Returns the position that [`Self::pack`] packs.
    ///
    /// # Panics
    /// If there are no houses, or more than [`Self::MAX_HOUSES`].
    pub fn unpack(self, turn: TurnFlags, houses: u8, rules: Rules) -> Position {
        let to_move = turn.to_move();
        let word = |side| {
            if side == to_move {
                self.own
            } else {
                self.other
            }
        };
        let bytes = BySide::from_fn(|side| word(side).to_le_bytes().map(u64::from));
        let setup = Setup {
            stores: BySide::from_fn(|side| bytes[side][usize::from(houses)]),
            rows: BySide::from_fn(|side| bytes[side][..usize::from(houses)].to_vec()),
            to_move,
            first_plies: turn.first_plies(),
        };
        let position = setup.position(rules);
        position.expect("packed boards have 1 to 7 houses a side and at most 255 seeds")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_cases::cases;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn occupied_pits_are_those_with_seeds(bytes in prop::array::uniform8(
            prop_oneof![Just(0_u8), any::<u8>()]
        )) {
            let occupied = occupied_pits(u64::from_le_bytes(bytes));
            for (index, byte) in bytes.into_iter().enumerate() {
                prop_assert_eq!(occupied >> index & 1 == 1, byte != 0);
            }
        }
    }

    #[test]
    fn unpacked_positions_are_those_that_were_packed() {
        for text in [
            "6x4",
            "7x18",
            "<1,3,4,200,1> n",
            "<2,0,1,2,2,2,1> n ply=2",
            "6x4 n",
        ] {
            for preset in Rules::PRESETS {
                let position = text
                    .parse::<Setup>()
                    .unwrap()
                    .position(preset.rules)
                    .unwrap();
                let (pits, turn) = PackedPits::pack(&position).unwrap();
                let unpacked = pits.unpack(turn, position.houses(), preset.rules);
                assert_eq!(unpacked, position);
            }
        }
    }

    #[test]
    fn larger_positions_are_not_packed() {
        for text in ["8x1", "7x19", "<1,255,0,0,1> s"] {
            let position = text
                .parse::<Setup>()
                .unwrap()
                .position(Rules::CS32)
                .unwrap();
            assert_eq!(PackedPits::pack(&position), None, "{text}");
        }
    }
}
