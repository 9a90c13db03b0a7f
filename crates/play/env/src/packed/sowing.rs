//! Sowing of packed boards by table look-up.

use kalah::{
    Board, FirstPlies, FirstPlyRules, HouseRules, Pit, PitCounts as _, Rules, Side, SowEffect,
};

use super::board::{MAX_HOUSES, MAX_SEEDS, PIT_BITS, PackedPits, pit_word, sum_pits};

/// The distance in [`SowingTable::entries`] between two numbers of seeds.
const HOUSE_STRIDE: usize = MAX_HOUSES as usize + 1;

/// The number of entries of a [`SowingTable`].
const ENTRIES: usize = HOUSE_STRIDE * (MAX_SEEDS as usize + 1);

/// The side that sows: packed boards are seen from the side to move, whichever it is.
const MOVER: Side = Side::South;

/// The effect of sowing each house with each number of seeds, for boards of one size under one rule
/// set.
pub(crate) struct SowingTable {
    /// The shift of the byte of the store.
    store_shift: u32,
    /// 255 in the bytes of the houses.
    row_mask: u64,
    /// All ones if an empty row of the opponent does not end the game, otherwise 0.
    other_row_ignored: u64,
    /// The entry of house i + 1 with s seeds has the index s * [`HOUSE_STRIDE`] + i. A house that
    /// the board does not have leaves the board as it is.
    entries: Box<[SowingEntry; ENTRIES]>,
}

/// The effect of sowing one house before captures and the end of the game.
#[derive(Clone, Copy, Debug, Default)]
struct SowingEntry {
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
pub(crate) struct Sown {
    /// The pits as the next side to move sees them, swept if the game is over.
    pub(crate) pits: PackedPits,
    /// The change of the lead of the side that sowed, in seeds, the sweep included.
    pub(crate) lead_change: i32,
    /// Whether the other side is to move next.
    pub(crate) turn_passes: bool,
    /// Whether the game is over.
    pub(crate) is_over: bool,
}

impl SowingTable {
    /// Creates the table for boards with `houses` houses a side, at most [`MAX_HOUSES`].
    pub(crate) fn new(houses: u8, rules: Rules) -> Self {
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
        let houses = u32::from(houses);
        let mut entries = vec![SowingEntry::default(); ENTRIES].into_boxed_slice();
        for (seeds, entries) in (0..=MAX_SEEDS).zip(entries.chunks_mut(HOUSE_STRIDE)) {
            for (house, entry) in (1..=houses).zip(entries) {
                *entry = SowingEntry::new(houses, rules, house, seeds);
            }
        }
        // The side to move has a seed and the opponent has none.
        let mut board = empty_board(houses);
        set_seeds(&mut board, 1, 1);
        Self {
            store_shift: PIT_BITS * houses,
            row_mask: (1 << (PIT_BITS * houses)) - 1,
            other_row_ignored: if house_rules.is_over(&board, MOVER) {
                0
            } else {
                u64::MAX
            },
            entries: entries.try_into().expect("the table has this length"),
        }
    }

    /// Returns the houses of a side without its store.
    #[inline]
    pub(crate) fn row(&self, word: u64) -> u64 {
        word & self.row_mask
    }

    /// Returns the seeds in the store of a side.
    #[inline]
    pub(crate) fn store(&self, word: u64) -> i32 {
        i32::from((word >> self.store_shift).to_le_bytes()[0])
    }

    /// Sows house `house` + 1, with its capture and, at the end of the game, the sweep. The house
    /// must have seeds.
    #[inline]
    pub(crate) fn sow(&self, pits: PackedPits, house: usize, is_ply_one: bool) -> Sown {
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
        let mut sown = Sown {
            pits: next,
            lead_change: self.store(own) - self.store(pits.own),
            turn_passes,
            is_over,
        };
        if is_over {
            sown.lead_change = i32::from(sum_pits(own))
                - i32::from(sum_pits(other))
                - (self.store(pits.own) - self.store(pits.other));
            sown.pits = PackedPits {
                own: u64::from(sum_pits(next.own)) << self.store_shift,
                other: u64::from(sum_pits(next.other)) << self.store_shift,
            };
        }
        sown
    }
}

const FITS: &str = "7 houses and 255 seeds fit a board";

fn empty_board(houses: u32) -> Board {
    Board::new(houses, 0).expect(FITS)
}

fn set_seeds(board: &mut Board, house: u32, seeds: u8) {
    board.set_house(MOVER, house, seeds.into()).expect(FITS);
}

impl SowingEntry {
    /// Computes the effect of sowing `seeds` seeds from a house by [`Board::sow`] and
    /// [`Rules::sow_effect`].
    fn new(houses: u32, rules: Rules, house: u32, seeds: u8) -> Self {
        let mut board = empty_board(houses);
        set_seeds(&mut board, house, seeds);
        let Some(last) = board.sow(MOVER, house) else {
            return Self::default();
        };
        let byte = |seeds: u64| u8::try_from(seeds).expect(FITS);
        let row = |side| {
            (1..=houses).fold(0, |word, house| {
                word | pit_word(house - 1, byte(board.in_house(side, house)))
            })
        };
        let store = pit_word(houses, byte(board.store(MOVER)));
        let has_bonus_turn =
            |phase| rules.sow_effect(&board, MOVER, last, phase) == SowEffect::BonusTurn;
        let mut entry = Self {
            own: (row(MOVER) | store).wrapping_sub(pit_word(house - 1, seeds)),
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
            entry.opposite_shift = byte((PIT_BITS * opposite).into());
            entry.captures_alone = captures_alone(houses, rules.house_rules, last).into();
        }
        entry
    }
}

/// Returns whether a last seed in `house`, which was empty, captures although the opposite house is
/// empty.
fn captures_alone(houses: u32, rules: HouseRules, house: u32) -> bool {
    let mut board = empty_board(houses);
    set_seeds(&mut board, house, 1);
    let effect = rules.sow_effect(&board, MOVER, Pit::House(MOVER, house));
    matches!(effect, SowEffect::Capture(_))
}
