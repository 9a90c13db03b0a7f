//! The address of a room, as the page shows it.

use std::fmt;
use std::str::FromStr;

use hyper::Uri;
use kalah::Quoted;
use kalah_store::RoomCode;
use thiserror::Error;

/// The address of a room: that of its link, or that of the page with the code of the room.
///
/// ```
/// use kalah_room_client::RoomAddress;
/// let address: RoomAddress = "http://laptop.local:8080/room/abc-def".parse()?;
/// assert_eq!(address.to_string(), "http://laptop.local:8080/room/ABCDEF");
/// assert_eq!("http://laptop.local:8080/#room=ABCDEF".parse(), Ok(address.clone()));
/// assert_eq!(address.code().as_str(), "ABCDEF");
/// let encrypted: RoomAddress = "https://kalah.example.org/room/ABCDEF".parse()?;
/// assert_eq!(encrypted.to_string(), "https://kalah.example.org/room/ABCDEF");
/// # Ok::<(), kalah_room_client::ParseRoomAddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomAddress {
    /// Whether connections are encrypted.
    is_encrypted: bool,
    /// The host and, if it is not the default one, the port.
    authority: String,
    /// The path of the page, which ends with a slash.
    path: String,
    code: RoomCode,
}

/// The error of parsing a [`RoomAddress`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseRoomAddressError {
    /// The text is not the address of a room.
    #[error(
        "{} is not the address of a room, such as `http://localhost:8080/room/ABCDEF`",
        Quoted::literal(.0)
    )]
    NotARoom(String),
}

/// The port of HTTP.
const DEFAULT_PORT: u16 = 80;

/// The port of HTTPS.
const DEFAULT_ENCRYPTED_PORT: u16 = 443;

impl RoomAddress {
    /// Returns the code of the room.
    pub fn code(&self) -> &RoomCode {
        &self.code
    }

    /// Returns the host with the port of an HTTP request.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns the host and the port to connect to.
    pub(crate) fn host_and_port(&self) -> String {
        let host = self.authority.rsplit_once(']');
        let after_address = host.map_or(&*self.authority, |(_, rest)| rest);
        if after_address.contains(':') {
            self.authority.clone()
        } else {
            let port = if self.is_encrypted {
                DEFAULT_ENCRYPTED_PORT
            } else {
                DEFAULT_PORT
            };
            format!("{}:{port}", self.authority)
        }
    }

    /// Returns the host of an encrypted connection; `None` if it is not encrypted.
    pub(crate) fn encrypted_host(&self) -> Option<String> {
        let address = self.host_and_port();
        let (host, _) = address.rsplit_once(':')?;
        self.is_encrypted.then(|| host.to_owned())
    }

    /// Returns the path of a request of the API.
    pub(crate) fn api_path(&self, request: &str) -> String {
        format!("{}api/v1/{request}", self.path)
    }
}

impl fmt::Display for RoomAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            is_encrypted,
            authority,
            path,
            code,
        } = self;
        let scheme = if *is_encrypted { "https" } else { "http" };
        write!(f, "{scheme}://{authority}{path}room/{code}")
    }
}

impl FromStr for RoomAddress {
    type Err = ParseRoomAddressError;

    fn from_str(text: &str) -> Result<Self, ParseRoomAddressError> {
        let not_a_room = || ParseRoomAddressError::NotARoom(text.to_owned());
        let text_of_link = text.trim();
        let (page, code) = text_of_link
            .split_once("#room=")
            .or_else(|| text_of_link.rsplit_once("room/"))
            .ok_or_else(not_a_room)?;
        let code = code.parse().map_err(|_| not_a_room())?;
        let uri: Uri = page.parse().map_err(|_| not_a_room())?;
        let is_encrypted = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(not_a_room()),
        };
        let authority = uri.authority().filter(|host| !host.host().is_empty());
        let authority = authority.ok_or_else(not_a_room)?.to_string();
        let folder = uri.path().rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = format!("{folder}/");
        Ok(Self {
            is_encrypted,
            authority,
            path,
            code,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_host_a_path_and_a_code() {
        for (text, host, path) in [
            ("http://localhost/#room=ABCDEF", "localhost:80", "/"),
            ("http://[::1]:8080/#room=abc%20", "", ""),
            ("http://[::1]:8080/#room=LOBBY", "[::1]:8080", "/"),
            ("http://[::1]/#room=LOBBY", "[::1]:80", "/"),
            (
                "http://example.org/kalah/index.html#room=ABC DEF",
                "example.org:80",
                "/kalah/",
            ),
            ("http://example.org#room=ABCDEF", "example.org:80", "/"),
            ("http://localhost/room/ABCDEF", "localhost:80", "/"),
            ("http://[::1]:81/kalah/room/abc-def", "[::1]:81", "/kalah/"),
            ("https://a.org/room/ABCDEF", "a.org:443", "/"),
            ("https://[::1]/room/ABCDEF", "[::1]:443", "/"),
            ("https://a.org:8443/#room=ABCDEF", "a.org:8443", "/"),
            ("http://localhost/room/", "", ""),
            ("http://localhost/room/ABCDEF/board.png", "", ""),
            ("localhost:8080/#room=ABCDEF", "", ""),
            ("http:///#room=ABCDEF", "", ""),
            ("http://localhost/#friend=ABCDEF", "", ""),
            ("http://localhost/", "", ""),
            ("ftp://localhost/#room=ABCDEF", "", ""),
            ("", "", ""),
        ] {
            let parsed = text.parse::<RoomAddress>();
            let parts = parsed
                .as_ref()
                .map(|address| (address.host_and_port(), address.api_path("")));
            let expected = (host.to_owned(), format!("{path}api/v1/"));
            match parts {
                Ok(parts) => assert_eq!(parts, expected, "{text}"),
                Err(error) => {
                    assert_eq!(host, "", "{text}: {error}");
                    assert!(error.to_string().contains(text), "{error}");
                }
            }
        }
    }
}
