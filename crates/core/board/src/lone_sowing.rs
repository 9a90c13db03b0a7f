//! The sowing of one house on an otherwise empty board, from which all sow tables are computed.

use kalah::{Board, HouseRules, Pit, PitCounts as _, Side, SowEffect};

/// The side that sows: packed boards are seen from the side to move, whichever it is.
pub(crate) const MOVER: Side = Side::South;

const FITS: &str = "15 houses and 255 seeds fit a board";

/// A board on which one house of [`MOVER`] was sown and all other pits were empty.
pub(crate) struct LoneSowing {
    /// The board after the sowing, before captures and the end of the game.
    pub(crate) board: Board,
    /// The pit of the last seed; `None` if the house was empty.
    pub(crate) last: Option<Pit<u32>>,
}

impl LoneSowing {
    /// Sows `seeds` seeds from `house`, on a board with `houses` houses a side.
    pub(crate) fn new(houses: u32, house: u32, seeds: u8) -> Self {
        let mut board = board_with(houses, house, seeds);
        let last = board.sow(MOVER, house);
        Self { board, last }
    }

    /// Returns the seeds in a house.
    pub(crate) fn seeds(&self, side: Side, house: u32) -> u8 {
        u8::try_from(self.board.in_house(side, house)).expect(FITS)
    }

    /// Returns the seeds in the store of [`MOVER`].
    pub(crate) fn store(&self) -> u8 {
        u8::try_from(self.board.store(MOVER)).expect(FITS)
    }
}

/// Returns a board with `seeds` seeds in one house of [`MOVER`].
pub(crate) fn board_with(houses: u32, house: u32, seeds: u8) -> Board {
    let mut board = Board::new(houses, 0).expect(FITS);
    board.set_house(MOVER, house, seeds.into()).expect(FITS);
    board
}

/// Returns whether a last seed in an empty house captures although the opposite house is empty.
pub(crate) fn captures_alone(houses: u32, rules: HouseRules) -> bool {
    let last = Pit::House(MOVER, 1);
    let effect = rules.sow_effect(&board_with(houses, 1, 1), MOVER, last);
    matches!(effect, SowEffect::Capture(_))
}
