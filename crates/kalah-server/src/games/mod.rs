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
mod person;
mod room;
pub(crate) mod routes;
mod saved;
mod secret_text;
mod state;
mod store;
mod time_source;
mod token;

pub(crate) use chores::begin;
pub use clock::{Clock, ClockSetting, ClockSettingError, Running};
pub use finished_games::FinishedGames;
pub use friend_game::{DamagedGameError, FriendGame, Refused, Rematch, Sowing};
pub use id::{GameId, ParseGameIdError};
pub use moment::Moment;
pub use person::{ByPerson, Person};
pub use saved::{Ended, Saved, Standing};
pub use state::{ClockView, OverView, RematchView, StateView};
pub use store::{
    BackupError, CommitObserver, DataFolder, LockError, NoDataFolderError, OpenStoreError,
    SchemaError, Store, StoreError, Write, back_up,
};
pub use time_source::TimeSource;
pub use token::{Token, TokenHash};

pub(crate) use hall::Hall;
pub(crate) use live::Places;
