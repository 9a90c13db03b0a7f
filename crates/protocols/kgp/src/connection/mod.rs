//! Connections of clients and servers, over TCP or a WebSocket.

mod address;
mod keep_alive;
mod lines;
mod transport;

pub use address::{DEFAULT_PORT, KgpAddress, ParseKgpAddressError, WEB_SOCKET_PATH};
pub use keep_alive::{KeepAlive, KeepAliveAction};
pub use lines::IncomingLine;
pub use transport::{KgpConnection, TransportKind, TrySendLineError};
