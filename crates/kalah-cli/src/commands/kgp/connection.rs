use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use super::incoming::{IncomingLine, LineBuffer, MAX_LINE_BYTES, READ_BUFFER_SIZE, split_lines};
use crate::KgpAddress;

/// A connection to a server, over either transport.
pub(super) struct ServerConnection {
    transport: ServerSocket,
    incoming: LineBuffer,
}

enum ServerSocket {
    Tcp(TcpStream),
    WebSocket(Box<WebSocket<TcpStream>>),
}

/// The longest that is waited for a server to take a connection, or what it is told.
const IO_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a look for something new takes where there is nothing.
const READ_POLL_TIMEOUT: Duration = Duration::from_millis(20);

impl ServerConnection {
    pub(super) fn open(server: &KgpAddress) -> io::Result<Self> {
        let mut failure = io::Error::new(ErrorKind::NotFound, "the host has no address");
        for address in server.host_and_port.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, IO_TIMEOUT) {
                Ok(stream) => return Self::from_stream(stream, server),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    fn from_stream(stream: TcpStream, server: &KgpAddress) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(IO_TIMEOUT))?;
        stream.set_write_timeout(Some(IO_TIMEOUT))?;
        let transport = if server.path.is_some() {
            let config = WebSocketConfig::default()
                .max_message_size(Some(MAX_LINE_BYTES))
                .max_frame_size(Some(MAX_LINE_BYTES));
            let url = server.to_string();
            let (socket, _) = tungstenite::client::client_with_config(url, stream, Some(config))
                .map_err(|error| io::Error::other(error.to_string()))?;
            socket.get_ref().set_read_timeout(Some(READ_POLL_TIMEOUT))?;
            ServerSocket::WebSocket(Box::new(socket))
        } else {
            stream.set_read_timeout(Some(READ_POLL_TIMEOUT))?;
            ServerSocket::Tcp(stream)
        };
        Ok(Self {
            transport,
            incoming: LineBuffer::default(),
        })
    }

    /// Sends a line.
    pub(super) fn send_line(&mut self, line: &str) -> io::Result<()> {
        match &mut self.transport {
            ServerSocket::Tcp(stream) => stream.write_all(format!("{line}\r\n").as_bytes()),
            ServerSocket::WebSocket(socket) => {
                let sent = socket.send(Message::text(format!("{line}\r\n")));
                sent.map_err(io_error)
            }
        }
    }

    /// The lines that have come, none if there are none for a moment.
    pub(super) fn read_lines(&mut self) -> io::Result<Vec<String>> {
        let heard = self.read_incoming()?;
        Ok(heard
            .into_iter()
            .filter_map(IncomingLine::into_text)
            .collect())
    }

    fn read_incoming(&mut self) -> io::Result<Vec<IncomingLine>> {
        let closed = || io::Error::new(ErrorKind::UnexpectedEof, "the server has hung up");
        match &mut self.transport {
            ServerSocket::Tcp(stream) => {
                let mut chunk = [0; READ_BUFFER_SIZE];
                match stream.read(&mut chunk) {
                    Ok(0) => Err(closed()),
                    Ok(length) => Ok(self.incoming.push(&chunk[..length])),
                    Err(error) if is_would_block(error.kind()) => Ok(Vec::new()),
                    Err(error) => Err(error),
                }
            }
            ServerSocket::WebSocket(socket) => match socket.read() {
                Ok(Message::Text(text)) => Ok(split_lines(text.as_bytes())),
                Ok(Message::Binary(bytes)) => Ok(split_lines(&bytes)),
                Ok(Message::Close(_)) => Err(closed()),
                Ok(_) => Ok(Vec::new()),
                Err(tungstenite::Error::Io(error)) if is_would_block(error.kind()) => {
                    Ok(Vec::new())
                }
                Err(error) => Err(io_error(error)),
            },
        }
    }
}

fn is_would_block(kind: ErrorKind) -> bool {
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
