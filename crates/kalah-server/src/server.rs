use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::{from_fn_with_state, map_response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use prometheus_client::metrics::gauge::Gauge;
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::games::{self, OpenStoreError, StoreError};
use crate::lingering::LingeringClose;
use crate::patient::WriteTimeout;
use crate::problem::ProblemResponse;
use crate::routes::Routes;
use crate::service::{ServerState, SharedState};
use crate::watch::{self, PeerAddr};
use crate::{ListenAddress, ServerConfig};

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: SharedState,
    router: Router,
}

/// Why there is no server.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Somebody else listens at the address.
    #[error("something else listens at {0} already")]
    AddressInUse(ListenAddress),
    /// It cannot be listened there.
    #[error("cannot listen at {address}: {reason}")]
    Listen {
        /// Where.
        address: ListenAddress,
        /// Why not.
        reason: io::Error,
    },
    /// The games between friends cannot be kept.
    #[error("{0}")]
    OpenGames(#[from] OpenStoreError),
    /// They cannot be read.
    #[error("{0}")]
    ReadGames(#[from] StoreError),
    /// The system gives no threads or no signals.
    #[error("the server cannot be started: {0}")]
    System(io::Error),
    /// The process was asked to end, and while it did, once more.
    #[error("ended before everything was finished that had been accepted")]
    Interrupted,
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

/// Takes all open files that the system lets a process have: connections are files, and many systems begin with room for
/// a thousand.
fn raise_fd_limit() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        if let Err(reason) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(%reason, "there is no room for more connections");
        }
    }
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

/// A head of so many bytes is always read: `hyper` takes no smaller limit.
const MIN_HEAD_BYTES: usize = 8 << 10;

/// The time that is left to clients who have not yet taken their answers, once these are all there.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_secs(2);

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
        games::start_background_tasks(&service.games, &service.shutdown.started).await?;
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

/// The connections of a server.
struct ConnectionAcceptor {
    slots: Arc<Semaphore>,
    state: SharedState,
    router: Router,
}

impl ConnectionAcceptor {
    /// Serves a connection, if there is still a place for one.
    fn accept(&self, stream: TcpStream, peer: SocketAddr) {
        let metrics = &self.state.metrics;
        let Ok(place) = Arc::clone(&self.slots).try_acquire_owned() else {
            metrics.connections_rejected.inc();
            reject(&stream);
            return;
        };
        let open = OpenConnection::new(metrics.connections.clone(), place);
        // Without it the stream still works, only later.
        let _ = stream.set_nodelay(true);
        let limits = &self.state.limits;
        let tasks = self.state.shutdown.tasks.clone();
        let stream = WriteTimeout::new(
            LingeringClose::new(stream, open, tasks),
            limits.write_timeout,
        );
        let router = TowerToHyperService::new(self.router.clone());
        let is_used = Arc::new(AtomicBool::new(false));
        let used = Arc::clone(&is_used);
        let answer = service_fn(move |mut request: Request<Incoming>| {
            used.store(true, Ordering::Relaxed);
            request.extensions_mut().insert(PeerAddr(peer));
            router.call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head_timeout)
            .max_buf_size(limits.max_head_bytes.max(MIN_HEAD_BYTES))
            .serve_connection(TokioIo::new(stream), answer)
            .with_upgrades();
        let closing = self.state.shutdown.started.clone();
        self.state.shutdown.tasks.spawn(async move {
            let mut connection = pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = closing.cancelled() => {
                    if !is_used.load(Ordering::Relaxed) {
                        // Nothing has been asked over it yet, and may never be.
                        return;
                    }
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(error) = ended {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }

    /// Waits until all is answered that was accepted.
    async fn drain(self) {
        let ending = self.state.shutdown.clone();
        ending.started.cancel();
        ending.tasks.close();
        let mut finished = pin!(ending.tasks.wait());
        if timeout(self.state.limits.shutdown_timeout, &mut finished)
            .await
            .is_ok()
        {
            return;
        }
        ending.abort.cancel();
        if timeout(FINAL_WRITE_TIMEOUT, finished).await.is_err() {
            tracing::warn!("some clients did not take their answers");
        }
    }
}

/// A connection that is open, as long as its stream is kept.
struct OpenConnection {
    connections: Gauge,
    _permit: OwnedSemaphorePermit,
}

impl OpenConnection {
    fn new(connections: Gauge, place: OwnedSemaphorePermit) -> Self {
        connections.inc();
        Self {
            connections,
            _permit: place,
        }
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.connections.dec();
    }
}

/// Tells a client that there are too many of them, without waiting for what it wants.
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
    // Nothing has been sent yet, so that all of it has room; and a client who has gone needs no answer.
    let _ = stream.try_write(answer.as_bytes());
}

/// All routes, and what happens to every request around them.
fn router(service: &SharedState, routes: Routes) -> Router {
    routes
        .router()
        .layer(from_fn_with_state(Arc::clone(service), watch::limit_rate))
        .layer(CatchPanicLayer::custom(watch::handle_panic))
        .layer(map_response(watch::errors_to_problems))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(Arc::clone(service), watch::log_request))
        .with_state(Arc::clone(service))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use http_body_util::BodyExt as _;

    /// The status and problem of what is answered at `/panics`, where a handler panics.
    async fn at_a_panic(prepare: impl FnOnce(&ServerState)) -> (u16, serde_json::Value) {
        async fn panics() -> &'static str {
            panic!("as it should")
        }
        let service = ServerState::new(&ServerConfig::default()).expect("threads");
        prepare(&service);
        let routes = Routes::all().get("/panics", panics);
        let answers = TowerToHyperService::new(router(&Arc::new(service), routes));
        let request = Request::get("/panics")
            .header("host", "localhost")
            .extension(PeerAddr(ServerConfig::DEFAULT_ADDRESS));
        let answer = answers.call(request.body(Body::empty()).expect("a request"));
        let (head, body) = answer.await.expect("an answer").into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let problem = serde_json::from_slice(&body).expect("a problem");
        (head.status.as_u16(), problem)
    }

    #[tokio::test]
    async fn a_panic_is_told_as_a_failure() {
        let (status, problem) = at_a_panic(|_| {}).await;
        assert_eq!(status, 500);
        assert_eq!(problem["status"], 500);
    }

    #[tokio::test]
    async fn nobody_is_let_in_any_more_at_the_end() {
        let (status, problem) = at_a_panic(|service| service.shutdown.started.cancel()).await;
        assert_eq!(status, 503);
        assert_eq!(problem["detail"], "the server is shutting down");
    }
}
