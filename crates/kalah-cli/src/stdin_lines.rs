//! Standard input that several readers share line by line.

use std::io::{self, BufRead, Read};

/// A reader of standard input that buffers at most one line, so that several readers, such as two
/// people or a person and a pause, can take lines in turn.
#[derive(Debug, Default)]
pub(crate) struct StdinLines {
    /// The line, or the part of a long line, that was read last.
    buffer: Vec<u8>,
    /// The number of bytes of `buffer` that were consumed.
    consumed: usize,
}

/// The maximum number of bytes of a line that are read at once.
const MAX_CHUNK_BYTES: u64 = 4096;

impl StdinLines {
    /// Creates a reader with an empty buffer.
    pub(crate) fn new() -> Self {
        Self::default()
    }
}

impl Read for StdinLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for StdinLines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.consumed == self.buffer.len() {
            self.buffer.clear();
            self.consumed = 0;
            io::stdin()
                .lock()
                .take(MAX_CHUNK_BYTES)
                .read_until(b'\n', &mut self.buffer)?;
        }
        Ok(&self.buffer[self.consumed..])
    }

    fn consume(&mut self, amount: usize) {
        self.consumed = (self.consumed + amount).min(self.buffer.len());
    }
}
