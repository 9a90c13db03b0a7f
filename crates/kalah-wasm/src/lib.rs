//! Kalah's rules and engine in a browser's worker: the questions of [`kalah_api`], as a page on any file host
//! asks them.
//!
//! There is one function for JavaScript, [`answer`]. A worker has one thread, and its engine lives as long as it:
//! what it has found, and the tables that it has built, serve the questions that follow.
//!
//! WebAssembly cannot go on behind a panic. One is thrown as an `Error` with what it says, unlike a problem with a
//! question, which is thrown as text; the page then ends the worker and starts another.

mod mind;
mod scripts;

use std::cell::RefCell;

use wasm_bindgen::prelude::wasm_bindgen;

pub use mind::RequestHandler;

thread_local! {
    static HANDLER: RefCell<Option<RequestHandler>> = const { RefCell::new(None) };
}

/// Answers a question of that name: JSON for JSON.
///
/// # Errors
/// Why it is not answered: a problem document, as text.
#[wasm_bindgen(js_name = answer)]
pub fn handle_request(question: &str, body: &str) -> Result<String, String> {
    HANDLER.with(|mind| {
        let Ok(mut mind) = mind.try_borrow_mut() else {
            return Err(mind::stopped_problem());
        };
        let mind = mind.get_or_insert_with(|| {
            std::panic::set_hook(Box::new(|panic| scripts::throw(&panic.to_string())));
            RequestHandler::new(scripts::time_since_start, scripts::device_memory())
        });
        mind.handle(question, body)
    })
}
