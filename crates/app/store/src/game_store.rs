//! The games on disk: an `SQLite` database with one writer thread and several readers.
//!
//! Writes that wait at the same time share one commit. A write returns after its commit is on disk.
//! Reads run concurrently.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kalah::{ByPlayer, Ending, Game};
use kalah_book::{MoveCounts, OpeningKey};
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::clock::Timestamp;
use crate::error::{GameStoreError, OpenStoreError, SchemaError};
use crate::folder::{DataFolder, FolderLock};
use crate::model::{GameId, GameState, GameWrite, PlayerToken, StoredEnding, StoredGame};
use crate::openings::{self, OpeningScope};
use crate::room::{RoomCode, StoredRoom};
use crate::room_sql;
use crate::shared::{self, SharedId, SharedRecord};
use crate::sql::{self, BUSY_TIMEOUT};

/// The games of a server on disk.
#[derive(Debug)]
pub struct GameStore {
    writes: Mutex<Option<mpsc::Sender<QueuedWrite>>>,
    writer: Mutex<Option<thread::JoinHandle<()>>>,
    readers: Arc<ReaderPool>,
    _lock: FolderLock,
}

/// A pool of read-only connections.
#[derive(Debug)]
struct ReaderPool {
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

/// The capacity of the write queue. Further writers wait.
const MAX_QUEUED_WRITES: usize = 4096;
/// The number of read-only connections.
const READER_COUNT: usize = 4;
/// The size of the write-ahead log, in pages, that triggers a checkpoint: 16 MiB.
const CHECKPOINT_PAGES: i64 = 4096;
/// More than the number of statements, so that each is prepared once.
const STATEMENT_CACHE_CAPACITY: usize = 64;

impl GameStore {
    /// Opens the games in `folder`. Creates the folder and the database if necessary, and migrates
    /// an older database. Clocks that ran when the last server stopped continue at `now`.
    ///
    /// # Errors
    /// Returns an error if the folder or the database cannot be used. A file that is not a database
    /// of games, or has a newer version, is unchanged.
    pub fn open(
        folder: &DataFolder,
        now: Timestamp,
        observer: CommitObserver,
    ) -> Result<Self, OpenStoreError> {
        let lock = folder.lock()?;
        let file = folder.database();
        let (connection, readers) =
            connect(&file, now).map_err(|reason| OpenStoreError::Schema { file, reason })?;
        let (sender, queue) = mpsc::channel(MAX_QUEUED_WRITES);
        let writer = spawn_writer(connection, queue, observer).map_err(OpenStoreError::Thread)?;
        Ok(Self {
            writes: Mutex::new(Some(sender)),
            writer: Mutex::new(Some(writer)),
            readers: Arc::new(ReaderPool {
                idle: Mutex::new(readers),
                permits: Arc::new(Semaphore::new(READER_COUNT)),
            }),
            _lock: lock,
        })
    }

    /// Writes to the database. Returns after the commit is on disk.
    ///
    /// # Errors
    /// Returns an error if the write was not committed.
    pub async fn write(&self, write: GameWrite) -> Result<(), GameStoreError> {
        let writes = lock(&self.writes).clone();
        let (sender, receiver) = oneshot::channel();
        let writes = writes.ok_or(GameStoreError::Closed)?;
        writes
            .send((write, sender))
            .await
            .map_err(|_| GameStoreError::Closed)?;
        drop(writes);
        receiver.await.map_err(|_| GameStoreError::Closed)?
    }

    /// Like [`GameStore::write`], but blocks.
    ///
    /// # Errors
    /// Returns an error if the write was not committed.
    ///
    /// # Panics
    /// Panics in asynchronous code.
    fn write_blocking(&self, write: GameWrite) -> Result<(), GameStoreError> {
        let writes = lock(&self.writes).clone();
        let (sender, receiver) = oneshot::channel();
        let writes = writes.ok_or(GameStoreError::Closed)?;
        writes
            .blocking_send((write, sender))
            .map_err(|_| GameStoreError::Closed)?;
        drop(writes);
        receiver
            .blocking_recv()
            .map_err(|_| GameStoreError::Closed)?
    }

