use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

/// A connection that is given up only when the other end has had time to read what it was told last.
///
/// A system that receives more for a connection that is closed here resets it, and then what was on its way there is
/// lost: the answer to a body that is too large, for example, or why a live connection ends. So what still comes is read
/// and thrown away, for a moment.
pub(crate) struct LingeringClose<K: Send + 'static> {
    /// Both are there until it is dropped; what is kept goes with the stream.
    inner: Option<(TcpStream, K)>,
    tasks: TaskTracker,
    /// Whether anything was said.
    has_written: bool,
}

/// How long the other end has to read, and to close the connection itself.
const LINGER_TIME: Duration = Duration::from_secs(1);

/// The most that is thrown away, in bytes.
const MAX_DISCARDED_BYTES: usize = 1 << 20;

/// Bytes that are thrown away at once.
const DISCARD_BUFFER_BYTES: usize = 4 << 10;

impl<K: Send + 'static> LingeringClose<K> {
    /// A connection, and what is to be kept as long as it is there; `tasks` are waited for before the server ends.
    pub(crate) fn new(stream: TcpStream, kept: K, tasks: TaskTracker) -> Self {
        Self {
            inner: Some((stream, kept)),
            tasks,
            has_written: false,
        }
    }

    fn stream(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        match &mut self.inner {
            Some((stream, _)) => Ok(Pin::new(stream)),
            None => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

impl<K: Send + 'static> Drop for LingeringClose<K> {
    fn drop(&mut self) {
        if let Some((stream, kept)) = self.inner.take()
            && self.has_written
            && Handle::try_current().is_ok()
        {
            self.tasks.spawn(async move {
                // Who takes longer has had its chance.
                let _ = timeout(LINGER_TIME, drain(stream)).await;
                drop(kept);
            });
        }
    }
}

/// Says no more, and throws away what the other end says until it has no more to say either.
async fn drain(mut stream: TcpStream) {
    // It may have been done already, and the other end may have gone.
    let _ = stream.shutdown().await;
    let mut thrown_away = [0; DISCARD_BUFFER_BYTES];
    let mut most = MAX_DISCARDED_BYTES;
    while let Ok(read @ 1..) = stream.read(&mut thrown_away).await
        && read < most
    {
        most -= read;
    }
}

impl<K: Send + Unpin + 'static> AsyncRead for LingeringClose<K> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream()?.poll_read(context, buffer)
    }
}

impl<K: Send + Unpin + 'static> AsyncWrite for LingeringClose<K> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.has_written = true;
        self.stream()?.poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.has_written = true;
        self.stream()?.poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_shutdown(context)
    }
}
