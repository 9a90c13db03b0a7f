//! Sowing of packed pits by table look-up, without a branch that depends on the board.

use kalah::{FirstPlies, FirstPlyRules, HouseRules, Pit, Rules, SowEffect};

use crate::bytes::sum_bytes;
use crate::lone_sowing::{LoneSowing, MOVER, board_with, captures_alone};
use crate::pits::{MAX_SEEDS, PackedPits, pit_word};

/// The distance in [`PitSowTable::entries`] between two numbers of seeds.
const HOUSE_STRIDE: usize = PackedPits::MAX_HOUSES as usize + 1;

/// The number of entries of a [`PitSowTable`].
const ENTRIES: usize = HOUSE_STRIDE * (MAX_SEEDS as usize + 1);

/// The effect of sowing each house with each number of seeds, for boards of one size under one rule
/// set.
pub struct PitSowTable {
    /// The shift of the byte of the store.
    store_shift: u32,
    /// 255 in the bytes of the houses.
    row_mask: u64,
    /// All ones if an empty row of the opponent does not end the game, otherwise 0.
    other_row_ignored: u64,
    /// The entry of house i + 1 with s seeds has the index s * [`HOUSE_STRIDE`] + i. A house that
    /// the board does not have leaves the board as it is.
    entries: Box<[PitSowEntry; ENTRIES]>,
}

/// The effect of sowing one house before captures and the end of the game.
#[derive(Clone, Copy, Debug, Default)]
struct PitSowEntry {
    /// The addend of the word of the side that sows.
    own: u64,
    /// The addend of the word of the opponent.
    other: u64,
    /// 1 in the byte of the own house in which the last seed falls; 0 if it falls elsewhere.
    last_seed: u64,
    /// 255 in the byte of the house opposite to it; 0 if the last seed falls elsewhere.
    opposite_mask: u64,
    /// The shift of the byte of the opposite house.
    opposite_shift: u8,
    /// 1 if the last seed captures although the opposite house is empty, otherwise 0.
    captures_alone: u8,
    /// Whether the same side sows again: bit 0 for later plies, bit 1 for ply 1.
    bonus_turns: u8,
}

/// The result of a sowing.
pub struct SownPits {
    /// The pits as the next side to move sees them, swept if the game is over.
    pub pits: PackedPits,
    /// The change of the lead of the side that sowed, in seeds, the sweep included.
    pub lead_change: i32,
    /// Whether the other side is to move next.
    pub turn_passes: bool,
    /// Whether the game is over.
    pub is_over: bool,
}

impl PitSowTable {
    /// Builds the table for boards with `houses` houses a side; `None` unless there are 1 to
    /// [`PackedPits::MAX_HOUSES`].
    pub fn new(houses: u8, rules: Rules) -> Option<Self> {
        let Rules {
            // The capture rule is in the entries.
            house_rules:
                house_rules @ HouseRules {
                    ends: _,
                    capture: _,
                },
            // The bonus turn is in the entries too, and a swap sows nothing.
            first_ply_rules:
                FirstPlyRules {
                    first_bonus: _,
                    swap: _,
                },
        } = rules;
        if !(1..=PackedPits::MAX_HOUSES).contains(&houses) {
            return None;
        }
        let houses = u32::from(houses);
        let mut entries = vec![PitSowEntry::default(); ENTRIES].into_boxed_slice();
        for (seeds, entries) in (0..=MAX_SEEDS).zip(entries.chunks_mut(HOUSE_STRIDE)) {
            for (house, entry) in (1..=houses).zip(entries) {
                *entry = PitSowEntry::new(houses, rules, house, seeds);
            }
        }
        // The side to move has a seed and the opponent has none.
        let board = board_with(houses, 1, 1);
        Some(Self {
            store_shift: PackedPits::PIT_BITS * houses,
            row_mask: (1 << (PackedPits::PIT_BITS * houses)) - 1,
            other_row_ignored: if house_rules.is_over(&board, MOVER) {
                0
            } else {
                u64::MAX
            },
            entries: entries.try_into().ok()?,
        })
    }

    /// Returns the houses of a side without its store.
    #[inline]
    pub fn row(&self, word: u64) -> u64 {
        word & self.row_mask
    }

    /// Returns the seeds in the store of a side.
    #[inline]
    pub fn store(&self, word: u64) -> i32 {
        i32::from((word >> self.store_shift).to_le_bytes()[0])
    }

    /// Sows house `house` + 1, with its capture and, at the end of the game, the sweep. The house
    /// must have seeds.
    #[inline]
    pub fn sow(&self, pits: PackedPits, house: usize, is_ply_one: bool) -> SownPits {
        let house = house % HOUSE_STRIDE;
        let seeds = pits.own.to_le_bytes()[house];
        let entry = &self.entries[usize::from(seeds) * HOUSE_STRIDE + house];
        let mut own = pits.own.wrapping_add(entry.own);
        let mut other = pits.other.wrapping_add(entry.other);

        // Captures are computed without a branch, which would be mispredicted.
        let last_mask = entry.last_seed.wrapping_mul(u8::MAX.into());
        let opposite = other & entry.opposite_mask;
        let captures = (own & last_mask == entry.last_seed)
            & (opposite | u64::from(entry.captures_alone) != 0);
        let captures = u64::from(captures);
        let opposite = opposite & captures.wrapping_neg();
        other -= opposite;
        own -= entry.last_seed & captures.wrapping_neg();
        own += ((opposite >> entry.opposite_shift) + captures) << self.store_shift;

        let turn_passes = (entry.bonus_turns >> u8::from(is_ply_one)) & 1 == 0;
        let next = if turn_passes {
            PackedPits {
                own: other,
                other: own,
            }
        } else {
            PackedPits { own, other }
        };
        let is_over = self.row(next.own) == 0 || self.row(next.other) | self.other_row_ignored == 0;
        let mut sown = SownPits {
            pits: next,
            lead_change: self.store(own) - self.store(pits.own),
            turn_passes,
            is_over,
        };
        if is_over {
            sown.lead_change = i32::from(sum_bytes(own))
                - i32::from(sum_bytes(other))
                - (self.store(pits.own) - self.store(pits.other));
            sown.pits = PackedPits {
                own: u64::from(sum_bytes(next.own)) << self.store_shift,
                other: u64::from(sum_bytes(next.other)) << self.store_shift,
            };
        }
        sown
    }
}

