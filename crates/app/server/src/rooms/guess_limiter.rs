//! The limit of guessed room codes for each client address.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::http::rate_limit::{ClientIp, RateLimiter};

/// The time after which an address may send another code without a room, beyond [`GUESS_BURST`].
const GUESS_INTERVAL: Duration = Duration::from_secs(10);

/// The number of codes without a room that an address may send at once: all pupils of a school, who
/// may mistype the code on the board, share one.
const GUESS_BURST: NonZeroU32 = NonZeroU32::new(60).expect("not zero");

/// The number of blocked addresses from which on expired ones are removed.
const CLEANUP_COUNT: usize = 1024;

/// Limits the codes without a room that come from an address. At the limit the address learns of no
/// code whether it has a room, unless it sends a token of that room.
#[derive(Debug)]
pub(crate) struct GuessLimiter {
    limiter: RateLimiter,
    /// The addresses at the limit, with the times until which they are.
    blocked: Mutex<HashMap<ClientIp, Instant>>,
}

impl Default for GuessLimiter {
    fn default() -> Self {
        Self {
            limiter: RateLimiter::with_interval(GUESS_INTERVAL, GUESS_BURST),
            blocked: Mutex::default(),
        }
    }
}

impl GuessLimiter {
    /// Checks that an address is not at the limit.
    ///
    /// # Errors
    /// Returns the time to wait if it is.
    pub(super) fn check(&self, client: ClientIp) -> Result<(), Duration> {
        let end = self.lock_blocked().get(&client).copied();
        let time = end.map(|end| end.saturating_duration_since(Instant::now()));
        match time {
            None | Some(Duration::ZERO) => Ok(()),
            Some(time) => Err(time),
        }
    }

    /// Charges a code without a room to an address.
    pub(super) fn charge(&self, client: ClientIp) {
        let Err(time) = self.limiter.try_acquire(client, NonZeroU32::MIN) else {
            return;
        };
        let now = Instant::now();
        let mut blocked = self.lock_blocked();
        if blocked.len() >= CLEANUP_COUNT {
            blocked.retain(|_, end| *end > now);
        }
        blocked.insert(client, now + time);
    }

    fn lock_blocked(&self) -> MutexGuard<'_, HashMap<ClientIp, Instant>> {
        self.blocked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn address_waits_after_too_many_guesses() {
        let limiter = GuessLimiter::default();
        let [guesser, other] = [1, 2].map(|number| ClientIp::new([192, 0, 2, number].into()));
        for _ in 0..GUESS_BURST.get() {
            limiter.charge(guesser);
            assert_eq!(limiter.check(guesser), Ok(()));
        }
        limiter.charge(guesser);
        assert_eq!(limiter.check(guesser), Err(GUESS_INTERVAL));
        assert_eq!(limiter.check(other), Ok(()));
        tokio::time::advance(GUESS_INTERVAL).await;
        assert_eq!(limiter.check(guesser), Ok(()));
        limiter.charge(guesser);
        assert_eq!(limiter.check(guesser), Ok(()));
        limiter.charge(guesser);
        assert!(limiter.check(guesser).is_err());
    }
}
