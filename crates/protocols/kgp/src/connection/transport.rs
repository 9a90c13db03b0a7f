//! KGP connections as lines in both directions, over TCP or a WebSocket.

use std::future::ready;
use std::io;
use std::num::NonZeroU32;
use std::pin::pin;
use std::time::Duration;

use futures_util::stream::{self, Stream};
use futures_util::{Sink, SinkExt as _, StreamExt as _};
use governor::clock::Clock as _;
use governor::{Quota, RateLimiter};
use kalah_net::{ClientStream, TlsTrust, TokioClock};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::JoinHandle;
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config, client_async_with_config};
use tokio_util::codec::Framed;

use crate::connection::address::KgpAddress;
use crate::connection::lines::{
    IncomingLine, LineCodec, MAX_SKIPPED_BYTES, WebSocketLines, io_error,
};
use crate::message::Line;

/// The maximum number of received lines that wait. The connection reads no more until one is taken.
const INCOMING_QUEUE: usize = 16;

/// The maximum number of lines that wait to be sent: a peer that reads leaves far fewer unread.
const OUTGOING_QUEUE: usize = 256;

/// The time for a connection to be opened, for a handshake, and for a line to be sent.
const IO_TIMEOUT: Duration = Duration::from_secs(10);

/// The silence after which the system asks the server's system for a sign of life, the interval in
/// which it asks again, and the time for sent bytes to arrive. A server that does not know `ping`
/// gives no other sign. The silence is that before a `ping`. At least two probes fit into the rest
/// of the last time, so that a single lost packet does not end the connection.
const TCP_SILENCE: Duration = Duration::from_secs(20);
const TCP_PROBE_INTERVAL: Duration = Duration::from_secs(5);
#[cfg(any(target_os = "linux", target_os = "android"))]
const TCP_UNACKNOWLEDGED: Duration = Duration::from_secs(30);

/// The time for the peer to read the last lines.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The sustained rate at which a server reads lines of a client. Engines send a few a second.
const LINES_PER_SECOND: NonZeroU32 = NonZeroU32::new(100).expect("not zero");

/// The number of lines that a client can send at once after a pause of five seconds.
const LINE_BURST: NonZeroU32 = NonZeroU32::new(500).expect("not zero");

/// The transport of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    /// A TCP stream.
    Tcp,
    /// A WebSocket.
    WebSocket,
}

/// The error of [`KgpConnection::try_send`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrySendLineError {
    /// The peer has left too many lines unread.
    QueueFull,
    /// The connection has ended.
    Closed,
}

/// An open connection. Two tasks read and write it.
#[derive(Debug)]
pub struct KgpConnection {
    /// Closed when the connection has ended.
    incoming: mpsc::Receiver<io::Result<IncomingLine>>,
    /// Lines with their ends.
    outgoing: mpsc::Sender<String>,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

impl KgpConnection {
    /// Connects to a server. An encrypted connection needs a certificate that `trust` accepts.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached, has no trusted certificate, or refuses the
    /// WebSocket handshake.
    pub async fn connect(server: &KgpAddress, trust: &TlsTrust) -> io::Result<Self> {
        let stream = connect_tcp(server.host_and_port()).await?;
        stream.set_nodelay(true)?;
        detect_loss(&stream)?;
        if !server.is_web_socket() {
            return Ok(Self::from_stream(stream));
        }
        let stream = match server.encrypted_host() {
            Some(host) => {
                let encrypt = trust.encrypt(stream, host);
                timeout(IO_TIMEOUT, encrypt).await.map_err(timed_out)??
            }
            None => ClientStream::Plain(stream),
        };
        let url = server.to_string();
        let handshake = client_async_with_config(url, stream, Some(web_socket_config()));
        let handshake = timeout(IO_TIMEOUT, handshake).await.map_err(timed_out)?;
        let (socket, _) = handshake.map_err(io_error)?;
        Ok(Self::from_web_socket(socket, None))
    }

