//! The address that a server binds.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use thiserror::Error;

/// The address that a server binds: host name or IP address, and port. Port 0 selects a free port.
///
/// ```
/// use kalah_net::ListenAddress;
///
/// for text in ["127.0.0.1:8080", "localhost:0", "[::1]:80"] {
///     let address: ListenAddress = text.parse()?;
///     assert_eq!(address.to_string(), text);
/// }
/// # Ok::<(), kalah_net::ParseListenAddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenAddress(String);

/// The error of parsing a [`ListenAddress`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a host and port such as 127.0.0.1:8080, localhost:0 or [::1]:80")]
pub struct ParseListenAddressError(String);

impl ListenAddress {
    /// Returns the address in the form that name resolution accepts.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the host name or IP address, which has brackets in IPv6.
    pub(crate) fn host(&self) -> &str {
        self.0.rsplit_once(':').map_or(&self.0, |(host, _)| host)
    }
}

impl FromStr for ListenAddress {
    type Err = ParseListenAddressError;

    fn from_str(text: &str) -> Result<Self, ParseListenAddressError> {
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(address.into());
        }
        let is_name = |host: &str| {
            !host.is_empty()
                && host
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '.' | '_'))
        };
        match text.rsplit_once(':') {
            Some((host, port)) if is_name(host) && port.parse::<u16>().is_ok() => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(ParseListenAddressError(text.to_owned())),
        }
    }
}

impl From<SocketAddr> for ListenAddress {
    fn from(address: SocketAddr) -> Self {
        Self(address.to_string())
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_error_quotes_the_input() {
        for text in [
            "",
            "8080",
            ":8080",
            "localhost",
            "localhost:",
            "localhost:http",
            "localhost:65536",
            "::1:80",
            "a b:80",
            "http://localhost:80",
        ] {
            let error = text.parse::<ListenAddress>().expect_err(text);
            assert!(error.to_string().starts_with(&format!("`{text}` is")));
        }
    }
}
