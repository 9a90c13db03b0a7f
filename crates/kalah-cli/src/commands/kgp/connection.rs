use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use super::incoming::{CHUNK, Heard, Incoming, MOST_BYTES, lines_of};
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
        let heard = self.heard()?;
        Ok(heard.into_iter().filter_map(Heard::line).collect())
    }

    fn heard(&mut self) -> io::Result<Vec<Heard>> {
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