impl PitSowEntry {
    /// Computes the effect of sowing `seeds` seeds from a house.
    fn new(houses: u32, rules: Rules, house: u32, seeds: u8) -> Self {
        let sowing = LoneSowing::new(houses, house, seeds);
        let Some(last) = sowing.last else {
            return Self::default();
        };
        let row = |side| {
            (1..=houses).fold(0, |word, house| {
                word | pit_word(house - 1, sowing.seeds(side, house))
            })
        };
        let has_bonus_turn =
            |phase| rules.sow_effect(&sowing.board, MOVER, last, phase) == SowEffect::BonusTurn;
        let own = row(MOVER) | pit_word(houses, sowing.store());
        let mut entry = Self {
            own: own.wrapping_sub(pit_word(house - 1, seeds)),
            other: row(MOVER.opponent()),
            bonus_turns: u8::from(has_bonus_turn(FirstPlies::Later))
                | u8::from(has_bonus_turn(FirstPlies::PlyOne)) << 1,
            ..Self::default()
        };
        if let Pit::House(MOVER, last) = last {
            // House i and the other side's house m + 1 - i are opposite each other.
            let opposite = houses - last;
            entry.last_seed = pit_word(last - 1, 1);
            entry.opposite_mask = pit_word(opposite, u8::MAX);
            entry.opposite_shift =
                u8::try_from(PackedPits::PIT_BITS * opposite).expect("less than 64 bits");
            entry.captures_alone = captures_alone(houses, rules.house_rules).into();
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_cases::cases;
    use kalah::{BySide, Position, Setup, Side};
    use proptest::prelude::*;

    /// The pits of two sides with up to 7 houses and at most 255 seeds: few or many occupied
    /// houses, and now and then nearly all seeds in one house, for laps.
    fn pits() -> impl Strategy<Value = Vec<u64>> {
        let pit = prop_oneof![
            4 => Just(0_u64),
            4 => 0..=3_u64,
            4 => 0..=17_u64,
            1 => 0..=255_u64,
        ];
        (2..=usize::from(PackedPits::MAX_HOUSES) + 1)
            .prop_flat_map(move |pits| prop::collection::vec(pit.clone(), 2 * pits))
            .prop_map(|mut pits| {
                let mut left = u64::from(MAX_SEEDS);
                for seeds in &mut pits {
                    *seeds = (*seeds).min(left);
                    left -= *seeds;
                }
                pits
            })
    }

    proptest! {
        #![proptest_config(cases(2_000))]

        #[test]
        fn sowing_of_pits_matches_that_of_positions(
            pits in pits(),
            to_move in prop::sample::select(Side::ALL.to_vec()),
            first_plies in prop::sample::select(vec![
                FirstPlies::PlyOne,
                FirstPlies::PlyTwo,
                FirstPlies::Later,
            ]),
            preset in prop::sample::select(Rules::PRESETS.to_vec()),
        ) {
            let (south, north) = pits.split_at(pits.len() / 2);
            let houses = south.len() - 1;
            let setup = Setup {
                stores: BySide::new(south[houses], north[houses]),
                rows: BySide::new(south[..houses].to_vec(), north[..houses].to_vec()),
                to_move,
                first_plies,
            };
            let rules = preset.rules;
            let position = setup.position(rules).expect("houses and seeds within the limits");
            check(&position, rules);
        }
    }

    /// Compares every sowing of packed pits with that of the position.
    fn check(position: &Position, rules: Rules) {
        let (pits, turn) = PackedPits::pack(position).expect("small enough");
        let table = PitSowTable::new(position.houses(), rules).expect("small enough");
        let mover = position.to_move();
        let lead_of_mover = |position: &Position| {
            let lead = position.lead().seeds();
            if position.to_move() == mover {
                lead
            } else {
                -lead
            }
        };
        for house in position.legal_houses() {
            let mut next = position.clone();
            next.sow(house).expect("a legal house");
            let index = usize::from(house.number()) - 1;
            let sown = table.sow(pits, index, turn.is_ply_one());
            let message = format!("rules {rules}, house {house} of '{position}'");
            let (next_pits, _) = PackedPits::pack(&next).expect("small enough");
            assert_eq!(sown.pits, next_pits, "{message}");
            assert_eq!(sown.turn_passes, next.to_move() != mover, "{message}");
            assert_eq!(sown.is_over, next.is_over(), "{message}");
            let change = lead_of_mover(&next) - position.lead().seeds();
            assert_eq!(sown.lead_change, change, "{message}");
        }
    }
}
