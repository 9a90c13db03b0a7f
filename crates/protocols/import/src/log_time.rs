//! The time at the beginning of a line of a log.

use std::time::{Duration, SystemTime};

use kalah::record::Tags;

/// The time of a line of a log, in the time zone of the log.
///
/// ```
/// use std::time::Duration;
/// use kalah_import::LogTime;
/// let first = LogTime::find("2026/11/29 23:59:59 client.go:229: > 4 state").expect("a time");
/// assert_eq!(first.date().as_deref(), Some("2026.11.29"));
/// let second = LogTime::find("[debug] 23:59:58.5 > 4 state").expect("a time");
/// let third = LogTime::find("[debug] 00:00:01 < 3@4 move 2").expect("a time");
/// assert_eq!(second.date(), None);
/// assert_eq!(third.since(second), Some(Duration::from_millis(2500)));
/// assert_eq!(third.since(first), None);
/// let set_back = LogTime::find("00:00:00 < 5@4 yield").expect("a time");
/// assert_eq!(set_back.since(third), None);
/// assert_eq!(LogTime::find("> 4 state"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogTime {
    /// The time since the Unix epoch, or only since midnight.
    time: Duration,
    has_date: bool,
}

/// The number of words at the beginning of a line that may be its time.
const MAX_WORDS: usize = 4;

/// The characters around a time, and at its end.
const AROUND: [char; 6] = ['[', ']', '(', ')', ',', ':'];

/// The day of a time without a date, which only completes its text.
const ANY_DAY: &str = "1970-01-01";

/// The time after which a log without dates has the same time again.
const DAY: Duration = Duration::from_hours(24);

impl LogTime {
    /// Returns the first time at the beginning of a line: as in RFC 3339, without a time zone or in
    /// UTC, with a blank instead of `T` and slashes instead of hyphens as well; or the time of a
    /// day, such as `12:00:00.5`.
    pub fn find(line: &str) -> Option<Self> {
        let words = line.split_whitespace().take(MAX_WORDS);
        let words: Vec<String> = words.map(normalized).collect();
        words.iter().enumerate().find_map(|(index, word)| {
            let next = words.get(index + 1).map_or("", String::as_str);
            let dated = parse(word).or_else(|| parse(&format!("{word} {next}")));
            let time = dated.or_else(|| parse(&format!("{ANY_DAY} {word}")))?;
            Some(Self {
                time,
                has_date: dated.is_some(),
            })
        })
    }

    /// Returns the day as the tag `Date` has it, if the log has dates.
    pub fn date(self) -> Option<String> {
        let time = SystemTime::UNIX_EPOCH.checked_add(self.time)?;
        self.has_date.then(|| Tags::date_text(time)).flatten()
    }

    /// Returns the time from an earlier line to this one, in whole milliseconds. In a log without
    /// dates it is less than half a day, also over midnight. `None` if the clock of the log was set
    /// back, or only one line has a date.
    pub fn since(self, earlier: Self) -> Option<Duration> {
        if self.has_date != earlier.has_date {
            return None;
        }
        let next_day = || (self.time + DAY).checked_sub(earlier.time);
        let over_midnight = || next_day().filter(|&time| !self.has_date && time < DAY / 2);
        let same_day = self.time.checked_sub(earlier.time);
        let milliseconds = same_day.or_else(over_midnight)?.as_millis();
        Some(Duration::from_millis(
            u64::try_from(milliseconds).unwrap_or(u64::MAX),
        ))
    }
}

/// Returns a word as RFC 3339 would have it.
fn normalized(word: &str) -> String {
    word.trim_matches(AROUND)
        .replace('/', "-")
        .replace(',', ".")
}

fn parse(text: &str) -> Option<Duration> {
    let time = humantime::parse_rfc3339_weak(text).ok()?;
    time.duration_since(SystemTime::UNIX_EPOCH).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_usual_logs_are_found() {
        let day = |hours: u64, milliseconds: u64| {
            Duration::from_hours(hours) + Duration::from_millis(milliseconds)
        };
        for (line, time, date) in [
            (
                "2026-11-29T01:00:00.250Z > kgp 1 0 0",
                day(1, 250),
                Some("2026.11.29"),
            ),
            (
                "2026-11-29 01:00:00,250 INFO x",
                day(1, 250),
                Some("2026.11.29"),
            ),
            (
                "2026/11/29 01:00:00 client.go:1:",
                day(1, 0),
                Some("2026.11.29"),
            ),
            ("[2026-11-29 01:00:00] x", day(1, 0), Some("2026.11.29")),
            ("[debug] 02:00:00.5 client.go:1:", day(2, 500), None),
            ("INFO 02:00:00: x", day(2, 0), None),
        ] {
            let found = LogTime::find(line).expect(line);
            assert_eq!(found.date().as_deref(), date, "{line}");
            let seconds = found.time.as_secs() % DAY.as_secs();
            let of_day = Duration::new(seconds, found.time.subsec_nanos());
            assert_eq!(of_day, time, "{line}");
        }
    }

    #[test]
    fn other_words_are_no_time() {
        for line in [
            "",
            "12:00",
            "1:2:3",
            "25:00:00 x",
            "2026-13-01T00:00:00",
            "state 12",
            "< 12:00:0x",
        ] {
            assert_eq!(LogTime::find(line), None, "{line}");
        }
    }
}
