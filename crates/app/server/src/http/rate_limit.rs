//! Client addresses, and the limits of requests and WebSocket connections per client.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use governor::Quota;
use governor::clock::Clock as _;
use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::state::keyed::{HashMapStateStore, ShrinkableKeyedStateStore};
use kalah_net::TokioClock;

/// The source of the address of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientIpSource {
    /// By the peer address of the connection. Headers are ignored.
    #[default]
    Connection,
    /// By the last address in `X-Forwarded-For`. Only for servers that are reachable through a
    /// proxy alone, which adds the header.
    XForwardedFor,
}

/// The client of a request: an IPv4 address, or the network of an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientIp(IpAddr);

/// The prefix length of the IPv6 network that a provider assigns to one customer.
const NETWORK_BITS: u32 = 64;

impl ClientIp {
    /// The shared client of all requests beyond [`MAX_CLIENTS`].
    pub(crate) const OVERFLOW: Self = Self(IpAddr::V6(Ipv6Addr::UNSPECIFIED));

    /// Returns the client at an address.
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
    /// Returns the client of a request over a connection from `peer`.
    pub(crate) fn client_ip(self, peer: IpAddr, headers: &HeaderMap) -> ClientIp {
        let forwarded = match self {
            Self::Connection => None,
            Self::XForwardedFor => rightmost_forwarded(headers),
        };
        ClientIp::new(forwarded.unwrap_or(peer))
    }
}

/// Returns the address that the nearest proxy saw.
fn rightmost_forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let line = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = line.to_str().ok()?.rsplit(',').next()?.trim();
    // Some proxies add the port, and brackets to IPv6 addresses.
    let with_port = || last.parse::<SocketAddr>().ok().map(|address| address.ip());
    let in_brackets = || last.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    last.parse().ok().or_else(with_port).or_else(in_brackets)
}

/// The maximum number of clients to tell apart, which takes some megabytes. Beyond that, further
/// clients share [`ClientIp::OVERFLOW`].
const MAX_CLIENTS: usize = 1 << 16;

/// A rate limiter per client with a sustained rate and a burst.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    limiter: governor::RateLimiter<ClientIp, BoundedStore, TokioClock>,
    /// The time in which one request is regained.
    interval: Duration,
    /// The earliest time of the next clean-up.
    next_cleanup: Mutex<Instant>,
}

/// The minimum time between two clean-ups.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(1);

impl RateLimiter {
    /// Creates a limiter of `per_second` requests a second.
    pub(crate) fn new(per_second: NonZeroU32, burst: NonZeroU32) -> Self {
        Self::with_quota(Quota::per_second(per_second).allow_burst(burst))
    }

    /// Creates a limiter of one request in each `interval`, which is not zero.
    pub(crate) fn with_interval(interval: Duration, burst: NonZeroU32) -> Self {
        let quota = Quota::with_period(interval).expect("an interval that is not zero");
        Self::with_quota(quota.allow_burst(burst))
    }

    fn with_quota(quota: Quota) -> Self {
        Self {
            limiter: governor::RateLimiter::new(quota, BoundedStore::default(), TokioClock),
            interval: quota.replenish_interval(),
            next_cleanup: Mutex::new(TokioClock.now()),
        }
    }

    /// Charges `requests` to a client.
    ///
    /// # Errors
    /// Returns the time to wait if the client exceeds its rate.
    pub(crate) fn try_acquire(
        &self,
        client: ClientIp,
        requests: NonZeroU32,
    ) -> Result<(), Duration> {
        self.clean_up();
        match self.limiter.check_key_n(&client, requests) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(refusal)) => Err(refusal.wait_time_from(TokioClock.now())),
            // The requests exceed even an unused burst.
            Err(_) => Err(self.interval * requests.get()),
        }
    }

    /// Forgets clients that have regained their burst, if many clients are stored.
    fn clean_up(&self) {
        if self.limiter.len() < MAX_CLIENTS {
            return;
        }
        let now = TokioClock.now();
        let mut next_cleanup = self
            .next_cleanup
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if now >= *next_cleanup {
            *next_cleanup = now + CLEANUP_INTERVAL;
            self.limiter.retain_recent();
        }
    }
}

/// The states of the clients of a [`RateLimiter`], in bounded memory.
#[derive(Debug, Default)]
struct BoundedStore(HashMapStateStore<ClientIp>);

impl StateStore for BoundedStore {
    type Key = ClientIp;

    fn measure_and_replace<T, F, E>(&self, client: &ClientIp, update: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let is_overflow = {
            let states = self.0.lock();
            states.len() >= MAX_CLIENTS && !states.contains_key(client)
        };
        let key = if is_overflow {
            &ClientIp::OVERFLOW
        } else {
            client
        };
        self.0.measure_and_replace(key, update)
    }
}

impl ShrinkableKeyedStateStore<ClientIp> for BoundedStore {
    fn retain_recent(&self, drop_below: Nanos) {
        self.0.retain_recent(drop_below);
    }

    fn len(&self) -> usize {
        ShrinkableKeyedStateStore::len(&self.0)
    }

