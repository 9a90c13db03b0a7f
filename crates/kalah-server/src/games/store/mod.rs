//! Where games are kept: an `SQLite` database in a folder that one server has for itself.
//!
//! One thread writes. Writes that wait at the same time go to disk in one commit, and nobody is told
//! before it is there. Reading goes on beside it.

mod backup;
mod error;
mod folder;
mod rows;
mod schema;
#[cfg(test)]
mod tests;
mod write;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use tokio::sync::{Semaphore, mpsc, oneshot};

pub use backup::{BackupError, back_up};
pub use error::{OpenStoreError, StoreError};
pub use folder::{DataFolder, LockError, NoDataFolderError};
pub use schema::SchemaError;
pub use write::GameWrite;
pub use writer::CommitObserver;

use crate::games::{GameId, StoredGame, Timestamp};

/// The games of a server on disk.
#[derive(Debug)]
pub struct GameStore {
    writes: Mutex<Option<mpsc::Sender<writer::QueuedWrite>>>,
    writer: Mutex<Option<thread::JoinHandle<()>>>,
    readers: Arc<ReaderPool>,
    _lock: folder::FolderLock,
}

/// Connections that only read, one for each that may do so at the same time.
#[derive(Debug)]
struct ReaderPool {
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

/// Writes that may wait; those who want to add more wait themselves.
const MAX_QUEUED_WRITES: usize = 4096;
/// Connections that read.
const READER_COUNT: usize = 4;
/// A backup in another process can hold the database up for a moment.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Pages in the write-ahead log after which they are brought to their places: 16 MiB.
const CHECKPOINT_PAGES: i64 = 4096;

impl GameStore {
    /// Opens the games in `folder`, making the folder and the database if they are not there, and
    /// bringing the database of an older version up to date. The clocks that ran when the last server
    /// ended go on from `now`.
    ///
    /// # Errors
    /// Why that cannot be; a file that is no database of games, or a newer version's, is left as it is.
    pub fn open(
        folder: &DataFolder,
        now: Timestamp,
        observe: CommitObserver,
    ) -> Result<Self, OpenStoreError> {
        let lock = folder.lock()?;
        let file = folder.database();
        let (connection, readers) =
            connect(&file, now).map_err(|reason| OpenStoreError::Schema { file, reason })?;
        let (jobs, waiting) = mpsc::channel(MAX_QUEUED_WRITES);
        let writer =
            writer::spawn_writer(connection, waiting, observe).map_err(OpenStoreError::Thread)?;
        Ok(Self {
            writes: Mutex::new(Some(jobs)),
            writer: Mutex::new(Some(writer)),
            readers: Arc::new(ReaderPool {
                idle: Mutex::new(readers),
                permits: Arc::new(Semaphore::new(READER_COUNT)),
            }),
            _lock: lock,
        })
    }

    /// Keeps something. When this returns, it is on disk.
    ///
    /// # Errors
    /// Why it is not kept.
    pub async fn write(&self, write: GameWrite) -> Result<(), StoreError> {
        let jobs = lock(&self.writes).clone();
        let (told, done) = oneshot::channel();
        let jobs = jobs.ok_or(StoreError::Closed)?;
        jobs.send((write, told))
            .await
            .map_err(|_| StoreError::Closed)?;
        drop(jobs);
        done.await.map_err(|_| StoreError::Closed)?
    }

    /// The same as [`GameStore::write`], on a thread that may wait.
    ///
    /// # Errors
    /// Why it is not kept.
    ///
    /// # Panics
    /// On a thread on which others run.
    pub(super) fn write_blocking(&self, write: GameWrite) -> Result<(), StoreError> {
        let jobs = lock(&self.writes).clone();
        let (told, done) = oneshot::channel();
        let jobs = jobs.ok_or(StoreError::Closed)?;
        jobs.blocking_send((write, told))
            .map_err(|_| StoreError::Closed)?;
        drop(jobs);
        done.blocking_recv().map_err(|_| StoreError::Closed)?
    }

    /// What is kept of a game.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] if it is not there, or another reason why it cannot be read.
    pub async fn load(&self, id: GameId) -> Result<StoredGame, StoreError> {
        let game = self
            .with_reader(move |connection| rows::select_game(connection, id))
            .await?;
        game.ok_or(StoreError::GameNotFound(id))
    }

    /// The games whose clock runs, and when each of them runs out.
    ///
    /// # Errors
    /// Why that cannot be read.
    pub async fn running_clocks(&self) -> Result<Vec<(GameId, Timestamp)>, StoreError> {
        self.with_reader(|connection| rows::select_running(connection))
            .await
    }

    /// At most `limit` of the games that have not changed since `old`, or since `unplayed` if nobody
    /// has sown in them.
    ///
    /// # Errors
    /// Why that cannot be read.
    pub async fn expired_games(
        &self,
        old: Timestamp,
        unplayed: Timestamp,
        limit: usize,
    ) -> Result<Vec<GameId>, StoreError> {
        self.with_reader(move |connection| rows::select_expired(connection, old, unplayed, limit))
            .await
    }

    /// Ends the store when all that was given to it is on disk.
    pub async fn close(&self) {
        drop(lock(&self.writes).take());
        let writer = lock(&self.writer).take();
        if let Some(writer) = writer {
            // It has panicked, or it has not: it has ended.
            let _ = tokio::task::spawn_blocking(move || writer.join()).await;
        }
    }

    /// Does `read` with one of the connections, beside the tasks that must not wait for a disk.
    async fn with_reader<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let readers = Arc::clone(&self.readers);
        let permit = Arc::clone(&readers.permits)
            .acquire_owned()
            .await
            .map_err(|_| StoreError::Closed)?;
        let work = move || {
            let connection = lock(&readers.idle).pop();
            let mut connection = connection.ok_or(StoreError::Closed)?;
            let result = read(&mut connection);
            lock(&readers.idle).push(connection);
            drop(permit);
            result
        };
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|_| StoreError::Closed)?
    }
}

/// What a mutex guards. Nobody panics halfway through a change of what these guard.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The connection that writes, and those that read, to a database that is up to date.
fn connect(file: &Path, now: Timestamp) -> Result<(Connection, Vec<Connection>), SchemaError> {
    if file.metadata().is_ok_and(|data| data.len() > 0) {
        schema::check_file(file)?;
    }
    let mut connection = Connection::open(file)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Every commit is on the disk before it returns.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
    schema::migrate(&mut connection)?;
    let transaction = connection.transaction()?;
    rows::skip_downtime(&transaction, now)?;
    rows::upsert_heartbeat(&transaction, now)?;
    transaction.commit()?;
    let reader = || {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let reader = Connection::open_with_flags(file, flags)?;
        reader.busy_timeout(BUSY_TIMEOUT)?;
        Ok(reader)
    };
    let readers = (0..READER_COUNT).map(|_| reader());
    let readers = readers.collect::<Result<Vec<_>, rusqlite::Error>>()?;
    Ok((connection, readers))
}

/// More than there are, so that each is prepared once.
const STATEMENT_CACHE_CAPACITY: usize = 32;
