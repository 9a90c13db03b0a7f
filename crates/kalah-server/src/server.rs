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
use crate::lingering::Lingering;
use crate::patient::Patient;
use crate::problem::Problem;
use crate::routes::Routes;
use crate::service::{Service, Shared};
use crate::watch::{self, Peer};
use crate::{Address, Settings};

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    service: Shared,
    router: Router,
}

/// Why there is no server.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Somebody else listens at the address.
    #[error("something else listens at {0} already")]
    InUse(Address),
    /// It cannot be listened there.
    #[error("cannot listen at {address}: {reason}")]
    Listen {
        /// Where.
        address: Address,
        /// Why not.
        reason: io::Error,
    },
    /// The games between friends cannot be kept.
    #[error("{0}")]
    Games(#[from] OpenStoreError),
    /// They cannot be read.
    #[error("{0}")]
    ReadGames(#[from] StoreError),
    /// The system gives no threads or no signals.
    #[error("the server cannot be started: {0}")]
    System(io::Error),
    /// The process was asked to end, and while it did, once more.
    #[error("ended before everything was finished that had been accepted")]
    CutShort,
}

/// Runs a server until the process is asked to end, by Ctrl-C or as the system does it, and everything that was accepted
/// is finished. Whoever asks once more does not want to wait for that. `listening` is told where it listens.
///
/// # Errors
/// Why it cannot be started, or that it was cut short.
pub fn serve(settings: &Settings, listening: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    make_room();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(ServeError::System)?;
    let ended = runtime.block_on(async {
        let mut wishes = Wishes::new().map_err(ServeError::System)?;
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
            () = twice => Err(ServeError::CutShort),
        }
    });
    // Where all was finished there is nothing to wait for, and else nobody wants to.
    runtime.shutdown_background();
    ended
}

/// Takes all open files that the system lets a process have: connections are files, and many systems begin with room for
/// a thousand.
fn make_room() {
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
struct Wishes {
    #[cfg(unix)]
    signals: (tokio::signal::unix::Signal, tokio::signal::unix::Signal),
}

impl Wishes {
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
const LEAST_HEAD: usize = 8 << 10;

/// The time that is left to clients who have not yet taken their answers, once these are all there.
const LAST_WORDS: Duration = Duration::from_secs(2);

impl Server {
    /// A server that listens as the settings say, and answers nobody yet.
    ///
    /// # Errors
    /// If it cannot listen there.
    pub async fn bind(settings: &Settings) -> Result<Self, ServeError> {
        let refused = |reason: io::Error| {
            let address = settings.address.clone();
            match reason.kind() {
                io::ErrorKind::AddrInUse => ServeError::InUse(address),
                _ => ServeError::Listen { address, reason },
            }
        };
        let listener = TcpListener::bind(settings.address.as_str())
            .await
            .map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let service = Arc::new(Service::new(settings)?);
        games::begin(&service.hall, &service.ending.closing).await?;
        Ok(Self {
            listener,
            address,
            router: router(&service, Routes::all()),
            service,
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
            service,
            router,
        } = self;
        tracing::info!(%address, "listening");
        let connections = Connections {
            places: Arc::new(Semaphore::new(service.limits.connections)),
            service: Arc::clone(&service),
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
                        const PAUSE: Duration = Duration::from_millis(100);
                        tracing::warn!(%error, "a connection cannot be accepted");
                        sleep(PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        tracing::info!("finishing what was accepted; asked once more, it ends at once");
        connections.finish().await;
        service.hall.close().await;
        tracing::info!("ended");
    }
}

/// The connections of a server.
struct Connections {
    places: Arc<Semaphore>,
    service: Shared,
    router: Router,
}

impl Connections {
    /// Serves a connection, if there is still a place for one.
    fn accept(&self, stream: TcpStream, peer: SocketAddr) {
        let metrics = &self.service.metrics;
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            metrics.connections_refused.inc();
            refuse(&stream);
            return;
        };
        let open = Open::new(metrics.connections.clone(), place);
        // Without it the stream still works, only later.
        let _ = stream.set_nodelay(true);
        let limits = &self.service.limits;
        let tasks = self.service.ending.tasks.clone();
        let stream = Patient::new(Lingering::new(stream, open, tasks), limits.write_time);
        let router = TowerToHyperService::new(self.router.clone());
        let is_used = Arc::new(AtomicBool::new(false));
        let used = Arc::clone(&is_used);
        let answer = service_fn(move |mut request: Request<Incoming>| {
            used.store(true, Ordering::Relaxed);
            request.extensions_mut().insert(Peer(peer));
            router.call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head_time)
            .max_buf_size(limits.head_bytes.max(LEAST_HEAD))
            .serve_connection(TokioIo::new(stream), answer)
            .with_upgrades();
        let closing = self.service.ending.closing.clone();
        self.service.ending.tasks.spawn(async move {
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
    async fn finish(self) {
        let ending = self.service.ending.clone();
        ending.closing.cancel();
        ending.tasks.close();
        let mut finished = pin!(ending.tasks.wait());
        if timeout(self.service.limits.grace, &mut finished)
            .await
            .is_ok()
        {
            return;
        }
        ending.hurry.cancel();
        if timeout(LAST_WORDS, finished).await.is_err() {
            tracing::warn!("some clients did not take their answers");
        }
    }
}

/// A connection that is open, as long as its stream is kept.
struct Open {
    connections: Gauge,
    _place: OwnedSemaphorePermit,
}

impl Open {
    fn new(connections: Gauge, place: OwnedSemaphorePermit) -> Self {
        connections.inc();
        Self {
            connections,
            _place: place,
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.connections.dec();
    }
}

/// Tells a client that there are too many of them, without waiting for what it wants.
fn refuse(stream: &TcpStream) {
    let problem = Problem::new(
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
fn router(service: &Shared, routes: Routes) -> Router {
    routes
        .router()
        .layer(from_fn_with_state(Arc::clone(service), watch::admit))
        .layer(CatchPanicLayer::custom(watch::panicked))
        .layer(map_response(watch::explain))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(Arc::clone(service), watch::watch))
        .with_state(Arc::clone(service))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use http_body_util::BodyExt as _;

    /// The status and problem of what is answered at `/panics`, where a handler panics.
    async fn at_a_panic(prepare: impl FnOnce(&Service)) -> (u16, serde_json::Value) {
        async fn panics() -> &'static str {
            panic!("as it should")
        }
        let service = Service::new(&Settings::default()).expect("threads");
        prepare(&service);
        let routes = Routes::all().get("/panics", panics);
        let answers = TowerToHyperService::new(router(&Arc::new(service), routes));
        let request = Request::get("/panics")
            .header("host", "localhost")
            .extension(Peer(Settings::ADDRESS));
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
        let (status, problem) = at_a_panic(|service| service.ending.closing.cancel()).await;
        assert_eq!(status, 503);
        assert_eq!(problem["detail"], "the server is shutting down");
    }
}
