//! Background tasks: time-outs, heartbeats and the deletion of old games.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kalah_store::{GameStoreError, GameWrite, Timestamp};
use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::games::messages::GameError;
use crate::games::registry::GameRegistry;
use crate::games::time::OBSERVATION_INTERVAL;
use crate::sharing::records::delete_unopened_records;

/// The interval of heartbeats while a clock runs. A server that is killed and restarted gives back
/// at most this much time to a player.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// The same while every running clock has more than [`LONG_TIME`], as in games by correspondence.
const SLOW_HEARTBEAT_INTERVAL: Duration = Duration::from_mins(1);
/// The time on a clock beside which a minute is little.
const LONG_TIME: Duration = Duration::from_hours(2);
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

/// Starts the tasks that end games by time, watch the clock, write heartbeats and delete old games.
/// They run until `shutdown` is cancelled.
///
/// # Errors
/// Returns an error if the running clocks cannot be read.
pub(crate) async fn start_background_tasks(
    registry: &Arc<GameRegistry>,
    shutdown: &CancellationToken,
) -> Result<(), GameStoreError> {
    for (game, expiry) in registry.store.running_clocks().await? {
        registry.deadlines.set(game, Some(expiry));
    }
    let start = |task: Pin<Box<dyn Future<Output = ()> + Send>>| {
        tokio::spawn(shutdown.clone().run_until_cancelled_owned(task));
    };
    start(Box::pin(end_timed_out_games(Arc::clone(registry))));
    let pause_ended = Arc::new(Notify::new());
    start(Box::pin(watch_clock(
        Arc::clone(registry),
        Arc::clone(&pause_ended),
    )));
    start(Box::pin(broadcast_after_pauses(
        Arc::clone(registry),
        pause_ended,
    )));
    start(Box::pin(write_heartbeats(Arc::clone(registry))));
    start(Box::pin(delete_expired_games(Arc::clone(registry))));
    Ok(())
}

/// Ends games whose clock has expired.
async fn end_timed_out_games(registry: Arc<GameRegistry>) {
    loop {
        let game = registry.deadlines.next_expired(&registry.time).await;
        match registry.end_if_timed_out(game).await {
            Ok(()) | Err(GameError::NotFound(_)) => {}
            Err(error) => {
                tracing::error!(?error, "cannot end a game whose clock has expired");
                registry
                    .deadlines
                    .set(game, Some(registry.time.now().saturating_add(RETRY_DELAY)));
            }
        }
    }
}

/// Observes the clock, and notifies `pause_ended` after a pause of the process. It waits for
/// nothing else, because some seconds without an observation would count as a pause.
async fn watch_clock(registry: Arc<GameRegistry>, pause_ended: Arc<Notify>) {
    let mut known = registry.time.paused();
    loop {
        sleep(OBSERVATION_INTERVAL).await;
        let paused = registry.time.paused();
        let pause = paused.saturating_sub(known);
        if !pause.is_zero() {
            let seconds = pause.as_secs();
            tracing::warn!(
                seconds,
                "the process did not run; the clocks of games stood still"
            );
            pause_ended.notify_one();
            known = paused;
        }
    }
}

/// Sends the remaining times to all players after a pause, because their pages have counted on.
async fn broadcast_after_pauses(registry: Arc<GameRegistry>, pause_ended: Arc<Notify>) {
    loop {
        pause_ended.notified().await;
        registry.broadcast_clocks().await;
    }
}

/// Writes heartbeats, from which a restarted server knows the downtime.
async fn write_heartbeats(registry: Arc<GameRegistry>) {
    let mut last = registry.time.now();
    loop {
        sleep(HEARTBEAT_INTERVAL).await;
        let now = registry.time.now();
        let Some(earliest) = registry.deadlines.earliest() else {
            continue;
        };
        let is_long = earliest.saturating_duration_since(now) > LONG_TIME;
        if is_long && now.saturating_duration_since(last) < SLOW_HEARTBEAT_INTERVAL {
            continue;
        }
        last = now;
        if let Err(error) = registry.store.write(GameWrite::Heartbeat(now)).await {
            tracing::error!(%error, "cannot write a heartbeat");
        }
    }
}

