//! Running a server: binding, accepting connections and shutting down gracefully.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::config::ServerConfig;
use crate::games::background::start_background_tasks;
use crate::http::connection::ConnectionAcceptor;
use crate::http::routes::{Routes, router};
use crate::net::{accept, bind, local_address, raise_fd_limit};
use crate::state::{ServeError, ServerState, SharedState};

/// A server with a bound address.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: SharedState,
    router: Router,
}

/// Runs a server until `shutdown` resolves, then finishes all accepted requests. `listening`
/// receives the bound address.
///
/// # Errors
/// Returns an error if the server cannot start.
pub fn serve(
    config: &ServerConfig,
    shutdown: impl Future<Output = ()>,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(ServeError::System)?;
    let result = runtime.block_on(async {
        let server = Server::bind(config).await?;
        listening(server.address());
        server.run(shutdown).await;
        Ok(())
    });
    // All work is done, so that no blocking task has to be waited for.
    runtime.shutdown_background();
    result
}

impl Server {
    /// Binds the configured address. Requests are answered only by [`Server::run`].
    ///
    /// # Errors
    /// Returns an error if the address cannot be bound or the games cannot be opened.
    pub async fn bind(config: &ServerConfig) -> Result<Self, ServeError> {
        let listener = bind(&config.address).await?;
        let address = local_address(&listener, &config.address)?;
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

    /// Serves until `shutdown` resolves, then drains. Requests that take longer than
    /// [`ServerLimits::shutdown_timeout`](crate::ServerLimits::shutdown_timeout) return
    /// what they have by then.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let Self {
            listener,
            address,
            state,
            router,
        } = self;
        tracing::info!(%address, "listening");
        let max_connections = raise_fd_limit(state.limits.max_connections);
        let acceptor = ConnectionAcceptor {
            slots: Arc::new(Semaphore::new(max_connections)),
            state: Arc::clone(&state),
            router,
        };
        let mut shutdown = pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                (stream, peer) = accept(&listener) => acceptor.accept(stream, peer),
            }
        }
        drop(listener);
        tracing::info!("shutting down: finishing accepted requests; a second signal stops at once");
        acceptor.drain().await;
        state.games.close().await;
        tracing::info!("stopped");
    }
}