    /// Opens a connection that a server has accepted. Lines are read at a limited rate.
    ///
    /// # Errors
    /// Returns an error if the connection is lost or the WebSocket handshake fails.
    pub async fn accept(stream: TcpStream, transport: TransportKind) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let rate = Quota::per_second(LINES_PER_SECOND).allow_burst(LINE_BURST);
        match transport {
            TransportKind::Tcp => Ok(Self::over_stream(stream, Some(rate))),
            TransportKind::WebSocket => {
                let handshake = accept_async_with_config(stream, Some(web_socket_config()));
                let handshake = timeout(IO_TIMEOUT, handshake).await.map_err(timed_out)?;
                let socket = handshake.map_err(io_error)?;
                Ok(Self::from_web_socket(socket, Some(rate)))
            }
        }
    }

    /// Opens a connection over a stream of bytes that is connected to the peer.
    pub fn from_stream(stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Self {
        Self::over_stream(stream, None)
    }

    fn over_stream(
        stream: impl AsyncRead + AsyncWrite + Send + 'static,
        rate: Option<Quota>,
    ) -> Self {
        let (sink, lines) = Framed::new(stream, LineCodec::default()).split();
        Self::start(sink, lines, rate)
    }

    fn from_web_socket(
        socket: WebSocketStream<impl AsyncRead + AsyncWrite + Unpin + Send + 'static>,
        rate: Option<Quota>,
    ) -> Self {
        let (sink, messages) = socket.split();
        let sink =
            sink.with(|line: String| ready(Ok::<_, tungstenite::Error>(Message::text(line))));
        let lines = WebSocketLines::new(messages.fuse());
        let lines = stream::unfold(lines, |mut lines| async move {
            let line = lines.next().await?;
            Some((line, lines))
        });
        Self::start(sink, lines, rate)
    }

    fn start(
        sink: impl Sink<String> + Send + 'static,
        lines: impl Stream<Item = io::Result<IncomingLine>> + Send + 'static,
        rate: Option<Quota>,
    ) -> Self {
        let (incoming_sender, incoming) = mpsc::channel(INCOMING_QUEUE);
        let (outgoing, outgoing_receiver) = mpsc::channel(OUTGOING_QUEUE);
        Self {
            incoming,
            outgoing,
            reader: tokio::spawn(read_lines(lines, incoming_sender, rate)),
            writer: tokio::spawn(write_lines(sink, outgoing_receiver)),
        }
    }

    /// Waits for the next line. Returns `None` after the peer has closed the connection. A
    /// cancelled call loses no line.
    ///
    /// # Errors
    /// Returns an error if the connection is lost.
    pub async fn receive(&mut self) -> Option<io::Result<IncomingLine>> {
        self.incoming.recv().await
    }

    /// Sends a line, and waits while many lines are unread.
    ///
    /// # Errors
    /// Returns an error if the connection has ended, also because the peer reads nothing.
    pub async fn send(&self, line: &Line) -> io::Result<()> {
        let sent = self.outgoing.send(format!("{line}\r\n")).await;
        sent.map_err(|_| io::Error::new(io::ErrorKind::BrokenPipe, "the connection is closed"))
    }

    /// Sends a line without waiting for the peer.
    ///
    /// # Errors
    /// Returns an error if the connection has ended or many lines are unread.
    pub fn try_send(&self, line: &Line) -> Result<(), TrySendLineError> {
        let sent = self.outgoing.try_send(format!("{line}\r\n"));
        sent.map_err(|error| match error {
            TrySendError::Full(_) => TrySendLineError::QueueFull,
            TrySendError::Closed(_) => TrySendLineError::Closed,
        })
    }

    /// Closes the connection after the peer had a second to read the lines that were sent.
    pub async fn close(self) {
        let Self {
            incoming,
            outgoing,
            reader,
            mut writer,
        } = self;
        drop((incoming, outgoing));
        if timeout(CLOSE_TIMEOUT, &mut writer).await.is_err() {
            writer.abort();
        }
        reader.abort();
    }
}

/// Connects to the first address of a host that accepts the connection in time.
async fn connect_tcp(host_and_port: &str) -> io::Result<TcpStream> {
    let mut result = Err(io::Error::new(
        io::ErrorKind::NotFound,
        "the host has no address",
    ));
    for address in lookup_host(host_and_port).await? {
        result = timeout(IO_TIMEOUT, TcpStream::connect(address))
            .await
            .map_err(timed_out)
            .flatten();
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Lets the system report the loss of a connection as an error.
fn detect_loss(stream: &TcpStream) -> io::Result<()> {
    let socket = SockRef::from(stream);
    let probes = TcpKeepalive::new()
        .with_time(TCP_SILENCE)
        .with_interval(TCP_PROBE_INTERVAL);
    socket.set_tcp_keepalive(&probes)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    socket.set_tcp_user_timeout(Some(TCP_UNACKNOWLEDGED))?;
    Ok(())
}

fn web_socket_config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MAX_SKIPPED_BYTES))
        .max_frame_size(Some(MAX_SKIPPED_BYTES))
}

