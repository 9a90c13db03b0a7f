//! The mancala of `OpenSpiel` and of Kaggle's environments, as import and export share it: its
//! board, its actions, and the order of its players.

use kalah::{Game, House, Move, Setup, Side};

/// The name of the game in `OpenSpiel`.
pub(crate) const GAME_NAME: &str = "mancala";

/// The number of houses a side: `OpenSpiel` has no other board.
const HOUSES: u8 = 6;

/// The number of seeds in each house at the start.
const SEEDS: u64 = 4;

/// The number of fields of the board.
pub(crate) const FIELDS: usize = 14;

/// The field of South's store. North's houses follow it.
const SOUTH_STORE: u8 = 7;

/// The field of North's store. South's houses follow it.
const NORTH_STORE: u8 = 0;

/// The submission of a Kaggle agent that is not to move, or that has no legal move to submit.
pub(crate) const NO_SUBMISSION: i64 = -1;

/// The submission of a Kaggle agent that reports an error of its own.
pub(crate) const ERROR_SUBMISSION: i64 = -2;

/// Returns the start of every game.
pub(crate) fn start() -> Setup {
    Setup::start(HOUSES, SEEDS)
}

/// Returns the number of a player: South is player 0.
pub(crate) fn player_index(side: Side) -> usize {
    match side {
        Side::South => 0,
        Side::North => 1,
    }
}

/// Returns the side of a player, or `None` if the number names no player.
pub(crate) fn player_side(index: i64) -> Option<Side> {
    Side::ALL
        .into_iter()
        .find(|&side| i64::try_from(player_index(side)) == Ok(index))
}

/// Returns the field of a side's store.
pub(crate) fn store_field(side: Side) -> u8 {
    match side {
        Side::South => SOUTH_STORE,
        Side::North => NORTH_STORE,
    }
}

/// An action: the field of a house. South's houses are 1 to 6, its store is 7, North's houses are 8
/// to 13, and its store is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    pub(crate) side: Side,
    pub(crate) house: House,
}

impl Action {
    /// Returns the action with this number, or `None` if there is none.
    pub(crate) fn from_field(field: u64) -> Option<Self> {
        Side::ALL.into_iter().find_map(|side| {
            let number = field.checked_sub(first_field(side).into())?;
            let house = House::new(u32::try_from(number).ok()?)?;
            (house.number() <= HOUSES).then_some(Self { side, house })
        })
    }

    /// Returns the number of the action.
    pub(crate) fn field(self) -> u8 {
        first_field(self.side) + self.house.number()
    }

    /// Returns the actions of a side's houses, in sowing order.
    pub(crate) fn all(side: Side) -> impl Iterator<Item = Self> {
        House::all(HOUSES).map(move |house| Self { side, house })
    }
}

/// Returns the actions of a game.
pub(crate) fn actions(game: &Game) -> impl Iterator<Item = Action> + '_ {
    game.plies().iter().filter_map(|ply| match ply.mv {
        Move::Sow(house) => Some(Action {
            side: ply.side,
            house,
        }),
        // The rules have no swap.
        Move::Swap => None,
    })
}

/// Returns the field before a side's houses, which is the other side's store.
fn first_field(side: Side) -> u8 {
    store_field(side.opponent())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_and_stores_are_the_fields_of_the_board() {
        let mut fields: Vec<u8> = Side::ALL.map(store_field).to_vec();
        for action in Side::ALL.into_iter().flat_map(Action::all) {
            assert_eq!(Action::from_field(action.field().into()), Some(action));
            fields.push(action.field());
        }
        fields.sort_unstable();
        assert!(fields.iter().map(|&field| usize::from(field)).eq(0..FIELDS));
        for store in Side::ALL.map(store_field) {
            assert_eq!(Action::from_field(store.into()), None);
        }
        assert_eq!(Action::from_field(14), None);
    }
}
