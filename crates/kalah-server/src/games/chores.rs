use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::games::failure::Failure;
use crate::games::hall::Hall;
use crate::games::{StoreError, Write};

/// How often it is noted that the server runs, while a clock does. A server that is killed and started
/// again gives so much time back at most.
const ALIVE: Duration = Duration::from_secs(1);
/// How long a game is kept in which nothing happens.
const KEPT: Duration = Duration::from_hours(90 * 24);
/// The same, where nobody has sown yet.
const KEPT_UNPLAYED: Duration = Duration::from_hours(7 * 24);
/// How often games are looked for that are kept no longer.
const CLEANED: Duration = Duration::from_hours(1);
/// Games that are deleted at once, so that sowings do not wait long for it.
const DELETED_AT_ONCE: usize = 100;
/// Before another try when the store has failed.
const AGAIN: Duration = Duration::from_secs(1);

/// Does what has to be done for games whether anybody looks at them or not, until `closing`.
///
/// # Errors
/// Why it cannot be begun: the clocks that run cannot be read.
pub(crate) async fn begin(hall: &Arc<Hall>, closing: &CancellationToken) -> Result<(), StoreError> {
    for (game, moment) in hall.store.running().await? {
        hall.deadlines.set(game, Some(moment));
    }
    let (clocks, alive, old) = (Arc::clone(hall), Arc::clone(hall), Arc::clone(hall));
    tokio::spawn(closing.clone().run_until_cancelled_owned(end_games(clocks)));
    tokio::spawn(closing.clone().run_until_cancelled_owned(note_alive(alive)));
    tokio::spawn(closing.clone().run_until_cancelled_owned(delete_old(old)));
    Ok(())
}

/// Ends the games whose clock runs out.
async fn end_games(hall: Arc<Hall>) {
    loop {
        let game = hall.deadlines.next(&hall.time).await;
        match hall.run_out(game).await {
            Ok(()) | Err(Failure::NoGame) => {}
            Err(failure) => {
                tracing::error!(?failure, "a game whose clock has run out cannot be ended");
                hall.deadlines.set(game, Some(hall.time.now().after(AGAIN)));
            }
        }
    }
}

/// Notes that the server runs.
async fn note_alive(hall: Arc<Hall>) {
    loop {
        sleep(ALIVE).await;
        if hall.deadlines.is_empty() {
            continue;
        }
        let write = Write::Alive(hall.time.now());
        if let Err(error) = hall.store.write(write).await {
            tracing::error!(%error, "it cannot be kept that the server runs");
        }
    }
}

/// Deletes the games that are kept no longer.
async fn delete_old(hall: Arc<Hall>) {
    loop {
        match delete_some(&hall).await {
            Ok(DELETED_AT_ONCE..) => sleep(AGAIN).await,
            Ok(_) => sleep(CLEANED).await,
            Err(error) => {
                tracing::error!(%error, "old games cannot be deleted");
                sleep(CLEANED).await;
            }
        }
    }
}

async fn delete_some(hall: &Hall) -> Result<usize, StoreError> {
    let now = hall.time.now();
    let (old, unplayed) = (now.before(KEPT), now.before(KEPT_UNPLAYED));
    let games = hall.store.old(old, unplayed, DELETED_AT_ONCE).await?;
    let number = games.len();
    if number > 0 {
        hall.store.write(Write::Delete(games)).await?;
        tracing::info!(
            number,
            "games deleted in which nothing has happened for long"
        );
    }
    Ok(number)
}
