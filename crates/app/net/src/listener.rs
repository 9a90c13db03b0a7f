//! Listening: binding an address and accepting connections.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use crate::address::ListenAddress;

/// The error of listening at an address.
#[derive(Debug, Error)]
pub enum ListenError {
    /// The address is in use.
    #[error("address {0} is already in use")]
    AddressInUse(ListenAddress),
    /// The address cannot be bound.
    #[error("cannot listen at {address}: {reason}")]
    Bind {
        /// The address.
        address: ListenAddress,
        /// The error of the operating system.
        reason: io::Error,
    },
}

/// Binds an address.
///
/// # Errors
/// Returns an error if the address is in use or cannot be bound.
pub async fn bind(address: &ListenAddress) -> Result<TcpListener, ListenError> {
    let listener = TcpListener::bind(address.as_str()).await;
    listener.map_err(|reason| listen_error(address, reason))
}

/// Returns the address of a listener that was bound to `address`.
///
/// # Errors
/// Returns an error if the operating system does not report the address.
pub fn local_address(
    listener: &TcpListener,
    address: &ListenAddress,
) -> Result<SocketAddr, ListenError> {
    let local_address = listener.local_addr();
    local_address.map_err(|reason| listen_error(address, reason))
}

fn listen_error(address: &ListenAddress, reason: io::Error) -> ListenError {
    let address = address.clone();
    match reason.kind() {
        io::ErrorKind::AddrInUse => ListenError::AddressInUse(address),
        _ => ListenError::Bind { address, reason },
    }
}

/// The pause after a failed accept. Connections that close in the meantime free resources.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Accepts the next connection. Logs errors and tries again.
pub async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
}
