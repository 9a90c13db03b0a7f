//! Checks of the hosts that requests name.
//!
//! A page of any site can send requests to a server on the visitor's machine or in the visitor's
//! network if the name of the site resolves to the address of the server (DNS rebinding). For the
//! browser, page and server then have the same origin. Such requests name the host of the page, so
//! the server answers only requests that name a host of its own.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use http::header::HOST;
use http::uri::Authority;
use http::{Request, StatusCode, Version};
use kalah::Quoted;
use thiserror::Error;

use crate::address::ListenAddress;

/// The name or IP address of a host, without a port, as in the header `Host`.
///
/// ```
/// use kalah_net::HostName;
///
/// let name: HostName = "Kalah.Example.Org".parse()?;
/// assert_eq!(name.to_string(), "kalah.example.org");
/// assert!("kalah.example.org:8080".parse::<HostName>().is_err());
/// assert!("*.example.org".parse::<HostName>().is_err());
/// # Ok::<(), kalah_net::ParseHostNameError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostName(ParsedHost);

/// The error of parsing a [`HostName`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a host such as kalah.example.org or 192.0.2.1, without a port")]
pub struct ParseHostNameError(String);

#[derive(Clone, Debug, PartialEq, Eq)]
enum ParsedHost {
    Address(IpAddr),
    /// In small letters and without a final dot.
    Name(String),
}

impl ParsedHost {
    /// Returns the host of an authority, whose IPv6 addresses have brackets.
    fn new(host: &str) -> Self {
        let unbracketed = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'));
        if let Ok(address) = unbracketed.unwrap_or(host).parse::<IpAddr>() {
            Self::Address(address.to_canonical())
        } else {
            let name = host.strip_suffix('.').unwrap_or(host);
            Self::Name(name.to_ascii_lowercase())
        }
    }

    fn is_loopback(&self) -> bool {
        match self {
            Self::Address(address) => address.is_loopback(),
            Self::Name(name) => name == "localhost",
        }
    }
}

/// Returns whether a name of a host may have this character. A `*` would look like a pattern, which
/// `--host` does not have.
fn is_part_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '.' | '_')
}

impl FromStr for HostName {
    type Err = ParseHostNameError;

    fn from_str(text: &str) -> Result<Self, ParseHostNameError> {
        let is_host =
            |text: &str| parse_authority(text.as_bytes()).is_some_and(|host| host.port().is_none());
        match ParsedHost::new(text) {
            host @ ParsedHost::Address(_) => Ok(Self(host)),
            ParsedHost::Name(name) if is_host(text) && name.chars().all(is_part_of_name) => {
                Ok(Self(ParsedHost::Name(name)))
            }
            ParsedHost::Name(_) => Err(ParseHostNameError(text.to_owned())),
        }
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            ParsedHost::Address(address) => address.fmt(f),
            ParsedHost::Name(name) => f.write_str(name),
        }
    }
}

/// The hosts that a server answers for besides those of every server.
#[derive(Clone, Debug)]
pub struct AllowedHosts(Vec<ParsedHost>);

impl AllowedHosts {
    /// Returns the `configured` hosts, and the host of the address at which the server listens.
    pub fn new(address: &ListenAddress, configured: &[HostName]) -> Self {
        let configured = configured.iter().map(|HostName(host)| host.clone());
        let listening = ParsedHost::new(address.host());
        Self(configured.chain([listening]).collect())
    }

    /// Checks that a request names exactly one valid host, and that it is a loopback host, the
    /// address `local` at which the connection arrived, or an allowed host.
    ///
    /// # Errors
    /// Returns an error if `Host` is missing, repeated or invalid, and for an unknown host.
    pub fn check<B>(&self, request: &Request<B>, local: IpAddr) -> Result<(), RequestHostError> {
        let hosts = requested_hosts(request)?;
        match hosts.iter().find(|host| !self.contains(host.host(), local)) {
            None => Ok(()),
            Some(host) => Err(RequestHostError::Unknown(Quoted::literal(host.host()))),
        }
    }

    fn contains(&self, host: &str, local: IpAddr) -> bool {
        let host = ParsedHost::new(host);
        let is_unspecified =
            matches!(host, ParsedHost::Address(address) if address.is_unspecified());
        host.is_loopback()
            || host == ParsedHost::Address(local.to_canonical())
            || !is_unspecified && self.0.contains(&host)
    }
}

/// The reason why a server does not answer a request, from its hosts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RequestHostError {
    /// The server does not answer for the host.
    #[error("the server does not answer for the host {0}; its option `--host` allows it")]
    Unknown(Quoted),
    /// `Host` is not a valid host.
    #[error("`Host` is {0}, which is not a valid host")]
    Invalid(Quoted),
    /// `Host` is missing.
    #[error("the request has no `Host` header")]
    Missing,
    /// The request names several hosts.
    #[error("the request has more than one `Host` header")]
    Repeated,
}

impl RequestHostError {
    /// Returns the status of the response.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Unknown(_) => StatusCode::MISDIRECTED_REQUEST,
            Self::Invalid(_) | Self::Missing | Self::Repeated => StatusCode::BAD_REQUEST,
        }
    }
}

