//! Any text is parsed as records or refused. Parsed records read back the same, and their games can
//! be replayed and exported.

#![no_main]

use kalah::Termination;
use kalah::record::Record;
use kalah_fuzz::check_export;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(records) = Record::parse_all(text) else {
        return;
    };
    for record in records {
        assert_eq!(record.to_string().parse(), Ok(record.clone()));
        let ending = record.ending();
        let outcome = (ending.termination == Termination::Normal).then_some(ending.outcome);
        assert_eq!(record.game().outcome(), outcome.flatten());
        check_export(&record);
    }
});
