//! The interface to games in both representations, and the settings that all games share.

use std::collections::TryReserveError;

use kalah::{FirstPlyRules, House, Move, Position, Rules};
use kalah_tables::Table;

use crate::observations::Observations;
use crate::options::GameStart;
use crate::random::GameRandom;

/// The number of times that random plies are drawn for the start of a game before the game begins
/// without them.
pub(crate) const MAX_START_DRAWS: u32 = 16;

/// The settings that all games of an environment share.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) start: Position,
    pub(crate) game_start: GameStart,
    pub(crate) auto_reset: bool,
}

impl Settings {
    pub(crate) fn houses(&self) -> u8 {
        self.start.houses()
    }

    pub(crate) fn rules(&self) -> Rules {
        self.start.rules()
    }

    /// The length of an observation of one game.
    pub(crate) fn observation_width(&self) -> usize {
        2 * usize::from(self.houses()) + 2
    }

    /// The number of actions of one game.
    pub(crate) fn action_count(&self) -> usize {
        // A bonus turn is no action.
        let FirstPlyRules {
            swap,
            first_bonus: _,
        } = self.rules().first_ply_rules;
        usize::from(self.houses()) + usize::from(swap)
    }
}

/// Games in one representation: all games of an environment, or those of one thread.
///
/// Slices have one row a game. All lengths are those of [`VectorEnv`](crate::VectorEnv) for these
/// games, and its documentation has the contents.
pub(crate) trait Games: Send + Sync {
    /// Returns a copy of the games with their random numbers.
    fn clone_box(&self) -> Box<dyn Games>;

    /// Replaces the random numbers, and takes one generator for each game.
    fn set_randoms(&mut self, randoms: &mut dyn Iterator<Item = GameRandom>);

    /// Begins all games anew.
    fn reset(&mut self);

    /// Begins the games anew whose element of `mask` is true.
    fn reset_games(&mut self, mask: &[bool]);

    /// Returns the number of the first game that does not accept its action. If actions are
    /// optional, [`NO_ACTION`] is accepted.
    fn first_refused(&self, actions: &[i64], required: ActionRequired) -> Option<usize>;

    /// Makes one ply in each game. All actions have been accepted.
    fn step(
        &mut self,
        actions: &[i64],
        required: ActionRequired,
        rewards: &mut [i32],
        dones: &mut [bool],
    );

    /// Makes random plies in each game until it is over or the player that has side `players[game]`
    /// is to move, and then updates the side of that player.
    fn play_opponent(&mut self, players: &mut [u8], dones: &mut [bool]);

    fn sample_actions(&mut self, actions: &mut [i64]);

    /// Observations with elements of one byte require at most 255 seeds in each game.
    fn write_observations(&self, observations: Observations<'_>);

    fn write_legal_mask(&self, mask: &mut [bool]);

    fn write_to_move(&self, sides: &mut [u8]);

    /// The table belongs to the variant of the games.
    fn write_exact_gains(&self, table: &Table, gains: &mut [i16]);

    /// Returns the position of a game that exists.
    fn position(&self, game: usize) -> Position;

    /// Replaces the position of a game that exists by one that has the size and the rules of the
    /// games.
    fn set_position(&mut self, game: usize, position: &Position);
}

/// The action of a game that makes no ply in a step.
pub(crate) const NO_ACTION: i64 = -1;

/// Whether each game makes a ply in a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActionRequired {
    /// Each game makes one.
    Always,
    /// A game with [`NO_ACTION`] makes none.
    Optional,
}

/// Returns the action with number `index` as a move, or `None` if no board has it.
pub(crate) fn action_move(settings: &Settings, index: i64) -> Option<Move> {
    let index = usize::try_from(index).ok()?;
    if index >= settings.action_count() {
        return None;
    }
    if index == usize::from(settings.houses()) {
        return Some(Move::Swap);
    }
    let number = u32::try_from(index + 1).ok()?;
    House::new(number).map(Move::Sow)
}

/// The entry of an exact gain that is not known; the gain of a move has no such value.
pub(crate) const UNKNOWN_GAIN: i16 = i16::MIN;

/// Converts an exact gain to the entry of an array.
pub(crate) fn gain_entry(gain: Option<i32>) -> i16 {
    gain.and_then(|gain| i16::try_from(gain).ok())
        .unwrap_or(UNKNOWN_GAIN)
}

/// Allocates an empty vector for `len` values.
pub(crate) fn try_with_capacity<T>(len: usize) -> Result<Vec<T>, TryReserveError> {
    let mut values = Vec::new();
    values.try_reserve_exact(len)?;
    Ok(values)
}

/// Allocates a vector of `len` copies of a value.
pub(crate) fn try_vec<T: Clone>(value: T, len: usize) -> Result<Vec<T>, TryReserveError> {
    let mut values = try_with_capacity(len)?;
    values.resize(len, value);
    Ok(values)
}
