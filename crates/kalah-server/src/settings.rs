use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::games::DataFolder;
use crate::{Address, Limits, PageSource, Shelves, Visitors};

/// How a server is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens.
    pub address: Address,
    /// Where games between friends are kept; `None` for nowhere longer than the server runs.
    pub data: Option<DataFolder>,
    /// Where the files of the page come from.
    pub page: PageSource,
    /// How visitors are told from each other.
    pub visitors: Visitors,
    /// What a visitor may ask.
    pub limits: Limits,
    /// Bytes of memory for all engines and the tables that they build.
    pub memory: usize,
    /// The endgame tables that engines begin with.
    pub shelves: Shelves,
}

impl Settings {
    /// Where a server listens if nobody says otherwise: only this machine reaches it.
    pub const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
}

/// Memory where nobody says otherwise: a quarter of a small machine's.
const DEFAULT_MEMORY: usize = 1 << 30;

impl Default for Settings {
    fn default() -> Self {
        Self {
            address: Self::ADDRESS.into(),
            data: None,
            page: PageSource::Embedded,
            visitors: Visitors::Connections,
            limits: Limits::default(),
            memory: DEFAULT_MEMORY,
            shelves: Shelves::default(),
        }
    }
}
