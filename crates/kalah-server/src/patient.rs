use std::future::Future as _;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A stream whose other end has some time to take what is written, and is given up after that.
pub(crate) struct WriteTimeout<S> {
    stream: S,
    timeout: Duration,
    /// While the other end takes nothing.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    pub(crate) fn new(stream: S, timeout: Duration) -> Self {
        Self {
            stream,
            timeout,
            sleep: None,
        }
    }

    /// What came of writing, unless it has been waited for too long.
    fn poll_timeout<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.sleep = None;
            return written;
        }
        let patience = self.timeout;
        let waiting = (self.sleep).get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(waiting.as_mut().poll(context));
        // Whoever asks again waits again.
        waiting.as_mut().reset(Instant::now() + patience);
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the other end takes nothing",
        )))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.poll_timeout(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.poll_timeout(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.poll_timeout(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = Pin::new(&mut self.stream).poll_shutdown(context);
        self.poll_timeout(closed, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    const BUFFER: usize = 16;
    const PATIENCE: Duration = Duration::from_millis(50);

    #[tokio::test(start_paused = true)]
    async fn who_takes_nothing_is_given_up() {
        let (near, far) = duplex(BUFFER);
        let mut near = WriteTimeout::new(near, PATIENCE);
        let bytes = [0; 2 * BUFFER];
        let error = near.write_all(&bytes).await.expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(far);
    }

    #[tokio::test(start_paused = true)]
    async fn who_takes_little_at_a_time_is_served() {
        let (near, mut far) = duplex(BUFFER);
        let mut near = WriteTimeout::new(near, PATIENCE);
        let reader = tokio::spawn(async move {
            let mut read = 0;
            let mut some = [0; BUFFER];
            while let Ok(more @ 1..) = far.read(&mut some).await {
                read += more;
                sleep(PATIENCE / 2).await;
            }
            read
        });
        let bytes = [0; 5 * BUFFER];
        near.write_all(&bytes).await.expect("somebody reads");
        drop(near);
        assert_eq!(reader.await.expect("no panic"), bytes.len());
    }
}
