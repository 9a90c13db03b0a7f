use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tungstenite::Message;
use tungstenite::protocol::WebSocketConfig;

use super::super::incoming::{
    IncomingLine, LineBuffer, MAX_LINE_BYTES, READ_BUFFER_SIZE, split_lines,
};

/// A connection as lines both ways, whatever carries them.
pub(super) struct ClientTransport {
    /// What the client says; it ends when the client hangs up.
    pub(super) incoming: mpsc::Receiver<IncomingLine>,
    /// What it is told.
    pub(super) outgoing: mpsc::Sender<String>,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

/// How lines travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransportKind {
    Tcp,
    WebSocket,
}

/// Bytes of a frame that is heard, and of which it is said that it is too long: for what is longer no memory is lent.
const MAX_FRAME_BYTES: usize = 4 * MAX_LINE_BYTES;

/// Lines that wait to be heard; whoever says more waits too.
const INCOMING_QUEUE: usize = 16;

/// Lines that wait until the client reads them: far more than one that does leaves unread.
const OUTGOING_QUEUE: usize = 256;

/// The time that a handshake, or a line on its way, may take.
const IO_TIMEOUT: Duration = Duration::from_secs(10);

/// The time that a client has to read the last words.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

impl ClientTransport {
    /// A connection that has just been taken; `None` if it turns out to be none.
    pub(super) async fn open(stream: TcpStream, carrier: TransportKind) -> Option<Self> {
        stream.set_nodelay(true).ok()?;
        let (hear, heard) = mpsc::channel(INCOMING_QUEUE);
        let (said, say) = mpsc::channel(OUTGOING_QUEUE);
        let (reader, writer) = match carrier {
            TransportKind::Tcp => {
                let (read, write) = stream.into_split();
                (
                    tokio::spawn(read_tcp(read, hear)),
                    tokio::spawn(write_tcp(write, say)),
                )
            }
            TransportKind::WebSocket => {
                let config = WebSocketConfig::default()
                    .max_message_size(Some(MAX_FRAME_BYTES))
                    .max_frame_size(Some(MAX_FRAME_BYTES));
                let handshake = tokio_tungstenite::accept_async_with_config(stream, Some(config));
                let socket = timeout(IO_TIMEOUT, handshake).await.ok()?.ok()?;
                let (write, read) = socket.split();
                (
                    tokio::spawn(read_web_socket(read, hear)),
                    tokio::spawn(write_web_socket(write, say)),
                )
            }
        };
        Some(Self {
            incoming: heard,
            outgoing: said,
            reader,
            writer,
        })
    }

    /// Hangs up when the client has read what it was told, or has had the time to.
    pub(super) async fn close(self) {
        let Self {
            incoming: heard,
            outgoing: said,
            reader,
            writer,
        } = self;
        drop((heard, said));
        let stop = writer.abort_handle();
        if timeout(CLOSE_TIMEOUT, writer).await.is_err() {
            stop.abort();
        }
        reader.abort();
    }
}

async fn read_tcp(mut stream: OwnedReadHalf, hear: mpsc::Sender<IncomingLine>) {
    let mut incoming = LineBuffer::default();
    let mut chunk = [0; READ_BUFFER_SIZE];
    while let Ok(length @ 1..) = stream.read(&mut chunk).await {
        for line in incoming.push(&chunk[..length]) {
            if hear.send(line).await.is_err() {
                return;
            }
        }
    }
}

async fn write_tcp(mut stream: OwnedWriteHalf, mut say: mpsc::Receiver<String>) {
    while let Some(line) = say.recv().await {
        let sent = timeout(IO_TIMEOUT, stream.write_all(line.as_bytes())).await;
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
    // It hangs up next, whether that is heard or not.
    let _ = stream.shutdown().await;
}

fn split_frame(bytes: &[u8]) -> Vec<IncomingLine> {
    if bytes.len() > MAX_LINE_BYTES {
        vec![IncomingLine::TooLong]
    } else {
        split_lines(bytes)
    }
}

type Socket = WebSocketStream<TcpStream>;

async fn read_web_socket(mut socket: SplitStream<Socket>, hear: mpsc::Sender<IncomingLine>) {
    while let Some(message) = socket.next().await {
        let lines = match message {
            Ok(Message::Text(text)) => split_frame(text.as_bytes()),
            Ok(Message::Binary(bytes)) => split_frame(&bytes),
            Ok(_) => Vec::new(),
            Err(tungstenite::Error::Capacity(_)) => vec![IncomingLine::FrameTooLong],
            Err(_) => return,
        };
        for line in lines {
            if hear.send(line).await.is_err() {
                return;
            }
        }
    }
}

async fn write_web_socket(mut socket: SplitSink<Socket, Message>, mut say: mpsc::Receiver<String>) {
    while let Some(line) = say.recv().await {
        let sent = timeout(IO_TIMEOUT, socket.send(Message::text(line))).await;
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
    // It hangs up next, whether that is heard or not.
    let _ = socket.close().await;
}
