//! A line of the engine protocol, as either side reads it: it is read or refused in words that fit a line, and what is
//! read is written and read back the same.

#![no_main]

use std::fmt::{Debug, Display};
use std::str::FromStr;

use kalah_protocols::uki::{EngineMessage, HostMessage, MessageError};
use libfuzzer_sys::fuzz_target;

/// The longest reason, in characters: rules are quoted twice, beside all that they could be.
const LONGEST_REASON: usize = 600;

fn check<M>(line: &str)
where
    M: FromStr<Err = MessageError> + Display + PartialEq + Debug,
{
    match line.parse::<M>() {
        Ok(message) => {
            let written = message.to_string();
            assert!(!written.chars().any(char::is_control));
            assert_eq!(written.parse(), Ok(message));
        }
        Err(error) => {
            let reason = error.to_string();
            assert!(reason.chars().count() <= LONGEST_REASON);
            assert!(!reason.chars().any(char::is_control));
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let line = String::from_utf8_lossy(data);
    check::<HostMessage>(&line);
    check::<EngineMessage>(&line);
});
