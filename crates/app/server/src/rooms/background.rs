//! Background tasks of rooms: updates to their subscribers, the deletion of old rooms, and the
//! replacement of an old lobby.

use std::sync::Arc;
use std::time::Duration;

use kalah_store::{GameStoreError, GameWrite, RoomWrite, Timestamp};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::rooms::live_room::UPDATE_INTERVAL;
use crate::rooms::registry::RoomRegistry;

/// The time after the last change of a room until its deletion.
const ROOM_RETENTION: Duration = Duration::from_hours(30 * 24);

/// The interval of searches for old rooms.
const CLEANUP_INTERVAL: Duration = Duration::from_hours(1);

/// The most rooms of a deletion. The next one comes after [`CLEANUP_INTERVAL`].
const DELETE_BATCH_SIZE: usize = 100;

/// Starts the tasks that follow the games of rooms, send updates, delete old rooms and replace an
/// old lobby. They run until `shutdown` is cancelled.
pub(crate) fn start_background_tasks(rooms: &Arc<RoomRegistry>, shutdown: &CancellationToken) {
    let events = rooms.games.room_events();
    let follow = Arc::clone(rooms).follow_games(events);
    tokio::spawn(shutdown.clone().run_until_cancelled_owned(follow));
    let send = send_updates(Arc::clone(rooms));
    tokio::spawn(shutdown.clone().run_until_cancelled_owned(send));
    let clean_up = clean_up_rooms(Arc::clone(rooms));
    tokio::spawn(shutdown.clone().run_until_cancelled_owned(clean_up));
}

/// Sends the changes of all rooms to their subscribers.
async fn send_updates(rooms: Arc<RoomRegistry>) {
    loop {
        rooms.changed.notified().await;
        let mut are_all_sent = true;
        for live_room in rooms.all_live() {
            are_all_sent &= live_room.send_update(rooms.games.time.now());
        }
        if !are_all_sent {
            rooms.changed.notify_one();
        }
        sleep(UPDATE_INTERVAL).await;
    }
}

/// Cleans up the rooms in intervals.
async fn clean_up_rooms(rooms: Arc<RoomRegistry>) {
    loop {
        clean_up(&rooms).await;
        sleep(CLEANUP_INTERVAL).await;
    }
}

/// Deletes old rooms, replaces an old lobby, and removes unused rooms from memory.
pub(super) async fn clean_up(rooms: &RoomRegistry) {
    rooms.forget_unused();
    match delete_old_batch(rooms, rooms.games.time.now()).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "old rooms deleted"),
        Err(error) => tracing::error!(%error, "cannot delete old rooms"),
    }
    if let Err(error) = rooms.renew_lobby().await {
        tracing::error!(?error, "the lobby cannot be replaced");
    }
}

/// Deletes some of the rooms that are old at `now`, and returns their number.
async fn delete_old_batch(rooms: &RoomRegistry, now: Timestamp) -> Result<usize, GameStoreError> {
    let old = now.saturating_sub(ROOM_RETENTION);
    let store = &rooms.games.store;
    let codes = store.old_rooms(old, DELETE_BATCH_SIZE).await?;
    let count = codes.len();
    if count > 0 {
        for code in &codes {
            rooms.forget(code);
        }
        store
            .write(GameWrite::Room(RoomWrite::Delete(codes)))
            .await?;
    }
    Ok(count)
}
