use kalah::{Game, House, Move, Side};

use super::ImportReason;

/// An action of `OpenSpiel`: the place of a house on its board of 14, on which South's houses are 1 to 6, its store is
/// 7, North's houses are 8 to 13, and its store is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Action {
    side: Side,
    house: House,
}

/// Houses a side: there is no other board.
pub(super) const HOUSES: u8 = 6;

/// Seeds in each house at the start.
pub(super) const SEEDS: u64 = 4;

/// What North's places are greater by than the numbers of its houses.
const NORTH_OFFSET: u64 = 7;

impl Action {
    pub(super) fn new(place: u64) -> Option<Self> {
        let houses = 1..=u64::from(HOUSES);
        let (side, number) = if houses.contains(&place) {
            (Side::South, place)
        } else {
            (Side::North, place.checked_sub(NORTH_OFFSET)?)
        };
        let house = House::new(u32::try_from(number).ok()?)?;
        houses.contains(&number).then_some(Self { side, house })
    }

    pub(super) fn parse(text: &str) -> Result<Self, ImportReason> {
        let place = text.parse().ok().and_then(Self::new);
        place.ok_or_else(|| ImportReason::Action(text.to_owned()))
    }

    pub(super) fn play(self, game: &mut Game, text: &str) -> Result<(), ImportReason> {
        let (ply, to_move) = (game.plies().len() + 1, game.position().to_move());
        let text = || text.to_owned();
        if to_move != self.side && !game.position().is_over() {
            let text = text();
            return Err(ImportReason::WrongSide { ply, text, to_move });
        }
        match game.play(Move::Sow(self.house)) {
            Ok(_) => Ok(()),
            Err(reason) => Err(ImportReason::Illegal {
                ply,
                text: text(),
                reason,
            }),
        }
    }
}
