use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::games::{GameId, TimeSource, Timestamp};

/// When the clocks that run will run out, whether anybody looks at their games or not.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    set: Mutex<DeadlineSet>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct DeadlineSet {
    by_game: HashMap<GameId, Timestamp>,
    by_time: BTreeSet<(Timestamp, GameId)>,
}

impl Deadlines {
    /// Notes when the clock of a game runs out, if it runs.
    pub(crate) fn set(&self, game: GameId, moment: Option<Timestamp>) {
        let mut set = self.lock();
        let before = match moment {
            Some(moment) => set.by_game.insert(game, moment),
            None => set.by_game.remove(&game),
        };
        if before == moment {
            return;
        }
        if let Some(before) = before {
            set.by_time.remove(&(before, game));
        }
        if let Some(moment) = moment {
            set.by_time.insert((moment, game));
            if set.by_time.first() == Some(&(moment, game)) {
                self.changed.notify_one();
            }
        }
    }

    /// Whether any clock runs.
    pub(crate) fn is_empty(&self) -> bool {
        self.lock().by_game.is_empty()
    }

    /// Waits until the clock of a game has run out, and forgets it.
    pub(crate) async fn next_expired(&self, time: &TimeSource) -> GameId {
        loop {
            let first = self.lock().by_time.first().copied();
            let Some((moment, game)) = first else {
                self.changed.notified().await;
                continue;
            };
            if moment <= time.now() {
                self.set(game, None);
                return game;
            }
            tokio::select! {
                () = tokio::time::sleep_until(time.instant(moment)) => {}
                () = self.changed.notified() => {}
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, DeadlineSet> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn games_come_in_the_order_in_which_they_run_out() {
        let time = TimeSource::new(Timestamp::from_millis(0));
        let deadlines = Deadlines::default();
        let [first, second, third, never] = [1, 2, 3, 4].map(|number| GameId::from([number; 16]));
        let at = Timestamp::from_millis;
        deadlines.set(third, Some(at(30)));
        deadlines.set(never, Some(at(5)));
        deadlines.set(first, Some(at(40)));
        deadlines.set(first, Some(at(10)));
        deadlines.set(never, None);
        let earlier = async {
            tokio::time::sleep(Duration::from_millis(15)).await;
            deadlines.set(second, Some(at(20)));
        };
        let all = async {
            for (game, moment) in [(first, at(10)), (second, at(20)), (third, at(30))] {
                assert_eq!(deadlines.next_expired(&time).await, game);
                let late = time.now().saturating_duration_since(moment);
                assert!(
                    moment <= time.now() && late < Duration::from_millis(3),
                    "{late:?}"
                );
            }
        };
        tokio::join!(earlier, all);
        assert!(deadlines.is_empty());
    }
}
