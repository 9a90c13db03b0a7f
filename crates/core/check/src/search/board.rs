//! Boards of any size, and the rules on boards.
//!
//! Stores are left out, because the value of the houses does not depend on them. A test compares
//! these boards with [`kalah::reference`].

use std::cmp::Ordering;

use kalah::{CaptureRule, EndRule, House, HouseRules};

/// The houses of the largest row.
const MAX_HOUSES: usize = House::MAX as usize;

/// The rules of the houses on boards of one kind, which are seen from the side to move.
pub(crate) trait BoardRules: Sync {
    /// The houses of a side.
    type Row: Copy + Send + Sync;

    /// The houses of a board.
    type Board: Copy;

    /// Returns the houses a side.
    fn houses(&self) -> usize;

    /// Returns the row with these seeds in its houses, in sowing order.
    fn row(&self, seeds: &[u64]) -> Self::Row;

    /// Returns the board with the row of the side to move and that of the other side.
    fn board(&self, own: Self::Row, other: Self::Row) -> Self::Board;

    /// Returns the running totals of the seeds in the houses of the side to move, and of those of
    /// the other side.
    fn running_totals(
        &self,
        board: &Self::Board,
    ) -> (impl Iterator<Item = usize>, impl Iterator<Item = usize>);

    /// Returns the seeds in the houses of the side to move, and in those of the other side.
    fn row_totals(&self, board: &Self::Board) -> (i32, i32);

    /// Returns whether the game is over.
    fn is_over(&self, board: &Self::Board) -> bool;

    /// Returns whether the side to move can sow the house with this index, from 0.
    fn can_sow(&self, board: &Self::Board, house: usize) -> bool;

    /// Sows a house of the side to move that has seeds.
    fn sow(&self, board: &Self::Board, house: usize) -> Sowing<Self::Board>;
}

/// The result of a sowing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sowing<B> {
    /// The board, seen from the side that moves next.
    pub(crate) board: B,
    /// The seeds that the mover has put into its store.
    pub(crate) banked: i32,
    /// Whether the mover moves again.
    pub(crate) is_bonus: bool,
}

impl<B> Sowing<B> {
    /// Converts a gain of the side that moves next into that of the mover before the sowing.
    #[inline]
    pub(crate) fn gain_before(&self, gain: i32) -> i32 {
        self.banked + if self.is_bonus { gain } else { -gain }
    }

    /// Converts a target of the mover before the sowing into one of the side that moves next: the
    /// mover reaches its target if the other side does not reach this one.
    #[inline]
    pub(crate) fn target_after(&self, target: i32) -> i32 {
        if self.is_bonus {
            target - self.banked
        } else {
            self.banked - target + 1
        }
    }
}

/// The houses of a row of any length, in sowing order.
type LargeRow = [u16; MAX_HOUSES];

/// The houses of a board of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LargeBoard {
    own: LargeRow,
    other: LargeRow,
}

/// The rules on boards of any size, whose seeds are sown one by one.
pub(crate) struct LargeBoardRules {
    pub(crate) rules: HouseRules,
    pub(crate) houses: usize,
}

impl BoardRules for LargeBoardRules {
    type Row = LargeRow;
    type Board = LargeBoard;

    fn houses(&self) -> usize {
        self.houses
    }

    fn row(&self, seeds: &[u64]) -> LargeRow {
        let mut row = [0; MAX_HOUSES];
        for (house, &seeds) in row.iter_mut().zip(seeds) {
            // A valid position has at most 65,535 seeds.
            *house = u16::try_from(seeds).unwrap_or(u16::MAX);
        }
        row
    }

    fn board(&self, own: LargeRow, other: LargeRow) -> LargeBoard {
        LargeBoard { own, other }
    }

    fn running_totals(
        &self,
        board: &LargeBoard,
    ) -> (impl Iterator<Item = usize>, impl Iterator<Item = usize>) {
        let totals = |row: LargeRow| {
            let seeds = row.into_iter().take(self.houses).map(usize::from);
            seeds.scan(0, |total, seeds| {
                *total += seeds;
                Some(*total)
            })
        };
        (totals(board.own), totals(board.other))
    }

    fn row_totals(&self, board: &LargeBoard) -> (i32, i32) {
        let total = |row: LargeRow| row.into_iter().map(i32::from).sum();
        (total(board.own), total(board.other))
    }

    fn is_over(&self, board: &LargeBoard) -> bool {
        // Captures are made before.
        let HouseRules { ends, capture: _ } = self.rules;
        let (own, other) = self.row_totals(board);
        own == 0 || ends == EndRule::Row && other == 0
    }

    fn can_sow(&self, board: &LargeBoard, house: usize) -> bool {
        board.own[house] > 0
    }

