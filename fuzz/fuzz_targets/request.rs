//! Every request with any body gets a JSON response or a problem document.
//!
//! Input: a byte that selects the name of the request, then its body.
#![no_main]

use std::cell::RefCell;
use std::sync::LazyLock;
use std::time::Duration;

use kalah_api::{RequestEngine, endpoint_names, handle_request};
use kalah_engine::Engine;
use libfuzzer_sys::fuzz_target;

/// The names of all endpoints, and a name that is unknown.
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut names = endpoint_names();
    names.push("none");
    names
});

/// The maximum time limit of a request.
const MAX_TIME: Duration = Duration::from_millis(2);

/// The memory of the engine, in bytes.
const MEMORY: usize = 8 << 20;

thread_local! {
    static ENGINE: RefCell<RequestEngine> = {
        let origin = std::time::Instant::now();
        let engine = Engine::new().with_memory(MEMORY);
        RefCell::new(RequestEngine::new(engine, MAX_TIME, move || origin.elapsed()))
    };
}

fuzz_target!(|data: &[u8]| {
    let Some((&name, body)) = data.split_first() else {
        return;
    };
    let name = NAMES[usize::from(name) % NAMES.len()];
    ENGINE.with_borrow_mut(
        |engine| match handle_request(name, body, engine, &mut |_| {}) {
            Ok(text) => assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok()),
            Err(error) => assert!((400..500).contains(&error.details().status)),
        },
    );
});
