//! The database of games between friends, of rooms, of finished games and of shared records.
//!
//! [`GameStore`] is an `SQLite` database in a [`DataFolder`], which one server at a time can lock.
//! It stores [`StoredGame`]s, whose rules, position and moves are text, and [`StoredRoom`]s. A
//! [`GameWrite`] is on disk when [`GameStore::write`] returns. [`FinishedGameStore`] adds games
//! that were played elsewhere, and [`back_up`] copies the database while a server uses it.
//! [`GameReader`] lists and reads the games beside a server, and [`GameEditor`] changes them while
//! none runs.

#![forbid(unsafe_code)]

mod clock;
mod editing;
mod error;
mod folder;
mod game_store;
mod listing;
mod model;
mod name;
mod openings;
mod record;
mod room;
mod room_sql;
mod shared;
mod sql;
#[cfg(test)]
mod tests;

pub use clock::{
    FIRST_MOVE_TIME, FriendClock, FriendClockError, FriendClockSetting, RunningClock, Timestamp,
    friend_clock_setting,
};
pub use editing::{EditGamesError, GameEditor, NameChange};
pub use error::{
    BackupError, GameStoreError, LockError, NoDataFolderError, OpenGamesError, OpenStoreError,
    SchemaError,
};
pub use folder::{DataFolder, back_up};
pub use game_store::{CommitObserver, FinishedGameStore, GameStore};
pub use listing::{
    FindGameError, GameFilter, GameIdPrefix, GameReader, ParseGameIdPrefixError, TimedTakeback,
    UnreadableGameError,
};
pub use model::{
    GameId, GameState, GameWrite, ID_PATTERN, Offer, ParseGameIdError, PlayerToken, StoredEnding,
    StoredGame, Takeback, TokenHash,
};
pub use name::{ParsePlayerNameError, PlayerName};
pub use openings::OpeningScope;
pub use record::StoredGameError;
pub use room::{
    GameRoom, MemberStatus, ParseRoomCodeError, ROOM_CODE_PATTERN, RoomCode, RoomFormat,
    RoomGameNumber, RoomSettings, RoomState, RoomWrite, StoredBye, StoredMember, StoredRoom,
    StoredRoomGame,
};
pub use shared::{ParseSharedIdError, SHARED_ID_PATTERN, SharedId, SharedRecord, SharedWrite};
