//! The lines of a connection: a TCP stream or the messages of a WebSocket, split into lines of
//! limited length.

use std::io;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::{FusedStream, Stream};
use kalah::strip_byte_order_mark;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder, Encoder};

use crate::message::MAX_LINE_CHARS;

/// The maximum length of a line in bytes, without its LF: a character has at most four bytes.
const MAX_LINE_BYTES: usize = 4 * MAX_LINE_CHARS;

/// The number of bytes that are skipped after a line of the maximum length, and the maximum length
/// of a WebSocket message. The connection ends beyond it. No memory is reserved for skipped bytes.
pub(super) const MAX_SKIPPED_BYTES: usize = 4 * MAX_LINE_BYTES;

/// The time after which a line of a WebSocket is complete without an end. On mobile networks, two
/// messages that were sent at once can arrive some hundred milliseconds apart.
const LINE_TIMEOUT: Duration = Duration::from_millis(500);

/// A received line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncomingLine {
    /// A line with or without its CR. Bytes that are not UTF-8 are replaced.
    Text(String),
    /// A line that exceeds the maximum length. Reported once, before its end; the rest is skipped.
    TooLong,
    /// A line or WebSocket message of more than 256 KiB, after which the connection has to end.
    Oversized,
}

/// The lines of a WebSocket, whose messages are parts of a stream of bytes: `kgpc` sends a line as
/// several messages, and clients of the stock server send lines without an end.
pub(super) struct WebSocketLines<S> {
    messages: S,
    codec: LineCodec,
    /// The bytes that were not decoded.
    bytes: BytesMut,
    /// Whether the last message ended within a line.
    is_in_line: bool,
}

impl<S> WebSocketLines<S>
where
    S: Stream<Item = Result<Message, tungstenite::Error>> + FusedStream + Unpin,
{
    pub(super) fn new(messages: S) -> Self {
        Self {
            messages,
            codec: LineCodec::default(),
            bytes: BytesMut::new(),
            is_in_line: false,
        }
    }

    /// Waits for the next line. A line without an end is complete if no message follows within
    /// [`LINE_TIMEOUT`], and at the end of the messages.
    pub(super) async fn next(&mut self) -> Option<io::Result<IncomingLine>> {
        loop {
            if let Some(line) = self.codec.decode(&mut self.bytes).transpose() {
                return Some(line);
            }
            let message = if self.is_in_line {
                timeout(LINE_TIMEOUT, self.messages.next()).await.ok()
            } else {
                Some(self.messages.next().await)
            };
            match message.flatten() {
                Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => {
                    let data = message.into_data();
                    self.is_in_line = !data.ends_with(b"\n");
                    self.bytes.extend_from_slice(&data);
                }
                Some(Ok(_)) => {}
                Some(Err(tungstenite::Error::Capacity(_))) => {
                    return Some(Ok(IncomingLine::Oversized));
                }
                Some(Err(error)) => return Some(Err(io_error(error))),
                None => {
                    if let Some(line) = self.end_line() {
                        return Some(Ok(line));
                    }
                    if self.messages.is_terminated() {
                        return None;
                    }
                }
            }
        }
    }

    /// Ends the current line, and returns it unless it was empty or is skipped.
    fn end_line(&mut self) -> Option<IncomingLine> {
        self.is_in_line = false;
        let line = std::mem::take(&mut self.bytes);
        self.codec.end_line(&line)
    }
}

