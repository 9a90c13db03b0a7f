use kalah_protocols::kgp::MOST_CHARACTERS;

/// Bytes of a line that may yet be one: a character has four at most.
pub(super) const MOST_BYTES: usize = 4 * MOST_CHARACTERS;

/// Bytes that are read at once.
pub(super) const CHUNK: usize = 4096;

/// What has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Line(String),
    /// More than a line can have, without an end. What follows until there is one is passed over, and told of like this
    /// each time that it is as much again.
    TooLong,
    /// A frame of which no more is taken: nothing is heard after it.
    Overflow,
}

impl Heard {
    /// The line, if it is one.
    pub(super) fn line(self) -> Option<String> {
        match self {
            Self::Line(line) => Some(line),
            Self::TooLong | Self::Overflow => None,
        }
    }
}

/// The lines of a frame, of which the last may have no end.
pub(super) fn lines_of(bytes: &[u8]) -> Vec<Heard> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(|line| Heard::Line(line.to_owned()));
    lines.collect()
}

/// The line that is coming, byte by byte.
#[derive(Default)]
pub(super) struct Incoming {
    bytes: Vec<u8>,
    /// Whether it is longer than any line: what there is of it is no use.
    is_too_long: bool,
    /// Bytes since that was told last.
    untold: usize,
}

impl Incoming {
    /// Takes what has come, and gives the lines that are complete with it, or too long by now.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> Vec<Heard> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            lines.extend(self.keep(&bytes[..end]));
            if !self.is_too_long {
                let line = String::from_utf8_lossy(&self.bytes).into_owned();
                lines.push(Heard::Line(line));
            }
            *self = Self::default();
            bytes = &bytes[end + 1..];
        }
        lines.extend(self.keep(bytes));
        lines
    }

    /// Keeps bytes of a line, unless it is too long with them.
    fn keep(&mut self, bytes: &[u8]) -> Option<Heard> {
        if !self.is_too_long && self.bytes.len() + bytes.len() <= MOST_BYTES {
            self.bytes.extend_from_slice(bytes);
            return None;
        }
        let is_new = !self.is_too_long;
        self.is_too_long = true;
        self.untold += std::mem::take(&mut self.bytes).len() + bytes.len();
        let is_due = is_new || self.untold > MOST_BYTES;
        if is_due {
            self.untold = 0;
        }
        is_due.then_some(Heard::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Heard {
        Heard::Line(text.to_owned())
    }

    #[test]
    fn lines_are_put_together_and_endless_ones_are_told_of_at_once() {
        let mut incoming = Incoming::default();
        assert_eq!(incoming.take(b"1 pi").len(), 0);
        assert_eq!(
            incoming.take(b"ng\r\n2 ok\n\xff\n3"),
            [line("1 ping\r"), line("2 ok"), line("\u{fffd}")]
        );
        let flood = vec![b'x'; MOST_BYTES];
        assert_eq!(incoming.take(&flood), [Heard::TooLong]);
        // A little more is nothing new, as much again is.
        assert_eq!(incoming.take(b"x").len(), 0);
        assert_eq!(incoming.take(&flood), [Heard::TooLong]);
        assert!(incoming.bytes.is_empty());
        assert_eq!(incoming.take(b"\n4 stop\n"), [line("4 stop")]);
        assert_eq!(incoming.take(&flood).len(), 0);
        assert_eq!(incoming.take(b"\n"), [line(&"x".repeat(MOST_BYTES))]);
    }
}
