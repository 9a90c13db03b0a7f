//! Sowing of wide rows by table look-up.

use std::ops::Range;

use kalah::{House, HouseRules, Move, Pit, PitCounts, Position, Side, SowEffect, Variant};

use crate::lone_sowing::{LoneSowing, MOVER, captures_alone};
use crate::sow_table::Successor;
use crate::wide_row::{WideBoard, WideRow};

/// The greatest number of entries of a table, unless a lap alone has more. A table of more entries
/// would take longer to build than short searches take, and would not fit the caches of a core.
const MAX_ENTRIES: usize = 1_024;

/// The effect of sowing each house with each number of seeds, for boards of one size under one rule
/// set past the first plies.
///
/// Unlike [`SowTable`](crate::SowTable), which has an entry for each number of seeds of a board, it
/// has entries for at least a lap, and adds the laps of greater numbers by multiplication.
pub struct WideSowTable<const WORDS: usize> {
    houses: u32,
    /// The house in each lane.
    houses_by_lane: Box<[House]>,
    rules: HouseRules,
    /// The least number of seeds in the opposite house for a capture.
    min_opposite_seeds: u16,
    /// The greatest number of seeds that has entries.
    max_seeds: u16,
    /// For each number of seeds from 0, the entries of all houses from the one next to the store.
    entries: Box<[WideSowEntry<WORDS>]>,
    laps: LapAddends<WORDS>,
    /// For each lane, the row with 65,535 in it.
    lane_masks: Box<[WideRow<WORDS>]>,
}

/// The effect of sowing one house before captures and the end of the game.
#[derive(Clone, Copy)]
struct WideSowEntry<const WORDS: usize> {
    /// Addend of the row of the side that sows.
    own: WideRow<WORDS>,
    /// Addend of the opponent's row.
    other: WideRow<WORDS>,
    /// The seeds in lane `last` before a sowing that captures.
    captures_from: u16,
    /// The lane of the own house in which the last seed falls, or the free lane.
    last: u8,
    /// The lane of the opposite house, or the free lane.
    opposite: u8,
    /// The seeds that fall into the opposite house.
    opposite_gain: u8,
    /// The seeds that fall into the store.
    banked: u8,
    /// Whether the same side sows again.
    bonus_turn: bool,
}

/// The effect of a lap around the board.
struct LapAddends<const WORDS: usize> {
    /// The seeds of a lap.
    seeds: u16,
    /// For each lane, the addend of the row of the side that sows the house in it.
    own: Box<[WideRow<WORDS>]>,
    /// Addend of the opponent's row.
    other: WideRow<WORDS>,
}

/// Wide rows as the rules read a board: the side that sows is [`MOVER`].
struct WideRows<'a, const WORDS: usize> {
    houses: u32,
    board: &'a WideBoard<WORDS>,
}

impl<const WORDS: usize> WideRows<'_, WORDS> {
    #[inline]
    fn row(&self, owner: Side) -> &WideRow<WORDS> {
        if owner == MOVER {
            &self.board.own
        } else {
            &self.board.other
        }
    }
}

impl<const WORDS: usize> PitCounts for WideRows<'_, WORDS> {
    #[inline]
    fn houses(&self) -> u32 {
        self.houses
    }

    #[inline]
    fn in_house(&self, owner: Side, house: u32) -> u64 {
        match self.houses.checked_sub(house) {
            Some(index) if house > 0 => self.row(owner).lane(index as usize).into(),
            _ => 0,
        }
    }

    #[inline]
    fn in_row(&self, owner: Side) -> u64 {
        self.row(owner).total().into()
    }

    #[inline]
    fn is_row_empty(&self, owner: Side) -> bool {
        self.row(owner)
            .words()
            .iter()
            .fold(0, |bits, word| bits | word)
            == 0
    }
}

impl<const WORDS: usize> WideSowTable<WORDS> {
    /// Builds the table for all positions of the game of `position`. `None` if a [`WideRow`] holds
    /// fewer houses.
    pub fn from_position(position: &Position) -> Option<Self> {
        let variant = Variant::from_position(position);
        let (houses, rules) = (variant.houses(), variant.house_rules());
        // `is_over` reads the end rule, and `min_opposite_seeds` has the capture rule.
        let HouseRules {
            ends: _,
            capture: _,
        } = rules;
        if houses > WideRow::<WORDS>::MAX_HOUSES {
            return None;
        }
        let houses_by_lane = House::all(houses).rev().collect();
        let lanes = 0..usize::from(houses);
        let lap = 2 * houses + 1;
        let max_seeds = u8::try_from(MAX_ENTRIES / lanes.len() - 1).unwrap_or(u8::MAX);
        let max_seeds = max_seeds.max(lap);
        let houses = houses.into();
        let entries = (0..=max_seeds)
            .flat_map(|seeds| {
                (0..houses).map(move |lane| WideSowEntry::new(houses, rules, lane, seeds))
            })
            .collect();
        Some(Self {
            houses,
            houses_by_lane,
            rules,
            min_opposite_seeds: u16::from(!captures_alone(houses, rules)),
            max_seeds: max_seeds.into(),
            entries,
            laps: LapAddends::new(lap.into(), lanes),
            lane_masks: (0..WideRow::<WORDS>::LANES.into())
                .map(|lane| WideRow::from_lane(lane, u16::MAX))
                .collect(),
        })
    }

