//! Exact values of positions with few seeds, computed by plain minimax and kept.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a table fits into the memory, and its gains into a byte"
)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicUsize, Ordering};

use super::board::BoardRules;
use super::numbering::{Numbering, positions};

/// No table is larger than this, so that every gain fits in a byte.
const MAX_SEEDS: usize = 100;

/// The positions that are computed for each node that searches have visited, and without any node:
/// a table grows to positions with one seed more if these are fewer. To compute a position takes
/// less time than to visit a node.
const POSITIONS_PER_NODE: u64 = 3;
const FIRST_POSITIONS: u64 = 1 << 17;

/// The rows of a block in [`GainTable::compute`], as many as a line of the cache of usual
/// processors has gains.
const BLOCK_ROWS: usize = 64;

/// A table of the exact gains of all positions with few seeds in the houses.
///
/// [`GainTable::grow`] adds the positions with one seed more. The gain of a position follows from
/// those after each move, by plain minimax without any bounds.
pub(crate) struct GainTable<R: BoardRules> {
    /// Numbers of the rows of a side.
    numbering: Numbering,
    /// The rows in the order of their numbers.
    rows: Vec<R::Row>,
    /// The rows with fewer seeds than this, for each number of seeds.
    first_rows: Vec<usize>,
    /// The place of the first gain of each row of the side to move. Those of all rows of the other
    /// side follow in the order of their numbers, as far as both have few enough seeds together.
    places: Vec<usize>,
    gains: Vec<AtomicI8>,
    /// The positions with each number of seeds.
    layers: Vec<u64>,
    /// The seed limit: the table has the positions with fewer seeds.
    seed_limit: AtomicUsize,
    /// Locked by the thread that computes gains.
    growth: Mutex<()>,
}

/// A move of a side with a known row, for any row of the other side.
enum RowMove {
    /// A bonus turn that leaves the row of the other side as it is, with the place of the first
    /// gain of the row after it.
    Bonus { banked: i32, place: usize },
    /// A move without a bonus turn that leaves the row of the other side as it is, with the row
    /// after it.
    Quiet { banked: i32, row: usize },
    /// A sowing that reaches the other side, or that can capture.
    OnBothSides { house: usize },
}

impl<R: BoardRules> GainTable<R> {
    /// Creates an empty table that can grow to as many seeds as fit into `max_bytes`, at most
    /// `max_seeds`.
    pub(crate) fn new(rules: &R, max_bytes: usize, max_seeds: usize) -> Self {
        let houses = rules.houses();
        let size = |seeds| positions(2 * houses, seeds);
        let fits = |&seeds: &usize| size(seeds).is_some_and(|size| size <= max_bytes as u64);
        let seeds = (0..=max_seeds.min(MAX_SEEDS)).take_while(fits).count();
        let mut table = Self {
            numbering: Numbering::new(houses, seeds),
            rows: Vec::new(),
            first_rows: vec![0],
            places: Vec::new(),
            gains: Vec::new(),
            layers: Vec::new(),
            seed_limit: AtomicUsize::new(0),
            growth: Mutex::new(()),
        };
        let mut smaller = 0;
        for seeds in 0..seeds {
            let mut row = vec![0; houses];
            add_rows(rules, &mut row, houses, seeds as u64, &mut table.rows);
            table.first_rows.push(table.rows.len());
            let size = size(seeds).unwrap_or_default();
            table.layers.push(size - smaller);
            smaller = size;
        }
        let mut place = 0;
        for own in 0..seeds {
            for _ in table.first_rows[own]..table.first_rows[own + 1] {
                table.places.push(place);
                place += table.first_rows[seeds - own];
            }
        }
        table.gains.resize_with(place, || AtomicI8::new(0));
        table
    }

