//! The open connections of all clients. One client cannot take the place of the others: it has a
//! share, and a new connection beyond a limit displaces an idle one of the client with the most.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::Body;
use hyper::body::{Bytes, Frame, SizeHint};
use prometheus_client::metrics::gauge::Gauge;
use tokio_util::sync::CancellationToken;

use crate::http::rate_limit::ClientIp;

/// The part of all connections that one client may have, so that others find a place even if it
/// keeps all of its connections busy.
const SHARE_OF_CLIENT: (usize, usize) = (3, 4);

/// The displaced connections that may be closing while others are accepted: fewer than the open
/// files that the server reserves.
const MAX_CLOSING: usize = 16;

/// The open connections of all clients.
#[derive(Clone, Debug)]
pub(crate) struct OpenConnections {
    clients: Arc<Mutex<Clients>>,
    max: usize,
    max_of_client: usize,
    gauge: Gauge,
}

#[derive(Debug, Default)]
struct Clients {
    by_address: HashMap<ClientIp, ClientConnections>,
    count: usize,
    /// The connections that were displaced and are not closed yet, which are not in `count`.
    closing: usize,
    /// Counts the times at which a connection becomes idle.
    tick: u64,
}

#[derive(Debug, Default)]
struct ClientConnections {
    count: usize,
    /// The idle connections by the ticks since which they are idle.
    idle: BTreeMap<u64, CancellationToken>,
}

/// An open connection, which counts until its last reference is dropped or it is displaced.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    all: OpenConnections,
    client: ClientIp,
    /// Cancelled when another connection takes the place of this one.
    displaced: CancellationToken,
    usage: Mutex<Usage>,
}

#[derive(Debug, Default)]
struct Usage {
    /// The requests whose responses are not complete.
    requests: usize,
    /// The tick since which the connection is idle.
    idle_since: Option<u64>,
}

impl OpenConnections {
    /// Creates the table of a server with at most `max` connections. One client may have a share of
    /// them, or all if `are_clients_unknown`, as behind a proxy.
    pub(crate) fn new(max: usize, are_clients_unknown: bool, gauge: Gauge) -> Self {
        let (part, whole) = SHARE_OF_CLIENT;
        let share = max
            .div_ceil(whole)
            .saturating_mul(part)
            .clamp(1, max.max(1));
        Self {
            clients: Arc::default(),
            max,
            max_of_client: if are_clients_unknown { max } else { share },
            gauge,
        }
    }

    /// Adds a connection of `client`. At a limit, the connection that has been idle for the longest
    /// time is displaced, of the client with the most connections, or of this client if it has its
    /// share. Returns `None` if no connection can be displaced.
    pub(crate) fn open(&self, client: ClientIp) -> Option<Arc<OpenConnection>> {
        let mut clients = self.lock();
        let own = clients.count_of(client);
        if own >= self.max_of_client {
            clients.displace_oldest(client)?;
        } else if clients.count >= self.max {
            let greediest = clients.greediest(client, own)?;
            clients.displace_oldest(greediest)?;
        }
        clients.count += 1;
        clients.by_address.entry(client).or_default().count += 1;
        drop(clients);
        self.gauge.inc();
        let connection = Arc::new(OpenConnection {
            all: self.clone(),
            client,
            displaced: CancellationToken::new(),
            usage: Mutex::default(),
        });
        connection.set_idle(&mut self.lock());
        Some(connection)
    }

    /// Returns whether many displaced connections are not closed yet. Their sockets are open files
    /// beyond the limit.
    pub(crate) fn is_closing_many(&self) -> bool {
        self.lock().closing >= MAX_CLOSING
    }

