use std::io::{self, BufRead, Read};

/// Standard input, taken line by line: what is not asked for is left there, so that two people, or
/// a person and a pause, can read from it in turn.
#[derive(Debug, Default)]
pub struct StdinLines {
    /// The line, or the part of a long line, that was taken last.
    buffer: Vec<u8>,
    /// How much of it has been consumed.
    consumed: usize,
}

/// No more of a line than this is taken at once.
const MAX_CHUNK_BYTES: u64 = 4096;

impl StdinLines {
    /// Nothing taken yet.
    pub fn new() -> Self {
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
