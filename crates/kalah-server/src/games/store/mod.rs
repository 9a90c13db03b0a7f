//! The store of games: an `SQLite` database in a folder that one server has for itself.

pub(crate) mod error;
mod finished;
pub(crate) mod folder;
pub(crate) mod game_store;
mod rows;
mod schema;
#[cfg(test)]
mod tests;

pub use error::{OpenStoreError, StoreError};
pub use finished::FinishedGameStore;
pub use folder::{BackupError, DataFolder, LockError, NoDataFolderError, back_up};
pub use game_store::{CommitObserver, GameStore};
pub use schema::SchemaError;
