//! Running the HTTP server: binding, connections with their limits and time-outs, and graceful
//! shutdown.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use kalah_net::{accept, bind, local_address, raise_fd_limit, start_runtime};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_util::task::TaskTracker;

use crate::config::ServerConfig;
use crate::connection_peak::release_memory_after_peaks;
use crate::games::background::start_background_tasks;
use crate::http::error::ProblemResponse;
use crate::http::middleware::ConnectionAddrs;
use crate::http::rate_limit::{ClientIp, ClientIpSource};
use crate::http::routes::{all_routes, router};
use crate::open_connections::{ConnectionUse, OpenConnection, OpenConnections, ResponseBody};
use crate::rooms;
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
    let runtime = start_runtime().map_err(ServeError::System)?;
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
        let state = Arc::new(ServerState::new(config, address)?);
        start_background_tasks(&state.games, &state.shutdown.started).await?;
        let lobby = state.rooms.renew_lobby().await;
        lobby.map_err(|error| {
            ServeError::OpenLobby(ProblemResponse::from(error).detail().to_owned())
        })?;
        rooms::background::start_background_tasks(&state.rooms, &state.shutdown.started);
        if let Some(release) = config.release_memory {
            let peak = Arc::clone(&state.connection_peak);
            let task = release_memory_after_peaks(peak, state.metrics.connections.clone(), release);
            let started = state.shutdown.started.clone();
            tokio::spawn(started.run_until_cancelled_owned(task));
        }
        Ok(Self {
            listener,
            address,
            router: router(&state, all_routes()),
            state,
        })
    }

    /// Returns the bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown` resolves, then drains. Requests that take longer than
    /// [`ServerLimits::shutdown_timeout`](crate::ServerLimits::shutdown_timeout) return their
    /// results so far.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let Self {
            listener,
            address,
            state,
            router,
        } = self;
        tracing::info!(%address, "listening");
        let max_connections = raise_fd_limit(state.limits.max_connections);
        let are_clients_unknown = state.client_ip_source == ClientIpSource::XForwardedFor;
        let gauge = state.metrics.connections.clone();
        let acceptor = ConnectionAcceptor {
            open: OpenConnections::new(max_connections, are_clients_unknown, gauge),
            state: Arc::clone(&state),
            router,
        };
        let mut shutdown = pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                (stream, peer) = accept(&listener) => {
                    while acceptor.open.is_closing_many() {
                        tokio::task::yield_now().await;
                    }
                    acceptor.accept(stream, peer);
                }
            }
        }
        drop(listener);
        tracing::info!("shutting down: finishing accepted requests; a second signal stops at once");
        acceptor.drain().await;
        state.games.close().await;
        tracing::info!("stopped");
    }
}

/// The time for clients to read their responses after all requests were aborted.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// Accepts connections, serves HTTP on them and waits for their end.
struct ConnectionAcceptor {
    open: OpenConnections,
    state: SharedState,
    router: Router,
}

