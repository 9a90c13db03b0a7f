//! The errors of calls to an environment.

use kalah::{IllegalMove, Rules, format_count};
use kalah_tables::TableDamage;
use thiserror::Error;

use crate::options::PositionProblem;

/// A slice does not have the length that the environment needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{argument}: expected {expected} elements, not {actual}")]
pub struct LengthError {
    /// The name of the argument.
    pub argument: &'static str,
    /// The number of elements that the environment needs.
    pub expected: usize,
    /// The number of elements of the slice.
    pub actual: usize,
}

/// The reason why a step was refused. No game has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StepError {
    /// A slice has the wrong length.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// An action is not a number of an action.
    #[error("game {game}: there is no action {action}, actions are 0 to {}", actions - 1)]
    NoSuchAction {
        /// The first such game, from 0.
        game: usize,
        /// The action of the game.
        action: i64,
        /// The number of actions.
        actions: usize,
    },
    /// An action is illegal.
    #[error("game {game}: action {action} is illegal: {reason}")]
    IllegalAction {
        /// The first such game, from 0.
        game: usize,
        /// The action of the game.
        action: i64,
        /// The reason.
        reason: IllegalMove,
    },
}

/// The reason why observations were not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ObservationsError {
    /// The buffer has the wrong length.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// The buffer has elements of one byte, and the games can have more than 255 seeds.
    #[error("the counts of seeds need 16 bits, and the elements of the observations have 8")]
    CountType,
}

/// The reason why exact gains were not written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GainsError {
    /// The table is damaged.
    #[error(transparent)]
    Damaged(#[from] TableDamage),
    /// The buffer has the wrong length.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// The table belongs to another variant.
    #[error(
        "the table is for {} a side under the rules {table_rules}, and the games have {} a side \
         under the rules {rules}",
        format_count((*.table_houses).into(), "house"),
        format_count((*.houses).into(), "house")
    )]
    OtherVariant {
        /// The number of houses a side of the table.
        table_houses: u8,
        /// The rules of the table.
        table_rules: Rules,
        /// The number of houses a side of the games.
        houses: u8,
        /// The rules of the games.
        rules: Rules,
    },
}

/// The reason why the position of a game was not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SetPositionError {
    /// There is no game with this number.
    #[error("there is no game {game}, games are 0 to {}", games - 1)]
    NoSuchGame {
        /// The number of the missing game.
        game: usize,
        /// The number of games.
        games: usize,
    },
    /// The position cannot be that of a game.
    #[error("the position cannot be that of game {game}: {problem}")]
    InvalidPosition {
        /// The game.
        game: usize,
        /// The reason.
        problem: PositionProblem,
    },
}
