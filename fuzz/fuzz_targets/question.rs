//! Any text as any question is answered with JSON or refused with a problem.
//!
//! Input: a byte for the question's name, then its body.
#![no_main]

use std::cell::RefCell;
use std::time::Duration;

use kalah_api::{Analyst, handle_request};
use kalah_engine::Engine;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 10] = [
    "rules", "position", "sow", "play", "read", "write", "analyse", "choose", "prepare", "none",
];

/// Time that a question may ask for.
const MOST_TIME: Duration = Duration::from_millis(2);

/// Memory of the engine, in bytes.
const MEMORY: usize = 8 << 20;

thread_local! {
    static THINKER: RefCell<Analyst> = {
        let origin = std::time::Instant::now();
        let engine = Engine::new().with_memory(MEMORY);
        RefCell::new(Analyst::new(engine, MOST_TIME, move || origin.elapsed()))
    };
}

fuzz_target!(|data: &[u8]| {
    let Some((&name, body)) = data.split_first() else {
        return;
    };
    let name = NAMES[usize::from(name) % NAMES.len()];
    THINKER.with_borrow_mut(|thinker| match handle_request(name, body, thinker) {
        Ok(text) => assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok()),
        Err(problem) => assert!((400..500).contains(&problem.details().status)),
    });
});
