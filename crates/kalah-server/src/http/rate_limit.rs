//! Client addresses, and the limits of requests and WebSocket connections per client.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;

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
    last.parse().ok()
}

/// A rate limiter per client with a sustained rate and a burst.
///
/// It stores one number per client, the theoretical arrival time of the "generic cell rate
/// algorithm" of ITU-T I.371.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    /// The time in which one request is regained.
    interval: Duration,
    /// The time in which a whole burst is regained.
    burst_time: Duration,
    state: Mutex<RateLimiterState>,
}

/// The theoretical arrival times of all clients.
#[derive(Debug)]
struct RateLimiterState {
    arrival_times: HashMap<ClientIp, Instant>,
    /// The earliest time of the next clean-up.
    next_cleanup: Instant,
}

/// The maximum number of clients to tell apart, which takes some megabytes. Beyond that, further
/// clients share [`ClientIp::OVERFLOW`].
const MAX_CLIENTS: usize = 1 << 16;

/// The minimum time between two clean-ups.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(1);

impl RateLimiter {
    pub(crate) fn new(per_second: NonZeroU32, burst: NonZeroU32) -> Self {
        let interval = Duration::from_secs(1) / per_second.get();
        Self {
            interval,
            burst_time: interval * burst.get(),
            state: Mutex::new(RateLimiterState {
                arrival_times: HashMap::new(),
                next_cleanup: Instant::now(),
            }),
        }
    }

    /// Charges `requests` to a client.
    ///
    /// # Errors
    /// Returns the time to wait if the client exceeds its rate.
    pub(crate) fn try_acquire(
        &self,
        client: ClientIp,
        requests: u32,
        now: Instant,
    ) -> Result<(), Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.arrival_times.len() >= MAX_CLIENTS && now >= state.next_cleanup {
            state.arrival_times.retain(|_, &mut arrival| arrival > now);
            state.next_cleanup = now + CLEANUP_INTERVAL;
        }
        let is_new = !state.arrival_times.contains_key(&client);
        let client = if is_new && state.arrival_times.len() >= MAX_CLIENTS {
            ClientIp::OVERFLOW
        } else {
            client
        };
        let arrival = state.arrival_times.entry(client).or_insert(now);
        let new_arrival = (*arrival).max(now) + self.interval * requests;
        let wait = new_arrival
            .saturating_duration_since(now)
            .saturating_sub(self.burst_time);
        if wait.is_zero() {
            *arrival = new_arrival;
            Ok(())
        } else {
            Err(wait)
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

    fn limiter(per_second: u32, burst: u32) -> RateLimiter {
        let positive = |number| NonZeroU32::new(number).expect("a positive number");
        RateLimiter::new(positive(per_second), positive(burst))
    }

    fn client(last_byte: u8) -> ClientIp {
        ClientIp::new([192, 0, 2, last_byte].into())
    }

    #[test]
    fn budget_is_regained_over_time_up_to_the_burst() {
        let (limiter, start) = (limiter(10, 3), Instant::now());
        for _ in 0..3 {
            assert_eq!(limiter.try_acquire(client(1), 1, start), Ok(()));
        }
        assert_eq!(limiter.try_acquire(client(1), 1, start), Err(SECOND / 10));
        assert_eq!(
            limiter.try_acquire(client(1), 3, start),
            Err(SECOND * 3 / 10)
        );
        assert_eq!(limiter.try_acquire(client(2), 1, start), Ok(()));
        assert_eq!(
            limiter.try_acquire(client(1), 1, start + SECOND / 10),
            Ok(())
        );
        // The burst is the maximum, however long the client pauses.
        let later = start + 60 * SECOND;
        assert_eq!(limiter.try_acquire(client(1), 4, later), Err(SECOND / 10));
        assert_eq!(limiter.try_acquire(client(1), 3, later), Ok(()));
    }

    #[test]
    fn idle_clients_are_forgotten_at_the_maximum() {
        let (limiter, start) = (limiter(1, 1), Instant::now());
        for number in 0..MAX_CLIENTS {
            let number = u32::try_from(number).expect("a small number");
            let client = ClientIp::new(number.to_be_bytes().into());
            assert_eq!(limiter.try_acquire(client, 1, start), Ok(()));
        }
        // Clients beyond the maximum share one budget.
        assert_eq!(limiter.try_acquire(client(1), 1, start), Ok(()));
        assert!(limiter.try_acquire(client(2), 1, start).is_err());
        assert_eq!(limiter.try_acquire(client(2), 1, start + SECOND), Ok(()));
        let known = limiter.state.lock().expect("no panic").arrival_times.len();
        assert_eq!(known, 1);
    }
}
