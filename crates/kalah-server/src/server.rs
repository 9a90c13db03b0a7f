//! Running a server: binding, accepting connections and shutting down gracefully.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::app::{Routes, router};
use crate::config::ServerConfig;
use crate::games::background::start_background_tasks;
use crate::net::{ConnectionAcceptor, raise_fd_limit};
use crate::state::{ServeError, ServerState, SharedState};

/// A server with a bound address.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: SharedState,
    router: Router,
}

/// Runs a server until SIGINT or SIGTERM (Ctrl-C on other systems), then finishes all accepted
/// requests. A second signal stops it at once. `listening` receives the bound address.
///
/// # Errors
/// Returns an error if the server cannot start, or if a second signal interrupted the shutdown.
pub fn serve(
    settings: &ServerConfig,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    raise_fd_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(ServeError::System)?;
    let ended = runtime.block_on(async {
        let mut wishes = ShutdownSignals::new().map_err(ServeError::System)?;
        let server = Server::bind(settings).await?;
        listening(server.address());
        let end = CancellationToken::new();
        let twice = async {
            wishes.next().await;
            end.cancel();
            wishes.next().await;
        };
        tokio::select! {
            () = server.run(end.cancelled()) => Ok(()),
            () = twice => Err(ServeError::Interrupted),
        }
    });
    // Do not wait for blocking tasks: either all work is done, or a second signal asked for an
    // immediate exit.
    runtime.shutdown_background();
    ended
}

/// SIGINT and SIGTERM, or Ctrl-C on systems without signals.
struct ShutdownSignals {
    #[cfg(unix)]
    signals: (tokio::signal::unix::Signal, tokio::signal::unix::Signal),
}

impl ShutdownSignals {
    /// Starts listening for signals.
    fn new() -> io::Result<Self> {
        #[cfg(unix)]
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            #[cfg(unix)]
            signals: (
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
            ),
        })
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    async fn next(&mut self) {
        let (interrupt, terminate) = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }

    /// Waits for the next Ctrl-C.
    #[cfg(not(unix))]
    async fn next(&mut self) {
        // Without a Ctrl-C handler no shutdown signal ever arrives.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Server {
    /// Binds the configured address. Requests are answered only by [`Server::run`].
    ///
    /// # Errors
    /// Returns an error if the address cannot be bound or the games cannot be opened.
    pub async fn bind(settings: &ServerConfig) -> Result<Self, ServeError> {
        let refused = |reason: io::Error| {
            let address = settings.address.clone();
            match reason.kind() {
                io::ErrorKind::AddrInUse => ServeError::AddressInUse(address),
                _ => ServeError::Listen { address, reason },
            }
        };
        let listener = TcpListener::bind(settings.address.as_str())
            .await
            .map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let service = Arc::new(ServerState::new(settings)?);
        start_background_tasks(&service.games, &service.shutdown.started).await?;
        Ok(Self {
            listener,
            address,
            router: router(&service, Routes::all()),
            state: service,
        })
    }

    /// Returns the bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `end` resolves, then drains. Requests that take longer than
    /// [`ServerLimits::shutdown_timeout`](crate::ServerLimits::shutdown_timeout) are told to return
    /// what they have by then.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let Self {
            listener,
            address,
            state: service,
            router,
        } = self;
        tracing::info!(%address, "listening");
        let connections = ConnectionAcceptor {
            slots: Arc::new(Semaphore::new(service.limits.max_connections)),
            state: Arc::clone(&service),
            router,
        };
        let mut end = pin!(end);
        loop {
            tokio::select! {
                () = &mut end => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => connections.accept(stream, peer),
                    Err(error) => {
                        /// The pause after a failed accept. Connections that close in the meantime
                        /// free resources.
                        const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);
                        tracing::warn!(%error, "a connection cannot be accepted");
                        sleep(ACCEPT_RETRY_DELAY).await;
                    }
                },
            }
        }
        drop(listener);
        tracing::info!("finishing what was accepted; asked once more, it ends at once");
        connections.drain().await;
        service.games.close().await;
        tracing::info!("ended");
    }
}
