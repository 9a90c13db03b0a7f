//! The configuration of a server: address, limits, memory, the source of the page's files, and the
//! endgame tables that all engines share.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{fmt, thread};

use kalah::Variant;
use kalah_engine::TableCache;
use kalah_net::{HostName, HttpLimits, ListenAddress};
use kalah_store::DataFolder;

use crate::http::rate_limit::ClientIpSource;

/// The configuration of a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The address to bind.
    pub address: ListenAddress,
    /// The folder of the games between friends. With `None` they live in a temporary folder until
    /// the server stops.
    pub data_folder: Option<DataFolder>,
    /// Whether the server has a lobby: a room without a leader that is open to all visitors.
    pub lobby: bool,
    /// Whether the server keeps records of games under short addresses.
    pub share: bool,
    /// The source of the page's files.
    pub page: PageSource,
    /// The source of the addresses that rate limits count by.
    pub client_ip_source: ClientIpSource,
    /// The hosts that requests may name, besides `localhost`, loopback addresses, the host of
    /// `address`, and the address at which a connection arrives. Requests for other hosts are
    /// rejected.
    pub hosts: Vec<HostName>,
    /// Limits on requests, connections and engines.
    pub limits: ServerLimits,
    /// The memory of all engines and the tables that they build, in bytes.
    pub memory: usize,
    /// The endgame tables that engines start with.
    pub table_caches: TableCaches,
    /// A function that returns free memory to the operating system. It is called after a peak of
    /// connections, because allocators keep the memory of a peak.
    pub release_memory: Option<fn()>,
    /// The version of the program, with its commit if it is known, which the header `Server` of
    /// each response has. Other characters than those of ASCII that can be printed are left out.
    pub version: &'static str,
}

impl ServerConfig {
    /// The default address: port 8080 of the loopback interface, which other machines cannot reach.
    pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
}

/// The default of [`ServerConfig::memory`]: a quarter of the 4 GiB of a small machine.
const DEFAULT_MEMORY: usize = 1 << 30;

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            address: Self::DEFAULT_ADDRESS.into(),
            data_folder: None,
            lobby: false,
            share: false,
            page: PageSource::Embedded,
            client_ip_source: ClientIpSource::Connection,
            hosts: Vec::new(),
            limits: ServerLimits::default(),
            memory: DEFAULT_MEMORY,
            table_caches: TableCaches::default(),
            release_memory: None,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// Limits on the requests of a client, on connections, on engines and on waiting times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// Limits of each connection.
    pub http: HttpLimits,
    /// The maximum size of a request body in bytes.
    pub max_body_bytes: usize,
    /// The maximum size in bytes of a request body that contains game records.
    pub max_record_bytes: usize,
    /// The maximum number of open connections.
    pub max_connections: usize,
    /// The maximum number of WebSocket connections of spectators at a client address.
    pub max_spectators_per_client: usize,
    /// The sustained rate of requests per client address.
    pub requests_per_second: NonZeroU32,
    /// The burst of requests per client address: requests that were not used earlier.
    pub request_burst: NonZeroU32,
    /// The number of threads that analyze, and of threads that choose moves without a time limit.
    /// A client address may occupy half of each.
    pub engine_workers: NonZeroUsize,
    /// The number of engine requests that may wait for a free thread.
    pub engine_queue_length: usize,
    /// The number of engine requests of a client address that may wait for a free thread.
    pub engine_queue_length_per_client: usize,
    /// The maximum thinking time that a request may ask for.
    pub max_engine_time: Duration,
    /// The time for a request body to arrive.
    pub body_timeout: Duration,
    /// The time to finish running requests after a shutdown signal.
    pub shutdown_timeout: Duration,
}

/// The factor from processors to the default of [`ServerLimits::engine_workers`].
const ENGINE_WORKERS_PER_PROCESSOR: NonZeroUsize = NonZeroUsize::new(2).expect("not zero");