    /// Calls `each` with every legal move and its result, from the house next to the store; there
    /// are none once the game is over.
    #[inline]
    pub fn for_each_move(
        &self,
        board: &WideBoard<WORDS>,
        mut each: impl FnMut(Move, Successor<WideBoard<WORDS>>),
    ) {
        for lane in board.own.occupied_lanes() {
            each(Move::Sow(self.houses_by_lane[lane]), self.sow(board, lane));
        }
    }

    /// Sows the house in lane `lane` with its capture and, at the end of the game, the sweep. The
    /// house must not be empty.
    #[inline]
    pub fn sow(&self, board: &WideBoard<WORDS>, lane: usize) -> Successor<WideBoard<WORDS>> {
        let seeds = board.own.lane(lane);
        let laps = self.laps.beyond(seeds, self.max_seeds);
        let entry_seeds = usize::from(seeds - laps * self.laps.seeds);
        let entry = &self.entries[entry_seeds * self.houses as usize + lane];

        // Captures are computed without a branch, which would be mispredicted, and from the seeds
        // before the sowing: the processor waits if it reads a lane of a word that it is writing.
        let (last, opposite) = (usize::from(entry.last), usize::from(entry.opposite));
        let opposite_seeds = board.other.lane(opposite) + u16::from(entry.opposite_gain);
        let can_capture = board.own.lane(last) == entry.captures_from;
        let captures = laps == 0 && can_capture && opposite_seeds >= self.min_opposite_seeds;
        let last_captured = u16::from(captures);
        let opposite_captured = opposite_seeds * last_captured;
        let (last_mask, opposite_mask) = (&self.lane_masks[last], &self.lane_masks[opposite]);
        let mut own = board.own.plus_minus(&entry.own, last_captured, last_mask);
        let mut other = (board.other).plus_minus(&entry.other, opposite_captured, opposite_mask);
        let mut banked =
            i32::from(entry.banked) + i32::from(last_captured) + i32::from(opposite_captured);
        if laps > 0 {
            own = own.plus_times(laps.into(), &self.laps.own[lane]);
            other = other.plus_times(laps.into(), &self.laps.other);
            banked += i32::from(laps);
        }

        let same_player = entry.bonus_turn;
        let mut next = WideBoard { own, other };
        next.swap_rows_if(!same_player);
        // From here on the rows are those of the next side to move.
        let pits = WideRows {
            houses: self.houses,
            board: &next,
        };
        let is_over = self.rules.is_over(&pits, MOVER);
        if is_over {
            let swept = i32::from(next.own.total()) - i32::from(next.other.total());
            banked += if same_player { swept } else { -swept };
            next = WideBoard::EMPTY;
        }
        Successor {
            board: next,
            banked,
            same_player,
            is_over,
        }
    }
}

impl<const WORDS: usize> LapAddends<WORDS> {
    fn new(seeds: u16, lanes: Range<usize>) -> Self {
        let other = WideRow::from_lanes(lanes.clone().map(|_| 1));
        let own = lanes.map(|lane| other.minus(&WideRow::from_lane(lane, seeds)));
        Self {
            seeds,
            own: own.collect(),
            other,
        }
    }

    /// Returns the least number of laps after which at most `max_seeds` of `seeds` seeds are left.
    #[inline]
    fn beyond(&self, seeds: u16, max_seeds: u16) -> u16 {
        if seeds <= max_seeds {
            0
        } else {
            (seeds - max_seeds).div_ceil(self.seeds)
        }
    }
}

