//! Any text is parsed as a list of openings or refused with an error. A parsed list reads back the
//! same after formatting, and its openings are games that go on.
#![no_main]

use kalah_arena::Openings;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match text.parse::<Openings>() {
        Ok(openings) => {
            assert_eq!(openings.to_string().parse().as_ref(), Ok(&openings));
            for opening in openings.as_slice() {
                assert!(opening.game().outcome().is_none());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
