//! KGP connections as lines in both directions, over TCP or a WebSocket, and the detection of
//! connections that were lost without a notice.

use std::future::ready;
use std::io;
use std::num::NonZeroU32;
use std::pin::pin;
use std::time::Duration;

use futures_util::stream::{self, FusedStream, Stream};
use futures_util::{Sink, SinkExt as _, StreamExt as _};
use governor::clock::Clock as _;
use governor::{Quota, RateLimiter};
use kalah_protocols::kgp::{Line, MAX_LINE_CHARS};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::JoinHandle;
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config, client_async_with_config};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder, Encoder, Framed};

use crate::http::rate_limit::TokioClock;
use crate::kgp::config::KgpAddress;

/// The maximum length of a line in bytes, without its LF: a character has at most four bytes.
const MAX_LINE_BYTES: usize = 4 * MAX_LINE_CHARS;

/// The number of bytes that are skipped after a line of the maximum length, and the maximum length
/// of a WebSocket message. The connection ends beyond it. No memory is reserved for skipped bytes.
const MAX_SKIPPED_BYTES: usize = 4 * MAX_LINE_BYTES;

/// The maximum number of received lines that wait. The connection reads no more until one is taken.
const INCOMING_QUEUE: usize = 16;

/// The maximum number of lines that wait to be sent: a peer that reads leaves far fewer unread.
const OUTGOING_QUEUE: usize = 256;

/// The time for a connection to be opened, for a handshake, and for a line to be sent.
const IO_TIMEOUT: Duration = Duration::from_secs(10);

/// The time for the peer to read the last lines.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The time after which a line of a WebSocket is complete without an end.
const LINE_TIMEOUT: Duration = Duration::from_millis(50);

/// The sustained rate at which a server reads lines of a client. Engines send a few a second.
const LINES_PER_SECOND: NonZeroU32 = NonZeroU32::new(100).expect("not zero");

/// The number of lines that a client can send at once after a pause of five seconds.
const LINE_BURST: NonZeroU32 = NonZeroU32::new(500).expect("not zero");

/// The transport of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransportKind {
    Tcp,
    WebSocket,
}

/// A received line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncomingLine {
    /// A line with or without its CR. Bytes that are not UTF-8 are replaced.
    Text(String),
    /// A line that exceeds the maximum length. Reported once, before its end; the rest is skipped.
    TooLong,
    /// A line or WebSocket message of more than 256 KiB, after which the connection has to end.
    Oversized,
}

/// The error of [`KgpConnection::try_send`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrySendLineError {
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
    /// Connects to a server.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached or refuses the WebSocket handshake.
    pub async fn connect(server: &KgpAddress) -> io::Result<Self> {
        let stream = connect_tcp(server.host_and_port()).await?;
        stream.set_nodelay(true)?;
        if !server.is_web_socket() {
            return Ok(Self::from_tcp(stream, None));
        }
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
    pub(crate) async fn accept(stream: TcpStream, transport: TransportKind) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let rate = Quota::per_second(LINES_PER_SECOND).allow_burst(LINE_BURST);
        match transport {
            TransportKind::Tcp => Ok(Self::from_tcp(stream, Some(rate))),
            TransportKind::WebSocket => {
                let handshake = accept_async_with_config(stream, Some(web_socket_config()));
                let handshake = timeout(IO_TIMEOUT, handshake).await.map_err(timed_out)?;
                let socket = handshake.map_err(io_error)?;
                Ok(Self::from_web_socket(socket, Some(rate)))
            }
        }
    }

    fn from_tcp(stream: TcpStream, rate: Option<Quota>) -> Self {
        let (sink, lines) = Framed::new(stream, LineCodec::default()).split();
        Self::start(sink, lines, rate)
    }

    fn from_web_socket(socket: WebSocketStream<TcpStream>, rate: Option<Quota>) -> Self {
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
    pub(crate) fn try_send(&self, line: &Line) -> Result<(), TrySendLineError> {
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

fn web_socket_config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MAX_SKIPPED_BYTES))
        .max_frame_size(Some(MAX_SKIPPED_BYTES))
}

fn timed_out(_: Elapsed) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the connection timed out")
}

