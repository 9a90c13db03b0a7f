//! The only place that turns columns into houses and back.

use kalah::{Pit, Side};

/// The number of the pot among the holes of a side.
pub const KALAH_POT: i32 = 0;

/// The pit that `side` and `hole` name, `None` for a hole that the board does not have.
pub(crate) fn pit_at(side: Side, hole: i32, houses: u32) -> Option<Pit<u32>> {
    let column = u32::try_from(hole).ok()?;
    match hole {
        KALAH_POT => Some(Pit::Store(side)),
        _ if column <= houses => Some(Pit::House(side, mirror(side, column, houses))),
        _ => None,
    }
}

/// The number of a house among the holes of its side; `house` is one of `1..=houses`.
pub(crate) fn hole_number(side: Side, house: u32, houses: u32) -> i32 {
    i32::try_from(mirror(side, house, houses)).unwrap_or(i32::MAX)
}

/// Columns run from left to right: as South sows, and against North's sowing order.
fn mirror(side: Side, number: u32, houses: u32) -> u32 {
    match side {
        Side::South => number,
        Side::North => houses - (number - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pot_is_next_to_the_hole_that_it_should_be_next_to() {
        const HOUSES: u32 = 6;
        assert_eq!(
            pit_at(Side::South, 6, HOUSES),
            Some(Pit::House(Side::South, 6))
        );
        assert_eq!(
            pit_at(Side::North, 1, HOUSES),
            Some(Pit::House(Side::North, 6))
        );
        assert_eq!(
            pit_at(Side::North, 6, HOUSES),
            Some(Pit::House(Side::North, 1))
        );
        assert_eq!(
            pit_at(Side::North, KALAH_POT, HOUSES),
            Some(Pit::Store(Side::North))
        );
    }

    #[test]
    fn numbers_of_no_hole_are_refused() {
        for side in Side::ALL {
            for hole in [-1, 7, i32::MIN, i32::MAX] {
                assert_eq!(pit_at(side, hole, 6), None, "{side} {hole}");
            }
        }
    }

    #[test]
    fn columns_and_houses_are_each_others_inverse() {
        let most = i32::MAX.unsigned_abs();
        for side in Side::ALL {
            for houses in [1, 2, 7, most] {
                for house in [1, houses.div_ceil(2), houses] {
                    let hole = hole_number(side, house, houses);
                    assert_eq!(pit_at(side, hole, houses), Some(Pit::House(side, house)));
                }
            }
        }
    }
}
