//! Addresses of servers.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use thiserror::Error;

/// The default TCP port of a server.
pub const DEFAULT_PORT: u16 = 2671;

/// The path at which a server accepts WebSocket connections.
pub const WEB_SOCKET_PATH: &str = "/socket";

/// The address of a KGP server: `tcp://host:2671`, `host:2671`, `host`, `ws://host/socket`, or
/// `wss://host/socket` for an encrypted connection.
///
/// ```
/// use kalah_kgp::KgpAddress;
///
/// for (text, complete) in [
///     ("example.org", "tcp://example.org:2671"),
///     ("tcp://[::1]:7", "tcp://[::1]:7"),
///     ("ws://example.org", "ws://example.org:80/socket"),
///     ("ws://example.org:8080/kalah", "ws://example.org:8080/kalah"),
///     ("wss://example.org", "wss://example.org:443/socket"),
/// ] {
///     let address: KgpAddress = text.parse()?;
///     assert_eq!(address.to_string(), complete);
/// }
/// # Ok::<(), kalah_kgp::ParseKgpAddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KgpAddress {
    host_and_port: String,
    /// The path of a WebSocket; `None` for TCP.
    path: Option<String>,
    /// Whether the connection is encrypted. That of a WebSocket may be.
    is_encrypted: bool,
}

/// The error of parsing a [`KgpAddress`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not {FORMAT}")]
pub struct ParseKgpAddressError(String);

impl ParseKgpAddressError {
    /// The forms of an address, for messages that quote the input themselves.
    pub const EXPECTED_FORMAT: &str = FORMAT;
}

const FORMAT: &str = "HOST, HOST:PORT, tcp://HOST:PORT, ws://HOST:PORT/PATH or \
                      wss://HOST:PORT/PATH";

/// The default port of `ws://`, as of `http://`.
const DEFAULT_WEB_SOCKET_PORT: u16 = 80;

/// The default port of `wss://`, as of `https://`.
const DEFAULT_ENCRYPTED_PORT: u16 = 443;

impl KgpAddress {
    /// Returns the address of a server that accepts TCP connections at `address`.
    pub fn tcp(address: SocketAddr) -> Self {
        Self {
            host_and_port: address.to_string(),
            path: None,
            is_encrypted: false,
        }
    }

    /// Returns the address of a server that accepts WebSocket connections at `address`.
    pub fn web_socket(address: SocketAddr) -> Self {
        Self {
            host_and_port: address.to_string(),
            path: Some(WEB_SOCKET_PATH.to_owned()),
            is_encrypted: false,
        }
    }

    /// Returns the host and the port.
    pub(crate) fn host_and_port(&self) -> &str {
        &self.host_and_port
    }

    /// Returns the host of an encrypted connection; `None` if it is not encrypted.
    pub(crate) fn encrypted_host(&self) -> Option<&str> {
        let (host, _) = self.host_and_port.rsplit_once(':')?;
        self.is_encrypted.then_some(host)
    }

    /// Returns whether the connection is a WebSocket.
    pub(crate) fn is_web_socket(&self) -> bool {
        self.path.is_some()
    }
}

impl FromStr for KgpAddress {
    type Err = ParseKgpAddressError;

    fn from_str(text: &str) -> Result<Self, ParseKgpAddressError> {
        let error = || ParseKgpAddressError(text.to_owned());
        let (scheme, rest) = text.split_once("://").unwrap_or(("tcp", text));
        let (host, path) = match rest.find('/') {
            Some(index) => rest.split_at(index),
            None => (rest, ""),
        };
        let (default_port, path) = match (scheme, path) {
            ("tcp", "" | "/") => (DEFAULT_PORT, None),
            ("ws", path) => (DEFAULT_WEB_SOCKET_PORT, Some(web_socket_path(path))),
            ("wss", path) => (DEFAULT_ENCRYPTED_PORT, Some(web_socket_path(path))),
            _ => return Err(error()),
        };
        let is_invalid = |character: char| character.is_whitespace() || character.is_control();
        if host.is_empty() || text.contains(is_invalid) {
            return Err(error());
        }
        let host_and_port = match host.rsplit_once(':') {
            // The colons of an IPv6 address are in brackets.
            Some((name, port)) if !port.ends_with(']') => {
                if name.is_empty() || port.parse::<u16>().is_err() {
                    return Err(error());
                }
                host.to_owned()
            }
            _ => format!("{host}:{default_port}"),
        };
        Ok(Self {
            host_and_port,
            path,
            is_encrypted: scheme == "wss",
        })
    }
}

/// Returns the path of a WebSocket at the path of an address.
fn web_socket_path(path: &str) -> String {
    let is_empty = matches!(path, "" | "/");
    if is_empty { WEB_SOCKET_PATH } else { path }.to_owned()
}

impl fmt::Display for KgpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            None => write!(f, "tcp://{}", self.host_and_port),
            Some(path) => {
                let scheme = if self.is_encrypted { "wss" } else { "ws" };
                write!(f, "{scheme}://{}{path}", self.host_and_port)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_addresses_are_quoted() {
        for text in [
            "",
            ":2671",
            "host:",
            "host:kgp",
            "tcp://host/path",
            "wss://",
            "tls://host",
            "a b",
        ] {
            let error = text.parse::<KgpAddress>().expect_err(text);
            assert!(error.to_string().starts_with(&format!("`{text}` is not ")));
        }
    }
}
