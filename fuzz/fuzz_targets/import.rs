//! A byte for the form, then a text: what is imported is written and read back the same, and what is not is refused in
//! words.

#![no_main]

use kalah_protocols::import::{Form, import};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (byte, text) = input;
    let guessed = Form::guess(text);
    let form = Form::ALL[usize::from(byte) % Form::ALL.len()];
    for form in guessed.into_iter().chain([form]) {
        let imported = import(text, form, None);
        for record in imported.records {
            assert_eq!(record.to_string().parse(), Ok(record.clone()));
        }
        for error in imported.errors {
            assert!(!error.to_string().is_empty());
        }
    }
});
