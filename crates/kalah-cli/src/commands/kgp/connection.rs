use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use kalah_protocols::kgp::MOST_CHARACTERS;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use crate::KgpServer;

/// A connection to a server, over either transport.
pub(super) struct Connection {
    transport: Transport,
    incoming: Incoming,
}

enum Transport {
    Tcp(TcpStream),
    WebSocket(Box<WebSocket<TcpStream>>),
}

/// The longest that is waited for a server to take a connection, or what it is told.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How long a look for something new takes where there is nothing.
const LOOK: Duration = Duration::from_millis(20);

/// Bytes of a line that may yet be one: a character has four at most.
const MOST_BYTES: usize = 4 * MOST_CHARACTERS;

/// Bytes that are read at once.
const CHUNK: usize = 4096;

impl Connection {
    pub(super) fn open(server: &KgpServer) -> io::Result<Self> {
        let mut failure = io::Error::new(ErrorKind::NotFound, "the host has no address");
        for address in server.address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, LONGEST_WAIT) {
                Ok(stream) => return Self::over(stream, server),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn over(stream: TcpStream, server: &KgpServer) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LONGEST_WAIT))?;
        stream.set_write_timeout(Some(LONGEST_WAIT))?;
        let transport = if server.path.is_some() {
            let config = WebSocketConfig::default()
                .max_message_size(Some(MOST_BYTES))
                .max_frame_size(Some(MOST_BYTES));
            let url = server.to_string();
            let (socket, _) = tungstenite::client::client_with_config(url, stream, Some(config))
                .map_err(|error| io::Error::other(error.to_string()))?;
            socket.get_ref().set_read_timeout(Some(LOOK))?;
            Transport::WebSocket(Box::new(socket))
        } else {
            stream.set_read_timeout(Some(LOOK))?;
            Transport::Tcp(stream)
        };
        Ok(Self {
            transport,
            incoming: Incoming::default(),
        })
    }

    /// Sends a line.
    pub(super) fn say(&mut self, line: &str) -> io::Result<()> {
        match &mut self.transport {
            Transport::Tcp(stream) => stream.write_all(format!("{line}\r\n").as_bytes()),
            Transport::WebSocket(socket) => {
                let sent = socket.send(Message::text(format!("{line}\r\n")));
                sent.map_err(io_error)
            }
        }
    }

    /// The lines that have come, none if there are none for a moment.
    pub(super) fn lines(&mut self) -> io::Result<Vec<String>> {
        let closed = || io::Error::new(ErrorKind::UnexpectedEof, "the server has hung up");
        match &mut self.transport {
            Transport::Tcp(stream) => {
                let mut chunk = [0; CHUNK];
                match stream.read(&mut chunk) {
                    Ok(0) => Err(closed()),
                    Ok(length) => Ok(self.incoming.take(&chunk[..length])),
                    Err(error) if is_nothing_yet(error.kind()) => Ok(Vec::new()),
                    Err(error) => Err(error),
                }
            }
            Transport::WebSocket(socket) => match socket.read() {
                Ok(Message::Text(text)) => Ok(lines_of(text.as_bytes())),
                Ok(Message::Binary(bytes)) => Ok(lines_of(&bytes)),
                Ok(Message::Close(_)) => Err(closed()),
                Ok(_) => Ok(Vec::new()),
                Err(tungstenite::Error::Io(error)) if is_nothing_yet(error.kind()) => {
                    Ok(Vec::new())
                }
                Err(error) => Err(io_error(error)),
            },
        }
    }
}

fn is_nothing_yet(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

fn io_error(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        error => io::Error::other(error.to_string()),
    }
}

/// The lines of a frame, of which the last may have no end.
fn lines_of(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

/// The line that is coming, byte by byte.
#[derive(Default)]
struct Incoming {
    bytes: Vec<u8>,
    /// Whether it is longer than any line: what there is of it is no use.
    is_too_long: bool,
}

impl Incoming {
    /// Takes what has come, and gives the lines that are complete with it. One that is too long is passed over.
    fn take(&mut self, mut bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.keep(&bytes[..end]);
            if !self.is_too_long {
                lines.push(String::from_utf8_lossy(&self.bytes).into_owned());
            }
            *self = Self::default();
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes);
        lines
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.is_too_long |= self.bytes.len() + bytes.len() > MOST_BYTES;
        if self.is_too_long {
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_put_together_and_endless_ones_are_passed_over() {
        let mut incoming = Incoming::default();
        assert_eq!(incoming.take(b"1 pi"), [""; 0]);
        assert_eq!(
            incoming.take(b"ng\r\n2 ok\n\xff\n3"),
            ["1 ping\r", "2 ok", "\u{fffd}"]
        );
        let flood = vec![b'x'; MOST_BYTES];
        for _ in 0..3 {
            assert_eq!(incoming.take(&flood), [""; 0]);
            assert!(incoming.bytes.len() <= MOST_BYTES);
        }
        assert_eq!(incoming.take(b"\n4 stop\n"), ["4 stop"]);
    }
}