    /// Loads a game.
    ///
    /// # Errors
    /// Returns [`GameStoreError::GameNotFound`] or another error if the game cannot be read.
    pub async fn load(&self, id: GameId) -> Result<StoredGame, GameStoreError> {
        let game = self
            .with_reader(move |connection| sql::select_game(connection, id))
            .await?;
        game.ok_or(GameStoreError::GameNotFound(id))
    }

    /// Returns all games with a running clock, and the time at which it expires.
    ///
    /// # Errors
    /// Returns an error if the games cannot be read.
    pub async fn running_clocks(&self) -> Result<Vec<(GameId, Timestamp)>, GameStoreError> {
        self.with_reader(|connection| sql::select_running(connection))
            .await
    }

    /// Returns at most `limit` games that have not changed since `old`, or since `unplayed` if they
    /// have no plies and no running clock.
    ///
    /// # Errors
    /// Returns an error if the games cannot be read.
    pub async fn expired_games(
        &self,
        old: Timestamp,
        unplayed: Timestamp,
        limit: usize,
    ) -> Result<Vec<GameId>, GameStoreError> {
        self.with_reader(move |connection| sql::select_expired(connection, old, unplayed, limit))
            .await
    }

    /// Returns the counts of the moves of a position in finished games.
    ///
    /// # Errors
    /// Returns an error if the counts cannot be read.
    pub async fn opening_counts(
        &self,
        scope: OpeningScope,
        key: OpeningKey,
    ) -> Result<MoveCounts, GameStoreError> {
        self.with_reader(move |connection| openings::select_counts(connection, &scope, &key))
            .await
    }

    /// Loads a room.
    ///
    /// # Errors
    /// Returns [`GameStoreError::RoomNotFound`] or another error if the room cannot be read.
    pub async fn load_room(&self, code: RoomCode) -> Result<StoredRoom, GameStoreError> {
        let wanted = code.clone();
        let room = self
            .with_reader(move |connection| room_sql::select_room(connection, &wanted))
            .await?;
        room.ok_or(GameStoreError::RoomNotFound(code))
    }

    /// Returns the number of rooms.
    ///
    /// # Errors
    /// Returns an error if the rooms cannot be read.
    pub async fn count_rooms(&self) -> Result<usize, GameStoreError> {
        self.with_reader(|connection| room_sql::count_rooms(connection))
            .await
    }

    /// Returns at most `limit` rooms that have not changed since `old`, except the lobby.
    ///
    /// # Errors
    /// Returns an error if the rooms cannot be read.
    pub async fn old_rooms(
        &self,
        old: Timestamp,
        limit: usize,
    ) -> Result<Vec<RoomCode>, GameStoreError> {
        self.with_reader(move |connection| room_sql::select_old_rooms(connection, old, limit))
            .await
    }

    /// Loads a shared record.
    ///
    /// # Errors
    /// Returns [`GameStoreError::SharedNotFound`] or another error if the record cannot be read.
    pub async fn load_shared(&self, id: SharedId) -> Result<SharedRecord, GameStoreError> {
        let wanted = id.clone();
        let record = self
            .with_reader(move |connection| shared::select_shared(connection, &wanted))
            .await?;
        record.ok_or(GameStoreError::SharedNotFound(id))
    }

    /// Returns the number of shared records.
    ///
    /// # Errors
    /// Returns an error if the records cannot be counted.
    pub async fn count_shared(&self) -> Result<usize, GameStoreError> {
        self.with_reader(|connection| shared::count_shared(connection))
            .await
    }