    /// Returns the size of the gains in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.gains.len()
    }

    /// Returns the seed limit: the table has the positions with fewer seeds.
    #[inline]
    pub(crate) fn seed_limit(&self) -> usize {
        self.seed_limit.load(Ordering::Acquire)
    }

    /// Returns the exact gain of the side to move in a position with few enough seeds.
    #[inline]
    pub(crate) fn gain(&self, rules: &R, board: &R::Board) -> i32 {
        let (own, other) = rules.running_totals(board);
        let place = self.places[self.numbering.number(own) as usize];
        let gain = &self.gains[place + self.numbering.number(other) as usize];
        gain.load(Ordering::Relaxed).into()
    }

    /// Computes the gains of positions with more seeds, if the searches have visited enough `nodes`
    /// and no other thread is computing. Ends early if the stop flag is set.
    pub(crate) fn grow(&self, rules: &R, nodes: u64, stop_flag: &AtomicBool) {
        let Ok(_growth) = self.growth.try_lock() else {
            return;
        };
        let limit = FIRST_POSITIONS + POSITIONS_PER_NODE * nodes;
        let mut seeds = self.seed_limit();
        while self.layers.get(seeds).is_some_and(|&size| size <= limit) {
            if !self.compute(rules, seeds, stop_flag) {
                return;
            }
            seeds += 1;
            self.seed_limit.store(seeds, Ordering::Release);
        }
    }

    /// Computes the gains of all positions with `seeds` seeds, after those with fewer. Returns
    /// whether the stop flag has not ended it.
    ///
    /// A move that banks a seed leads to a position with fewer. Any other leads to a position with
    /// the same rows but one, which has a lower number, because it has seeds nearer to its store.
    /// Therefore both rows of the positions take their numbers in rising order. The higher rows are
    /// taken in blocks, whose gains are near to each other in the memory.
    fn compute(&self, rules: &R, seeds: usize, stop_flag: &AtomicBool) -> bool {
        let rows = |seeds: usize| self.first_rows[seeds]..self.first_rows[seeds + 1];
        let mut moves_of_block = Vec::with_capacity(BLOCK_ROWS);
        for more in seeds.div_ceil(2)..=seeds {
            let (high_rows, low_rows) = (rows(more), rows(seeds - more));
            for block in high_rows.clone().step_by(BLOCK_ROWS) {
                if stop_flag.load(Ordering::Relaxed) {
                    return false;
                }
                let end = high_rows.end.min(block + BLOCK_ROWS);
                moves_of_block.clear();
                moves_of_block.extend((block..end).map(|row| self.row_moves(rules, row)));
                for low in low_rows.start..low_rows.end.min(end) {
                    let low_moves = self.row_moves(rules, low);
                    for high in block.max(low)..end {
                        self.compute_gain(rules, high, &moves_of_block[high - block], low);
                        self.compute_gain(rules, low, &low_moves, high);
                    }
                }
            }
        }
        true
    }

    /// Returns the moves of a side with this row.
    fn row_moves(&self, rules: &R, row: usize) -> Vec<RowMove> {
        // A sowing that reaches the other side, or that can capture, changes a row with one seed in
        // each house.
        let ones = rules.row(&vec![1; rules.houses()]);
        let board = rules.board(self.rows[row], ones);
        let mut moves = Vec::with_capacity(rules.houses());
        for house in (0..rules.houses()).filter(|&house| rules.can_sow(&board, house)) {
            let sowing = rules.sow(&board, house);
            let (own, other) = rules.running_totals(&sowing.board);
            let mv = if sowing.is_bonus && other.eq(1..=rules.houses()) {
                RowMove::Bonus {
                    banked: sowing.banked,
                    place: self.places[self.numbering.number(own) as usize],
                }
            } else if !sowing.is_bonus && own.eq(1..=rules.houses()) {
                let (_, after) = rules.running_totals(&sowing.board);
                RowMove::Quiet {
                    banked: sowing.banked,
                    row: self.numbering.number(after) as usize,
                }
            } else {
                RowMove::OnBothSides { house }
            };
            moves.push(mv);
        }
        moves
    }

    /// Computes the gain of a position, given the moves of the side to move.
    #[inline]
    fn compute_gain(&self, rules: &R, own: usize, own_moves: &[RowMove], other: usize) {
        let board = rules.board(self.rows[own], self.rows[other]);
        let gain = if rules.is_over(&board) {
            let (own, other) = rules.row_totals(&board);
            own - other
        } else {
            let gain_at = |place: usize| i32::from(self.gains[place].load(Ordering::Relaxed));
            let gains = own_moves.iter().map(|mv| match *mv {
                RowMove::Bonus { banked, place } => banked + gain_at(place + other),
                RowMove::Quiet { banked, row } => banked - gain_at(self.places[other] + row),
                RowMove::OnBothSides { house } => {
                    let sowing = rules.sow(&board, house);
                    sowing.gain_before(self.gain(rules, &sowing.board))
                }
            });
            // A position in which the game is not over has a legal move.
            gains.max().unwrap_or_default()
        };
        self.gains[self.places[own] + other].store(gain as i8, Ordering::Relaxed);
    }
}

/// Adds all rows with `seeds` seeds in the first `houses` houses, in the order of their numbers:
/// those with more seeds near the store come first.
fn add_rows<R: BoardRules>(
    rules: &R,
    row: &mut [u64],
    houses: usize,
    seeds: u64,
    rows: &mut Vec<R::Row>,
) {
    if houses == 1 {
        row[0] = seeds;
        rows.push(rules.row(row));
        return;
    }
    for near in (0..=seeds).rev() {
        row[houses - 1] = near;
        add_rows(rules, row, houses - 1, seeds - near, rows);
    }
}

#[cfg(test)]
mod tests {
    use kalah::{BySide, FirstPlies, Rules, Setup, Side, reference};
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    use super::super::board::LargeBoardRules;
    use super::super::small_board::SmallBoardRules;
    use super::*;

    const BYTES: usize = 1 << 20;

    /// Returns a table with the gains of all positions for which it has room.
    fn full_table<R: BoardRules>(rules: &R, max_seeds: usize) -> GainTable<R> {
        let table = GainTable::new(rules, BYTES, max_seeds);
        table.grow(rules, u64::from(u32::MAX), &AtomicBool::new(false));
        table
    }

