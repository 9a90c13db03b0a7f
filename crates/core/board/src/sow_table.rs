//! Sowing of packed rows by table look-up.

use kalah::{House, HouseRules, Move, Pit, PitCounts, Position, Side, SowEffect, Variant};

use crate::lone_sowing::{LoneSowing, MOVER, captures_alone};
use crate::row::{PackedBoard, PackedRow};

/// The effect of sowing each house with each number of seeds, for boards of one size under one rule
/// set past the first plies.
pub struct SowTable<W> {
    houses: u32,
    /// The house in each byte.
    houses_by_byte: Box<[House]>,
    rules: HouseRules,
    /// The least number of seeds in the opposite house for a capture.
    min_opposite_seeds: u8,
    /// For each number of seeds from 0, the entries of all houses from the one next to the store.
    entries: Box<[SowEntry<W>]>,
}

/// The effect of sowing one house before captures and the end of the game.
#[derive(Clone, Copy)]
struct SowEntry<W> {
    /// Addend of the row of the side that sows.
    own: W,
    /// Addend of the opponent's row.
    other: W,
    /// The seeds that fall into the store.
    banked: u8,
    /// The byte of the own house in which the last seed falls, or the free byte.
    last_byte: u8,
    /// The byte of the opposite house, or the free byte.
    opposite_byte: u8,
    /// Whether the same side sows again.
    bonus_turn: bool,
}

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor<P> {
    /// The houses as the next side to move sees them; empty once the game is over.
    pub board: P,
    /// The increase of the difference between the mover's store and the opponent's, with the seeds
    /// that the end of the game moves into the stores.
    pub banked: i32,
    /// Whether the same player moves again.
    pub same_player: bool,
    /// Whether the game is over.
    pub is_over: bool,
}

/// Packed rows as the rules read a board: the side that sows is [`MOVER`].
struct PackedRows<W> {
    houses: u32,
    own: W,
    other: W,
}

impl<W: PackedRow> PackedRows<W> {
    #[inline]
    fn row(&self, owner: Side) -> W {
        if owner == MOVER { self.own } else { self.other }
    }
}

impl<W: PackedRow> PitCounts for PackedRows<W> {
    #[inline]
    fn houses(&self) -> u32 {
        self.houses
    }

    #[inline]
    fn in_house(&self, owner: Side, house: u32) -> u64 {
        match self.houses.checked_sub(house) {
            Some(index) if house > 0 => self.row(owner).byte(index).into(),
            _ => 0,
        }
    }

    #[inline]
    fn in_row(&self, owner: Side) -> u64 {
        self.row(owner).total().into()
    }

    #[inline]
    fn is_row_empty(&self, owner: Side) -> bool {
        self.row(owner) == W::EMPTY
    }
}

impl<W: PackedRow> SowTable<W> {
    /// Builds the table of `variant`, for up to `max_seeds` seeds a house. `None` if a word holds
    /// fewer houses than `variant` has.
    pub fn new(variant: Variant, max_seeds: u8) -> Option<Self> {
        let (houses, rules) = (variant.houses(), variant.house_rules());
        // `is_over` reads the end rule, and `min_opposite_seeds` has the capture rule.
        let HouseRules {
            ends: _,
            capture: _,
        } = rules;
        if !(1..=W::MAX_HOUSES).contains(&houses) {
            return None;
        }
        let houses_by_byte = House::all(houses).rev().collect();
        let houses = houses.into();
        let entries = (0..=max_seeds)
            .flat_map(|seeds| {
                (0..houses).map(move |index| SowEntry::new(houses, rules, index, seeds))
            })
            .collect();
        Some(Self {
            houses,
            houses_by_byte,
            rules,
            min_opposite_seeds: u8::from(!captures_alone(houses, rules)),
            entries,
        })
    }

    /// Builds the table for all packable positions of the game of `position`. `None` if its rows
    /// are too long.
    pub fn from_position(position: &Position) -> Option<Self> {
        let max_seeds = u8::try_from(position.seeds_in_play().get()).unwrap_or(u8::MAX);
        Self::new(Variant::from_position(position), max_seeds)
    }

    /// Houses a side.
    #[inline]
    pub fn houses(&self) -> u32 {
        self.houses
    }

    /// Returns the house in a byte.
    #[inline]
    pub fn house_at(&self, index: u32) -> House {
        self.houses_by_byte[index as usize]
    }

    /// Calls `each` with every legal move and its result, from the house next to the store; there
    /// are none once the game is over.
    #[inline]
    pub fn for_each_move(
        &self,
        board: PackedBoard<W>,
        mut each: impl FnMut(Move, Successor<PackedBoard<W>>),
    ) {
        for index in board.own.occupied_bytes() {
            each(Move::Sow(self.house_at(index)), self.sow(board, index));
        }
    }

    /// Sows the house in byte `index` with its capture and, at the end of the game, the sweep. The
    /// house must not be empty.
    #[inline]
    pub fn sow(&self, board: PackedBoard<W>, index: u32) -> Successor<PackedBoard<W>> {
        let seeds = board.own.byte(index);
        let entry_index = u32::from(seeds) * self.houses + index;
        let entry = &self.entries[entry_index as usize];
        let mut own = board.own.plus(entry.own);
        let mut other = board.other.plus(entry.other);
        let mut banked = i32::from(entry.banked);

        // Captures are computed without a branch, which would be mispredicted.
        let opposite_seeds = other.byte(entry.opposite_byte.into());
        let captures =
            own.byte(entry.last_byte.into()) == 1 && opposite_seeds >= self.min_opposite_seeds;
        let capture_mask = if captures { u8::MAX } else { 0 };
        banked += i32::from(1 & capture_mask) + i32::from(opposite_seeds & capture_mask);
        own = own.minus(W::from_byte(entry.last_byte.into(), 1 & capture_mask));
        other = other.minus(W::from_byte(
            entry.opposite_byte.into(),
            opposite_seeds & capture_mask,
        ));

        let same_player = entry.bonus_turn;
        let (own, other) = if same_player {
            (own, other)
        } else {
            (other, own)
        };
        // From here on the rows are those of the next side to move.
        let pits = PackedRows {
            houses: self.houses,
            own,
            other,
        };
        let is_over = self.rules.is_over(&pits, MOVER);
        let mut next = PackedBoard { own, other };
        if is_over {
            let swept = i32::from(own.total()) - i32::from(other.total());
            banked += if same_player { swept } else { -swept };
            next = PackedBoard {
                own: W::EMPTY,
                other: W::EMPTY,
            };
        }
        Successor {
            board: next,
            banked,
            same_player,
            is_over,
        }
    }
}

