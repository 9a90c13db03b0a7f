//! The engine protocol: a line is parsed as a message of a host and of an engine. Each message must
//! round-trip, and a reason for a refusal must fit on a line.

#![no_main]

use std::fmt::{Debug, Display};
use std::str::FromStr;

use kalah_uki::{EngineMessage, HostMessage, ParseUkiError};
use libfuzzer_sys::fuzz_target;

/// The maximum number of characters of a reason: it may quote a rule set twice, beside the list of
/// rule sets.
const MAX_REASON_CHARS: usize = 600;

fn check<M>(line: &str)
where
    M: FromStr<Err = ParseUkiError> + Display + PartialEq + Debug,
{
    match line.parse::<M>() {
        Ok(message) => {
            let written = message.to_string();
            assert!(!written.chars().any(char::is_control));
            assert_eq!(written.parse(), Ok(message));
        }
        Err(error) => {
            let reason = error.to_string();
            assert!(reason.chars().count() <= MAX_REASON_CHARS);
            assert!(!reason.chars().any(char::is_control));
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let line = String::from_utf8_lossy(data);
    check::<HostMessage>(&line);
    check::<EngineMessage>(&line);
});
