use std::io::{self, BufRead, ErrorKind};

/// A line that was typed, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The text, without its end of line.
    Text(String),
    /// Longer than any answer; all of it has been read, and forgotten.
    TooLong,
    /// Bytes that are not UTF-8.
    NotText,
    /// Nothing more will come.
    End,
}

/// What a line of any protocol may have, and its end; far more than the longest file name that a system takes.
const MOST_BYTES: usize = 16_384 + "\r\n".len();

impl Line {
    /// Reads a line from `input`, and keeps only so much of it in memory as a line can have.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Self> {
        let mut bytes = Vec::new();
        let mut length = 0_usize;
        let mut ended = false;
        while !ended {
            let chunk = match input.fill_buf() {
                Ok([]) if length == 0 => return Ok(Self::End),
                Ok([]) => break,
                Ok(chunk) => chunk,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let used = end.map_or(chunk.len(), |end| end + 1);
            let room = MOST_BYTES.saturating_sub(bytes.len());
            bytes.extend_from_slice(&chunk[..used.min(room)]);
            length = length.saturating_add(used);
            ended = end.is_some();
            input.consume(used);
        }
        if length > MOST_BYTES {
            return Ok(Self::TooLong);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::Text(text.trim_end_matches(['\r', '\n']).to_owned())),
            Err(_) => Ok(Self::NotText),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_after_another_and_then_the_end() {
        let mut input = &b"3\r\n\nsave x"[..];
        for text in ["3", "", "save x"] {
            assert_eq!(Line::read(&mut input).unwrap(), Line::Text(text.to_owned()));
        }
        assert_eq!(Line::read(&mut input).unwrap(), Line::End);
        assert_eq!(Line::read(&mut input).unwrap(), Line::End);
    }

    #[test]
    fn bytes_that_are_no_text_and_endless_lines_are_passed_over() {
        let mut bytes = b"\xff\xfe3\n".to_vec();
        bytes.extend(vec![b'x'; MOST_BYTES * 3]);
        bytes.extend(b"\n4\n");
        let mut input = io::BufReader::with_capacity(7, &bytes[..]);
        assert_eq!(Line::read(&mut input).unwrap(), Line::NotText);
        assert_eq!(Line::read(&mut input).unwrap(), Line::TooLong);
        assert_eq!(Line::read(&mut input).unwrap(), Line::Text("4".to_owned()));
    }
}
