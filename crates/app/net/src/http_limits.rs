//! Limits of HTTP connections.

use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;

/// Limits of the connections of an HTTP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// The maximum size of a request head in bytes; values below 8 KiB count as 8 KiB.
    pub max_head_bytes: usize,
    /// The time for a request head to arrive, from the accept of the connection or the previous
    /// response.
    pub head_timeout: Duration,
    /// The time in which a client has to read some of the bytes written to it.
    pub write_timeout: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            // Browsers send all cookies of a host, including those of programs on other ports.
            max_head_bytes: 16 << 10,
            head_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
        }
    }
}

/// The smallest limit of a request head in bytes that `hyper` accepts.
const MIN_HEAD_BYTES: usize = 8 << 10;

impl HttpLimits {
    /// Returns a builder of connections with the limits of request heads. The stream of a
    /// connection has to apply [`HttpLimits::write_timeout`].
    pub fn connection_builder(&self) -> http1::Builder {
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(self.head_timeout)
            .max_buf_size(self.max_head_bytes.max(MIN_HEAD_BYTES));
        builder
    }
}
