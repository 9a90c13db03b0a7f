//! Games between friends: state, store, registry and the connections of players.

pub(crate) mod background;
mod clock;
mod error;
mod friend_game;
mod ids;
mod live_game;
mod messages;
mod model;
pub(crate) mod registry;
pub(crate) mod routes;
pub(crate) mod store;
pub(crate) mod websocket;

pub use clock::{ClockSetting, ClockSettingError, GameClock, RunningClock, TimeSource, Timestamp};
pub use friend_game::{CommandError, DamagedGameError, FriendGame, PlayOutcome, RematchOutcome};
pub use ids::{GameId, ParseGameIdError, PlayerToken, TokenHash};
pub use kalah::{ByPlayer, PlayerId};
pub use messages::{ClockView, EndingView, GameStateView, RematchView};
pub use model::{GameState, GameWrite, StoredEnding, StoredGame};
pub use store::{
    BackupError, CommitObserver, DataFolder, FinishedGameStore, GameStore, LockError,
    NoDataFolderError, OpenStoreError, SchemaError, StoreError, back_up,
};
