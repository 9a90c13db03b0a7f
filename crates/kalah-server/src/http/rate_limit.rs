//! Client addresses and the rate limiter that counts requests by them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;

/// How visitors are told from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientIpSource {
    /// By the address that they connect from. Nothing that they say themselves counts.
    #[default]
    Connection,
    /// By the last address in `X-Forwarded-For`: the server stands behind a proxy that adds it, and that nobody gets
    /// past.
    XForwardedFor,
}

/// Who makes a request, as far as it matters: an address, or the network of one that has it all to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientIp(IpAddr);

/// Of an IPv6 address, the bits of the network that one customer is given.
const NETWORK_BITS: u32 = 64;

impl ClientIp {
    /// Anybody, where there are too many to be told from each other.
    pub(crate) const OVERFLOW: Self = Self(IpAddr::V6(Ipv6Addr::UNSPECIFIED));

    /// The visitor at an address.
    pub(crate) fn new(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => {
                let network = u128::from(address) & (u128::MAX << (u128::BITS - NETWORK_BITS));
                Ipv6Addr::from(network).into()
            }
        })
    }
}

impl ClientIpSource {
    /// Who makes a request with these headers over a connection from `peer`.
    pub(crate) fn client_ip(self, peer: IpAddr, headers: &HeaderMap) -> ClientIp {
        let forwarded = match self {
            Self::Connection => None,
            Self::XForwardedFor => rightmost_forwarded(headers),
        };
        ClientIp::new(forwarded.unwrap_or(peer))
    }
}

/// The address that the nearest proxy has seen.
fn rightmost_forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let line = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = line.to_str().ok()?.rsplit(',').next()?.trim();
    last.parse().ok()
}

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

/// The number of WebSocket connections per client address. All pupils of a school share an address.
const MAX_CONNECTIONS_PER_IP: usize = 256;

/// Counts the WebSocket connections of each client address.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionLimiter(Arc<Mutex<HashMap<ClientIp, usize>>>);

/// The right to one WebSocket connection, returned to its [`ConnectionLimiter`] on drop.
pub(crate) struct ConnectionPermit {
    limiter: ConnectionLimiter,
    client_ip: ClientIp,
}

impl ConnectionLimiter {
    /// Returns a permit for one more connection of `client_ip`, or `None` at the limit.
    pub(crate) fn try_acquire(&self, client_ip: ClientIp) -> Option<ConnectionPermit> {
        let mut counts = self.lock();
        let count = counts.entry(client_ip).or_default();
        if *count >= MAX_CONNECTIONS_PER_IP {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(ConnectionPermit {
            limiter: self.clone(),
            client_ip,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientIp, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        if let Entry::Occupied(mut count) = self.limiter.lock().entry(self.client_ip) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(visitors: ClientIpSource, forwarded: &[&str]) -> ClientIp {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().expect("a header"));
        }
        visitors.client_ip("192.0.2.1".parse().expect("an address"), &headers)
    }

    fn at(address: &str) -> ClientIp {
        ClientIp::new(address.parse().expect("an address"))
    }

    #[test]
    fn only_a_proxy_is_believed_and_only_its_own_word() {
        let forged = ["203.0.113.9", "203.0.113.8, 198.51.100.7"];
        assert_eq!(seen(ClientIpSource::Connection, &forged), at("192.0.2.1"));
        assert_eq!(
            seen(ClientIpSource::XForwardedFor, &forged),
            at("198.51.100.7")
        );
        assert_eq!(seen(ClientIpSource::XForwardedFor, &[]), at("192.0.2.1"));
        assert_eq!(
            seen(ClientIpSource::XForwardedFor, &["unknown"]),
            at("192.0.2.1")
        );
    }

    #[test]
    fn a_network_of_one_customer_is_one_visitor() {
        assert_eq!(at("2001:db8:1:2::3"), at("2001:db8:1:2:ffff::"));
        assert_ne!(at("2001:db8:1:2::3"), at("2001:db8:1:3::3"));
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
    }

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
