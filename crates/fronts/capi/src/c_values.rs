//! Conversion between the values of the C interface and those of the Rust crates: sides, hole
//! numbers, bean counts, and panics, which must not cross into C.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kalah::{Pit, Side};

/// A side of the board: `KALAH_NORTH` or `KALAH_SOUTH`.
pub type KalahSide = i32;

/// The side at the top, whose pot is at the left.
pub const KALAH_NORTH: KalahSide = 0;
/// The side at the bottom, whose pot is at the right. It moves first.
pub const KALAH_SOUTH: KalahSide = 1;
/// Neither side: the winner of a tie.
pub const KALAH_NO_SIDE: KalahSide = -1;

/// The number of the pot among the holes of a side.
pub const KALAH_POT: i32 = 0;

/// Converts a side from C. Returns `None` for a number that is no side.
pub(crate) fn from_c_side(side: KalahSide) -> Option<Side> {
    match side {
        KALAH_NORTH => Some(Side::North),
        KALAH_SOUTH => Some(Side::South),
        _ => None,
    }
}

/// Converts a side to its number in C.
pub(crate) fn to_c_side(side: Side) -> KalahSide {
    match side {
        Side::North => KALAH_NORTH,
        Side::South => KALAH_SOUTH,
    }
}

/// Converts a bean count from C. Returns `None` for a negative count.
pub(crate) fn from_c_count(beans: i32) -> Option<u64> {
    u64::try_from(beans).ok()
}

/// Converts a seed count to C. A larger count than `i32::MAX` becomes `i32::MAX`.
pub(crate) fn to_c_count(seeds: u64) -> i32 {
    i32::try_from(seeds).unwrap_or(i32::MAX)
}

/// Converts a hole number from C to a pit. Returns `None` for a hole that a board of `houses`
/// houses a side does not have.
pub(crate) fn from_c_hole(side: Side, hole: i32, houses: u32) -> Option<Pit<u32>> {
    let column = u32::try_from(hole).ok()?;
    match hole {
        KALAH_POT => Some(Pit::Store(side)),
        _ if column <= houses => Some(Pit::House(side, mirror(side, column, houses))),
        _ => None,
    }
}

/// Converts a house to its hole number in C; `house` is in `1..=houses`.
pub(crate) fn to_c_hole(side: Side, house: u32, houses: u32) -> i32 {
    i32::try_from(mirror(side, house, houses)).unwrap_or(i32::MAX)
}

/// Converts between columns and houses, in both directions. Columns run from left to right: in
/// South's sowing order, and against North's.
fn mirror(side: Side, number: u32, houses: u32) -> u32 {
    match side {
        Side::South => number,
        Side::North => houses - (number - 1),
    }
}

/// Returns the result of `f`, or `fallback` if `f` panics.
pub(crate) fn catch_panic<T>(fallback: T, f: impl FnOnce() -> T) -> T {
    // A panic can leave wrong counts in a board, but no invalid memory.
    catch_unwind(AssertUnwindSafe(f)).unwrap_or(fallback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_saturate_and_negative_counts_are_refused() {
        assert_eq!(to_c_count(0), 0);
        assert_eq!(to_c_count(2_147_483_647), i32::MAX);
        assert_eq!(to_c_count(2_147_483_648), i32::MAX);
        assert_eq!(to_c_count(u64::MAX), i32::MAX);
        assert_eq!(from_c_count(i32::MAX), Some(2_147_483_647));
        assert_eq!(from_c_count(-1), None);
    }

    #[test]
    fn house_six_is_beside_the_pot_of_its_side() {
        const HOUSES: u32 = 6;
        for (side, hole, pit) in [
            (Side::South, 6, Pit::House(Side::South, 6)),
            (Side::North, 1, Pit::House(Side::North, 6)),
            (Side::North, 6, Pit::House(Side::North, 1)),
            (Side::North, KALAH_POT, Pit::Store(Side::North)),
        ] {
            assert_eq!(from_c_hole(side, hole, HOUSES), Some(pit));
        }
    }

    #[test]
    fn hole_numbers_outside_the_board_are_refused() {
        for side in Side::ALL {
            for hole in [-1, 7, i32::MIN, i32::MAX] {
                assert_eq!(from_c_hole(side, hole, 6), None, "{side} {hole}");
            }
        }
    }

    #[test]
    fn hole_numbers_round_trip() {
        let max_houses = i32::MAX.unsigned_abs();
        for side in Side::ALL {
            for houses in [1, 2, 7, max_houses] {
                for house in [1, houses.div_ceil(2), houses] {
                    let hole = to_c_hole(side, house, houses);
                    let pit = from_c_hole(side, hole, houses);
                    assert_eq!(pit, Some(Pit::House(side, house)));
                }
            }
        }
    }

    #[test]
    fn panic_becomes_the_fallback() {
        assert_eq!(catch_panic(-1, || i32::from(true)), 1);
        assert_eq!(
            catch_panic(-1, || panic!("this test panics on purpose")),
            -1
        );
    }
}
