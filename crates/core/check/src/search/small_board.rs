//! Boards of up to 8 houses a side in two words, a byte for each house.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "a board has at most 255 seeds"
)]

use std::cmp::Ordering;

use kalah::{CaptureRule, EndRule, HouseRules};

use super::board::{BoardRules, Sowing};

/// The houses of a row in a word, and the most seeds of a board: a byte for each house has room for
/// all of them.
const MAX_HOUSES: usize = 8;
const MAX_SEEDS: usize = u8::MAX as usize;

/// The bits of a house in a row.
const BYTE: usize = u8::BITS as usize;
const BYTE_MASK: usize = u8::MAX as usize;

/// The houses of a board, seen from the side to move, each row in sowing order from the lowest
/// byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SmallBoard {
    own: u64,
    other: u64,
}

/// The seeds that a sowing adds to each house, and its last place.
#[derive(Clone, Copy, Debug)]
struct SowingPath {
    own: u64,
    other: u64,
    banked: u8,
    last: LastPlace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastPlace {
    Own(u8),
    Store,
    Other,
}

/// The rules on small boards, with the paths of all sowings.
pub(crate) struct SmallBoardRules {
    rules: HouseRules,
    houses: usize,
    /// The path of each house and each number of seeds, at `house * (MAX_SEEDS + 1) + seeds`.
    paths: Vec<SowingPath>,
}

impl SmallBoardRules {
    /// Creates the rules of boards with `houses` houses a side and at most `seeds` seeds; `None` if
    /// these are too many.
    pub(crate) fn new(rules: HouseRules, houses: usize, seeds: usize) -> Option<Self> {
        if houses > MAX_HOUSES || seeds > MAX_SEEDS {
            return None;
        }
        let paths =
            (0..houses).flat_map(|house| (0..=MAX_SEEDS).map(move |s| path(houses, house, s)));
        Some(Self {
            rules,
            houses,
            paths: paths.collect(),
        })
    }
}

/// Sows seeds one by one on an empty board, and returns their path.
fn path(houses: usize, house: usize, seeds: usize) -> SowingPath {
    let mut path = SowingPath {
        own: 0,
        other: 0,
        banked: 0,
        last: LastPlace::Other,
    };
    let mut place = house;
    for _ in 0..seeds {
        place = (place + 1) % (2 * houses + 1);
        match place.cmp(&houses) {
            Ordering::Less => {
                path.own += 1 << (BYTE * place);
                path.last = LastPlace::Own(place as u8);
            }
            Ordering::Equal => {
                path.banked += 1;
                path.last = LastPlace::Store;
            }
            Ordering::Greater => {
                path.other += 1 << (BYTE * (place - houses - 1));
                path.last = LastPlace::Other;
            }
        }
    }
    path
}

/// Returns the seeds of a house.
#[inline]
fn byte(row: u64, house: usize) -> usize {
    (row >> (BYTE * house)) as usize & BYTE_MASK
}

/// Returns the row without the seeds of a house.
#[inline]
fn without(row: u64, house: usize) -> u64 {
    row & !((BYTE_MASK as u64) << (BYTE * house))
}

/// Returns the seeds up to each house, which are at most [`MAX_SEEDS`]: a product with bytes of 1
/// adds to each byte all lower ones.
#[inline]
fn running_totals(row: u64) -> u64 {
    row.wrapping_mul(u64::MAX / BYTE_MASK as u64)
}

/// Returns the seeds of a row.
#[inline]
fn total(row: u64) -> i32 {
    byte(running_totals(row), MAX_HOUSES - 1) as i32
}

impl BoardRules for SmallBoardRules {
    type Row = u64;
    type Board = SmallBoard;

    #[inline]
    fn houses(&self) -> usize {
        self.houses
    }

    fn row(&self, seeds: &[u64]) -> u64 {
        seeds.iter().rev().fold(0, |row, &seeds| row << 8 | seeds)
    }

    #[inline]
    fn board(&self, own: u64, other: u64) -> SmallBoard {
        SmallBoard { own, other }
    }

    #[inline]
    fn running_totals(
        &self,
        board: &SmallBoard,
    ) -> (impl Iterator<Item = usize>, impl Iterator<Item = usize>) {
        let totals = |row: u64| {
            let totals = running_totals(row);
            (0..self.houses).map(move |house| byte(totals, house))
        };
        (totals(board.own), totals(board.other))
    }

    #[inline]
    fn row_totals(&self, board: &SmallBoard) -> (i32, i32) {
        (total(board.own), total(board.other))
    }

    #[inline]
    fn is_over(&self, board: &SmallBoard) -> bool {
        let HouseRules { ends, capture: _ } = self.rules;
        board.own == 0 || ends == EndRule::Row && board.other == 0
    }

    #[inline]
    fn can_sow(&self, board: &SmallBoard, house: usize) -> bool {
        byte(board.own, house) > 0
    }

    #[inline]
    fn sow(&self, board: &SmallBoard, house: usize) -> Sowing<SmallBoard> {
        let HouseRules { capture, ends: _ } = self.rules;
        let seeds = byte(board.own, house);
        let path = &self.paths[house * (MAX_SEEDS + 1) + seeds];
        let mut own = without(board.own, house) + path.own;
        let mut other = board.other + path.other;
        let mut banked = i32::from(path.banked);
        match path.last {
            LastPlace::Store => {
                return Sowing {
                    board: SmallBoard { own, other },
                    banked,
                    is_bonus: true,
                };
            }
            LastPlace::Own(place) if byte(own, place.into()) == 1 => {
                let place = usize::from(place);
                let opposite = self.houses - 1 - place;
                let captured = byte(other, opposite);
                if captured > 0 || capture == CaptureRule::Always {
                    banked += 1 + captured as i32;
                    own = without(own, place);
                    other = without(other, opposite);
                }
            }
            LastPlace::Own(_) | LastPlace::Other => {}
        }
        Sowing {
            board: SmallBoard {
                own: other,
                other: own,
            },
            banked,
            is_bonus: false,
        }
    }
}
