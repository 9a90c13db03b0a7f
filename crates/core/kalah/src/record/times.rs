//! The times of plies, in comments in the manner of PGN.

use std::fmt;
use std::time::Duration;

use super::document::{Record, RecordEntry};

/// The times of a ply. In a record they are commands in its comments, as in PGN:
/// `{ [%emt 0:00:01.25] [%clk 0:04:58.75] }`.
///
/// ```
/// use std::time::Duration;
/// use kalah::record::PlyTimes;
///
/// let (times, text) = PlyTimes::split_comment("[%clk 0:04:58.75] a slow start");
/// assert_eq!(times.clock, Some(Duration::from_millis(298_750)));
/// assert_eq!((times.elapsed, text.as_str()), (None, "a slow start"));
/// assert_eq!(times.to_string(), "[%clk 0:04:58.75]");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PlyTimes {
    /// The time that the ply has taken: the command `%emt`.
    pub elapsed: Option<Duration>,
    /// The time that the player of the ply has left for the game after it: the command `%clk`.
    pub clock: Option<Duration>,
}

const ELAPSED: &str = "emt";
const CLOCK: &str = "clk";
/// The characters around a command.
const OPENING: &str = "[%";
const CLOSING: char = ']';

const SECONDS_PER_MINUTE: u64 = 60;
const MINUTES_PER_HOUR: u64 = 60;
/// The digits of a nanosecond behind the point.
const FRACTION_DIGITS: usize = 9;

impl PlyTimes {
    /// Returns whether no time is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes the times from the text of a comment, and returns the rest of it without white space
    /// at its ends. Other commands, and times that cannot be read, stay in the text. A later time
    /// replaces an earlier one.
    pub fn split_comment(comment: &str) -> (Self, String) {
        let mut times = Self::default();
        let mut text = String::new();
        let mut rest = comment;
        while let Some(start) = rest.find(OPENING) {
            let (before, command) = rest.split_at(start);
            text += before;
            match command.split_once(CLOSING) {
                Some((inner, after)) if times.read_command(&inner[OPENING.len()..]) => {
                    rest = after.trim_start();
                }
                _ => {
                    text += OPENING;
                    rest = &command[OPENING.len()..];
                }
            }
        }
        text += rest;
        (times, text.trim().to_owned())
    }

    /// Reads the name and the value of a command. Returns whether it is a time.
    fn read_command(&mut self, command: &str) -> bool {
        let Some((name, value)) = command.split_once(char::is_whitespace) else {
            return false;
        };
        let Some(time) = parse_time(value.trim()) else {
            return false;
        };
        match name {
            ELAPSED => self.elapsed = Some(time),
            CLOCK => self.clock = Some(time),
            _ => return false,
        }
        true
    }

    /// Returns these times, or those of `other` where one is missing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            elapsed: self.elapsed.or(other.elapsed),
            clock: self.clock.or(other.clock),
        }
    }
}

/// Parses hours, minutes and seconds such as `1:02:03.5`. The hours, and the minutes too, may be
/// missing.
fn parse_time(text: &str) -> Option<Duration> {
    let mut parts = text.rsplit(':');
    let (seconds, fraction) = match parts.next()? {
        last if last.contains('.') => last.split_once('.')?,
        last => (last, ""),
    };
    let seconds = parse_digits(seconds)?;
    let mut whole = seconds;
    for unit in [SECONDS_PER_MINUTE, SECONDS_PER_MINUTE * MINUTES_PER_HOUR] {
        if let Some(part) = parts.next() {
            whole = whole.checked_add(parse_digits(part)?.checked_mul(unit)?)?;
        }
    }
    if parts.next().is_some() || fraction.len() > FRACTION_DIGITS {
        return None;
    }
    let nanoseconds = match fraction {
        "" => 0,
        digits => u32::try_from(parse_digits(&format!("{digits:0<FRACTION_DIGITS$}"))?).ok()?,
    };
    Some(Duration::new(whole, nanoseconds))
}