fn io_error(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        error => io::Error::other(error),
    }
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

/// The lines of a WebSocket, whose messages are parts of a stream of bytes: `kgpc` sends a line as
/// several messages, and clients of the stock server send lines without an end.
struct WebSocketLines<S> {
    messages: S,
    codec: LineCodec,
    /// The bytes that were not decoded.
    bytes: BytesMut,
    /// Whether the last message ended within a line.
    is_in_line: bool,
}

impl<S> WebSocketLines<S>
where
    S: Stream<Item = Result<Message, tungstenite::Error>> + FusedStream + Unpin,
{
    fn new(messages: S) -> Self {
        Self {
            messages,
            codec: LineCodec::default(),
            bytes: BytesMut::new(),
            is_in_line: false,
        }
    }

    /// Waits for the next line. A line without an end is complete if no message follows within
    /// [`LINE_TIMEOUT`], and at the end of the messages.
    async fn next(&mut self) -> Option<io::Result<IncomingLine>> {
        loop {
            if let Some(line) = self.codec.decode(&mut self.bytes).transpose() {
                return Some(line);
            }
            let message = if self.is_in_line {
                timeout(LINE_TIMEOUT, self.messages.next()).await.ok()
            } else {
                Some(self.messages.next().await)
            };
            match message.flatten() {
                Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => {
                    let data = message.into_data();
                    self.is_in_line = !data.ends_with(b"\n");
                    self.bytes.extend_from_slice(&data);
                }
                Some(Ok(_)) => {}
                Some(Err(tungstenite::Error::Capacity(_))) => {
                    return Some(Ok(IncomingLine::Oversized));
                }
                Some(Err(error)) => return Some(Err(io_error(error))),
                None => {
                    if let Some(line) = self.end_line() {
                        return Some(Ok(line));
                    }
                    if self.messages.is_terminated() {
                        return None;
                    }
                }
            }
        }
    }

    /// Ends the current line, and returns it unless it was empty or is skipped.
    fn end_line(&mut self) -> Option<IncomingLine> {
        self.is_in_line = false;
        self.codec = LineCodec::default();
        let line = std::mem::take(&mut self.bytes);
        (!line.is_empty()).then(|| IncomingLine::Text(String::from_utf8_lossy(&line).into_owned()))
    }
}

/// Splits bytes into lines of limited length.
///
/// `LinesCodec` would end the connection at a byte that is not UTF-8, and clients send names in
/// other encodings.
#[derive(Debug)]
struct LineCodec {
    codec: AnyDelimiterCodec,
    /// The number of bytes of the current line that were skipped.
    skipped: usize,
}

impl Default for LineCodec {
    fn default() -> Self {
        let (delimiters, line_end) = (b"\n".to_vec(), Vec::new());
        let codec = AnyDelimiterCodec::new_with_max_length(delimiters, line_end, MAX_LINE_BYTES);
        Self { codec, skipped: 0 }
    }
}

impl Decoder for LineCodec {
    type Item = IncomingLine;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<IncomingLine>> {
        let length = bytes.len();
        match self.codec.decode(bytes) {
            Ok(Some(line)) => {
                self.skipped = 0;
                let text = String::from_utf8_lossy(&line).into_owned();
                Ok(Some(IncomingLine::Text(text)))
            }
            Ok(None) => {
                self.skipped += length - bytes.len();
                if self.skipped <= MAX_SKIPPED_BYTES {
                    return Ok(None);
                }
                self.skipped = 0;
                Ok(Some(IncomingLine::Oversized))
            }
            Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => {
                self.skipped = 0;
                Ok(Some(IncomingLine::TooLong))
            }
            Err(AnyDelimiterCodecError::Io(error)) => Err(error),
        }
    }

    /// Drops a last line without an end, which the peer has not sent completely.
    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<IncomingLine>> {
        let line = self.decode(bytes)?;
        if line.is_none() {
            bytes.clear();
        }
        Ok(line)
    }
}

/// Encodes lines that contain their ends.
impl Encoder<String> for LineCodec {
    type Error = io::Error;

    fn encode(&mut self, line: String, bytes: &mut BytesMut) -> io::Result<()> {
        bytes.extend_from_slice(line.as_bytes());
        Ok(())
    }
}