    fn sow(&self, board: &LargeBoard, house: usize) -> Sowing<LargeBoard> {
        // The caller asks `is_over` about the result.
        let HouseRules { capture, ends: _ } = self.rules;
        let LargeBoard { mut own, mut other } = *board;
        let houses = self.houses;
        let mut banked = 0;
        // Places of a lap: the own houses, the own store, and the houses of the other side.
        let (store, lap) = (houses, 2 * houses + 1);
        let mut place = house;
        for _ in 0..std::mem::take(&mut own[house]) {
            place = if place + 1 == lap { 0 } else { place + 1 };
            match place.cmp(&store) {
                Ordering::Less => own[place] += 1,
                Ordering::Equal => banked += 1,
                Ordering::Greater => other[place - store - 1] += 1,
            }
        }
        if place == store {
            return Sowing {
                board: LargeBoard { own, other },
                banked,
                is_bonus: true,
            };
        }
        // A house with one seed after the sowing was empty before the last seed.
        if place < store && own[place] == 1 {
            let opposite = houses - 1 - place;
            if other[opposite] > 0 || capture == CaptureRule::Always {
                banked += 1 + i32::from(other[opposite]);
                own[place] = 0;
                other[opposite] = 0;
            }
        }
        Sowing {
            board: LargeBoard {
                own: other,
                other: own,
            },
            banked,
            is_bonus: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use kalah::reference::ReferencePosition;
    use kalah::{BySide, FirstPlies, Move, Pit, Rules, Setup, Side};
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    use super::super::small_board::SmallBoardRules;
    use super::*;

    const GAMES_OF_A_PRESET: usize = 400;

    fn random_setup(random: &mut Pcg64) -> Setup {
        let houses = random.random_range(1..=8);
        let max_seeds = random.random_range(1..=40);
        let mut row = || {
            (0..houses)
                .map(|_| random.random_range(0..=max_seeds))
                .collect()
        };
        Setup {
            stores: BySide::new(0, 0),
            rows: BySide::new(row(), row()),
            to_move: Side::South,
            first_plies: FirstPlies::Later,
        }
    }

    fn seeds(setup: &Setup) -> usize {
        let rows = setup.rows.south.iter().chain(&setup.rows.north);
        usize::try_from(rows.sum::<u64>()).unwrap()
    }

    /// Returns the rows of a position, that of the side to move first, and the lead of that side in
    /// the stores.
    fn rows_of(position: &ReferencePosition) -> ([Vec<u64>; 2], i32) {
        let mover = position.to_move();
        let row = |side| {
            House::all(position.houses())
                .map(|house| position.seeds(Pit::House(side, house)).into())
                .collect()
        };
        let store = |side| i32::from(position.seeds(Pit::Store(side)));
        let lead = store(mover) - store(mover.opponent());
        ([row(mover), row(mover.opponent())], lead)
    }

    /// Asserts that a board has these rows.
    fn assert_rows<R: BoardRules>(rules: &R, board: &R::Board, rows: &[Vec<u64>; 2]) {
        let totals = |row: &Vec<u64>| -> Vec<usize> {
            let mut total = 0;
            let add = |&seeds: &u64| {
                total += usize::try_from(seeds).unwrap();
                total
            };
            row.iter().map(add).collect()
        };
        let (own, other) = rules.running_totals(board);
        assert_eq!(own.collect::<Vec<_>>(), totals(&rows[0]));
        assert_eq!(other.collect::<Vec<_>>(), totals(&rows[1]));
        let total = |row: &Vec<u64>| i32::try_from(row.iter().sum::<u64>()).unwrap();
        assert_eq!(rules.row_totals(board), (total(&rows[0]), total(&rows[1])));
    }

    /// Plays a random game by these rules and by the reference, and returns its length.
    fn compare_game<R: BoardRules>(
        rules: &R,
        setup: &Setup,
        reference_rules: Rules,
        random: &mut Pcg64,
    ) -> usize {
        let mut reference = ReferencePosition::from_setup(setup, reference_rules).unwrap();
        let mut moves_played = 0;
        while !reference.is_over() {
            let (rows, lead) = rows_of(&reference);
            let board = rules.board(rules.row(&rows[0]), rules.row(&rows[1]));
            assert_rows(rules, &board, &rows);
            assert!(!rules.is_over(&board), "{setup}");
            let moves = reference.legal_moves();
            let houses = (0..rules.houses()).filter(|&house| rules.can_sow(&board, house));
            assert_eq!(houses.count(), moves.len(), "{setup}");
            let mv = moves[random.random_range(0..moves.len())];
            let Move::Sow(house) = mv else {
                panic!("a swap after ply 2")
            };
            let side = reference.to_move();
            let sowing = rules.sow(&board, usize::from(house.number()) - 1);
            reference.play(mv).unwrap();
            moves_played += 1;
            let (rows_after, lead_after) = rows_of(&reference);
            let same_side = reference.to_move() == side;
            if reference.is_over() {
                let (own, other) = rules.row_totals(&sowing.board);
                let store = |side| i32::from(reference.seeds(Pit::Store(side)));
                let margin = lead + sowing.gain_before(own - other);
                assert!(rules.is_over(&sowing.board), "{setup}");
                assert_eq!(margin, store(side) - store(side.opponent()), "{setup}");
            } else {
                assert_rows(rules, &sowing.board, &rows_after);
                assert_eq!(sowing.is_bonus, same_side, "{setup}");
                let sign = if same_side { 1 } else { -1 };
                assert_eq!(lead + sowing.banked, sign * lead_after, "{setup}");
            }
        }
        moves_played
    }

    #[test]
    fn random_games_are_those_of_the_reference() {
        let mut random = Pcg64::seed_from_u64(1);
        let (mut on_large, mut on_small) = (0, 0);
        for preset in Rules::PRESETS {
            let rules = preset.rules.house_rules;
            for _ in 0..GAMES_OF_A_PRESET {
                let setup = random_setup(&mut random);
                let houses = setup.rows.south.len();
                let large = LargeBoardRules { rules, houses };
                on_large += compare_game(&large, &setup, preset.rules, &mut random);
                if let Some(small) = SmallBoardRules::new(rules, houses, seeds(&setup)) {
                    on_small += compare_game(&small, &setup, preset.rules, &mut random);
                }
            }
        }
        assert!(on_large > 10_000, "{on_large}");
        assert!(on_small > 5_000, "{on_small}");
    }
}
