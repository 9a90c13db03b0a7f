//! The addresses at which other machines of the network reach a server.

use std::net::{IpAddr, SocketAddr};

/// Returns the addresses at which other machines reach a server that listens at `address`: those of
/// this machine if it listens at all of them, and none if it listens at a loopback address. IPv4
/// addresses come first, because people type them.
pub fn network_addresses(address: SocketAddr) -> Vec<SocketAddr> {
    if address.ip().is_loopback() {
        return Vec::new();
    }
    if !address.ip().is_unspecified() {
        return vec![address];
    }
    let interfaces = if_addrs::get_if_addrs().unwrap_or_else(|error| {
        tracing::warn!(%error, "the addresses of this machine are unknown");
        Vec::new()
    });
    let ips = interfaces.iter().map(if_addrs::Interface::ip);
    let mut ips: Vec<IpAddr> = ips.filter(|&ip| is_reachable(ip)).collect();
    if address.is_ipv4() {
        ips.retain(IpAddr::is_ipv4);
    }
    ips.sort_by_key(IpAddr::is_ipv6);
    let port = address.port();
    ips.into_iter()
        .map(|ip| SocketAddr::new(ip, port))
        .collect()
}

/// Returns whether other machines reach an address of this machine without naming an interface.
fn is_reachable(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(listening: &str) -> Vec<SocketAddr> {
        network_addresses(listening.parse().expect("an address"))
    }

    #[test]
    fn server_at_one_address_is_reached_there() {
        assert_eq!(addresses("127.0.0.1:80"), []);
        assert_eq!(addresses("[::1]:80"), []);
        let only = "192.0.2.7:80";
        assert_eq!(addresses(only), [only.parse().expect("an address")]);
    }

    #[test]
    fn server_at_all_addresses_is_reached_at_those_of_the_machine() {
        for address in addresses("0.0.0.0:8080") {
            assert!(address.is_ipv4() && address.port() == 8080, "{address}");
            assert!(is_reachable(address.ip()), "{address}");
        }
        for ip in ["127.0.0.2", "169.254.1.1", "::1", "fe80::1"] {
            assert!(!is_reachable(ip.parse().expect("an address")), "{ip}");
        }
        for ip in ["10.0.0.1", "192.0.2.7", "2001:db8::1"] {
            assert!(is_reachable(ip.parse().expect("an address")), "{ip}");
        }
    }
}