/// A timer that detects a silent peer: it requests a ping, and then the end of the connection.
/// Times are durations since the connection was opened.
#[derive(Debug)]
pub struct KeepAlive {
    /// The silence after which a ping is due.
    ping_after: Duration,
    /// The silence after which the connection has to end.
    disconnect_after: Duration,
    /// The time of the last line of the peer.
    last_received: Duration,
    /// Whether a ping was requested since then.
    is_ping_sent: bool,
}

/// The action that a [`KeepAlive`] requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepAliveAction {
    /// No action is due.
    Nothing,
    /// Send a ping.
    Ping,
    /// End the connection.
    Disconnect,
}

impl KeepAlive {
    /// The timer of a client for its server. FAU's server lets up to a minute pass before the first
    /// game.
    pub const FOR_SERVER: Self = Self::new(Duration::from_secs(90), Duration::from_mins(2));

    /// The timer of a server for a client, which has 20 s to answer a ping.
    pub const FOR_CLIENT: Self = Self::new(Duration::from_secs(20), Duration::from_secs(40));

    const fn new(ping_after: Duration, disconnect_after: Duration) -> Self {
        Self {
            ping_after,
            disconnect_after,
            last_received: Duration::ZERO,
            is_ping_sent: false,
        }
    }

    /// Returns the time of the next action, if the peer stays silent.
    pub fn next_deadline(&self) -> Duration {
        let silence = if self.is_ping_sent {
            self.disconnect_after
        } else {
            self.ping_after
        };
        self.last_received + silence
    }

    /// Restarts the timer after a line of the peer.
    pub fn reset(&mut self, now: Duration) {
        self.last_received = now;
        self.is_ping_sent = false;
    }