/// Deletes expired games in batches, and shared records that were not opened for long.
async fn delete_expired_games(registry: Arc<GameRegistry>) {
    loop {
        let now = registry.time.now();
        match delete_expired_batch(&registry, now).await {
            Ok(DELETE_BATCH_SIZE..) => sleep(RETRY_DELAY).await,
            Ok(_) => {
                if let Err(error) = delete_unopened_records(&registry, now).await {
                    tracing::error!(%error, "cannot delete shared games");
                }
                sleep(CLEANUP_INTERVAL).await;
            }
            Err(error) => {
                tracing::error!(%error, "cannot delete expired games");
                sleep(CLEANUP_INTERVAL).await;
            }
        }
    }
}

/// Deletes some of the games that have expired at `now`, and returns their number.
async fn delete_expired_batch(
    registry: &GameRegistry,
    now: Timestamp,
) -> Result<usize, GameStoreError> {
    let (expired_before, unplayed_before) = (
        now.saturating_sub(GAME_RETENTION),
        now.saturating_sub(UNPLAYED_GAME_RETENTION),
    );
    let games = registry
        .store
        .expired_games(expired_before, unplayed_before, DELETE_BATCH_SIZE)
        .await?;
    let count = games.len();
    if count > 0 {
        registry.store.write(GameWrite::Delete(games)).await?;
        tracing::info!(count, "expired games deleted");
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use kalah::{PlayerId, Position, Rules};
    use kalah_store::GameId;
    use prometheus_client::registry::Registry;
    use tokio_util::task::TaskTracker;

    use super::*;
    use crate::games::friend_game::FriendGameOptions;
    use crate::games::live_game::GameCommand;
    use crate::games::time::TimeSource;

    const START: Timestamp = Timestamp::from_millis(0);

    /// Creates a game, in which the first ply is played if `is_played`.
    async fn new_game(registry: &Arc<GameRegistry>, is_played: bool) -> GameId {
        let options = FriendGameOptions {
            start: Position::start(6, 4, Rules::CS32).expect("a start"),
            clock: None,
            spectator_scores: false,
            shares: false,
        };
        let created = registry.create(options, PlayerId::ALL[0], None).await;
        let created = created.expect("a game");
        let id = created.view.game.parse().expect("a name");
        if is_played {
            let ply = GameCommand::Play {
                ply: 1,
                mv: "A".to_owned(),
            };
            let played = registry.get(id).execute(&created.token, ply).await;
            played.expect("a legal move");
        }
        id
    }

    #[tokio::test]
    async fn expired_games_are_deleted() {
        let (mut metrics, tasks) = (Registry::default(), TaskTracker::new());
        let mut registry = GameRegistry::open(None, &mut metrics, tasks).expect("a registry");
        registry.time = TimeSource::new(START);
        let registry = Arc::new(registry);
        let unplayed = new_game(&registry, false).await;
        let played = new_game(&registry, true).await;
        let second = Duration::from_secs(1);
        let delete_before = async |age: Duration| {
            let now = registry.time.now().saturating_add(age);
            let now = now.saturating_sub(second);
            delete_expired_batch(&registry, now).await.expect("a store")
        };
        let is_stored = async |id| registry.store.load(id).await.is_ok();
        assert_eq!(delete_before(UNPLAYED_GAME_RETENTION).await, 0);
        assert!(is_stored(unplayed).await && is_stored(played).await);
        assert_eq!(delete_before(UNPLAYED_GAME_RETENTION + 2 * second).await, 1);
        assert!(!is_stored(unplayed).await && is_stored(played).await);
        assert_eq!(delete_before(GAME_RETENTION).await, 0);
        assert_eq!(delete_before(GAME_RETENTION + 2 * second).await, 1);
        assert!(!is_stored(played).await);
    }
}
