//! The configuration of a server: address, limits, memory and where its files come from.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;
use std::{fmt, thread};

use thiserror::Error;

use crate::games::store::folder::DataFolder;
use crate::http::rate_limit::ClientIpSource;
use crate::table_caches::TableCaches;

/// How a server is run.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Where it listens.
    pub address: ListenAddress,
    /// Where games between friends are kept; `None` for nowhere longer than the server runs.
    pub data_folder: Option<DataFolder>,
    /// Where the files of the page come from.
    pub page: PageSource,
    /// How visitors are told from each other.
    pub client_ip_source: ClientIpSource,
    /// What a visitor may ask.
    pub limits: ServerLimits,
    /// Bytes of memory for all engines and the tables that they build.
    pub memory: usize,
    /// The endgame tables that engines begin with.
    pub table_caches: TableCaches,
}

impl ServerConfig {
    /// Where a server listens if nobody says otherwise: only this machine reaches it.
    pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
}

/// Memory where nobody says otherwise: a quarter of a small machine's.
const DEFAULT_MEMORY: usize = 1 << 30;

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            address: Self::DEFAULT_ADDRESS.into(),
            data_folder: None,
            page: PageSource::Embedded,
            client_ip_source: ClientIpSource::Connection,
            limits: ServerLimits::default(),
            memory: DEFAULT_MEMORY,
            table_caches: TableCaches::default(),
        }
    }
}

/// What a visitor may ask of the server, and for how long it waits for anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Bytes in the head of a request; less than 8 KiB counts as that.
    pub max_head_bytes: usize,
    /// Bytes in the body of a request.
    pub max_body_bytes: usize,
    /// The same, where records of games are to be read.
    pub max_record_bytes: usize,
    /// Connections that are open at the same time.
    pub max_connections: usize,
    /// Requests a second that are answered to an address in the long run.
    pub requests_per_second: NonZeroU32,
    /// Requests that an address may have saved up: it can make so many at once.
    pub request_burst: NonZeroU32,
    /// Questions to an engine that are thought about at the same time; as many opponents that answer at once.
    pub engine_workers: NonZeroUsize,
    /// Questions to an engine that wait besides.
    pub engine_queue_length: usize,
    /// The most time that may be asked for to answer one question.
    pub max_engine_time: Duration,
    /// The time from the first byte of a connection, or from the last answer, until the next request's head is there.
    pub head_timeout: Duration,
    /// The time for the body of a request to arrive.
    pub body_timeout: Duration,
    /// The time in which a client has to take some of what is sent to it.
    pub write_timeout: Duration,
    /// The time that requests have to be finished once the server is asked to end.
    pub shutdown_timeout: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        const fn positive(number: u32) -> NonZeroU32 {
            NonZeroU32::new(number).expect("a positive number")
        }
        let processors = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self {
            // Browsers bring all cookies of their host along, those of other programs at other ports, too.
            max_head_bytes: 16 << 10,
            max_body_bytes: 16 << 10,
            // A game of 5,000 plies has some 50 KiB without comments.
            max_record_bytes: 256 << 10,
            // Two players a game, and 5,000 games, leave room for those who look around.
            max_connections: 16_384,
            // A page loads some sixty files, and a class may share an address.
            requests_per_second: const { positive(200) },
            request_burst: const { positive(4_000) },
            engine_workers: processors,
            // Nobody waits for more than some others, who take some seconds each.
            engine_queue_length: 8 * processors.get(),
            max_engine_time: Duration::from_secs(30),
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

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

/// Where the files of the page come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PageSource {
    /// From this program, as it was built.
    #[default]
    Embedded,
    /// From a folder, read anew for every request. Its page may bring an engine of its own in WebAssembly.
    Folder(PathBuf),
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
