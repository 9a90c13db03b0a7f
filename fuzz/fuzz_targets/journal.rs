//! Any bytes are parsed as the journal and as the configuration of a tournament, or refused with an
//! error. The games of a journal return from their own lines, and a configuration returns from its
//! own text.
#![no_main]

use kalah_arena::{ArenaConfig, Journal, Seal};
use kalah_protocols::ENGINE_PROTOCOLS;
use libfuzzer_sys::fuzz_target;

fn check_journal(bytes: &[u8]) {
    let journal = match Journal::parse(bytes) {
        Ok(journal) => journal,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let (mut lines, mut seal) = (String::new(), Seal::START);
    for game in journal.games() {
        lines += &Journal::format_line(game, &mut seal).expect("a game that was parsed");
        game.to_record().expect("a game that was parsed");
    }
    let again = Journal::parse(lines.as_bytes()).expect("the same journal");
    assert_eq!(again.games(), journal.games());
}

fn check_config(text: &str) {
    match ArenaConfig::from_worker_text(text, ENGINE_PROTOCOLS) {
        Ok(config) => {
            let text = config.to_worker_text();
            let again = ArenaConfig::from_worker_text(&text, ENGINE_PROTOCOLS);
            assert_eq!(
                again.expect("the same configuration").to_worker_text(),
                text
            );
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fuzz_target!(|bytes: &[u8]| {
    check_journal(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        check_config(text);
    }
});
