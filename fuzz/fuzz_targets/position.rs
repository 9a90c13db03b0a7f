//! Any text is parsed as a setup or refused, and a parsed setup reads back the same.
//!
//! Input: a byte for the rules, then the text.
#![no_main]

use kalah::reference::ReferencePosition;
use kalah::{Rules, Setup};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&rules, text)) = data.split_first() else {
        return;
    };
    let (rules, text) = (kalah_fuzz::rules(rules), String::from_utf8_lossy(text));

    if let Ok(rules) = text.parse::<Rules>() {
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
    let setup = match text.parse::<Setup>() {
        Ok(setup) => setup,
        Err(error) => {
            assert_eq!(error.text, text);
            assert!((1..=text.chars().count() + 1).contains(&error.character));
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(setup.to_string().parse().as_ref(), Ok(&setup));

    let reference = ReferencePosition::from_setup(&setup, rules);
    match setup.position(rules) {
        Ok(position) => {
            assert_eq!(reference.expect("a valid setup"), position);
            let again: Setup = position.to_string().parse().expect("a position's text");
            assert_eq!(again, Setup::from(&position));
            assert_eq!(again.position(rules).as_ref(), Ok(&position));
            assert_eq!(position.flipped().flipped(), position);
        }
        Err(error) => {
            assert_eq!(reference, None);
            assert!(!error.problems().is_empty());
            assert!(!error.to_string().is_empty());
        }
    }
});
