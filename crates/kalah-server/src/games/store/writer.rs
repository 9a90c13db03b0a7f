use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::{GameWrite, StoreError, rows};

/// A write, and whom to tell when it is on disk.
pub(super) type QueuedWrite = (GameWrite, oneshot::Sender<Result<(), StoreError>>);

/// Who is told of each commit: how many writes it had, and how long it took.
pub type CommitObserver = Box<dyn Fn(usize, Duration) + Send>;

/// Writes of one commit at most: then somebody is told, however many more wait.
const MAX_WRITES_PER_COMMIT: usize = 256;

/// Starts the thread that writes. It ends when nobody can send it anything any more.
pub(super) fn spawn_writer(
    mut connection: Connection,
    mut jobs: mpsc::Receiver<QueuedWrite>,
    observe: CommitObserver,
) -> Result<thread::JoinHandle<()>, std::io::Error> {
    let write = move || {
        let mut batch = Vec::with_capacity(MAX_WRITES_PER_COMMIT);
        while jobs.blocking_recv_many(&mut batch, MAX_WRITES_PER_COMMIT) > 0 {
            let started = Instant::now();
            let results = commit(&mut connection, &batch);
            observe(batch.len(), started.elapsed());
            for ((_, told), result) in batch.drain(..).zip(results) {
                // Whoever asked may have gone away.
                let _ = told.send(result);
            }
        }
    };
    thread::Builder::new().name("games".to_owned()).spawn(write)
}

/// Makes all writes in one commit, so that those who wait at the same time wait for the disk once;
/// one that fails leaves the others alone.
fn commit(connection: &mut Connection, batch: &[QueuedWrite]) -> Vec<Result<(), StoreError>> {
    let mut results = Vec::with_capacity(batch.len());
    let whole = (|| {
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
    match whole {
        Ok(()) => results,
        // What was made is undone with the rest.
        Err(error) => {
            let error = StoreError::from(error);
            batch.iter().map(|_| Err(error.clone())).collect()
        }
    }
}

fn apply(connection: &Connection, write: &GameWrite) -> Result<(), StoreError> {
    match write {
        GameWrite::NewGame(game) => rows::insert_game(connection, game),
        GameWrite::Ply {
            game,
            number,
            mv,
            state: standing,
        } => {
            rows::update_state(connection, *game, standing)?;
            rows::insert_ply(connection, *game, *number, mv)
        }
        GameWrite::State {
            game,
            state: standing,
        } => rows::update_state(connection, *game, standing),
        GameWrite::Rematch {
            game,
            state: standing,
            other,
        } => {
            rows::insert_game(connection, other)?;
            rows::update_state(connection, *game, standing)
        }
        GameWrite::Delete(games) => games
            .iter()
            .try_for_each(|&id| rows::delete(connection, id)),
        GameWrite::Heartbeat(now) => Ok(rows::upsert_heartbeat(connection, *now)?),
    }
}