/// Returns the hosts that a request names: in its `Host` header, which must be one valid host
/// (RFC 9112, section 3.2), and in its target. Otherwise a proxy in front of the server could see
/// another host than the server does.
///
/// # Errors
/// Returns an error if `Host` is missing, repeated or invalid.
fn requested_hosts<B>(request: &Request<B>) -> Result<Vec<Authority>, RequestHostError> {
    let in_target = request.uri().authority().cloned();
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() < Version::HTTP_11 => Ok(in_target.into_iter().collect()),
        (Some(host), None) => {
            let named = parse_authority(host.as_bytes()).ok_or_else(|| {
                let host = String::from_utf8_lossy(host.as_bytes());
                RequestHostError::Invalid(Quoted::literal(&host))
            })?;
            Ok([named].into_iter().chain(in_target).collect())
        }
        (None, _) => Err(RequestHostError::Missing),
        (Some(_), Some(_)) => Err(RequestHostError::Repeated),
    }
}

/// Parses a host name or IP address with an optional port.
fn parse_authority(text: &[u8]) -> Option<Authority> {
    let authority = Authority::try_from(text).ok()?;
    let (host, text) = (authority.host(), authority.as_str());
    // Reject user information and invalid ports.
    let port = text
        .strip_prefix(host)
        .and_then(|rest| rest.strip_prefix(':'));
    let is_valid =
        !host.is_empty() && (text == host || port.is_some_and(|port| port.parse::<u16>().is_ok()));
    is_valid.then_some(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_needs_exactly_one_valid_host() {
        let is_accepted = |version: Version, hosts: &[&str]| {
            let mut request = Request::get("/").version(version);
            for host in hosts {
                request = request.header(HOST, *host);
            }
            let request = request.body(()).expect("a request");
            requested_hosts(&request).is_ok()
        };
        for hosts in [&["localhost"], &["kalah.example:8080"], &["[::1]:80"]] {
            assert!(is_accepted(Version::HTTP_11, hosts), "{hosts:?}");
            assert!(is_accepted(Version::HTTP_10, hosts), "{hosts:?}");
        }
        assert!(is_accepted(Version::HTTP_10, &[]));
        assert!(!is_accepted(Version::HTTP_11, &[]));
        for hosts in [&["a", "b"], &["a", "a"]] {
            assert!(!is_accepted(Version::HTTP_11, hosts), "{hosts:?}");
            assert!(!is_accepted(Version::HTTP_10, hosts), "{hosts:?}");
        }
        for host in ["", "a b", "a/b", "http://a", "a@b", "a:x", "a:99999", ":80"] {
            assert!(!is_accepted(Version::HTTP_11, &[host]), "{host:?}");
        }
    }

    #[test]
    fn only_own_hosts_are_allowed() {
        let address = "kalah.local:0".parse().expect("an address");
        let hosts = ["Kalah.Example", "192.0.2.7", "[2001:db8::7]", "2001:db8::8"]
            .map(|host| host.parse().expect(host));
        let allowed = AllowedHosts::new(&address, &hosts);
        let status = |local: &str, target: &str, host: &str| {
            let request = Request::get(target).header(HOST, host).body(());
            let local = local.parse().expect("an address");
            let checked = allowed.check(&request.expect("a request"), local);
            checked.map_err(|error| error.status().as_u16())
        };
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "localhost.",
            "127.0.0.1:8080",
            "127.255.0.9",
            "[::1]:8080",
            "kalah.local:8080",
            "kalah.example",
            "KALAH.example.:443",
            "192.0.2.7",
            "[2001:db8::7]:80",
            "[2001:DB8::8]",
            "198.51.100.3:8080",
        ] {
            for local in ["198.51.100.3", "::ffff:198.51.100.3"] {
                assert_eq!(status(local, "/", host), Ok(()), "{host}");
            }
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "kalah.example.evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil-localhost",
            "192.0.2.8",
            "198.51.100.4",
            "0.0.0.0:8080",
            "[::]",
            "[2001:db8::9]",
            "169.254.169.254",
        ] {
            assert_eq!(status("198.51.100.3", "/", host), Err(421), "{host}");
        }
        let with_target = |target| status("198.51.100.3", target, "localhost");
        assert_eq!(with_target("http://127.0.0.1/"), Ok(()));
        assert_eq!(with_target("http://evil.example/"), Err(421));
    }

    #[test]
    fn server_at_all_addresses_does_not_answer_for_the_unspecified_one() {
        let address = "0.0.0.0:0".parse().expect("an address");
        let allowed = AllowedHosts::new(&address, &[]);
        let local: IpAddr = [192, 168, 1, 20].into();
        assert!(!allowed.contains("0.0.0.0", local));
        assert!(allowed.contains("192.168.1.20", local));
    }

    #[test]
    fn parse_error_of_a_host_name_quotes_the_input() {
        for text in ["", "a b", "a:80", "http://a", "a@b", "[::1]:80", "a/b"] {
            let error = text.parse::<HostName>().expect_err(text);
            assert!(error.to_string().starts_with(&format!("`{text}` is")));
        }
    }
}
