//! The Kalah Game Protocol (KGP) over TCP or a WebSocket.
//!
//! [`KgpServer`] pairs clients with each other and with built-in players, runs their games and
//! stores them. [`KgpConnection`] is a connection of either side, with which a client connects to a
//! [`KgpAddress`]. The messages are those of `kalah-protocols`.

mod client;
mod config;
mod game;
mod matchmaker;
mod server;
mod transport;

pub use config::{KgpAddress, KgpServerConfig, KgpServerConfigError, ParseKgpAddressError};
pub use server::{KgpServer, KgpServerError};
pub use transport::{IncomingLine, KeepAlive, KeepAliveAction, KgpConnection};