    fn is_empty(&self) -> bool {
        ShrinkableKeyedStateStore::is_empty(&self.0)
    }
}

/// Counts the WebSocket connections of each client address.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionLimiter {
    counts: Arc<Mutex<HashMap<ClientIp, usize>>>,
    max_per_client: usize,
}

/// The right to one WebSocket connection, returned to its [`ConnectionLimiter`] on drop.
pub(crate) struct ConnectionPermit {
    limiter: ConnectionLimiter,
    client_ip: ClientIp,
}

impl ConnectionLimiter {
    /// Creates a limiter of `max_per_client` connections for each client.
    pub(crate) fn new(max_per_client: usize) -> Self {
        Self {
            counts: Arc::default(),
            max_per_client,
        }
    }

    /// Returns a permit for one more connection of `client_ip`, or `None` at the limit.
    pub(crate) fn try_acquire(&self, client_ip: ClientIp) -> Option<ConnectionPermit> {
        let mut counts = self.lock();
        let count = counts.get(&client_ip).copied().unwrap_or_default();
        if count >= self.max_per_client {
            return None;
        }
        counts.insert(client_ip, count + 1);
        drop(counts);
        Some(ConnectionPermit {
            limiter: self.clone(),
            client_ip,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientIp, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
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
    use tokio::time::advance;

    use super::*;

    fn client_with(source: ClientIpSource, forwarded: &[&str]) -> ClientIp {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().expect("a header"));
        }
        source.client_ip("192.0.2.1".parse().expect("an address"), &headers)
    }

    fn client_at(address: &str) -> ClientIp {
        ClientIp::new(address.parse().expect("an address"))
    }

    #[test]
    fn forwarded_header_counts_only_behind_a_proxy() {
        let forged = ["203.0.113.9", "203.0.113.8, 198.51.100.7"];
        assert_eq!(
            client_with(ClientIpSource::Connection, &forged),
            client_at("192.0.2.1")
        );
        assert_eq!(
            client_with(ClientIpSource::XForwardedFor, &forged),
            client_at("198.51.100.7")
        );
        for (forwarded, address) in [
            ("198.51.100.7:1234", "198.51.100.7"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]:1234", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
        ] {
            assert_eq!(
                client_with(ClientIpSource::XForwardedFor, &[forwarded]),
                client_at(address)
            );
        }
        assert_eq!(
            client_with(ClientIpSource::XForwardedFor, &[]),
            client_at("192.0.2.1")
        );
        assert_eq!(
            client_with(ClientIpSource::XForwardedFor, &["unknown"]),
            client_at("192.0.2.1")
        );
    }

    #[test]
    fn ipv6_addresses_of_a_network_are_one_client() {
        assert_eq!(
            client_at("2001:db8:1:2::3"),
            client_at("2001:db8:1:2:ffff::")
        );
        assert_ne!(client_at("2001:db8:1:2::3"), client_at("2001:db8:1:3::3"));
        assert_eq!(client_at("::ffff:192.0.2.1"), client_at("192.0.2.1"));
        assert_ne!(client_at("192.0.2.1"), client_at("192.0.2.2"));
    }

    const SECOND: Duration = Duration::from_secs(1);

    fn positive(number: u32) -> NonZeroU32 {
        NonZeroU32::new(number).expect("a positive number")
    }

    fn client(last_byte: u8) -> ClientIp {
        ClientIp::new([192, 0, 2, last_byte].into())
    }

    #[tokio::test(start_paused = true)]
    async fn budget_is_regained_over_time_up_to_the_burst() {
        let limiter = RateLimiter::new(positive(10), positive(3));
        let acquire =
            |client_byte, requests| limiter.try_acquire(client(client_byte), positive(requests));
        for _ in 0..3 {
            assert_eq!(acquire(1, 1), Ok(()));
        }
        assert_eq!(acquire(1, 1), Err(SECOND / 10));
        assert_eq!(acquire(1, 3), Err(SECOND * 3 / 10));
        assert_eq!(acquire(2, 1), Ok(()));
        advance(SECOND / 10).await;
        assert_eq!(acquire(1, 1), Ok(()));
        // The burst is the maximum, however long the client pauses.
        advance(60 * SECOND).await;
        assert!(acquire(1, 4).is_err());
        assert_eq!(acquire(1, 3), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn idle_clients_are_forgotten_at_the_maximum() {
        let limiter = RateLimiter::new(positive(1), positive(1));
        let acquire = |client| limiter.try_acquire(client, positive(1));
        for number in 0..MAX_CLIENTS {
            let number = u32::try_from(number).expect("a small number");
            assert_eq!(acquire(ClientIp::new(number.to_be_bytes().into())), Ok(()));
        }
        // Clients beyond the maximum share one budget.
        assert_eq!(acquire(client(1)), Ok(()));
        assert!(acquire(client(2)).is_err());
        advance(2 * SECOND).await;
        assert_eq!(acquire(client(2)), Ok(()));
        assert_eq!(limiter.limiter.len(), 1);
    }
}
