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

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: SharedState,
    router: Router,
}

/// Runs a server until the process is asked to end, by Ctrl-C or as the system does it, and everything that was accepted
/// is finished. Whoever asks once more does not want to wait for that. `listening` is told where it listens.
///
/// # Errors
/// Why it cannot be started, or that it was cut short.
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
    // Where all was finished there is nothing to wait for, and else nobody wants to.
    runtime.shutdown_background();
    ended
}

/// Wishes that the process may end.
struct ShutdownSignals {
    #[cfg(unix)]
    signals: (tokio::signal::unix::Signal, tokio::signal::unix::Signal),
}

impl ShutdownSignals {
    /// Those from now on.
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

    /// The next one.
    #[cfg(unix)]
    async fn next(&mut self) {
        let (interrupt, terminate) = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }

    /// The next one.
    #[cfg(not(unix))]
    async fn next(&mut self) {
        // Without Ctrl-C there is nobody who asks.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Server {
    /// A server that listens as the settings say, and answers nobody yet.
    ///
    /// # Errors
    /// If it cannot listen there.
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

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `end`, and then finishes what it has accepted: what takes longer than the grace that the limits
    /// give has to answer with what it has by then.
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
                        /// Connections that end meanwhile give back what is missing.
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
