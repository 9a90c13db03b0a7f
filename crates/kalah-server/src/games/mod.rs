//! Games between two people who are not in one room.

mod chores;
mod clock;
mod counts;
mod deadlines;
mod failure;
mod finished_games;
mod friend_game;
mod hall;
mod id;
mod live;
mod message;
mod moment;
mod origin;
mod room;
pub(crate) mod routes;
mod saved;
mod secret_text;
mod state;
mod store;
mod time_source;
mod token;

pub(crate) use chores::start_background_tasks;
pub use clock::{ClockSetting, ClockSettingError, GameClock, RunningClock};
pub use finished_games::FinishedGameStore;
pub use friend_game::{CommandError, DamagedGameError, FriendGame, PlayOutcome, RematchOutcome};
pub use id::{GameId, ParseGameIdError};
pub use kalah::{ByPlayer, PlayerId};
pub use moment::Timestamp;
pub use saved::{GameState, StoredEnding, StoredGame};
pub use state::{ClockView, EndingView, GameStateView, RematchView};
pub use store::{
    BackupError, CommitObserver, DataFolder, GameStore, GameWrite, LockError, NoDataFolderError,
    OpenStoreError, SchemaError, StoreError, back_up,
};
pub use time_source::TimeSource;
pub use token::{PlayerToken, TokenHash};

pub(crate) use hall::GameRegistry;
pub(crate) use live::ConnectionLimiter;
