//! The parts that the servers and the clients of all protocols share.
//!
//! - [`ListenAddress`] is the address that a server binds with [`bind`]; [`accept`] accepts its
//!   connections, and [`raise_fd_limit`] allows many of them. [`network_addresses`] lists the
//!   addresses for other machines.
//! - [`AllowedHosts`] checks the host that an HTTP request names, and [`HttpLimits`] limits the
//!   connections of an HTTP server.
//! - [`start_runtime`] starts the threads of a server, and [`TokioClock`] is the clock of rate
//!   limiters. [`PauseWatch`] notices when a server does not run.
//! - With the feature `tls`, `TlsTrust` encrypts connections of clients.

#![forbid(unsafe_code)]

mod address;
mod clock;
mod fd_limit;
mod hosts;
mod http_limits;
mod listener;
mod network;
mod pause_watch;
mod runtime;
#[cfg(feature = "tls")]
mod tls;

pub use address::{ListenAddress, ParseListenAddressError};
pub use clock::TokioClock;
pub use fd_limit::raise_fd_limit;
pub use hosts::{AllowedHosts, HostName, ParseHostNameError, RequestHostError};
pub use http_limits::HttpLimits;
pub use listener::{ListenError, accept, bind, local_address};
pub use network::network_addresses;
pub use pause_watch::PauseWatch;
pub use runtime::start_runtime;
#[cfg(feature = "tls")]
pub use tls::{ClientStream, TlsTrust, TlsTrustError};
