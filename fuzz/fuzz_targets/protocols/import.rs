//! Import: the first byte selects a format. The records of the text must round-trip, also by an
//! export, and every error must have a message.

#![no_main]

use kalah_fuzz::check_export;
use kalah_protocols::{IMPORT_FORMATS, detect_import_format};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (byte, text) = input;
    let detected = detect_import_format(text);
    let format = IMPORT_FORMATS[usize::from(byte) % IMPORT_FORMATS.len()];
    for format in detected.into_iter().chain([format]) {
        let imported = format.import(text, None);
        for record in imported.records {
            assert_eq!(record.to_string().parse(), Ok(record.clone()));
            check_export(&record);
        }
        for error in imported.errors {
            assert!(!error.to_string().is_empty());
        }
    }
});