impl Default for ServerLimits {
    fn default() -> Self {
        const fn positive(number: u32) -> NonZeroU32 {
            NonZeroU32::new(number).expect("a positive number")
        }
        let processors = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self {
            http: HttpLimits::default(),
            max_body_bytes: 16 << 10,
            // A record of 5,000 plies has about 50 KiB without comments.
            max_record_bytes: 256 << 10,
            // 5,000 games with two players each, plus other visitors.
            max_connections: 16_384,
            // All pupils of a school share an address.
            max_spectators_per_client: 256,
            // A school class may share one address.
            requests_per_second: const { positive(200) },
            request_burst: const { positive(4_000) },
            // Half of the threads suffice for a client to use all processors, and the other half is
            // free for other clients.
            engine_workers: processors.saturating_mul(ENGINE_WORKERS_PER_PROCESSOR),
            // Clients take turns, so that a long queue delays only the clients in it.
            engine_queue_length: 512,
            // The requests of a school class, whose pupils share one address, and do not all
            // analyze at the same moment.
            engine_queue_length_per_client: 16,
            max_engine_time: Duration::from_secs(30),
            body_timeout: Duration::from_secs(10),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// The source of the page's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PageSource {
    /// The files embedded in the program at build time.
    #[default]
    Embedded,
    /// A folder, whose files are read again when they have changed. Its page may run its own engine
    /// in WebAssembly.
    Folder(PathBuf),
}

/// Endgame tables that all requests share: one cache for each recently used variant of the game.
///
/// A clone shares the same caches.
#[derive(Clone)]
pub struct TableCaches(Arc<TableCachesInner>);

struct TableCachesInner {
    load: Box<dyn Fn(Variant) -> TableCache + Send + Sync>,
    /// The caches in order of use, the most recent last.
    recent: Mutex<Vec<(Variant, LazyTableCache)>>,
    /// Locked while a cache is loaded: the memory that is free for it is known only once the one
    /// before is loaded.
    loading: Mutex<()>,
}

/// A cache that the first request for it loads. Requests for loaded caches do not wait for it.
type LazyTableCache = Arc<OnceLock<TableCache>>;

impl TableCaches {
    /// The maximum number of caches, which bounds the memory. A further variant replaces the least
    /// recently used one.
    pub const MAX_CACHES: usize = 3;

    /// Creates caches that `load` fills with existing tables on the first use of a variant.
    pub fn new(load: impl Fn(Variant) -> TableCache + Send + Sync + 'static) -> Self {
        Self(Arc::new(TableCachesInner {
            load: Box::new(load),
            recent: Mutex::default(),
            loading: Mutex::default(),
        }))
    }

    /// Returns the cache of a variant. If it has to be loaded, the memory of the cache that it
    /// replaces is free before, unless searches use it.
    pub(crate) fn for_variant(&self, variant: Variant) -> TableCache {
        let load = || {
            let _loading = self
                .0
                .loading
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            (self.0.load)(variant)
        };
        self.lazy_cache(variant).get_or_init(load).clone()
    }

    /// Returns the cache of a variant, which need not be loaded, as the most recent one.
    fn lazy_cache(&self, variant: Variant) -> LazyTableCache {
        let mut recent = self.0.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let index = recent.iter().position(|&(known, _)| known == variant);
        let cache = index.map(|index| recent.remove(index).1);
        if recent.len() >= Self::MAX_CACHES {
            recent.remove(0);
        }
        let cache = cache.unwrap_or_default();
        recent.push((variant, Arc::clone(&cache)));
        cache
    }
}

/// Caches that are empty at first.
impl Default for TableCaches {
    fn default() -> Self {
        Self::new(|_| TableCache::new())
    }
}

impl fmt::Debug for TableCaches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let recent = self.0.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = recent
            .iter()
            .filter_map(|(variant, cache)| Some((variant, cache.get()?)));
        f.debug_map().entries(loaded).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::mpsc::{self, RecvTimeoutError};

    use kalah::Rules;
    use kalah_tables::Table;

    use super::*;

    /// A test fails instead of hanging after this time.
    const MAX_WAIT: Duration = Duration::from_mins(2);

    fn variant(houses: u8) -> Variant {
        Variant::new(houses, Rules::CS32)
    }

    #[test]
    fn least_recently_used_cache_is_dropped() {
        let caches = TableCaches::default();
        let table = Table::build(variant(2), 2, NonZeroUsize::MIN, &mut |_| {
            ControlFlow::Continue(())
        });
        caches
            .for_variant(variant(2))
            .insert(table.expect("a small table"));
        let is_known = || caches.for_variant(variant(2)).get(variant(2)).is_some();
        for houses in 3..8 {
            caches.for_variant(variant(houses));
            assert!(is_known(), "a recently used cache");
        }
        let max_caches = u8::try_from(TableCaches::MAX_CACHES).expect("a few");
        for houses in 3..3 + max_caches {
            caches.for_variant(variant(houses));
        }
        assert!(!is_known());
    }

    /// While a variant is loaded, another thread asks for another variant, and the least recently
    /// used cache is gone.
    #[test]
    fn loading_of_a_variant_blocks_no_loaded_one_and_follows_the_removal() {
        let (started, loading) = mpsc::channel();
        let (finish, finished) = mpsc::channel::<()>();
        let finished = Mutex::new(finished);
        let slow = variant(7);
        let caches = TableCaches::new(move |variant| {
            if variant == slow {
                started.send(()).expect("a receiver");
                let finished = finished.lock().expect("no panic");
                // The sender is dropped when the other variant is loaded.
                assert_eq!(
                    finished.recv_timeout(MAX_WAIT),
                    Err(RecvTimeoutError::Disconnected)
                );
            }
            TableCache::new()
        });
        for houses in 2..5 {
            caches.for_variant(variant(houses));
        }
        thread::scope(|scope| {
            scope.spawn(|| caches.for_variant(slow));
            loading.recv().expect("it loads");
            caches.for_variant(variant(4));
            assert!(!format!("{caches:?}").contains(&format!("{:?}", variant(2))));
            drop(finish);
        });
    }
}
