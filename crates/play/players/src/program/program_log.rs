//! The lines of a program in both directions, its standard error, and the times of each.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kalah::{format_count, format_number};

/// The lines that a program receives and writes, with their times. Clones share them.
///
/// A log keeps the first and the last [`ProgramLog::MAX_BYTES`] / 2 bytes, and counts the lines
/// between them.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use kalah_players::{LogSource, ProgramLog};
/// let log = ProgramLog::new(Arc::new(|| Duration::from_millis(7)));
/// log.add(LogSource::Host, "isready");
/// let lines = log.take();
/// assert_eq!((lines[0].time.as_millis(), lines[0].text.as_str()), (7, "isready"));
/// assert!(log.take().is_empty());
/// ```
#[derive(Clone)]
pub struct ProgramLog {
    clock: LogClock,
    lines: Arc<Mutex<BoundedLines>>,
}

/// Returns the time since any fixed moment.
pub type LogClock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A line of a [`ProgramLog`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The time by the clock of the log.
    pub time: Duration,
    /// The origin of the line.
    pub source: LogSource,
    /// The text without its line end. It can have control characters.
    pub text: String,
}

/// The origin of a [`LogLine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogSource {
    /// The host has sent the line to the standard input of the program.
    Host,
    /// The program has written the line to its standard output.
    Program,
    /// The program has written the line to its standard error.
    Stderr,
    /// The process has started or ended, or lines are left out.
    Process,
}

/// The lines of a log, with bounded memory.
#[derive(Debug, Default)]
struct BoundedLines {
    first: Vec<LogLine>,
    first_bytes: usize,
    /// Empty until a line does not fit into `first`.
    last: VecDeque<LogLine>,
    last_bytes: usize,
    /// The number of lines and of bytes between `first` and `last`.
    cut_lines: u64,
    cut_bytes: u64,
}

/// The bytes for which the time and the source of a line count.
const LINE_OVERHEAD_BYTES: usize = 32;

impl ProgramLog {
    /// The maximum number of bytes of a log, of which each line takes 32 beside its text: 1 MiB.
    pub const MAX_BYTES: usize = 1 << 20;

    /// Creates an empty log.
    pub fn new(clock: LogClock) -> Self {
        Self {
            clock,
            lines: Arc::default(),
        }
    }

    /// Adds a line, or several with line feeds between them, with the present time.
    pub fn add(&self, source: LogSource, text: &str) {
        // Lines are in the order of their times.
        let mut lines = self.lines();
        let time = (self.clock)();
        for text in text.split('\n') {
            lines.add(LogLine {
                time,
                source,
                text: text.to_owned(),
            });
        }
    }

    /// Takes the lines, in the order of their times. A line of [`LogSource::Process`] tells how
    /// many are left out.
    pub fn take(&self) -> Vec<LogLine> {
        std::mem::take(&mut *self.lines()).into_lines()
    }

    fn lines(&self) -> MutexGuard<'_, BoundedLines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ProgramLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramLog")
            .field("lines", &self.lines)
            .finish_non_exhaustive()
    }
}

impl BoundedLines {
    /// The maximum number of bytes of each end of the log.
    const MAX_END_BYTES: usize = ProgramLog::MAX_BYTES / 2;

    fn add(&mut self, line: LogLine) {
        let bytes = counted_bytes(&line);
        let is_complete = self.last.is_empty() && self.cut_lines == 0;
        if is_complete && self.first_bytes + bytes <= Self::MAX_END_BYTES {
            self.first_bytes += bytes;
            self.first.push(line);
            return;
        }
        self.last_bytes += bytes;
        self.last.push_back(line);
        while self.last_bytes > Self::MAX_END_BYTES
            && let Some(cut) = self.last.pop_front()
        {
            self.last_bytes -= counted_bytes(&cut);
            self.cut_lines += 1;
            self.cut_bytes += cut.text.len() as u64;
        }
    }

    fn into_lines(self) -> Vec<LogLine> {
        let mut lines = self.first;
        if self.cut_lines > 0 {
            let later = self.last.front().or(lines.last());
            let time = later.map_or(Duration::ZERO, |line| line.time);
            lines.push(LogLine {
                time,
                source: LogSource::Process,
                text: format!(
                    "{} with {} bytes left out",
                    format_count(self.cut_lines, "line"),
                    format_number(self.cut_bytes)
                ),
            });
        }
        lines.extend(self.last);
        lines
    }
}

fn counted_bytes(line: &LogLine) -> usize {
    line.text.len() + LINE_OVERHEAD_BYTES
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    fn log() -> ProgramLog {
        let ticks = AtomicU64::new(0);
        ProgramLog::new(Arc::new(move || {
            Duration::from_millis(ticks.fetch_add(1, Ordering::Relaxed))
        }))
    }

    #[test]
    fn flood_leaves_both_ends_and_the_number_of_lines_between_them() {
        const LINES: usize = 5000;
        const LINE_BYTES: usize = 1000;

        let log = log();
        for number in 0..LINES {
            log.add(LogSource::Stderr, &format!("{number:0LINE_BYTES$}"));
        }
        let lines = log.take();
        let kept: Vec<&LogLine> = (lines.iter())
            .filter(|line| line.source == LogSource::Stderr)
            .collect();
        let bytes: usize = kept.iter().map(|line| counted_bytes(line)).sum();
        let max_line = LINE_BYTES + LINE_OVERHEAD_BYTES;
        assert!(bytes <= ProgramLog::MAX_BYTES && bytes > ProgramLog::MAX_BYTES - 2 * max_line);
        assert_eq!(kept.len() + 1, lines.len());
        let (first, last) = (kept.first().expect("a line"), kept.last().expect("a line"));
        assert_eq!(first.text.trim_start_matches('0'), "");
        assert!(last.text.ends_with("4999"));
        let cut = LINES - kept.len();
        let note = format!(
            "{} lines with {} bytes left out",
            format_number(cut as u64),
            format_number((cut * LINE_BYTES) as u64)
        );
        let place = lines.iter().position(|line| line.text == note);
        assert_eq!(place, Some(kept.len() / 2), "{note}");
        assert!(lines.is_sorted_by_key(|line| line.time));
        assert!(log.take().is_empty());
    }

    #[test]
    fn line_that_is_too_long_for_a_log_is_only_counted() {
        let log = log();
        log.add(LogSource::Host, &"x".repeat(ProgramLog::MAX_BYTES));
        log.add(LogSource::Host, "y");
        let texts: Vec<String> = log.take().into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["1 line with 1,048,576 bytes left out", "y"]);
    }

    #[test]
    fn message_of_several_lines_has_a_line_for_each() {
        let log = log();
        log.add(LogSource::Host, "4\n0 2\n");
        let lines: Vec<(u128, String)> = (log.take().into_iter())
            .map(|line| (line.time.as_millis(), line.text))
            .collect();
        let expected = ["4", "0 2", ""].map(|text| (0, text.to_owned()));
        assert_eq!(lines, expected);
    }
}
