use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::games::DataFolder;
use crate::{ClientIpSource, ListenAddress, PageSource, ServerLimits, TableCaches};

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
