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
pub fn serve(config: &ServerConfig, listening: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    raise_fd_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(ServeError::System)?;
    let result = runtime.block_on(async {
        let mut signals = ShutdownSignals::new().map_err(ServeError::System)?;
        let server = Server::bind(config).await?;
        listening(server.address());
        let end = CancellationToken::new();
        let interrupted = async {
            signals.next().await;
            end.cancel();
            signals.next().await;
        };
        tokio::select! {
            () = server.run(end.cancelled()) => Ok(()),
            () = interrupted => Err(ServeError::Interrupted),
        }
    });
    // Do not wait for blocking tasks: either all work is done, or a second signal asked for an
    // immediate exit.
    runtime.shutdown_background();
    result
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
    pub async fn bind(config: &ServerConfig) -> Result<Self, ServeError> {
        let bind_error = |reason: io::Error| {
            let address = config.address.clone();
            match reason.kind() {
                io::ErrorKind::AddrInUse => ServeError::AddressInUse(address),
                _ => ServeError::Listen { address, reason },
            }
        };
        let listener = TcpListener::bind(config.address.as_str())
            .await
            .map_err(bind_error)?;
        let address = listener.local_addr().map_err(bind_error)?;
        let state = Arc::new(ServerState::new(config)?);
        start_background_tasks(&state.games, &state.shutdown.started).await?;
        Ok(Self {
            listener,
            address,
            router: router(&state, Routes::all()),
            state,
        })
    }

    /// Returns the bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `end` resolves, then drains. Requests that take longer than
    /// [`ServerLimits::shutdown_timeout`](crate::ServerLimits::shutdown_timeout) return
    /// what they have by then.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let Self {
            listener,
            address,
            state,
            router,
        } = self;
        tracing::info!(%address, "listening");
        let acceptor = ConnectionAcceptor {
            slots: Arc::new(Semaphore::new(state.limits.max_connections)),
            state: Arc::clone(&state),
            router,
        };
        let mut end = pin!(end);
        loop {
            tokio::select! {
                () = &mut end => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, peer)) => acceptor.accept(stream, peer),
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
        tracing::info!("shutting down: finishing accepted requests; a second signal stops at once");
        acceptor.drain().await;
        state.games.close().await;
        tracing::info!("stopped");
    }
}
