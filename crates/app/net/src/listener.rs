//! Listening: binding an address and accepting connections.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use thiserror::Error;
use tokio::net::{TcpListener, TcpSocket, TcpStream, lookup_host};
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

/// The number of connections that may wait to be accepted. Linux allows at most 4,096 by default,
/// and other systems 128.
/// With the 128 of the standard library, the pupils of a class, who begin at the same moment, wait.
const BACKLOG: u32 = 1_024;

/// Binds an address.
///
/// # Errors
/// Returns an error if the address is in use or cannot be bound.
pub async fn bind(address: &ListenAddress) -> Result<TcpListener, ListenError> {
    let listener = bind_first(address).await;
    listener.map_err(|reason| listen_error(address, reason))
}

/// Binds the first socket address of a host that can be bound.
async fn bind_first(address: &ListenAddress) -> io::Result<TcpListener> {
    let mut last_error = io::ErrorKind::AddrNotAvailable.into();
    for address in lookup_host(address.as_str()).await? {
        match listen(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last_error = error,
        }
    }
    Err(last_error)
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // On Unix a server can start again while the system closes the connections of the last one. On
    // Windows the option would let two servers share the address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
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

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    /// The time after which a connection counts as not accepted by the system.
    const HANG_TIMEOUT: Duration = Duration::from_secs(20);

    // Other systems allow fewer.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn many_connections_wait_for_the_server() {
        let address: ListenAddress = "localhost:0".parse().expect("an address");
        let listener = bind(&address).await.expect("a free port");
        let address = local_address(&listener, &address).expect("an address");
        let mut connections = Vec::new();
        for number in 0..500 {
            let connected = timeout(HANG_TIMEOUT, TcpStream::connect(address)).await;
            let connected = connected.unwrap_or_else(|_| panic!("{number} connections wait"));
            connections.push(connected.expect("a listener"));
        }
    }

    #[tokio::test]
    async fn address_in_use_is_an_error() {
        let address: ListenAddress = "127.0.0.1:0".parse().expect("an address");
        let first = bind(&address).await.expect("a free port");
        let used = local_address(&first, &address).expect("an address");
        let error = bind(&used.into()).await.expect_err("it is in use");
        assert!(matches!(error, ListenError::AddressInUse(_)), "{error}");
    }
}