fn parse_digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Writes the commands, with a blank between them.
impl fmt::Display for PlyTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = [(ELAPSED, self.elapsed), (CLOCK, self.clock)];
        let known = times
            .into_iter()
            .filter_map(|(name, time)| Some((name, time?)));
        for (index, (name, time)) in known.enumerate() {
            let separator = if index == 0 { "" } else { " " };
            let (minutes, seconds) = div_rem(time.as_secs(), SECONDS_PER_MINUTE);
            let (hours, minutes) = div_rem(minutes, MINUTES_PER_HOUR);
            write!(
                f,
                "{separator}{OPENING}{name} {hours}:{minutes:02}:{seconds:02}"
            )?;
            let fraction = format!("{:0FRACTION_DIGITS$}", time.subsec_nanos());
            match fraction.trim_end_matches('0') {
                "" => {}
                digits => write!(f, ".{digits}")?,
            }
            write!(f, "{CLOSING}")?;
        }
        Ok(())
    }
}

fn div_rem(number: u64, divisor: u64) -> (u64, u64) {
    (number / divisor, number % divisor)
}

impl Record {
    /// Returns the times of the plies of the main line, from the comments that follow each ply
    /// directly or behind variations.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kalah::record::Record;
    /// let record: Record = "1. C { [%clk 0:01:00] } F a { good } *".parse()?;
    /// let clocks: Vec<_> = record.ply_times().iter().map(|times| times.clock).collect();
    /// assert_eq!(clocks, [Some(Duration::from_secs(60)), None, None]);
    /// # Ok::<(), kalah::record::RecordError>(())
    /// ```
    pub fn ply_times(&self) -> Vec<PlyTimes> {
        let mut all: Vec<PlyTimes> = Vec::new();
        let mut depth = 0;
        for entry in self.entries() {
            match entry {
                RecordEntry::BeginVariation(_) => depth += 1,
                RecordEntry::EndVariation => depth -= 1,
                RecordEntry::Ply { .. } if depth == 0 => all.push(PlyTimes::default()),
                RecordEntry::Comment(text) if depth == 0 => {
                    if let Some(times) = all.last_mut() {
                        *times = PlyTimes::split_comment(text).0.or(*times);
                    }
                }
                RecordEntry::Ply { .. } | RecordEntry::Comment(_) => {}
            }
        }
        all
    }

