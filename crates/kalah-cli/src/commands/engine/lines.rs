use std::io::{self, BufRead};

/// What comes in, a line at a time.
#[derive(Debug)]
pub(super) enum EngineInput {
    /// A line, without its end.
    Line(String),
    /// A line that cannot be read as text, and why.
    Invalid(&'static str),
    /// Nothing more.
    End,
    /// The input cannot be read.
    Failed(io::Error),
}

/// The most bytes of a line: as many as KGP allows.
pub(in crate::commands) const MAX_LINE_BYTES: usize = 16_384;

/// The next line. Of one that is too long, nothing is kept, and all of it is read.
pub(super) fn read_line(input: &mut impl BufRead) -> EngineInput {
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let piece = match input.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return EngineInput::Failed(error),
        };
        let end = piece.iter().position(|&byte| byte == b'\n');
        let is_over = end.is_some() || piece.is_empty();
        if piece.is_empty() && line.is_empty() && !is_too_long {
            return EngineInput::End;
        }
        let text = &piece[..end.unwrap_or(piece.len())];
        if line.len() + text.len() > MAX_LINE_BYTES {
            is_too_long = true;
            line.clear();
        } else if !is_too_long {
            line.extend_from_slice(text);
        }
        let taken = text.len() + usize::from(end.is_some());
        input.consume(taken);
        if is_over {
            break;
        }
    }
    if is_too_long {
        return EngineInput::Invalid("the line is longer than 16,384 bytes");
    }
    String::from_utf8(line).map_or(
        EngineInput::Invalid("the line is no text in UTF-8"),
        EngineInput::Line,
    )
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// What is heard, taken in pieces of so many bytes.
    fn heard(input: &[u8], piece: usize) -> Vec<String> {
        let mut input = BufReader::with_capacity(piece, input);
        let mut all = Vec::new();
        loop {
            all.push(match read_line(&mut input) {
                EngineInput::Line(line) => line,
                EngineInput::Invalid(reason) => format!("! {reason}"),
                EngineInput::End => return all,
                EngineInput::Failed(error) => panic!("{error}"),
            });
        }
    }

    #[test]
    fn lines_are_taken_whole_however_they_come() {
        let fits = "x".repeat(MAX_LINE_BYTES);
        let input = format!("uki\n\n{fits}\n{fits}y\n{fits}{fits}{fits}\nlast");
        let mut input = input.into_bytes();
        input.extend_from_slice(b"\n\xff\xfe\nend");
        for piece in [1, 7, 4096, 1 << 20] {
            assert_eq!(
                heard(&input, piece),
                [
                    "uki",
                    "",
                    &fits,
                    "! the line is longer than 16,384 bytes",
                    "! the line is longer than 16,384 bytes",
                    "last",
                    "! the line is no text in UTF-8",
                    "end",
                ],
                "pieces of {piece}"
            );
        }
        assert!(heard(b"", 16).is_empty());
    }
}
