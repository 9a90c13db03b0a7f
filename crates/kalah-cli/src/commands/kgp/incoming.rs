use kalah_protocols::kgp::MAX_LINE_CHARS;

/// Bytes of a line that may yet be one: a character has four at most.
pub(super) const MAX_LINE_BYTES: usize = 4 * MAX_LINE_CHARS;

/// Bytes that are read at once.
pub(super) const READ_BUFFER_SIZE: usize = 4096;

/// What has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum IncomingLine {
    Line(String),
    /// More than a line can have, without an end. What follows until there is one is passed over, and told of like this
    /// each time that it is as much again.
    TooLong,
    /// A frame of which no more is taken: nothing is heard after it.
    FrameTooLong,
}

impl IncomingLine {
    /// The line, if it is one.
    pub(super) fn into_text(self) -> Option<String> {
        match self {
            Self::Line(line) => Some(line),
            Self::TooLong | Self::FrameTooLong => None,
        }
    }
}

/// The lines of a frame, of which the last may have no end.
pub(super) fn split_lines(bytes: &[u8]) -> Vec<IncomingLine> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(|line| IncomingLine::Line(line.to_owned()));
    lines.collect()
}

/// The line that is coming, byte by byte.
#[derive(Default)]
pub(super) struct LineBuffer {
    bytes: Vec<u8>,
    /// Whether it is longer than any line: what there is of it is no use.
    is_too_long: bool,
    /// Bytes since that was told last.
    unreported_bytes: usize,
}

impl LineBuffer {
    /// Takes what has come, and gives the lines that are complete with it, or too long by now.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> Vec<IncomingLine> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            lines.extend(self.append(&bytes[..end]));
            if !self.is_too_long {
                let line = String::from_utf8_lossy(&self.bytes).into_owned();
                lines.push(IncomingLine::Line(line));
            }
            *self = Self::default();
            bytes = &bytes[end + 1..];
        }
        lines.extend(self.append(bytes));
        lines
    }

    /// Keeps bytes of a line, unless it is too long with them.
    fn append(&mut self, bytes: &[u8]) -> Option<IncomingLine> {
        if !self.is_too_long && self.bytes.len() + bytes.len() <= MAX_LINE_BYTES {
            self.bytes.extend_from_slice(bytes);
            return None;
        }
        let is_new = !self.is_too_long;
        self.is_too_long = true;
        self.unreported_bytes += std::mem::take(&mut self.bytes).len() + bytes.len();
        let is_due = is_new || self.unreported_bytes > MAX_LINE_BYTES;
        if is_due {
            self.unreported_bytes = 0;
        }
        is_due.then_some(IncomingLine::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> IncomingLine {
        IncomingLine::Line(text.to_owned())
    }

    #[test]
    fn lines_are_put_together_and_endless_ones_are_told_of_at_once() {
        let mut incoming = LineBuffer::default();
        assert_eq!(incoming.push(b"1 pi").len(), 0);
        assert_eq!(
            incoming.push(b"ng\r\n2 ok\n\xff\n3"),
            [line("1 ping\r"), line("2 ok"), line("\u{fffd}")]
        );
        let flood = vec![b'x'; MAX_LINE_BYTES];
        assert_eq!(incoming.push(&flood), [IncomingLine::TooLong]);
        // A little more is nothing new, as much again is.
        assert_eq!(incoming.push(b"x").len(), 0);
        assert_eq!(incoming.push(&flood), [IncomingLine::TooLong]);
        assert!(incoming.bytes.is_empty());
        assert_eq!(incoming.push(b"\n4 stop\n"), [line("4 stop")]);
        assert_eq!(incoming.push(&flood).len(), 0);
        assert_eq!(incoming.push(b"\n"), [line(&"x".repeat(MAX_LINE_BYTES))]);
    }
}