impl<const WORDS: usize> WideSowEntry<WORDS> {
    /// Computes the effect of sowing `seeds` seeds from the house in lane `lane`.
    fn new(houses: u32, rules: HouseRules, lane: u32, seeds: u8) -> Self {
        let sowing = LoneSowing::new(houses, houses - lane, seeds);
        let row = |side| {
            let houses = (1..=houses).rev();
            WideRow::from_lanes(houses.map(|house| sowing.seeds(side, house).into()))
        };
        let lane_of = |house: u32| u8::try_from(houses - house).expect("at most 26 houses");
        let free_lane = WideRow::<WORDS>::MAX_HOUSES;
        let mut entry = Self {
            own: row(MOVER).minus(&WideRow::from_lane(lane as usize, seeds.into())),
            other: row(MOVER.opponent()),
            // The free lane never has a seed.
            captures_from: 1,
            last: free_lane,
            opposite: free_lane,
            opposite_gain: 0,
            banked: sowing.store(),
            bonus_turn: false,
        };
        let Some(last) = sowing.last else {
            return entry;
        };
        entry.bonus_turn = rules.sow_effect(&sowing.board, MOVER, last) == SowEffect::BonusTurn;
        // A house that gets more than one seed cannot end with one.
        if let Pit::House(MOVER, house) = last
            && sowing.seeds(MOVER, house) == 1
        {
            let opposite = houses - house + 1;
            entry.last = lane_of(house);
            entry.opposite = lane_of(opposite);
            entry.opposite_gain = sowing.seeds(MOVER.opponent(), opposite);
            // A lap returns to the house that was sown, which is empty then.
            entry.captures_from = if u32::from(entry.last) == lane {
                seeds.into()
            } else {
                0
            };
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_cases::{cases, expected_sowing};
    use kalah::{BySide, FirstPlies, Rules, SeedCount, Setup};
    use proptest::prelude::*;

    /// Rows of equal length with at most 65,535 seeds together: few or many occupied houses, and
    /// now and then many seeds in one house, for laps.
    fn rows() -> impl Strategy<Value = BySide<Vec<u64>>> {
        let house = prop_oneof![
            6 => Just(0_u64),
            4 => 0..=3_u64,
            4 => 0..=60_u64,
            1 => 0..=300_u64,
            1 => 0..=u64::from(SeedCount::MAX),
        ];
        (1..=usize::from(House::MAX))
            .prop_flat_map(move |houses| prop::collection::vec(house.clone(), 2 * houses))
            .prop_map(|mut both| {
                let mut left = SeedCount::MAX.into();
                for seeds in &mut both {
                    *seeds = (*seeds).min(left);
                    left -= *seeds;
                }
                let north = both.split_off(both.len() / 2);
                BySide::new(both, north)
            })
    }

    /// The plies of a game that is played at random. A few execute all code under Miri.
    const GAME_PLIES: usize = if cfg!(miri) { 4 } else { 200 };

    fn any_rules() -> impl Strategy<Value = Rules> {
        prop::sample::select(Rules::PRESETS.map(|preset| preset.rules).to_vec())
    }

    /// Compares every sowing of a wide board with that of the position, past the first plies.
    fn check<const WORDS: usize>(table: &WideSowTable<WORDS>, position: &Position) {
        let board = WideBoard::<WORDS>::from_position(position).expect("short enough");
        let mut sowings = Vec::new();
        table.for_each_move(&board, |mv, successor| sowings.push((mv, successor)));
        let expected: Vec<_> = (position.legal_houses().rev())
            .map(|house| {
                let successor = expected_sowing(position, house, WideBoard::from_position);
                (Move::Sow(house), successor)
            })
            .collect();
        assert_eq!(sowings, expected, "{} '{position}'", position.rules());
    }

    /// The tables of all widths that the rows of a game fit.
    struct Tables(Option<WideSowTable<4>>, WideSowTable<8>);

    impl Tables {
        fn new(position: &Position) -> Self {
            let table = WideSowTable::from_position(position);
            Self(WideSowTable::from_position(position), table.unwrap())
        }

        fn check(&self, position: &Position) {
            self.0.iter().for_each(|table| check(table, position));
            check(&self.1, position);
        }
    }

    /// Plays a game by the numbers of `moves`, and compares all moves of each position.
    fn check_game(start: &Position, moves: &[usize]) {
        let tables = Tables::new(start);
        let mut position = start.clone();
        for number in moves {
            if position.first_plies() == FirstPlies::Later {
                tables.check(&position);
            }
            let legal: Vec<_> = position.legal_moves().collect();
            if legal.is_empty() {
                break;
            }
            position.play(legal[number % legal.len()]).unwrap();
        }
    }

    proptest! {
        #![proptest_config(cases(1_000))]

        #[test]
        fn wide_sowing_matches_position_sowing(
            rows in rows(),
            to_move in prop::sample::select(Side::ALL.to_vec()),
            rules in any_rules(),
        ) {
            let setup = Setup {
                stores: BySide::new(0, 0),
                rows,
                to_move,
                first_plies: FirstPlies::Later,
            };
            let position = setup.position(rules).unwrap();
            Tables::new(&position).check(&position);
        }
    }

    proptest! {
        #![proptest_config(cases(100))]

        #[test]
        fn wide_sowing_matches_position_sowing_in_games(
            houses in 1..=House::MAX,
            seeds in prop_oneof![1..=30_u64, 1..=1_260_u64],
            rules in any_rules(),
            moves in prop::collection::vec(any::<usize>(), GAME_PLIES),
        ) {
            let start = Position::start(houses, seeds, rules).unwrap();
            check_game(&start, &moves);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow, and the code is that of the other tests")]
    fn sowing_of_any_number_of_seeds_matches() {
        let counts = (1..600).chain((600..=65_000).step_by(977));
        for houses in [1, 2, 6, 12, 15, 16, 26] {
            for preset in Rules::PRESETS {
                let position = |lane: usize, seeds| {
                    let mut south = vec![0; houses];
                    south[lane] = seeds;
                    let setup = Setup {
                        stores: BySide::new(0, 0),
                        rows: BySide::new(south, vec![1; houses]),
                        to_move: Side::South,
                        first_plies: FirstPlies::Later,
                    };
                    setup.position(preset.rules).unwrap()
                };
                let tables = Tables::new(&position(0, 1));
                for seeds in counts.clone() {
                    for lane in [0, houses / 2, houses - 1] {
                        tables.check(&position(lane, seeds));
                    }
                }
            }
        }
    }
}
