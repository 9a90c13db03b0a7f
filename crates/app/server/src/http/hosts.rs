//! Checks of the hosts and origins that requests name.
//!
//! A page of any site can send requests to a server on the visitor's machine or in the visitor's
//! network if the name of the site resolves to the address of the server (DNS rebinding). For the
//! browser, page and server then have the same origin. Such requests name the host of the page, so
//! the server answers only requests that name a host of its own.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri, Version};
use thiserror::Error;

use crate::config::ListenAddress;
use crate::http::error::ProblemResponse;
use kalah_store::quote_input;

/// The name or IP address of a host, without a port, as in the header `ParsedHost`.
///
/// ```
/// use kalah_server::HostName;
///
/// let name: HostName = "Kalah.Example.Org".parse()?;
/// assert_eq!(name.to_string(), "kalah.example.org");
/// assert!("kalah.example.org:8080".parse::<HostName>().is_err());
/// assert!("*.example.org".parse::<HostName>().is_err());
/// # Ok::<(), kalah_server::ParseHostNameError>(())
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
pub(crate) struct AllowedHosts(Vec<ParsedHost>);

impl AllowedHosts {
    /// Returns the `configured` hosts, and the host of the address at which the server listens.
    pub(crate) fn new(address: &ListenAddress, configured: &[HostName]) -> Self {
        let configured = configured.iter().map(|HostName(host)| host.clone());
        let listening = ParsedHost::new(address.host());
        Self(configured.chain([listening]).collect())
    }

    /// Checks that a request names exactly one valid host, and that it is a loopback host, the
    /// address `local` at which the connection arrived, or an allowed host.
    ///
    /// # Errors
    /// Returns a 400 problem if `ParsedHost` is missing, repeated or invalid, and a 421 problem for an
    /// unknown host.
    pub(crate) fn check(&self, request: &Request, local: IpAddr) -> Result<(), ProblemResponse> {
        let hosts = requested_hosts(request)?;
        match hosts.iter().find(|host| !self.contains(host.host(), local)) {
            None => Ok(()),
            Some(host) => {
                let host = quote_input(host.host());
                let detail = format!(
                    "the server does not answer for the host {host}; its option `--host` allows it"
                );
                Err(ProblemResponse::new(
                    StatusCode::MISDIRECTED_REQUEST,
                    detail,
                ))
            }
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

/// Returns the hosts that a request names: in its `ParsedHost` header, which must be one valid host
/// (RFC 9112, section 3.2), and in its target. Otherwise a proxy in front of the server could see
/// another host than the server does.
///
/// # Errors
/// Returns a 400 problem if `ParsedHost` is missing, repeated or invalid.
fn requested_hosts(request: &Request) -> Result<Vec<Authority>, ProblemResponse> {
    let in_target = request.uri().authority().cloned();
    let mut hosts = request.headers().get_all(HOST).iter();
    let detail = match (hosts.next(), hosts.next()) {
        (None, _) if request.version() < Version::HTTP_11 => {
            return Ok(in_target.into_iter().collect());
        }
        (Some(host), None) => {
            if let Some(host) = parse_authority(host.as_bytes()) {
                return Ok([host].into_iter().chain(in_target).collect());
            }
            let host = String::from_utf8_lossy(host.as_bytes());
            format!(
                "`Host` is {}, which is not a valid host",
                quote_input(&host)
            )
        }
        (None, _) => "the request has no `Host` header".to_owned(),
        (Some(_), Some(_)) => "the request has more than one `Host` header".to_owned(),
    };
    Err(ProblemResponse::new(StatusCode::BAD_REQUEST, detail))
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

/// Checks that a WebSocket request comes from a page of this host, or not from a page at all.
/// Browsers allow pages of any site to open WebSocket connections, and name the site in `Origin`.
///
/// # Errors
/// Returns a 403 problem for a page of another site.
pub(crate) fn check_origin(headers: &HeaderMap) -> Result<(), ProblemResponse> {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else {
        return Ok(());
    };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let origin_text = origin.to_str().ok().filter(|_| origins.next().is_none());
    match (origin_text, host) {
        (Some(origin), Some(host)) if is_same_origin(origin, host) => Ok(()),
        _ => {
            let origin = String::from_utf8_lossy(origin.as_bytes());
            let detail = format!(
                "pages of {} may not open WebSocket connections here",
                quote_input(&origin)
            );
            Err(ProblemResponse::new(StatusCode::FORBIDDEN, detail))
        }
    }
}

/// Returns whether an origin such as `https://example.org` has the same host and port as a `ParsedHost`
/// header such as `example.org:443`. A missing port is the default port of the scheme.
fn is_same_origin(origin: &str, host: &str) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else {
        return false;
    };
    let default_port = match origin.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return false,
    };
    let Ok(host) = host.parse::<Authority>() else {
        return false;
    };
    let port = |port: Option<u16>| port.unwrap_or(default_port);
    origin
        .host()
        .is_some_and(|name| name.eq_ignore_ascii_case(host.host()))
        && port(origin.port_u16()) == port(host.port_u16())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn request_needs_exactly_one_valid_host() {
        let is_accepted = |version: Version, hosts: &[&str]| {
            let mut request = Request::get("/").version(version);
            for host in hosts {
                request = request.header(HOST, *host);
            }
            let request = request.body(Body::empty()).expect("a request");
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
    fn origin_must_have_the_host_and_port() {
        for (origin, host) in [
            ("http://127.0.0.1:8080", "127.0.0.1:8080"),
            ("http://[::1]:8080", "[::1]:8080"),
            ("https://kalah.example", "kalah.example"),
            ("https://kalah.example", "Kalah.Example:443"),
            ("http://kalah.example:80", "kalah.example"),
        ] {
            assert!(is_same_origin(origin, host), "{origin} {host}");
        }
        for (origin, host) in [
            ("http://127.0.0.1:8081", "127.0.0.1:8080"),
            ("http://localhost:8080", "127.0.0.1:8080"),
            ("https://kalah.example.evil.example", "kalah.example"),
            ("https://kalah.example@evil.example", "kalah.example"),
            ("https://evil.example", "kalah.example"),
            ("file://kalah.example", "kalah.example"),
            ("null", "kalah.example"),
            ("null", "null"),
            ("", ""),
        ] {
            assert!(!is_same_origin(origin, host), "{origin} {host}");
        }
    }

    #[test]
    fn origin_is_optional_but_must_be_unique() {
        let mut headers = HeaderMap::new();
        assert!(check_origin(&headers).is_ok());
        headers.append(ORIGIN, "http://a.example".parse().expect("a value"));
        assert!(check_origin(&headers).is_err());
        headers.append(HOST, "a.example".parse().expect("a value"));
        assert!(check_origin(&headers).is_ok());
        headers.append(ORIGIN, "http://b.example".parse().expect("a value"));
        assert!(check_origin(&headers).is_err());
    }

    #[test]
    fn only_own_hosts_are_allowed() {
        let address = "kalah.local:0".parse().expect("an address");
        let hosts = ["Kalah.Example", "192.0.2.7", "[2001:db8::7]", "2001:db8::8"]
            .map(|host| host.parse().expect(host));
        let allowed = AllowedHosts::new(&address, &hosts);
        let status = |local: &str, target: &str, host: &str| {
            let request = Request::get(target).header(HOST, host).body(Body::empty());
            let local = local.parse().expect("an address");
            let checked = allowed.check(&request.expect("a request"), local);
            checked.map_err(|problem| problem.status().as_u16())
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