impl ConnectionAcceptor {
    /// Serves a connection, or rejects it if too many are open.
    fn accept(&self, stream: TcpStream, peer: SocketAddr) {
        let metrics = &self.state.metrics;
        let Some(open) = self.open.open(ClientIp::new(peer.ip())) else {
            metrics.connections_rejected.inc();
            reject(&stream);
            return;
        };
        let Ok(local) = stream.local_addr() else {
            // The connection is gone already.
            return;
        };
        let addresses = ConnectionAddrs { peer, local };
        self.state.connection_peak.record(metrics.connections.get());
        // Without this option responses are only delayed.
        let _ = stream.set_nodelay(true);
        let limits = &self.state.limits;
        let tasks = self.state.shutdown.tasks.clone();
        let lingering = LingeringClose::new(stream, Arc::clone(&open), tasks);
        let mut stream = TimeoutStream::new(lingering);
        stream.set_write_timeout(Some(limits.http.write_timeout));
        let router = TowerToHyperService::new(self.router.clone());
        let is_used = Arc::new(AtomicBool::new(false));
        let used = Arc::clone(&is_used);
        let connection = Arc::clone(&open);
        let answer = service_fn(move |mut request: Request<Incoming>| {
            used.store(true, Ordering::Relaxed);
            request.extensions_mut().insert(addresses);
            let running = connection.begin_request();
            let response = router.call(request);
            async move { Ok::<_, Infallible>(with_request(response.await?, running)) }
        });
        let connection = limits
            .http
            .connection_builder()
            .serve_connection(TokioIo::new(Box::pin(stream)), answer)
            .with_upgrades();
        let closing = self.state.shutdown.started.clone();
        self.state.shutdown.tasks.spawn(async move {
            let mut connection = pin!(connection);
            let result = tokio::select! {
                result = connection.as_mut() => result,
                () = open.displaced() => return,
                () = closing.cancelled() => {
                    if !is_used.load(Ordering::Relaxed) {
                        // A browser opens connections in advance. An unused one need not be
                        // drained.
                        return;
                    }
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = result {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }

    /// Stops accepting requests and waits until all accepted ones are answered.
    async fn drain(self) {
        let shutdown = self.state.shutdown.clone();
        shutdown.started.cancel();
        shutdown.tasks.close();
        let mut finished = pin!(shutdown.tasks.wait());
        if timeout(self.state.limits.shutdown_timeout, &mut finished)
            .await
            .is_ok()
        {
            return;
        }
        shutdown.abort.cancel();
        if timeout(FINAL_WRITE_TIMEOUT, finished).await.is_err() {
            tracing::warn!("some clients did not read their responses");
        }
    }
}

/// Ends the request of a connection with the body of its response, or with the connection if it
/// becomes a WebSocket.
fn with_request(response: Response, request: ConnectionUse) -> hyper::Response<ResponseBody> {
    let request = match response.status() {
        StatusCode::SWITCHING_PROTOCOLS => request.keep(),
        _ => request,
    };
    response.map(|body| ResponseBody::new(body, request))
}

/// Sends a 503 response without reading the request.
fn reject(stream: &TcpStream) {
    let problem = ProblemResponse::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "too many connections are open",
    );
    let body = serde_json::to_string(&problem).unwrap_or_default();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\n\
         content-type: application/problem+json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    // The send buffer of a new connection is empty, so it holds the whole response.
    let _ = stream.try_write(answer.as_bytes());
}

/// A TCP stream that is closed only after the peer had time to read the last bytes written.
///
/// The operating system resets a connection that receives data after it was closed, and the peer
/// then loses bytes that it has not read yet: for example the response to a body that is too large,
/// or the reason of a WebSocket close. Therefore this type reads and discards incoming data for a
/// short time after the connection ends.
struct LingeringClose {
    /// The stream and its connection, which counts as long as the stream lives; `None` after drop.
    inner: Option<(TcpStream, Arc<OpenConnection>)>,
    tasks: TaskTracker,
    /// Whether any bytes were written.
    has_written: bool,
}

/// The time for the peer to read and to close its side.
const LINGER_TIME: Duration = Duration::from_secs(1);

/// The maximum number of bytes to discard.
const MAX_DISCARDED_BYTES: usize = 1 << 20;

/// The size of the buffer for discarded bytes.
const DISCARD_BUFFER_BYTES: usize = 4 << 10;

impl LingeringClose {
    /// Wraps the stream of a connection. Lingering runs in `tasks`, which the server waits for on
    /// shutdown.
    fn new(stream: TcpStream, connection: Arc<OpenConnection>, tasks: TaskTracker) -> Self {
        Self {
            inner: Some((stream, connection)),
            tasks,
            has_written: false,
        }
    }

    fn stream(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        match &mut self.inner {
            Some((stream, _)) => Ok(Pin::new(stream)),
            None => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

impl Drop for LingeringClose {
    fn drop(&mut self) {
        // The place of a displaced connection is taken.
        if let Some((stream, connection)) = self.inner.take()
            && self.has_written
            && !connection.is_displaced()
            && Handle::try_current().is_ok()
        {
            self.tasks.spawn(async move {
                // After the time-out the connection is closed in any case.
                let _ = timeout(LINGER_TIME, drain(stream)).await;
                drop(connection);
            });
        }
    }
}

/// Shuts down the write side, then reads and discards until the peer closes its side.
async fn drain(mut stream: TcpStream) {
    // The write side may be shut down already, or the peer may be gone.
    let _ = stream.shutdown().await;
    let mut discarded = [0; DISCARD_BUFFER_BYTES];
    let mut remaining = MAX_DISCARDED_BYTES;
    while let Ok(read @ 1..) = stream.read(&mut discarded).await
        && read < remaining
    {
        remaining -= read;
    }
}

impl AsyncRead for LingeringClose {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream()?.poll_read(context, buffer)
    }
}

impl AsyncWrite for LingeringClose {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.has_written = true;
        self.stream()?.poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.has_written = true;
        self.stream()?.poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use tokio::io::duplex;

    use super::*;

    const BUFFER: usize = 16;
    const TIMEOUT: Duration = Duration::from_millis(50);

    #[tokio::test(start_paused = true)]
    async fn write_times_out_when_the_peer_stops_reading() {
        let (near, far) = duplex(BUFFER);
        let mut near = Box::pin(TimeoutStream::new(near));
        near.as_mut().set_write_timeout_pinned(Some(TIMEOUT));
        let bytes = [0; 2 * BUFFER];
        let error = near.write_all(&bytes).await.expect_err("no reader");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(far);
    }
}
