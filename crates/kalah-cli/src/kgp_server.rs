use std::fmt;
use std::str::FromStr;

use kalah_protocols::kgp::{DEFAULT_PORT, WEB_SOCKET_PATH};

/// Where a server of the Kalah Game Protocol is: `tcp://host:2671`, `host:2671`, `host`, or `ws://host/socket`.
///
/// ```
/// use kalah_cli::KgpAddress;
/// for (text, whole) in [
///     ("example.org", "tcp://example.org:2671"),
///     ("tcp://[::1]:7", "tcp://[::1]:7"),
///     ("ws://example.org", "ws://example.org:80/socket"),
///     ("ws://example.org:8080/kalah", "ws://example.org:8080/kalah"),
/// ] {
///     assert_eq!(text.parse::<KgpAddress>().map(|server| server.to_string()), Ok(whole.to_owned()));
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KgpAddress {
    /// The host and the port.
    pub(crate) host_and_port: String,
    /// The path of a WebSocket; TCP has none.
    pub(crate) path: Option<String>,
}

/// The port of `ws://`.
const DEFAULT_WEB_SOCKET_PORT: u16 = 80;

impl FromStr for KgpAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("tcp", text));
        let (host, path) = match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let (port, path) = match (scheme, path) {
            ("tcp", "" | "/") => (DEFAULT_PORT, None),
            ("ws", "" | "/") => (DEFAULT_WEB_SOCKET_PORT, Some(WEB_SOCKET_PATH.to_owned())),
            ("ws", path) => (DEFAULT_WEB_SOCKET_PORT, Some(path.to_owned())),
            _ => return Err(EXPECTED_FORMAT.to_owned()),
        };
        let is_whole = match host.rsplit_once(':') {
            // The colons of an IPv6 address stand in brackets.
            Some((name, port)) if !port.ends_with(']') => {
                if name.is_empty() || port.parse::<u16>().is_err() {
                    return Err(EXPECTED_FORMAT.to_owned());
                }
                true
            }
            _ => false,
        };
        let is_odd = |character: char| character.is_whitespace() || character.is_control();
        if host.is_empty() || text.contains(is_odd) {
            return Err(EXPECTED_FORMAT.to_owned());
        }
        let address = if is_whole {
            host.to_owned()
        } else {
            format!("{host}:{port}")
        };
        Ok(Self {
            host_and_port: address,
            path,
        })
    }
}

const EXPECTED_FORMAT: &str = "it must be tcp://HOST:PORT, HOST:PORT or ws://HOST:PORT/PATH; encrypted connections need a \
                   program in between";

impl fmt::Display for KgpAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            None => write!(f, "tcp://{}", self.host_and_port),
            Some(path) => write!(f, "ws://{}{path}", self.host_and_port),
        }
    }
}