    /// Returns the action that is due. A ping is requested once per silence.
    pub fn poll(&mut self, now: Duration) -> KeepAliveAction {
        let silence = now.saturating_sub(self.last_received);
        if silence >= self.disconnect_after {
            KeepAliveAction::Disconnect
        } else if silence >= self.ping_after && !self.is_ping_sent {
            self.is_ping_sent = true;
            KeepAliveAction::Ping
        } else {
            KeepAliveAction::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    fn text(line: &str) -> IncomingLine {
        IncomingLine::Text(line.to_owned())
    }

    /// Returns the lines that are complete after each of some pieces of input.
    fn decode(pieces: &[&[u8]]) -> Vec<Vec<IncomingLine>> {
        let (mut codec, mut bytes) = (LineCodec::default(), BytesMut::new());
        let decode_piece = |piece: &&[u8]| {
            bytes.extend_from_slice(piece);
            std::iter::from_fn(|| codec.decode(&mut bytes).expect("no error")).collect()
        };
        pieces.iter().map(decode_piece).collect()
    }

    #[test]
    fn lines_may_arrive_in_pieces_and_contain_any_bytes() {
        assert_eq!(
            decode(&[b"1 pi", b"ng\r\n2 ok\n\xff\n3"]),
            [
                vec![],
                vec![text("1 ping\r"), text("2 ok"), text("\u{fffd}")]
            ]
        );
    }

    #[test]
    fn overlong_line_is_reported_before_its_end() {
        let longest = vec![b'x'; MAX_LINE_BYTES];
        assert_eq!(
            decode(&[&longest, b"\n", &longest, b"x", &longest, b"\n4 stop\n"]),
            [
                vec![],
                vec![text(&"x".repeat(MAX_LINE_BYTES))],
                vec![],
                vec![IncomingLine::TooLong],
                vec![],
                vec![text("4 stop")],
            ]
        );
    }

    #[test]
    fn endless_line_becomes_oversized() {
        let (mut codec, mut bytes) = (LineCodec::default(), BytesMut::new());
        let mut decode_piece = |length: usize| {
            bytes.resize(bytes.len() + length, b'x');
            codec.decode(&mut bytes).expect("no error")
        };
        assert_eq!(
            decode_piece(MAX_LINE_BYTES + 1),
            Some(IncomingLine::TooLong)
        );
        assert_eq!(decode_piece(MAX_LINE_BYTES), None);
        let rest = MAX_SKIPPED_BYTES - 2 * MAX_LINE_BYTES;
        assert_eq!(decode_piece(rest), Some(IncomingLine::Oversized));
    }

    #[test]
    fn unfinished_last_line_is_dropped() {
        let (mut codec, mut bytes) = (LineCodec::default(), BytesMut::from("1 ok\n2 goodb"));
        let mut next = || codec.decode_eof(&mut bytes).expect("no error");
        assert_eq!((next(), next()), (Some(text("1 ok")), None));
    }

    /// Returns the lines of messages, each of which arrives after a delay, with the times at which
    /// they are complete.
    async fn lines_of_messages(
        messages: Vec<(Duration, Message)>,
    ) -> Vec<(IncomingLine, Duration)> {
        let start = Instant::now();
        let messages = stream::iter(messages).then(|(delay, message)| async move {
            sleep(delay).await;
            Ok(message)
        });
        let mut lines = WebSocketLines::new(Box::pin(messages.fuse()));
        let mut received = Vec::new();
        while let Some(line) = lines.next().await {
            received.push((line.expect("no error"), start.elapsed()));
        }
        received
    }

    #[tokio::test(start_paused = true)]
    async fn messages_are_parts_of_a_stream_of_lines() {
        let now = Duration::ZERO;
        let parts = [
            "1 ok\r\n7",
            " mode",
            " \"freeplay\"",
            "\r\n",
            "",
            "2 ok\r\n",
        ];
        let messages = parts.map(|part| (now, Message::text(part)));
        let expected = ["1 ok\r", "7 mode \"freeplay\"\r", "2 ok\r"];
        let expected = expected.map(|line| (text(line), now));
        assert_eq!(lines_of_messages(messages.to_vec()).await, expected);
        let message = Message::binary(&b"\xff\n"[..]);
        let lines = lines_of_messages(vec![(now, message)]).await;
        assert_eq!(lines, [(text("\u{fffd}"), now)]);
    }

    #[tokio::test(start_paused = true)]
    async fn line_without_an_end_is_complete_after_a_moment() {
        let pause = 10 * LINE_TIMEOUT;
        let messages = ["1 ok", "2 ok", "3 ok"].map(|line| (pause, Message::text(line)));
        let expected = [
            (text("1 ok"), pause + LINE_TIMEOUT),
            (text("2 ok"), 2 * pause + LINE_TIMEOUT),
            // The end of the connection completes the last line.
            (text("3 ok"), 3 * pause),
        ];
        assert_eq!(lines_of_messages(messages.to_vec()).await, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn overlong_message_without_an_end_hides_no_later_one() {
        let pause = 10 * LINE_TIMEOUT;
        let long = "x".repeat(MAX_LINE_BYTES + 1);
        let messages = [long.as_str(), "2 ok\n"].map(|line| (pause, Message::text(line)));
        let expected = [(IncomingLine::TooLong, pause), (text("2 ok"), 2 * pause)];
        assert_eq!(lines_of_messages(messages.to_vec()).await, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn lines_beyond_the_burst_are_delayed() {
        const EXCESS: u32 = 100;

        let count = LINE_BURST.get() + EXCESS;
        let lines = stream::iter((0..count).map(|_| Ok(text("ping"))));
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

    #[test]
    fn silent_peer_gets_one_ping_and_is_then_disconnected() {
        let second = Duration::from_secs(1);
        let mut keep_alive = KeepAlive::new(second * 20, second * 40);
        keep_alive.reset(second * 10);
        assert_eq!(keep_alive.next_deadline(), second * 30);
        assert_eq!(keep_alive.poll(second * 29), KeepAliveAction::Nothing);
        assert_eq!(keep_alive.poll(second * 30), KeepAliveAction::Ping);
        assert_eq!(keep_alive.poll(second * 31), KeepAliveAction::Nothing);
        assert_eq!(keep_alive.next_deadline(), second * 50);
        assert_eq!(keep_alive.poll(second * 50), KeepAliveAction::Disconnect);
        keep_alive.reset(second * 45);
        assert_eq!(keep_alive.poll(second * 64), KeepAliveAction::Nothing);
        assert_eq!(keep_alive.poll(second * 65), KeepAliveAction::Ping);
    }
}
