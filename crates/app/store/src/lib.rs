//! The database of games between friends and of finished games.
//!
//! [`GameStore`] is an `SQLite` database in a [`DataFolder`], which one server at a time can lock.
//! It stores [`StoredGame`]s, whose rules, position and moves are text. A [`GameWrite`] is on disk
//! when [`GameStore::write`] returns. [`FinishedGameStore`] adds games that were played elsewhere,
//! and [`back_up`] copies the database while a server uses it.

#![forbid(unsafe_code)]

mod clock;
mod error;
mod folder;
mod game_store;
mod model;
mod name;
mod sql;
#[cfg(test)]
mod tests;

pub use clock::{
    FIRST_MOVE_TIME, FriendClock, FriendClockError, FriendClockSetting, RunningClock, Timestamp,
    friend_clock_setting,
};
pub use error::{
    BackupError, GameStoreError, LockError, NoDataFolderError, OpenStoreError, SchemaError,
};
pub use folder::{DataFolder, back_up};
pub use game_store::{CommitObserver, FinishedGameStore, GameStore};
pub use model::{
    GameId, GameState, GameWrite, ID_PATTERN, Offer, ParseGameIdError, PlayerToken, StoredEnding,
    StoredGame, Takeback, TokenHash,
};
pub use name::{ParsePlayerNameError, PlayerName};
