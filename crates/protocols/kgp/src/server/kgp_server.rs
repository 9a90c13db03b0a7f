//! The server: its listeners, its connections and its end.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kalah_net::{AllowedHosts, ListenError, accept, bind, local_address, raise_fd_limit};
use kalah_players::display_path;
use kalah_store::OpenStoreError;
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connection::{KgpAddress, KgpConnection, TransportKind};
use crate::server::client::{ClientHandle, serve_client};
use crate::server::config::{GameConfig, KgpServerConfig, KgpServerConfigError};
use crate::server::game::{GameArchive, OpenArchiveError};
use crate::server::matchmaker::Matchmaker;
use crate::server::page::{MAX_PAGE_CONNECTIONS, Page};

/// The interval at which the server observes its clock to notice pauses.
const PAUSE_OBSERVATION_INTERVAL: Duration = Duration::from_millis(100);

/// The time for clients to receive the last lines after a shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The number of clients that may wait for the matchmaker to notice them.
const NEW_CLIENT_QUEUE: usize = 64;

/// The reply to a client beyond the maximum number of clients.
const SERVER_FULL_REPLY: &[u8] = b"error \"the server is full\"\r\ngoodbye\r\n";

/// A KGP server with bound addresses.
///
/// It logs connections and games with `tracing`.
pub struct KgpServer {
    listeners: Vec<(TcpListener, TransportKind)>,
    addresses: Vec<KgpAddress>,
    page: Option<Page>,
    config: Arc<GameConfig>,
    archive: Arc<GameArchive>,
    max_clients: usize,
    max_games: Option<u64>,
}