    /// Closes the store after all queued writes are on disk. Its database is one file then.
    pub async fn close(&self) {
        // SQLite moves the log into the database when the last connection is closed. That of the
        // writer is the last one, because a reader cannot do this.
        let readers = &self.readers;
        let all = u32::try_from(READER_COUNT).unwrap_or(u32::MAX);
        // The semaphore is closed already if the store is.
        if let Ok(_permits) = readers.permits.acquire_many(all).await {
            readers.permits.close();
            lock(&readers.idle).clear();
        }
        drop(lock(&self.writes).take());
        let writer = lock(&self.writer).take();
        if let Some(writer) = writer {
            // The writer thread has ended, with or without a panic.
            let _ = tokio::task::spawn_blocking(move || writer.join()).await;
        }
    }

    /// Runs `read` with a connection of the pool on a blocking thread.
    async fn with_reader<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut Connection) -> Result<T, GameStoreError> + Send + 'static,
    ) -> Result<T, GameStoreError> {
        let readers = Arc::clone(&self.readers);
        let permit = Arc::clone(&readers.permits)
            .acquire_owned()
            .await
            .map_err(|_| GameStoreError::Closed)?;
        let task = move || {
            let connection = lock(&readers.idle).pop();
            let mut connection = connection.ok_or(GameStoreError::Closed)?;
            let result = read(&mut connection);
            lock(&readers.idle).push(connection);
            drop(permit);
            result
        };
        tokio::task::spawn_blocking(task)
            .await
            .map_err(|_| GameStoreError::Closed)?
    }
}