    /// Returns the gain of a position in a table; `None` if it has too many seeds.
    fn gain<R: BoardRules>(table: &GainTable<R>, rules: &R, setup: &Setup) -> Option<i32> {
        let row = |seeds: &Vec<u64>| rules.row(seeds);
        let board = rules.board(row(&setup.rows.south), row(&setup.rows.north));
        let seeds = setup
            .rows
            .south
            .iter()
            .chain(&setup.rows.north)
            .sum::<u64>();
        let is_computed = usize::try_from(seeds).unwrap() < table.seed_limit();
        is_computed.then(|| table.gain(rules, &board))
    }

    fn setup_with(south: Vec<u64>, north: Vec<u64>) -> Setup {
        Setup {
            stores: BySide::new(0, 0),
            rows: BySide::new(south, north),
            to_move: Side::South,
            first_plies: FirstPlies::Later,
        }
    }

    /// Calls `visit` with every position of `houses` houses a side and `seeds` seeds.
    fn visit_setups(pits: &mut Vec<u64>, houses: usize, seeds: u64, visit: &mut dyn FnMut(&Setup)) {
        if pits.len() + 1 == 2 * houses {
            pits.push(seeds);
            visit(&setup_with(
                pits[..houses].to_vec(),
                pits[houses..].to_vec(),
            ));
            pits.pop();
            return;
        }
        for count in 0..=seeds {
            pits.push(count);
            visit_setups(pits, houses, seeds - count, visit);
            pits.pop();
        }
    }

    #[test]
    fn all_gains_are_those_of_the_reference() {
        for preset in Rules::PRESETS {
            let rules = preset.rules.house_rules;
            for houses in 1..=3 {
                let small = SmallBoardRules::new(rules, houses, 5).unwrap();
                let large = LargeBoardRules { rules, houses };
                let (of_small, of_large) = (full_table(&small, 5), full_table(&large, 5));
                let mut count = 0;
                for seeds in 0..=5 {
                    visit_setups(&mut Vec::new(), houses, seeds, &mut |setup| {
                        let position = setup.position(preset.rules).unwrap();
                        let margin = Some(reference::margin(&position).seeds());
                        assert_eq!(gain(&of_small, &small, setup), margin, "{setup}");
                        assert_eq!(gain(&of_large, &large, setup), margin, "{setup}");
                        count += 1;
                    });
                }
                assert_eq!((of_small.bytes(), of_large.bytes()), (count, count));
                let six: Setup = format!("{houses}x6").parse().unwrap();
                assert_eq!(gain(&of_small, &small, &six), None);
            }
        }
    }

    #[test]
    fn random_gains_are_those_of_the_reference() {
        let mut random = Pcg64::seed_from_u64(3);
        for preset in Rules::PRESETS {
            for houses in 2..=8 {
                let rules = SmallBoardRules::new(preset.rules.house_rules, houses, 10).unwrap();
                let table = full_table(&rules, 10);
                // Boards of 8 houses have room for 8 seeds.
                let seeds = table.seed_limit() - 1;
                assert!(seeds >= 8, "{seeds}");
                for _ in 0..20 {
                    let mut pits = vec![0; 2 * houses];
                    for _ in 0..random.random_range(0..=seeds) {
                        pits[random.random_range(0..2 * houses)] += 1;
                    }
                    let setup = setup_with(pits[..houses].to_vec(), pits[houses..].to_vec());
                    let position = setup.position(preset.rules).unwrap();
                    let margin = reference::margin(&position).seeds();
                    assert_eq!(gain(&table, &rules, &setup), Some(margin), "{setup}");
                }
            }
        }
    }

    #[test]
    fn tables_fit_into_their_memory() {
        let rules = SmallBoardRules::new(Rules::STANDARD.house_rules, 6, MAX_SEEDS).unwrap();
        let table = GainTable::new(&rules, 3 << 20, MAX_SEEDS);
        assert_eq!((table.layers.len(), table.bytes()), (13, 2_704_156));
        let rules = LargeBoardRules {
            rules: Rules::STANDARD.house_rules,
            houses: 26,
        };
        assert_eq!(GainTable::new(&rules, 0, MAX_SEEDS).layers.len(), 0);
    }

    #[test]
    fn tables_grow_with_the_visited_nodes() {
        let rules = SmallBoardRules::new(Rules::STANDARD.house_rules, 6, MAX_SEEDS).unwrap();
        let table = GainTable::new(&rules, BYTES, MAX_SEEDS);
        let grow = |nodes, is_stopped| {
            table.grow(&rules, nodes, &AtomicBool::new(is_stopped));
            table.seed_limit()
        };
        // There are 75,582 positions with 8 seeds, 167,960 with 9 and 352,716 with 10.
        assert_eq!(grow(0, true), 0);
        assert_eq!(grow(0, false), 9);
        assert_eq!(grow(12_295, false), 9);
        assert_eq!(grow(12_296, true), 9);
        assert_eq!(grow(12_296, false), 10);
        assert_eq!(grow(u64::from(u32::MAX), false), 11);
    }
}