    fn lock(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clients {
    fn count_of(&self, client: ClientIp) -> usize {
        let connections = self.by_address.get(&client);
        connections.map_or(0, |connections| connections.count)
    }

    /// Returns the client with the most connections that has an idle one: `client`, which has
    /// `own`, or one with more than it would have.
    fn greediest(&self, client: ClientIp, own: usize) -> Option<ClientIp> {
        let candidates = self.by_address.iter().filter(|(address, connections)| {
            !connections.idle.is_empty() && (**address == client || connections.count > own + 1)
        });
        let greediest = candidates.max_by_key(|(_, connections)| connections.count);
        greediest.map(|(&address, _)| address)
    }

    /// Ends the connection of `client` that has been idle for the longest time.
    fn displace_oldest(&mut self, client: ClientIp) -> Option<()> {
        let (_, displaced) = self.by_address.get_mut(&client)?.idle.pop_first()?;
        displaced.cancel();
        self.closing += 1;
        self.remove(client);
        Some(())
    }

    /// Counts a connection of `client` less.
    fn remove(&mut self, client: ClientIp) {
        self.count -= 1;
        if let Some(connections) = self.by_address.get_mut(&client) {
            connections.count -= 1;
            if connections.count == 0 {
                self.by_address.remove(&client);
            }
        }
    }
}

impl OpenConnection {
    /// Returns when another connection has taken the place of this one.
    pub(crate) async fn displaced(&self) {
        self.displaced.cancelled().await;
    }

    /// Returns whether another connection has taken the place of this one.
    pub(crate) fn is_displaced(&self) -> bool {
        self.displaced.is_cancelled()
    }

    /// Begins a request. The connection is busy until the returned value is dropped.
    pub(crate) fn begin_request(self: &Arc<Self>) -> ConnectionUse {
        let mut clients = self.all.lock();
        let mut usage = self.usage();
        usage.requests += 1;
        if let Some(tick) = usage.idle_since.take()
            && let Some(connections) = clients.by_address.get_mut(&self.client)
        {
            connections.idle.remove(&tick);
        }
        ConnectionUse(Some(Arc::clone(self)))
    }

    fn end_request(&self) {
        let mut clients = self.all.lock();
        self.usage().requests -= 1;
        self.set_idle(&mut clients);
    }

    /// Lets other connections displace this one if it has no request.
    fn set_idle(&self, clients: &mut Clients) {
        let mut usage = self.usage();
        if usage.requests > 0 || self.is_displaced() {
            return;
        }
        clients.tick += 1;
        let tick = clients.tick;
        usage.idle_since = Some(tick);
        if let Some(connections) = clients.by_address.get_mut(&self.client) {
            connections.idle.insert(tick, self.displaced.clone());
        }
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.all.gauge.dec();
        let mut clients = self.all.lock();
        if self.is_displaced() {
            clients.closing -= 1;
            return;
        }
        if let Some(tick) = self.usage().idle_since
            && let Some(connections) = clients.by_address.get_mut(&self.client)
        {
            connections.idle.remove(&tick);
        }
        clients.remove(self.client);
    }
}

/// A request whose response is not complete.
#[derive(Debug)]
pub(crate) struct ConnectionUse(Option<Arc<OpenConnection>>);

impl ConnectionUse {
    /// Keeps the connection busy until it ends, as one that becomes a WebSocket.
    #[must_use]
    pub(crate) fn keep(mut self) -> Self {
        self.0 = None;
        self
    }
}

impl Drop for ConnectionUse {
    fn drop(&mut self) {
        if let Some(connection) = &self.0 {
            connection.end_request();
        }
    }
}

/// The largest part of a body that is handed to the connection at once, in bytes.
const PART_BYTES: usize = 64 << 10;

/// The body of a response, with its request, which ends when the last part of the body has been
/// handed to the connection or the body is dropped.
///
/// A large body is handed over in parts, because a connection takes a whole one at once, however
/// slowly its client reads, and would count as idle then.
pub(crate) struct ResponseBody {
    body: Body,
    /// The rest of a frame of the body.
    rest: Bytes,
    _request: ConnectionUse,
}

impl ResponseBody {
    pub(crate) fn new(body: Body, request: ConnectionUse) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            _request: request,
        }
    }
}

