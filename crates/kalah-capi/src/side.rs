use kalah::Side;

/// A side of the board: `KALAH_NORTH` or `KALAH_SOUTH`.
pub type KalahSide = i32;

/// The side at the top, whose pot is at the left.
pub const KALAH_NORTH: KalahSide = 0;
/// The side at the bottom, whose pot is at the right. It moves first.
pub const KALAH_SOUTH: KalahSide = 1;
/// Neither side: nobody wins a tie.
pub const KALAH_NOBODY: KalahSide = -1;

/// The side that C means, `None` for a number that is no side.
pub(crate) fn from_c_side(number: KalahSide) -> Option<Side> {
    match number {
        KALAH_NORTH => Some(Side::North),
        KALAH_SOUTH => Some(Side::South),
        _ => None,
    }
}

/// The number of a side in C.
pub(crate) fn to_c_side(side: Side) -> KalahSide {
    match side {
        Side::North => KALAH_NORTH,
        Side::South => KALAH_SOUTH,
    }
}