/// The error of starting a [`KgpServer`].
#[derive(Debug, Error)]
pub enum KgpServerError {
    /// No game is possible with the configuration.
    #[error(transparent)]
    Config(#[from] KgpServerConfigError),
    /// The folder of records cannot be used.
    #[error("cannot use the folder '{}': {reason}", display_path(.folder))]
    RecordFolder {
        /// The folder.
        folder: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// The store of games cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenStoreError),
    /// An address cannot be bound.
    #[error(transparent)]
    Listen(#[from] ListenError),
}

impl From<OpenArchiveError> for KgpServerError {
    fn from(error: OpenArchiveError) -> Self {
        match error {
            OpenArchiveError::RecordFolder { folder, reason } => {
                Self::RecordFolder { folder, reason }
            }
            OpenArchiveError::Store(error) => Self::Store(error),
        }
    }
}

impl KgpServer {
    /// Checks the configuration, opens its folders and binds its addresses. Clients are served only
    /// by [`KgpServer::run`].
    ///
    /// # Errors
    /// Returns an error if the server cannot start.
    pub async fn bind(config: &KgpServerConfig) -> Result<Self, KgpServerError> {
        let mut game_config = GameConfig::new(config)?;
        let archive = GameArchive::open(
            config.record_folder.as_deref(),
            config.data_folder.as_ref(),
            game_config.scoreboard.as_deref(),
        )?;
        if let Some(salt) = archive.token_salt() {
            game_config.token_salt = salt;
        }
        let tcp = bind(&config.tcp_address).await?;
        let mut addresses = vec![KgpAddress::tcp(local_address(&tcp, &config.tcp_address)?)];
        let mut listeners = vec![(tcp, TransportKind::Tcp)];
        if let Some(address) = &config.web_socket_address {
            let listener = bind(address).await?;
            addresses.push(KgpAddress::web_socket(local_address(&listener, address)?));
            listeners.push((listener, TransportKind::WebSocket));
        }
        let page = match (&config.page_address, &game_config.scoreboard) {
            (Some(address), Some(scoreboard)) => Some(Page {
                listener: bind(address).await?,
                hosts: AllowedHosts::new(address, &config.page_hosts),
                scoreboard: Arc::clone(scoreboard),
            }),
            _ => None,
        };
        Ok(Self {
            listeners,
            addresses,
            page,
            config: Arc::new(game_config),
            archive: Arc::new(archive),
            max_clients: config.max_clients,
            max_games: config.max_games.map(std::num::NonZeroU64::get),
        })
    }

    /// Returns the bound addresses: TCP, then WebSocket if configured.
    pub fn addresses(&self) -> &[KgpAddress] {
        &self.addresses
    }

    /// Returns the bound address of the page, if there is one.
    pub fn page_address(&self) -> Option<SocketAddr> {
        let page = self.page.as_ref()?;
        page.listener.local_addr().ok()
    }

    /// Serves until `shutdown` resolves or the last game has ended. Running games are stored as
    /// unfinished, and all clients get `goodbye`.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let (stop_games, disconnect) = (CancellationToken::new(), CancellationToken::new());
        let (new_clients, new_client_receiver) = mpsc::channel(NEW_CLIENT_QUEUE);
        let page_connections = self.page.as_ref().map_or(0, |_| MAX_PAGE_CONNECTIONS);
        let connections = raise_fd_limit(self.max_clients + page_connections);
        let max_clients = connections.saturating_sub(page_connections).max(1);
        let tasks = TaskTracker::new();
        if let Some(page) = self.page {
            tasks.spawn(page.run(tasks.clone(), disconnect.clone()));
        }
        let acceptor = Arc::new(ClientAcceptor {
            config: Arc::clone(&self.config),
            new_clients,
            connection_slots: Arc::new(Semaphore::new(max_clients)),
            tasks,
            disconnect: disconnect.clone(),
            next_client_number: AtomicU64::new(self.archive.first_client_number()),
        });
        for (listener, transport) in self.listeners {
            let acceptor = Arc::clone(&acceptor);
            let accept_clients = async move {
                loop {
                    let (stream, address) = accept(&listener).await;
                    acceptor.accept_client(stream, address, transport);
                }
            };
            tokio::spawn(disconnect.clone().run_until_cancelled_owned(accept_clients));
        }
        let config = Arc::clone(&self.config);
        let matchmaker = Matchmaker::new(
            self.config,
            self.archive,
            new_client_receiver,
            self.max_games,
            stop_games.clone(),
        );
        let mut games = pin!(matchmaker.run());
        let pauses = config.pauses.run(PAUSE_OBSERVATION_INTERVAL);
        tokio::select! {
            () = &mut games => tracing::info!("the last game is over"),
            () = pauses => {}
            () = shutdown => {
                tracing::info!("shutting down: stopping all games; a second signal stops at once");
                stop_games.cancel();
                games.await;
            }
        }
        disconnect.cancel();
        acceptor.tasks.close();
        if timeout(SHUTDOWN_TIMEOUT, acceptor.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("some clients did not read their last lines");
        }
        tracing::info!("stopped");
    }
}

/// Accepts connections and serves clients on them.
struct ClientAcceptor {
    config: Arc<GameConfig>,
    new_clients: mpsc::Sender<ClientHandle>,
    connection_slots: Arc<Semaphore>,
    tasks: TaskTracker,
    disconnect: CancellationToken,
    next_client_number: AtomicU64,
}

impl ClientAcceptor {
    /// Serves a client in a task of its own, or rejects it if too many clients are connected.
    fn accept_client(&self, stream: TcpStream, address: SocketAddr, transport: TransportKind) {
        let Ok(slot) = Arc::clone(&self.connection_slots).try_acquire_owned() else {
            tracing::info!(%address, "a client is rejected: the server is full");
            if transport == TransportKind::Tcp {
                // The send buffer of a new connection is empty, so it holds the reply.
                let _ = stream.try_write(SERVER_FULL_REPLY);
            }
            return;
        };
        let number = self.next_client_number.fetch_add(1, Ordering::Relaxed);
        let (config, new_clients) = (Arc::clone(&self.config), self.new_clients.clone());
        let disconnect = self.disconnect.clone();
        self.tasks.spawn(async move {
            let opening = KgpConnection::accept(stream, transport);
            match disconnect.run_until_cancelled(opening).await {
                Some(Ok(connection)) => {
                    tracing::info!(client = number, %address, "connected");
                    serve_client(connection, number, config, new_clients, disconnect).await;
                }
                Some(Err(error)) => {
                    tracing::debug!(%address, %error, "a connection cannot be opened");
                }
                None => {}
            }
            drop(slot);
        });
    }
}
