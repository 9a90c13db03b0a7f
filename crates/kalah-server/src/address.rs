use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use thiserror::Error;

/// Where a server listens: a host, by its address or its name, and a port; port 0 is any that is free.
///
/// ```
/// use kalah_server::ListenAddress;
///
/// for text in ["127.0.0.1:8080", "localhost:0", "[::1]:80"] {
///     let address: ListenAddress = text.parse()?;
///     assert_eq!(address.to_string(), text);
/// }
/// # Ok::<(), kalah_server::ParseListenAddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenAddress(String);

/// Why a text is no [`ListenAddress`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no host and port such as 127.0.0.1:8080, localhost:0 or [::1]:80")]
pub struct ParseListenAddressError(String);

impl ListenAddress {
    /// The address as a resolver of names takes it.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
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
    fn what_is_no_address_is_quoted() {
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
