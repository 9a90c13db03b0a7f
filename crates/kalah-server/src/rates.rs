use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::visitor::ClientIp;

/// How many requests each visitor may make: so many a second, and some more at once after a rest.
///
/// A visitor is remembered by the moment at which all that was spent will have come back, which is one number and
/// needs no clock to tick: the "generic cell rate algorithm" of ITU-T I.371.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    /// The time in which one request comes back.
    interval: Duration,
    /// The time in which all of them do.
    burst_time: Duration,
    state: Mutex<RateLimiterState>,
}

/// When visitors have rested.
#[derive(Debug)]
struct RateLimiterState {
    arrival_times: HashMap<ClientIp, Instant>,
    /// When it is worth while again to look who has.
    next_cleanup: Instant,
}

/// The most visitors that are told from each other, before those are forgotten who have rested: some megabytes. If there
/// are more, all others count as one.
const MAX_CLIENTS: usize = 1 << 16;

/// The time in which it is not looked again who has rested.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(1);

impl RateLimiter {
    pub(crate) fn new(per_second: NonZeroU32, at_once: NonZeroU32) -> Self {
        let interval = Duration::from_secs(1) / per_second.get();
        Self {
            interval,
            burst_time: interval * at_once.get(),
            state: Mutex::new(RateLimiterState {
                arrival_times: HashMap::new(),
                next_cleanup: Instant::now(),
            }),
        }
    }

    /// Takes `requests` from what `visitor` has saved up.
    ///
    /// # Errors
    /// If that is too little: the time after which it will be enough.
    pub(crate) fn try_acquire(
        &self,
        visitor: ClientIp,
        requests: u32,
        now: Instant,
    ) -> Result<(), Duration> {
        let mut rested = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if rested.arrival_times.len() >= MAX_CLIENTS && now >= rested.next_cleanup {
            rested.arrival_times.retain(|_, &mut at| at > now);
            rested.next_cleanup = now + CLEANUP_INTERVAL;
        }
        let is_new = !rested.arrival_times.contains_key(&visitor);
        let visitor = if is_new && rested.arrival_times.len() >= MAX_CLIENTS {
            ClientIp::OVERFLOW
        } else {
            visitor
        };
        let at = rested.arrival_times.entry(visitor).or_insert(now);
        let spent = (*at).max(now) + self.interval * requests;
        let missing = spent
            .saturating_duration_since(now)
            .saturating_sub(self.burst_time);
        if missing.is_zero() {
            *at = spent;
            Ok(())
        } else {
            Err(missing)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn rates(per_second: u32, at_once: u32) -> RateLimiter {
        let positive = |number| NonZeroU32::new(number).expect("a positive number");
        RateLimiter::new(positive(per_second), positive(at_once))
    }

    fn visitor(last: u8) -> ClientIp {
        ClientIp::new([192, 0, 2, last].into())
    }

    #[test]
    fn what_is_spent_comes_back_with_time() {
        let (rates, start) = (rates(10, 3), Instant::now());
        for _ in 0..3 {
            assert_eq!(rates.try_acquire(visitor(1), 1, start), Ok(()));
        }
        assert_eq!(rates.try_acquire(visitor(1), 1, start), Err(SECOND / 10));
        assert_eq!(
            rates.try_acquire(visitor(1), 3, start),
            Err(SECOND * 3 / 10)
        );
        assert_eq!(rates.try_acquire(visitor(2), 1, start), Ok(()));
        assert_eq!(
            rates.try_acquire(visitor(1), 1, start + SECOND / 10),
            Ok(())
        );
        // No more is saved up than may be made at once.
        let later = start + 60 * SECOND;
        assert_eq!(rates.try_acquire(visitor(1), 4, later), Err(SECOND / 10));
        assert_eq!(rates.try_acquire(visitor(1), 3, later), Ok(()));
    }

    #[test]
    fn those_who_have_rested_are_forgotten() {
        let (rates, start) = (rates(1, 1), Instant::now());
        for number in 0..MAX_CLIENTS {
            let number = u32::try_from(number).expect("a small number");
            let visitor = ClientIp::new(number.to_be_bytes().into());
            assert_eq!(rates.try_acquire(visitor, 1, start), Ok(()));
        }
        // The others share what one may ask.
        assert_eq!(rates.try_acquire(visitor(1), 1, start), Ok(()));
        assert!(rates.try_acquire(visitor(2), 1, start).is_err());
        assert_eq!(rates.try_acquire(visitor(2), 1, start + SECOND), Ok(()));
        let known = rates
            .state
            .lock()
            .expect("nobody has panicked")
            .arrival_times
            .len();
        assert_eq!(known, 1);
    }
}
