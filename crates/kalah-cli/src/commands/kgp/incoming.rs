use kalah_protocols::kgp::MOST_CHARACTERS;

/// Bytes of a line that may yet be one: a character has four at most.
pub(super) const MOST_BYTES: usize = 4 * MOST_CHARACTERS;

/// Bytes that are read at once.
pub(super) const CHUNK: usize = 4096;

/// The lines of a frame, of which the last may have no end.
pub(super) fn lines_of(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

/// The line that is coming, byte by byte.
#[derive(Default)]
pub(super) struct Incoming {
    bytes: Vec<u8>,
    /// Whether it is longer than any line: what there is of it is no use.
    is_too_long: bool,
}

impl Incoming {
    /// Takes what has come, and gives the lines that are complete with it. One that is too long is passed over.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.keep(&bytes[..end]);
            if !self.is_too_long {
                lines.push(String::from_utf8_lossy(&self.bytes).into_owned());
            }
            *self = Self::default();
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes);
        lines
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.is_too_long |= self.bytes.len() + bytes.len() > MOST_BYTES;
        if self.is_too_long {
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_put_together_and_endless_ones_are_passed_over() {
        let mut incoming = Incoming::default();
        assert_eq!(incoming.take(b"1 pi"), [""; 0]);
        assert_eq!(
            incoming.take(b"ng\r\n2 ok\n\xff\n3"),
            ["1 ping\r", "2 ok", "\u{fffd}"]
        );
        let flood = vec![b'x'; MOST_BYTES];
        for _ in 0..3 {
            assert_eq!(incoming.take(&flood), [""; 0]);
            assert!(incoming.bytes.len() <= MOST_BYTES);
        }
        assert_eq!(incoming.take(b"\n4 stop\n"), ["4 stop"]);
    }
}