/// Locks a mutex. No code panics while it changes the guarded value, so poisoning is ignored.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens and migrates a database. Returns the connection of the writer and those of the readers.
fn connect(file: &Path, now: Timestamp) -> Result<(Connection, Vec<Connection>), SchemaError> {
    if file.metadata().is_ok_and(|data| data.len() > 0) {
        sql::check_file(file)?;
    }
    let mut connection = Connection::open(file)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // Commits return after they are on disk.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_CAPACITY);
    sql::migrate(&mut connection)?;
    let transaction = connection.transaction()?;
    sql::skip_downtime(&transaction, now)?;
    sql::upsert_heartbeat(&transaction, now)?;
    openings::count_all(&transaction)?;
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

/// A write, and the channel for its result.
type QueuedWrite = (GameWrite, oneshot::Sender<Result<(), GameStoreError>>);

/// A callback for each commit, with the number of writes and the duration.
pub type CommitObserver = Box<dyn Fn(usize, Duration) + Send>;

/// The maximum number of writes per commit, which bounds the time until the first one returns.
const MAX_WRITES_PER_COMMIT: usize = 256;

/// Starts the writer thread. It ends when the sending side of the queue is dropped.
fn spawn_writer(
    mut connection: Connection,
    mut writes: mpsc::Receiver<QueuedWrite>,
    observer: CommitObserver,
) -> Result<thread::JoinHandle<()>, std::io::Error> {
    let write = move || {
        let mut batch = Vec::with_capacity(MAX_WRITES_PER_COMMIT);
        while writes.blocking_recv_many(&mut batch, MAX_WRITES_PER_COMMIT) > 0 {
            let started = Instant::now();
            let results = commit(&mut connection, &batch);
            observer(batch.len(), started.elapsed());
            for ((_, sender), result) in batch.drain(..).zip(results) {
                // The receiver is gone if the caller was cancelled.
                let _ = sender.send(result);
            }
        }
    };
    thread::Builder::new().name("games".to_owned()).spawn(write)
}

/// Applies all writes in one transaction, so that concurrent writers wait for the disk once. A
/// write that fails does not affect the others.
fn commit(connection: &mut Connection, batch: &[QueuedWrite]) -> Vec<Result<(), GameStoreError>> {
    let mut results = Vec::with_capacity(batch.len());
    let outcome = (|| {
        let mut transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (write, _) in batch {
            let savepoint = transaction.savepoint()?;
            let result = apply(&savepoint, write);
            if result.is_ok() {
                savepoint.commit()?;
            } else {
                savepoint.finish()?;
            }
            results.push(result);
        }
        transaction.commit()
    })();
    match outcome {
        Ok(()) => results,
        // The transaction was rolled back.
        Err(error) => {
            let error = GameStoreError::from(error);
            batch.iter().map(|_| Err(error.clone())).collect()
        }
    }
}

/// Applies a write. A game that has ended with it counts in the opening statistics.
fn apply(connection: &Connection, write: &GameWrite) -> Result<(), GameStoreError> {
    apply_change(connection, write)?;
    match write {
        GameWrite::NewGame(game) if game.state.ending.is_some() => {
            openings::count_game(connection, game.id)
        }
        GameWrite::Ply { game, state, .. } | GameWrite::State { game, state }
            if state.ending.is_some() =>
        {
            openings::count_game(connection, *game)
        }
        _ => Ok(()),
    }
}

fn apply_change(connection: &Connection, write: &GameWrite) -> Result<(), GameStoreError> {
    match write {
        GameWrite::NewGame(game) => sql::insert_game(connection, game),
        GameWrite::Ply {
            game,
            number,
            mv,
            state,
        } => {
            sql::update_state(connection, *game, state)?;
            sql::insert_ply(connection, *game, *number, mv)
        }
        GameWrite::Takeback {
            game,
            takeback,
            state,
        } => {
            sql::update_state(connection, *game, state)?;
            sql::insert_takeback(connection, *game, takeback, state)
        }
        GameWrite::Join {
            game,
            player,
            token,
            state,
        } => {
            sql::update_state(connection, *game, state)?;
            sql::update_token(connection, *game, *player, *token)
        }
        GameWrite::State { game, state } => sql::update_state(connection, *game, state),
        GameWrite::Rematch { game, state, other } => {
            sql::insert_game(connection, other)?;
            sql::update_state(connection, *game, state)
        }
        GameWrite::Room(write) => room_sql::apply(connection, write),
        GameWrite::Shared(write) => shared::apply(connection, write),
        GameWrite::Delete(games) => games.iter().try_for_each(|&id| sql::delete(connection, id)),
        GameWrite::Heartbeat(now) => Ok(sql::upsert_heartbeat(connection, *now)?),
    }
}

/// A store of games that were played elsewhere, for example on a KGP server. A server on the same
/// folder shows and reviews them under their ids. Their tokens are random and discarded.
///
/// The data folder is locked for other servers until this is dropped.
#[derive(Debug)]
pub struct FinishedGameStore(GameStore);

impl FinishedGameStore {
    /// Opens the games in `folder`, like [`GameStore::open`].
    ///
    /// # Errors
    /// Returns an error if the store cannot be opened.
    pub fn open(folder: &DataFolder, now: Timestamp) -> Result<Self, OpenStoreError> {
        GameStore::open(folder, now, Box::new(|_, _| {})).map(Self)
    }

    /// Saves a finished game and returns its id after it is on disk. Blocks, so it must not be
    /// called in asynchronous code.
    ///
    /// # Errors
    /// Returns an error if the game cannot be written.
    pub fn save(
        &self,
        game: &Game,
        ending: Ending,
        now: Timestamp,
    ) -> Result<GameId, GameStoreError> {
        let plies = game.plies().iter();
        let stored = StoredGame {
            id: GameId::random(),
            created: now,
            rules: game.start().rules().to_string(),
            start: game.start().to_string(),
            spectator_scores: true,
            room: None,
            tokens: ByPlayer::from_fn(|_| PlayerToken::random().hash()),
            plies: plies.map(|ply| ply.mv.text(ply.side)).collect(),
            state: GameState {
                ending: Some(StoredEnding {
                    termination: ending.termination,
                    winner: ending.winner,
                }),
                joined: ByPlayer::new(true, true),
                ..GameState::new(now, None)
            },
        };
        let id = stored.id;
        self.0
            .write_blocking(GameWrite::NewGame(Box::new(stored)))?;
        Ok(id)
    }
}
