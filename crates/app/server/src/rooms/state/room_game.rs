//! A game of a room, with a snapshot of the values that change while it is played.

use kalah::{Margin, PlayerId, Position, Side, Termination};
use kalah_store::{FriendClock, StoredEnding, StoredRoomGame};

use crate::games::friend_game::FriendGame;

/// A game of a room.
#[derive(Clone, Debug)]
pub(crate) struct RoomGame {
    /// The round, the pairing and the players, which stay the same.
    pub(crate) place: StoredRoomGame,
    /// The state of the game after its last change.
    pub(crate) snapshot: GameSnapshot,
}

/// The state of a game that its room shows: its plies, position, clock and ending.
#[derive(Clone, Debug)]
pub(crate) struct GameSnapshot {
    /// The number of plies that were played.
    pub(crate) plies: usize,
    /// The position after these plies.
    pub(crate) position: Position,
    /// Whether the players have exchanged their sides.
    pub(crate) is_swapped: bool,
    /// The clocks of both players; `None` in games without a time limit.
    pub(crate) clock: Option<FriendClock>,
    /// Whether the leader has paused the game.
    pub(crate) is_paused: bool,
    /// The result and its reason; `None` while the game runs.
    pub(crate) ending: Option<StoredEnding>,
}

impl From<&FriendGame> for GameSnapshot {
    fn from(game: &FriendGame) -> Self {
        let state = game.state();
        Self {
            plies: game.game().plies().len(),
            position: game.game().position().clone(),
            is_swapped: game.game().is_swapped(),
            clock: state.clock,
            is_paused: state.is_paused,
            ending: state.ending,
        }
    }
}

impl GameSnapshot {
    /// Returns whether the game has ended without a result.
    pub(crate) fn is_void(&self) -> bool {
        let ending = self.ending;
        ending.is_some_and(|ending| ending.termination == Termination::Unfinished)
    }

    /// Returns the player who won; `None` for a tie, without a result and during the game.
    pub(crate) fn winner(&self) -> Option<PlayerId> {
        let winner = self.ending?.winner?;
        Some(PlayerId::at_side(winner, self.is_swapped))
    }

    /// Returns the margin of the player who began as South, if the game ended by the rules.
    pub(crate) fn margin(&self) -> Option<Margin> {
        let side = PlayerId::new(Side::South).side(self.is_swapped);
        Some(self.position.outcome()?.margin(side))
    }
}