pub(super) fn io_error(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// Splits bytes into lines of limited length.
///
/// `LinesCodec` would end the connection at a byte that is not UTF-8, and clients send names in
/// other encodings.
#[derive(Debug)]
pub(super) struct LineCodec {
    codec: AnyDelimiterCodec,
    /// The number of bytes of the current line that were skipped.
    skipped: usize,
    /// Whether the next line is the first one, which can begin with a byte order mark.
    is_at_start: bool,
}

impl Default for LineCodec {
    fn default() -> Self {
        Self {
            codec: byte_codec(),
            skipped: 0,
            is_at_start: true,
        }
    }
}

/// Returns the codec that finds the ends of lines.
fn byte_codec() -> AnyDelimiterCodec {
    let (delimiters, line_end) = (b"\n".to_vec(), Vec::new());
    AnyDelimiterCodec::new_with_max_length(delimiters, line_end, MAX_LINE_BYTES)
}

impl LineCodec {
    /// Ends a line that has no end with these bytes, and returns it unless it is empty or the end
    /// of a skipped line.
    fn end_line(&mut self, line: &[u8]) -> Option<IncomingLine> {
        self.codec = byte_codec();
        self.skipped = 0;
        (!line.is_empty()).then(|| self.text(line))
    }

    /// Returns the text of a line. Bytes that are not UTF-8 are replaced.
    fn text(&mut self, line: &[u8]) -> IncomingLine {
        let text = String::from_utf8_lossy(line);
        IncomingLine::Text(if std::mem::take(&mut self.is_at_start) {
            strip_byte_order_mark(&text).to_owned()
        } else {
            text.into_owned()
        })
    }
}

impl Decoder for LineCodec {
    type Item = IncomingLine;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<IncomingLine>> {
        let length = bytes.len();
        match self.codec.decode(bytes) {
            Ok(Some(line)) => {
                self.skipped = 0;
                Ok(Some(self.text(&line)))
            }
            Ok(None) => {
                self.skipped += length - bytes.len();
                if self.skipped <= MAX_SKIPPED_BYTES {
                    return Ok(None);
                }
                self.skipped = 0;
                Ok(Some(IncomingLine::Oversized))
            }
            Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => {
                self.skipped = 0;
                Ok(Some(IncomingLine::TooLong))
            }
            Err(AnyDelimiterCodecError::Io(error)) => Err(error),
        }
    }

    /// Drops a last line without an end, which the peer has not sent completely.
    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<IncomingLine>> {
        let line = self.decode(bytes)?;
        if line.is_none() {
            bytes.clear();
        }
        Ok(line)
    }
}

/// Encodes lines that contain their ends.
impl Encoder<String> for LineCodec {
    type Error = io::Error;

    fn encode(&mut self, line: String, bytes: &mut BytesMut) -> io::Result<()> {
        bytes.extend_from_slice(line.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use tokio::time::{Instant, sleep};

    use super::*;

    fn text(line: &str) -> IncomingLine {
        IncomingLine::Text(line.to_owned())
    }

    /// Returns the lines that are complete after each of some pieces of input.
    fn decode(pieces: &[&[u8]]) -> Vec<Vec<IncomingLine>> {
        let (mut codec, mut bytes) = (LineCodec::default(), BytesMut::new());
        let decode_piece = |piece: &&[u8]| {
            bytes.extend_from_slice(piece);
            std::iter::from_fn(|| codec.decode(&mut bytes).expect("no error")).collect()
        };
        pieces.iter().map(decode_piece).collect()
    }

    #[test]
    fn lines_may_arrive_in_pieces_and_contain_any_bytes() {
        assert_eq!(
            decode(&[b"1 pi", b"ng\r\n2 ok\n\xff\n3"]),
            [
                vec![],
                vec![text("1 ping\r"), text("2 ok"), text("\u{fffd}")]
            ]
        );
    }

    #[test]
    fn one_byte_order_mark_is_skipped_at_the_start_of_the_stream() {
        let mark = "\u{feff}";
        assert_eq!(
            decode(&[mark.as_bytes(), b"kgp 1 0 0\n", mark.as_bytes(), b"\n"]),
            [vec![], vec![text("kgp 1 0 0")], vec![], vec![text(mark)]]
        );
    }

    #[test]
    fn overlong_line_is_reported_before_its_end() {
        let longest = vec![b'x'; MAX_LINE_BYTES];
        assert_eq!(
            decode(&[&longest, b"\n", &longest, b"x", &longest, b"\n4 stop\n"]),
            [
                vec![],
                vec![text(&"x".repeat(MAX_LINE_BYTES))],
                vec![],
                vec![IncomingLine::TooLong],
                vec![],
                vec![text("4 stop")],
            ]
        );
    }

    #[test]
    fn endless_line_becomes_oversized() {
        let (mut codec, mut bytes) = (LineCodec::default(), BytesMut::new());
        let mut decode_piece = |length: usize| {
            bytes.resize(bytes.len() + length, b'x');
            codec.decode(&mut bytes).expect("no error")
        };
        assert_eq!(
            decode_piece(MAX_LINE_BYTES + 1),
            Some(IncomingLine::TooLong)
        );
        assert_eq!(decode_piece(MAX_LINE_BYTES), None);
        let rest = MAX_SKIPPED_BYTES - 2 * MAX_LINE_BYTES;
        assert_eq!(decode_piece(rest), Some(IncomingLine::Oversized));
    }

    #[test]
    fn unfinished_last_line_is_dropped() {
        let (mut codec, mut bytes) = (LineCodec::default(), BytesMut::from("1 ok\n2 goodb"));
        let mut next = || codec.decode_eof(&mut bytes).expect("no error");
        assert_eq!((next(), next()), (Some(text("1 ok")), None));
    }

    /// Returns the lines of messages, each of which arrives after a delay, with the times at which
    /// they are complete.
    async fn lines_of_messages(
        messages: Vec<(Duration, Message)>,
    ) -> Vec<(IncomingLine, Duration)> {
        let start = Instant::now();
        let messages = stream::iter(messages).then(|(delay, message)| async move {
            sleep(delay).await;
            Ok(message)
        });
        let mut lines = WebSocketLines::new(Box::pin(messages.fuse()));
        let mut received = Vec::new();
        while let Some(line) = lines.next().await {
            received.push((line.expect("no error"), start.elapsed()));
        }
        received
    }

    #[tokio::test(start_paused = true)]
    async fn messages_are_parts_of_a_stream_of_lines() {
        let now = Duration::ZERO;
        let parts = [
            "1 ok\r\n7",
            " mode",
            " \"freeplay\"",
            "\r\n",
            "",
            "2 ok\r\n",
        ];
        let messages = parts.map(|part| (now, Message::text(part)));
        let expected = ["1 ok\r", "7 mode \"freeplay\"\r", "2 ok\r"];
        let expected = expected.map(|line| (text(line), now));
        assert_eq!(lines_of_messages(messages.to_vec()).await, expected);
        let message = Message::binary(&b"\xff\n"[..]);
        let lines = lines_of_messages(vec![(now, message)]).await;
        assert_eq!(lines, [(text("\u{fffd}"), now)]);
    }

    #[tokio::test(start_paused = true)]
    async fn parts_of_a_line_may_arrive_late() {
        let late = Duration::from_millis(450);
        let messages = ["1 mode", " \"freeplay\"", "\r\n"].map(|part| (late, Message::text(part)));
        let lines = lines_of_messages(messages.to_vec()).await;
        assert_eq!(lines, [(text("1 mode \"freeplay\"\r"), 3 * late)]);
    }

    #[tokio::test(start_paused = true)]
    async fn line_without_an_end_is_complete_after_a_moment() {
        let pause = 10 * LINE_TIMEOUT;
        let messages = ["1 ok", "2 ok", "3 ok"].map(|line| (pause, Message::text(line)));
        let expected = [
            (text("1 ok"), pause + LINE_TIMEOUT),
            (text("2 ok"), 2 * pause + LINE_TIMEOUT),
            // The end of the connection completes the last line.
            (text("3 ok"), 3 * pause),
        ];
        assert_eq!(lines_of_messages(messages.to_vec()).await, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn overlong_message_without_an_end_hides_no_later_one() {
        let pause = 10 * LINE_TIMEOUT;
        let long = "x".repeat(MAX_LINE_BYTES + 1);
        let messages = [long.as_str(), "2 ok\n"].map(|line| (pause, Message::text(line)));
        let expected = [(IncomingLine::TooLong, pause), (text("2 ok"), 2 * pause)];
        assert_eq!(lines_of_messages(messages.to_vec()).await, expected);
    }
}
