//! Background tasks: time-outs, heartbeats and the deletion of old games.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::games::error::GameError;
use crate::games::model::GameWrite;
use crate::games::registry::GameRegistry;
use crate::games::store::error::StoreError;

/// The interval of heartbeats while a clock runs. A server that is killed and restarted gives back
/// at most this much time to a player.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// The time after the last change of a game until its deletion.
const GAME_RETENTION: Duration = Duration::from_hours(90 * 24);
/// The same for a game without plies.
const UNPLAYED_GAME_RETENTION: Duration = Duration::from_hours(7 * 24);
/// The interval of searches for expired games.
const CLEANUP_INTERVAL: Duration = Duration::from_hours(1);
/// The maximum number of games per deletion, so that moves do not wait long behind it.
const DELETE_BATCH_SIZE: usize = 100;
/// The pause after an error of the store, and between two deletions.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Starts the tasks that end games by time, write heartbeats and delete old games. They run until
/// `closing` is cancelled.
///
/// # Errors
/// Returns an error if the running clocks cannot be read.
pub(crate) async fn start_background_tasks(
    hall: &Arc<GameRegistry>,
    closing: &CancellationToken,
) -> Result<(), StoreError> {
    for (game, moment) in hall.store.running_clocks().await? {
        hall.deadlines.set(game, Some(moment));
    }
    let (clocks, alive, old) = (Arc::clone(hall), Arc::clone(hall), Arc::clone(hall));
    tokio::spawn(
        closing
            .clone()
            .run_until_cancelled_owned(end_timed_out_games(clocks)),
    );
    tokio::spawn(
        closing
            .clone()
            .run_until_cancelled_owned(write_heartbeats(alive)),
    );
    tokio::spawn(
        closing
            .clone()
            .run_until_cancelled_owned(delete_expired_games(old)),
    );
    Ok(())
}

/// Ends games whose clock has expired.
async fn end_timed_out_games(hall: Arc<GameRegistry>) {
    loop {
        let game = hall.deadlines.next_expired(&hall.time).await;
        match hall.end_if_timed_out(game).await {
            Ok(()) | Err(GameError::NotFound) => {}
            Err(failure) => {
                tracing::error!(?failure, "a game whose clock has run out cannot be ended");
                hall.deadlines
                    .set(game, Some(hall.time.now().saturating_add(RETRY_DELAY)));
            }
        }
    }
}

/// Writes heartbeats, from which a restarted server knows the downtime.
async fn write_heartbeats(hall: Arc<GameRegistry>) {
    loop {
        sleep(HEARTBEAT_INTERVAL).await;
        if hall.deadlines.is_empty() {
            continue;
        }
        let write = GameWrite::Heartbeat(hall.time.now());
        if let Err(error) = hall.store.write(write).await {
            tracing::error!(%error, "it cannot be kept that the server runs");
        }
    }
}

/// Deletes expired games in batches.
async fn delete_expired_games(hall: Arc<GameRegistry>) {
    loop {
        match delete_expired_batch(&hall).await {
            Ok(DELETE_BATCH_SIZE..) => sleep(RETRY_DELAY).await,
            Ok(_) => sleep(CLEANUP_INTERVAL).await,
            Err(error) => {
                tracing::error!(%error, "old games cannot be deleted");
                sleep(CLEANUP_INTERVAL).await;
            }
        }
    }
}

async fn delete_expired_batch(hall: &GameRegistry) -> Result<usize, StoreError> {
    let now = hall.time.now();
    let (old, unplayed) = (
        now.saturating_sub(GAME_RETENTION),
        now.saturating_sub(UNPLAYED_GAME_RETENTION),
    );
    let games = hall
        .store
        .expired_games(old, unplayed, DELETE_BATCH_SIZE)
        .await?;
    let number = games.len();
    if number > 0 {
        hall.store.write(GameWrite::Delete(games)).await?;
        tracing::info!(
            number,
            "games deleted in which nothing has happened for long"
        );
    }
    Ok(number)
}
