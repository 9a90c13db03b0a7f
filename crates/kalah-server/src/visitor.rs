use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderMap;

/// How visitors are told from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visitors {
    /// By the address that they connect from. Nothing that they say themselves counts.
    #[default]
    Connections,
    /// By the last address in `X-Forwarded-For`: the server stands behind a proxy that adds it, and that nobody gets
    /// past.
    Forwarded,
}

/// Who makes a request, as far as it matters: an address, or the network of one that has it all to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Visitor(IpAddr);

/// Of an IPv6 address, the bits of the network that one customer is given.
const NETWORK_BITS: u32 = 64;

impl Visitor {
    /// Anybody, where there are too many to be told from each other.
    pub(crate) const STRANGER: Self = Self(IpAddr::V6(Ipv6Addr::UNSPECIFIED));

    /// The visitor at an address.
    pub(crate) fn at(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => {
                let network = u128::from(address) & (u128::MAX << (u128::BITS - NETWORK_BITS));
                Ipv6Addr::from(network).into()
            }
        })
    }
}

impl Visitors {
    /// Who makes a request with these headers over a connection from `peer`.
    pub(crate) fn visitor(self, peer: IpAddr, headers: &HeaderMap) -> Visitor {
        let forwarded = match self {
            Self::Connections => None,
            Self::Forwarded => last_forwarded(headers),
        };
        Visitor::at(forwarded.unwrap_or(peer))
    }
}

/// The address that the nearest proxy has seen.
fn last_forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let line = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = line.to_str().ok()?.rsplit(',').next()?.trim();
    last.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(visitors: Visitors, forwarded: &[&str]) -> Visitor {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append("x-forwarded-for", line.parse().expect("a header"));
        }
        visitors.visitor("192.0.2.1".parse().expect("an address"), &headers)
    }

    fn at(address: &str) -> Visitor {
        Visitor::at(address.parse().expect("an address"))
    }

    #[test]
    fn only_a_proxy_is_believed_and_only_its_own_word() {
        let forged = ["203.0.113.9", "203.0.113.8, 198.51.100.7"];
        assert_eq!(seen(Visitors::Connections, &forged), at("192.0.2.1"));
        assert_eq!(seen(Visitors::Forwarded, &forged), at("198.51.100.7"));
        assert_eq!(seen(Visitors::Forwarded, &[]), at("192.0.2.1"));
        assert_eq!(seen(Visitors::Forwarded, &["unknown"]), at("192.0.2.1"));
    }

    #[test]
    fn a_network_of_one_customer_is_one_visitor() {
        assert_eq!(at("2001:db8:1:2::3"), at("2001:db8:1:2:ffff::"));
        assert_ne!(at("2001:db8:1:2::3"), at("2001:db8:1:3::3"));
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
    }
}
