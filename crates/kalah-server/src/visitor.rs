use std::net::{IpAddr, Ipv6Addr};

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
}