    /// Sets the times of the first plies of the main line: empty ones leave the comments of a ply
    /// as they are. Times beyond the last ply are ignored.
    ///
    /// The times replace those in the comment that follows a ply directly, or become a comment of
    /// their own.
    ///
    /// ```
    /// use std::time::Duration;
    /// use kalah::record::{PlyTimes, Record};
    /// let mut record: Record = "1. C { fine } *".parse()?;
    /// let clock = Some(Duration::from_secs(61));
    /// record.set_ply_times(&[PlyTimes { clock, ..PlyTimes::default() }]);
    /// assert_eq!(record.to_string(), "1. C { [%clk 0:01:01] fine } *\n");
    /// # Ok::<(), kalah::record::RecordError>(())
    /// ```
    pub fn set_ply_times(&mut self, times: &[PlyTimes]) {
        let mut times = times.iter();
        let mut pending: Option<PlyTimes> = None;
        let mut entries = Vec::new();
        let mut depth = 0;
        for entry in self.entries() {
            match (entry, pending.take()) {
                (RecordEntry::Comment(text), Some(times)) => {
                    let (old, rest) = PlyTimes::split_comment(text);
                    let text = format!("{} {rest}", times.or(old));
                    entries.push(RecordEntry::Comment(text.trim_end().to_owned()));
                    continue;
                }
                (_, Some(times)) => entries.push(RecordEntry::Comment(times.to_string())),
                (_, None) => {}
            }
            match entry {
                RecordEntry::BeginVariation(_) => depth += 1,
                RecordEntry::EndVariation => depth -= 1,
                RecordEntry::Ply { .. } if depth == 0 => {
                    pending = times.next().copied().filter(|times| !times.is_empty());
                }
                RecordEntry::Ply { .. } | RecordEntry::Comment(_) => {}
            }
            entries.push(entry.clone());
        }
        entries.extend(pending.map(|times| RecordEntry::Comment(times.to_string())));
        self.set_checked_entries(entries);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(elapsed: Option<u64>, clock: Option<u64>) -> PlyTimes {
        PlyTimes {
            elapsed: elapsed.map(Duration::from_millis),
            clock: clock.map(Duration::from_millis),
        }
    }

    #[test]
    fn times_are_read_from_comments() {
        for (comment, expected, rest) in [
            ("", times(None, None), ""),
            ("[%clk 1:02:03]", times(None, Some(3_723_000)), ""),
            (
                "[%emt 2:03] and [%clk 7]",
                times(Some(123_000), Some(7000)),
                "and",
            ),
            ("a [%emt 0:00:00.125]b", times(Some(125), None), "a b"),
            ("[%clk 0:00:01][%clk 0:00:02]", times(None, Some(2000)), ""),
            (
                "[%eval 3] [%clk 0:01]",
                times(None, Some(1000)),
                "[%eval 3]",
            ),
            ("[%clk soon] [%clk", times(None, None), "[%clk soon] [%clk"),
            ("[%clk 1:2:3:4]", times(None, None), "[%clk 1:2:3:4]"),
            ("[%clk -1]", times(None, None), "[%clk -1]"),
            (
                "[%clk 18446744073709551615:00:00]",
                times(None, None),
                "[%clk 18446744073709551615:00:00]",
            ),
            (
                "[%clk 0:00:01.0000000001]",
                times(None, None),
                "[%clk 0:00:01.0000000001]",
            ),
            ("[%[%clk 0:01]", times(None, Some(1000)), "[%"),
        ] {
            let rest = rest.to_owned();
            assert_eq!(
                PlyTimes::split_comment(comment),
                (expected, rest),
                "{comment}"
            );
        }
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for (elapsed, clock) in [
            (Some(0), None),
            (None, Some(3_599_999)),
            (Some(1), Some(360_000_000)),
            (Some(60_000), Some(59_010)),
        ] {
            let times = times(elapsed, clock);
            let text = times.to_string();
            assert_eq!(
                PlyTimes::split_comment(&text),
                (times, String::new()),
                "{text}"
            );
        }
        assert_eq!(
            times(Some(1500), Some(0)).to_string(),
            "[%emt 0:00:01.5] [%clk 0:00:00]"
        );
    }

    #[test]
    fn times_of_a_record_are_those_that_were_set() {
        let text = "1. C { [%clk 0:00:09] one } F { two } a ( 1... b { [%clk 0:00:01] } ) { three } 2. A *";
        let mut record: Record = text.parse().expect("a record");
        let clocks = |record: &Record| -> Vec<_> {
            let clocks = record.ply_times().into_iter().map(|times| times.clock);
            clocks
                .map(|clock| clock.map(|clock| clock.as_secs()))
                .collect()
        };
        assert_eq!(clocks(&record), [Some(9), None, None, None]);
        let seconds = [8, 7, 6, 5, 4].map(|seconds| times(None, Some(seconds * 1000)));
        record.set_ply_times(&seconds);
        assert_eq!(clocks(&record), [8, 7, 6, 5].map(Some));
        let written = record.to_string();
        let flat = written.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            flat,
            "1. C { [%clk 0:00:08] one } F { [%clk 0:00:07] two } 1... a { [%clk 0:00:06] } \
             ( 1... b { [%clk 0:00:01] } ) { three } 2. A { [%clk 0:00:05] } *"
        );
        assert_eq!(written.parse(), Ok(record.clone()));
        record.set_ply_times(&[]);
        assert_eq!(record.to_string(), written);
    }
}