fn timed_out(_: Elapsed) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the connection timed out")
}

/// Forwards received lines to `queue` until the connection ends or the queue is closed.
async fn read_lines(
    lines: impl Stream<Item = io::Result<IncomingLine>>,
    queue: mpsc::Sender<io::Result<IncomingLine>>,
    rate: Option<Quota>,
) {
    let limiter = rate.map(|rate| RateLimiter::direct_with_clock(rate, TokioClock));
    let mut lines = pin!(lines);
    while let Some(line) = lines.next().await {
        if let Some(limiter) = &limiter {
            while let Err(refusal) = limiter.check() {
                sleep(refusal.wait_time_from(TokioClock.now())).await;
            }
        }
        if queue.send(line).await.is_err() {
            return;
        }
    }
}

/// Sends the lines of `queue` until it is closed, an error occurs or the peer stops reading.
async fn write_lines(sink: impl Sink<String>, mut queue: mpsc::Receiver<String>) {
    let mut sink = pin!(sink);
    while let Some(line) = queue.recv().await {
        let sent = timeout(IO_TIMEOUT, sink.send(line)).await;
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
    // The connection ends in any case.
    let _ = sink.close().await;
}

#[cfg(test)]
mod tests {
    use test_tools::tls_proxy::TlsProxy;
    use tokio::net::TcpListener;
    use tokio::time::Instant;

    use super::*;

    #[tokio::test]
    async fn lines_pass_an_encrypted_web_socket() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let proxy = TlsProxy::start(address).await;
        let echo = tokio::spawn(async move {
            let (stream, _) = listener.accept().await?;
            let mut connection = KgpConnection::accept(stream, TransportKind::WebSocket).await?;
            let line = connection.receive().await.expect("an open connection")?;
            assert_eq!(line, IncomingLine::Text("4 ping\r".to_owned()));
            connection.send(&"@4 pong".parse().expect("a line")).await?;
            connection.close().await;
            Ok::<_, io::Error>(())
        });
        let server = format!("wss://localhost:{}", proxy.port);
        let server = server.parse::<KgpAddress>().expect("an address");
        let nothing = TlsTrust::certificates([]).expect("no certificates");
        let error = KgpConnection::connect(&server, &nothing).await;
        let error = error.expect_err("no trusted certificate").to_string();
        assert!(error.contains("certificate"), "{error}");

        let trust = TlsTrust::certificates([&*proxy.certificate]).expect("a certificate");
        let client = KgpConnection::connect(&server, &trust).await;
        let mut client = client.expect("a trusted server");
        let ping = "4 ping".parse().expect("a line");
        client.send(&ping).await.expect("an open connection");
        let line = client.receive().await.expect("an open connection");
        let expected = IncomingLine::Text("@4 pong\r".to_owned());
        assert_eq!(line.expect("an open connection"), expected);
        echo.await.expect("no panic").expect("an open connection");
    }

    #[tokio::test(start_paused = true)]
    async fn lines_beyond_the_burst_are_delayed() {
        const EXCESS: u32 = 100;

        let count = LINE_BURST.get() + EXCESS;
        let lines = stream::iter((0..count).map(|_| Ok(IncomingLine::Text("ping".to_owned()))));
        let rate = Quota::per_second(LINES_PER_SECOND).allow_burst(LINE_BURST);
        let (sender, mut receiver) = mpsc::channel(INCOMING_QUEUE);
        let start = Instant::now();
        tokio::spawn(read_lines(lines, sender, Some(rate)));
        let mut line_count = 0;
        while receiver.recv().await.is_some() {
            line_count += 1;
        }
        assert_eq!(line_count, count);
        assert!(start.elapsed() >= Duration::from_secs(1) * EXCESS / LINES_PER_SECOND.get());
    }
}
