//! The log of a client: the lines of its connections, which can be imported.

use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use humantime::format_rfc3339_millis;
use kalah::record::Tags;
use kalah_players::escape_control;

/// The mark before a remark.
const REMARK_MARK: &str = "#";

/// The last millisecond that RFC 3339 can write, after the Unix epoch.
const LAST_TIME: Duration = Tags::END_OF_DATES.saturating_sub(Duration::from_millis(1));

/// The direction of a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineDirection {
    Received,
    Sent,
}

impl LineDirection {
    /// Returns the mark before the line, as FAU's Python client writes it.
    fn mark(self) -> &'static str {
        match self {
            Self::Received => "<",
            Self::Sent => ">",
        }
    }
}

/// A log of the lines of all connections, each with its time and its direction.
pub struct LineLog {
    writer: Box<dyn Write>,
    now: fn() -> SystemTime,
}

impl LineLog {
    /// Creates a log with a clock. Each line is one write, so that a file without a buffer has a
    /// line as soon as it is logged.
    pub fn new(writer: Box<dyn Write>, now: fn() -> SystemTime) -> Self {
        Self { writer, now }
    }

    pub(super) fn write(&mut self, direction: LineDirection, line: &str) -> io::Result<()> {
        self.write_marked(direction.mark(), line)
    }

    /// Writes a remark, which is not a line of the connection.
    pub(super) fn write_remark(&mut self, text: &str) -> io::Result<()> {
        self.write_marked(REMARK_MARK, text)
    }

    fn write_marked(&mut self, mark: &str, line: &str) -> io::Result<()> {
        // RFC 3339 has no other times. The clock of the system may be wrong by decades.
        let times = (SystemTime::UNIX_EPOCH, SystemTime::UNIX_EPOCH + LAST_TIME);
        let time = format_rfc3339_millis((self.now)().clamp(times.0, times.1));
        let line = escape_control(line.trim_end());
        let text = format!("{time} {mark} {line}\n");
        self.writer.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn times_that_cannot_be_written_are_the_nearest_ones_that_can() {
        for (now, time) in [
            (
                (|| SystemTime::UNIX_EPOCH + Tags::END_OF_DATES) as fn() -> SystemTime,
                "9999-12-31T23:59:59.999Z",
            ),
            (
                || SystemTime::UNIX_EPOCH - Duration::from_millis(1),
                "1970-01-01T00:00:00.000Z",
            ),
        ] {
            let (mut reader, writer) = io::pipe().expect("a pipe");
            let mut log = LineLog::new(Box::new(writer), now);
            log.write_remark("begin").expect("an open pipe");
            drop(log);
            let mut text = String::new();
            reader.read_to_string(&mut text).expect("a line");
            assert_eq!(text, format!("{time} # begin\n"));
        }
    }
}
