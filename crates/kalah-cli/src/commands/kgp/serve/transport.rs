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

use super::super::incoming::{CHUNK, Heard, Incoming, MOST_BYTES, lines_of};

/// A connection as lines both ways, whatever carries them.
pub(super) struct Transport {
    /// What the client says; it ends when the client hangs up.
    pub(super) heard: mpsc::Receiver<Heard>,
    /// What it is told.
    pub(super) said: mpsc::Sender<String>,
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
}

/// How lines travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    Tcp,
    WebSocket,
}

/// Bytes of a frame that is heard, and of which it is said that it is too long: for what is longer no memory is lent.
const MOST_OF_FRAME: usize = 4 * MOST_BYTES;

/// Lines that wait to be heard; whoever says more waits too.
const WAITING_TO_BE_HEARD: usize = 16;

/// Lines that wait until the client reads them: far more than one that does leaves unread.
const WAITING_TO_BE_READ: usize = 256;

/// The time that a handshake, or a line on its way, may take.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The time that a client has to read the last words.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl Transport {
    /// A connection that has just been taken; `None` if it turns out to be none.
    pub(super) async fn open(stream: TcpStream, carrier: Carrier) -> Option<Self> {
        stream.set_nodelay(true).ok()?;
        let (hear, heard) = mpsc::channel(WAITING_TO_BE_HEARD);
        let (said, say) = mpsc::channel(WAITING_TO_BE_READ);
        let (reader, writer) = match carrier {
            Carrier::Tcp => {
                let (read, write) = stream.into_split();
                (
                    tokio::spawn(read_tcp(read, hear)),
                    tokio::spawn(write_tcp(write, say)),
                )
            }
            Carrier::WebSocket => {
                let config = WebSocketConfig::default()
                    .max_message_size(Some(MOST_OF_FRAME))
                    .max_frame_size(Some(MOST_OF_FRAME));
                let handshake = tokio_tungstenite::accept_async_with_config(stream, Some(config));
                let socket = timeout(LONGEST_WAIT, handshake).await.ok()?.ok()?;
                let (write, read) = socket.split();
                (
                    tokio::spawn(read_web_socket(read, hear)),
                    tokio::spawn(write_web_socket(write, say)),
                )
            }
        };
        Some(Self {
            heard,
            said,
            reader,
            writer,
        })
    }

    /// Hangs up when the client has read what it was told, or has had the time to.
    pub(super) async fn close(self) {
        let Self {
            heard,
            said,
            reader,
            writer,
        } = self;
        drop((heard, said));
        let stop = writer.abort_handle();
        if timeout(LAST_WORDS, writer).await.is_err() {
            stop.abort();
        }
        reader.abort();
    }
}

async fn read_tcp(mut stream: OwnedReadHalf, hear: mpsc::Sender<Heard>) {
    let mut incoming = Incoming::default();
    let mut chunk = [0; CHUNK];
    while let Ok(length @ 1..) = stream.read(&mut chunk).await {
        for line in incoming.take(&chunk[..length]) {
            if hear.send(line).await.is_err() {
                return;
            }
        }
    }
}

async fn write_tcp(mut stream: OwnedWriteHalf, mut say: mpsc::Receiver<String>) {
    while let Some(line) = say.recv().await {
        let sent = timeout(LONGEST_WAIT, stream.write_all(line.as_bytes())).await;
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
    // It hangs up next, whether that is heard or not.
    let _ = stream.shutdown().await;
}

fn lines_of_frame(bytes: &[u8]) -> Vec<Heard> {
    if bytes.len() > MOST_BYTES {
        vec![Heard::TooLong]
    } else {
        lines_of(bytes)
    }
}

type Socket = WebSocketStream<TcpStream>;

async fn read_web_socket(mut socket: SplitStream<Socket>, hear: mpsc::Sender<Heard>) {
    while let Some(message) = socket.next().await {
        let lines = match message {
            Ok(Message::Text(text)) => lines_of_frame(text.as_bytes()),
            Ok(Message::Binary(bytes)) => lines_of_frame(&bytes),
            Ok(_) => Vec::new(),
            Err(tungstenite::Error::Capacity(_)) => vec![Heard::Overflow],
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
        let sent = timeout(LONGEST_WAIT, socket.send(Message::text(line))).await;
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
    // It hangs up next, whether that is heard or not.
    let _ = socket.close().await;
}
