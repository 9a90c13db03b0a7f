//! Input of a console of Windows, which `crossterm` reads.

use std::io;
use std::time::Duration;

use ratatui::crossterm::event::{self, Event};

/// The maximum number of events that [`InputReader::read`] returns.
const MAX_EVENTS: usize = 256;

/// The reader of the console.
#[derive(Debug)]
pub(crate) struct InputReader;

#[expect(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "the interface is that of Unix"
)]
impl InputReader {
    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits up to `timeout` for input, and returns the events that have arrived.
    ///
    /// # Errors
    /// If reading fails.
    pub(crate) fn read(&mut self, mut timeout: Duration) -> io::Result<Vec<Event>> {
        let mut events = Vec::new();
        while events.len() < MAX_EVENTS && event::poll(timeout)? {
            timeout = Duration::ZERO;
            events.push(event::read()?);
        }
        Ok(events)
    }
}