impl hyper::body::Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            let frame = match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => frame,
                other => return other,
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        let length = self.rest.len().min(PART_BYTES);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = u64::try_from(self.rest.len()).unwrap_or(u64::MAX);
        let body = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower().saturating_add(rest));
        if let Some(upper) = body.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    fn client(number: u8) -> ClientIp {
        ClientIp::new([192, 0, 2, number].into())
    }

    fn table(max: usize) -> OpenConnections {
        OpenConnections::new(max, false, Gauge::default())
    }

    /// Opens connections of a client, which must be possible.
    fn open(table: &OpenConnections, number: u8, count: usize) -> Vec<Arc<OpenConnection>> {
        let connections = (0..count).map(|_| table.open(client(number)).expect("a place"));
        connections.collect()
    }

    fn displaced(connections: &[Arc<OpenConnection>]) -> Vec<bool> {
        let connections = connections.iter();
        connections
            .map(|connection| connection.is_displaced())
            .collect()
    }

    #[test]
    fn oldest_idle_connection_of_the_greediest_client_makes_room() {
        let table = table(8);
        let greedy = open(&table, 1, 5);
        let modest = open(&table, 2, 3);
        let busy = greedy[0].begin_request();
        let _new = open(&table, 3, 1);
        assert_eq!(displaced(&greedy), [false, true, false, false, false]);
        assert_eq!(displaced(&modest), [false; 3]);
        // A connection is as old as the end of its last request.
        drop(busy);
        let _further = open(&table, 3, 1);
        assert_eq!(displaced(&greedy), [false, true, true, false, false]);
    }

    #[test]
    fn client_beyond_its_share_displaces_its_own_connections() {
        let table = table(8);
        let connections = open(&table, 1, 8);
        let expected = [true, true, false, false, false, false, false, false];
        assert_eq!(displaced(&connections), expected);
        let busy: Vec<_> = (connections.iter())
            .map(OpenConnection::begin_request)
            .collect();
        assert!(table.open(client(1)).is_none());
        let others = open(&table, 2, 2);
        // All other connections are busy, so that the client replaces one of its own.
        let _new = open(&table, 2, 1);
        assert_eq!(displaced(&others), [true, false]);
        drop(busy);
    }

    #[test]
    fn connections_of_modest_clients_are_not_displaced() {
        let table = table(3);
        let open_connections: Vec<_> = (1..=3).map(|number| open(&table, number, 1)).collect();
        assert!(table.open(client(4)).is_none());
        drop(open_connections);
        open(&table, 4, 1);
    }

    #[test]
    fn counts_end_with_the_connections() {
        let table = table(4);
        for _ in 0..3 {
            let connections = open(&table, 1, 4);
            assert!(connections[0].is_displaced());
            drop(connections[1].begin_request());
        }
        assert_eq!(table.lock().count, 0);
        assert!(table.lock().by_address.is_empty());
        assert_eq!(table.gauge.get(), 0);
    }

    #[test]
    fn websocket_is_never_idle() {
        let table = table(2);
        let connection = open(&table, 1, 1);
        drop(connection[0].begin_request().keep());
        let _second = open(&table, 2, 1);
        assert!(table.open(client(3)).is_none());
        drop(connection);
        open(&table, 3, 1);
    }

    #[test]
    fn displaced_connections_are_closing_until_they_are_dropped() {
        let table = table(8);
        let connections = open(&table, 1, 6 + MAX_CLOSING);
        assert!(table.is_closing_many());
        drop(connections);
        assert!(!table.is_closing_many());
        assert_eq!(table.lock().closing, 0);
    }

    #[tokio::test]
    async fn large_body_keeps_its_connection_busy_until_the_last_part() {
        let table = table(8);
        let connection = open(&table, 1, 1).remove(0);
        let sent = vec![7; 3 * PART_BYTES + 1];
        let mut body = ResponseBody::new(Body::from(sent.clone()), connection.begin_request());
        let mut received = Vec::new();
        while !hyper::body::Body::is_end_stream(&body) {
            assert!(connection.usage().idle_since.is_none());
            let left = u64::try_from(sent.len() - received.len()).expect("a small number");
            assert_eq!(hyper::body::Body::size_hint(&body).exact(), Some(left));
            let frame = body.frame().await.expect("a frame").expect("no error");
            let data = frame.into_data().expect("data");
            assert!(data.len() <= PART_BYTES);
            received.extend_from_slice(&data);
        }
        drop(body);
        assert_eq!(received, sent);
        assert!(connection.usage().idle_since.is_some());
    }

    #[test]
    fn proxy_may_have_all_connections() {
        let table = OpenConnections::new(4, true, Gauge::default());
        let connections = open(&table, 1, 4);
        assert_eq!(displaced(&connections), [false; 4]);
    }
}