impl<W: PackedRow> SowEntry<W> {
    /// Computes the effect of sowing `seeds` seeds from the house in byte `index`.
    fn new(houses: u32, rules: HouseRules, index: u32, seeds: u8) -> Self {
        let sowing = LoneSowing::new(houses, houses - index, seeds);
        let row = |side| {
            (0..houses).fold(W::EMPTY, |row, index| {
                row.plus(W::from_byte(index, sowing.seeds(side, houses - index)))
            })
        };
        let byte = |house: u32| u8::try_from(houses - house).expect("at most 15 houses");
        let (last_byte, opposite_byte) = match sowing.last {
            // The opposite house of house 1 is house m, and so on.
            Some(Pit::House(MOVER, house)) => (byte(house), byte(houses - house + 1)),
            _ => (W::MAX_HOUSES, W::MAX_HOUSES),
        };
        let effect = (sowing.last).map(|last| rules.sow_effect(&sowing.board, MOVER, last));
        Self {
            own: row(MOVER).minus(W::from_byte(index, seeds)),
            other: row(MOVER.opponent()),
            banked: sowing.store(),
            last_byte,
            opposite_byte,
            bonus_turn: effect == Some(SowEffect::BonusTurn),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_cases::{cases, expected_sowing};
    use kalah::{BySide, FirstPlies, Rules, Setup};
    use proptest::prelude::*;

    /// Rows of equal length with at most 255 seeds together: few or many occupied houses, and now
    /// and then nearly all seeds in one house, for laps.
    fn rows(max_houses: usize) -> impl Strategy<Value = (Vec<u64>, Vec<u64>)> {
        let house = prop_oneof![
            4 => Just(0_u64),
            4 => 0..=3_u64,
            4 => 0..=17_u64,
            1 => 0..=255_u64,
        ];
        (1..=max_houses)
            .prop_flat_map(move |houses| prop::collection::vec(house.clone(), 2 * houses))
            .prop_map(|mut both| {
                let mut left = 255;
                for seeds in &mut both {
                    *seeds = (*seeds).min(left);
                    left -= *seeds;
                }
                let other = both.split_off(both.len() / 2);
                (both, other)
            })
            // Let either row be the one that ran out of seeds.
            .prop_flat_map(|(a, b)| {
                any::<bool>().prop_map(move |turn| {
                    if turn {
                        (b.clone(), a.clone())
                    } else {
                        (a.clone(), b.clone())
                    }
                })
            })
    }

    fn any_rules() -> impl Strategy<Value = Rules> {
        prop::sample::select(Rules::PRESETS.map(|preset| preset.rules).to_vec())
    }

    /// Compares every sowing of a packed board with that of the position.
    fn check<W: PackedRow>(position: &Position) {
        let board = PackedBoard::<W>::from_position(position).expect("small enough");
        let sow_table = SowTable::<W>::from_position(position).expect("small enough");
        let legal: Vec<_> = position.legal_houses().collect();
        let occupied = board.own.occupied_bytes();
        let mut occupied: Vec<_> = occupied.map(|index| sow_table.house_at(index)).collect();
        occupied.reverse();
        assert_eq!(occupied, legal, "{position}");
        for house in legal {
            let expected = expected_sowing(position, house, PackedBoard::from_position);
            let index = sow_table.houses() - u32::from(house.number());
            let rules = position.rules();
            assert_eq!(
                sow_table.sow(board, index),
                expected,
                "rules {rules}, house {house} of '{position}'"
            );
        }
    }

    proptest! {
        #![proptest_config(cases(2_000))]

        #[test]
        fn packed_sowing_matches_position_sowing(
            (south, north) in rows(usize::from(u128::MAX_HOUSES)),
            to_move in prop::sample::select(Side::ALL.to_vec()),
            rules in any_rules(),
        ) {
            let setup = Setup {
                stores: BySide::new(3, 1),
                rows: BySide::new(south, north),
                to_move,
                first_plies: FirstPlies::Later,
            };
            let position = setup.position(rules).unwrap();
            check::<u128>(&position);
            if position.houses() <= u64::MAX_HOUSES {
                check::<u64>(&position);
            }
        }
    }
    #[test]
    fn packed_rows_belong_to_their_sides() {
        let row = |seeds: [u8; 2]| {
            let [first, second] = seeds;
            u64::from_byte(1, first).plus(u64::from_byte(0, second))
        };
        let rows = PackedRows {
            houses: 2,
            own: row([1, 2]),
            other: row([4, 8]),
        };
        for (side, seeds) in [(MOVER, [1, 2]), (MOVER.opponent(), [4, 8])] {
            assert_eq!([1, 2].map(|house| rows.in_house(side, house)), seeds);
            assert_eq!([0, 3].map(|house| rows.in_house(side, house)), [0, 0]);
            assert_eq!(rows.in_row(side), seeds.iter().sum::<u64>());
        }
    }
}
