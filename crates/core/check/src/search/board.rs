//! The board of the search: the houses seen from the side to move, and the rules on them.
//!
//! Stores are left out, because the value of the houses does not depend on them. A test compares
//! this board with [`kalah::reference`].

use kalah::{CaptureRule, EndRule, House, HouseRules, Setup};

/// The houses of the largest board.
const MAX_PITS: usize = 2 * House::MAX as usize;

/// The houses of a board, seen from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CheckBoard {
    /// Houses a side.
    houses: usize,
    /// The houses of the side to move, then those of the other side, both in sowing order.
    pits: [u16; MAX_PITS],
}

/// The result of a sowing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sowing {
    /// The board, seen from the side that moves next.
    pub(crate) board: CheckBoard,
    /// The seeds that the mover has put into its store.
    pub(crate) banked: i32,
    /// Whether the mover moves again.
    pub(crate) is_bonus: bool,
}

impl CheckBoard {
    /// Returns the houses of a setup with South to move.
    pub(crate) fn from_setup(setup: &Setup) -> Self {
        let mut board = Self {
            houses: setup.rows.south.len(),
            pits: [0; MAX_PITS],
        };
        let seeds = setup.rows.south.iter().chain(&setup.rows.north);
        for (pit, &seeds) in board.pits.iter_mut().zip(seeds) {
            // A valid position has at most 65,535 seeds.
            *pit = u16::try_from(seeds).unwrap_or(u16::MAX);
        }
        board
    }

    /// Returns the houses a side.
    pub(crate) fn houses(&self) -> usize {
        self.houses
    }

    /// Returns the seeds of all houses, those of the side to move first.
    pub(crate) fn pits(&self) -> &[u16] {
        &self.pits[..2 * self.houses]
    }

    /// Returns the seeds in the houses of the side to move, and in those of the other side.
    pub(crate) fn row_totals(&self) -> (i32, i32) {
        let (own, other) = self.pits().split_at(self.houses);
        let total = |row: &[u16]| row.iter().map(|&seeds| i32::from(seeds)).sum();
        (total(own), total(other))
    }

    /// Returns whether the game is over.
    pub(crate) fn is_over(&self, rules: HouseRules) -> bool {
        // Captures are made before.
        let HouseRules { ends, capture: _ } = rules;
        let (own, other) = self.row_totals();
        own == 0 || ends == EndRule::Row && other == 0
    }

    /// Returns whether the side to move can sow the house with this index, from 0.
    pub(crate) fn can_sow(&self, house: usize) -> bool {
        self.pits[house] > 0
    }

    /// Sows a house of the side to move that has seeds.
    pub(crate) fn sow(&self, house: usize, rules: HouseRules) -> Sowing {
        // The caller asks `is_over` about the result.
        let HouseRules { capture, ends: _ } = rules;
        let mut board = *self;
        let houses = self.houses;
        let mut banked = 0;
        // Places of a lap: the own houses, the own store, and the houses of the other side.
        let (store, lap) = (houses, 2 * houses + 1);
        let mut place = house;
        for _ in 0..std::mem::take(&mut board.pits[house]) {
            place = if place + 1 == lap { 0 } else { place + 1 };
            if place == store {
                banked += 1;
            } else {
                board.pits[if place < store { place } else { place - 1 }] += 1;
            }
        }
        if place == store {
            return Sowing {
                board,
                banked,
                is_bonus: true,
            };
        }
        // A house with one seed after the sowing was empty before the last seed.
        if place < store && board.pits[place] == 1 {
            let opposite = 2 * houses - 1 - place;
            if board.pits[opposite] > 0 || capture == CaptureRule::Always {
                banked += 1 + i32::from(board.pits[opposite]);
                board.pits[place] = 0;
                board.pits[opposite] = 0;
            }
        }
        board.pits[..2 * houses].rotate_left(houses);
        Sowing {
            board,
            banked,
            is_bonus: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use kalah::reference::ReferencePosition;
    use kalah::{BySide, FirstPlies, Move, Pit, Rules, Side};
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    use super::*;

    const GAMES_OF_A_PRESET: usize = 400;

    /// Returns the board of a position, and the lead of its side to move in the stores.
    fn board_of(position: &ReferencePosition) -> (CheckBoard, i32) {
        let mover = position.to_move();
        let row = |side| {
            House::all(position.houses())
                .map(|house| position.seeds(Pit::House(side, house)).into())
                .collect()
        };
        let store = |side| i32::from(position.seeds(Pit::Store(side)));
        let setup = Setup {
            stores: BySide::new(0, 0),
            rows: BySide::new(row(mover), row(mover.opponent())),
            to_move: Side::South,
            first_plies: FirstPlies::Later,
        };
        let lead = store(mover) - store(mover.opponent());
        (CheckBoard::from_setup(&setup), lead)
    }

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

    #[test]
    fn random_games_are_those_of_the_reference() {
        let mut random = Pcg64::seed_from_u64(1);
        let mut positions = 0;
        for preset in Rules::PRESETS {
            let rules = preset.rules;
            for _ in 0..GAMES_OF_A_PRESET {
                let setup = random_setup(&mut random);
                let mut reference = ReferencePosition::from_setup(&setup, rules).unwrap();
                let mut board = CheckBoard::from_setup(&setup);
                while !reference.is_over() {
                    assert!(!board.is_over(rules.house_rules), "{setup}");
                    let moves = reference.legal_moves();
                    let houses = (0..board.houses()).filter(|&house| board.can_sow(house));
                    assert_eq!(houses.count(), moves.len(), "{setup}");
                    let mv = moves[random.random_range(0..moves.len())];
                    let Move::Sow(house) = mv else {
                        panic!("a swap after ply 2")
                    };
                    let (_, lead) = board_of(&reference);
                    let side = reference.to_move();
                    let sowing = board.sow(usize::from(house.number()) - 1, rules.house_rules);
                    reference.play(mv).unwrap();
                    positions += 1;
                    board = sowing.board;
                    let (expected, lead_after) = board_of(&reference);
                    let sign = if reference.to_move() == side { 1 } else { -1 };
                    if reference.is_over() {
                        let (own, other) = board.row_totals();
                        let sign = if sowing.is_bonus { 1 } else { -1 };
                        let store = |side| i32::from(reference.seeds(Pit::Store(side)));
                        let margin = lead + sowing.banked + sign * (own - other);
                        assert!(board.is_over(rules.house_rules), "{setup}");
                        assert_eq!(margin, store(side) - store(side.opponent()), "{setup}");
                    } else {
                        assert_eq!(board, expected, "{setup}");
                        assert_eq!(sowing.is_bonus, reference.to_move() == side, "{setup}");
                        assert_eq!(lead + sowing.banked, sign * lead_after, "{setup}");
                    }
                }
            }
        }
        assert!(positions > 10_000, "{positions}");
    }
}
