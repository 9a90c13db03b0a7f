//! Games between two people who are not in one room.

mod clock;
mod friend_game;
mod id;
mod moment;
mod person;
mod saved;
mod secret_text;
mod store;
mod time_source;
mod token;

pub use clock::{Clock, ClockSetting, ClockSettingError, Running};
pub use friend_game::{DamagedGameError, FriendGame, Refused, Rematch, Sowing};
pub use id::{GameId, ParseGameIdError};
pub use moment::Moment;
pub use person::{ByPerson, Person};
pub use saved::{Ended, Saved, Standing};
pub use store::{
    BackupError, CommitObserver, DataFolder, LockError, NoDataFolderError, OpenStoreError,
    SchemaError, Store, StoreError, Write, back_up,
};
pub use time_source::TimeSource;
pub use token::{Token, TokenHash};
