//! The functions that JavaScript calls, and the browser's functions that the engine needs.

use std::cell::RefCell;
use std::time::Duration;

use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::request_handler::{RequestHandler, worker_stopped_problem};

thread_local! {
    static HANDLER: RefCell<Option<RequestHandler>> = const { RefCell::new(None) };
}

/// Handles the request `name` with a JSON body and returns the JSON response.
///
/// # Errors
/// The request is refused: returns a problem document as JSON text.
#[wasm_bindgen(js_name = handleRequest)]
pub fn handle_request(name: &str, body: &str) -> Result<String, String> {
    HANDLER.with(|handler| {
        // A panic during an earlier request has left the handler borrowed.
        let Ok(mut handler) = handler.try_borrow_mut() else {
            return Err(worker_stopped_problem());
        };
        let handler = handler.get_or_insert_with(|| {
            std::panic::set_hook(Box::new(|panic| throw(&panic.to_string())));
            RequestHandler::new(time_since_start, device_memory())
        });
        handler.handle(name, body)
    })
}

#[wasm_bindgen]
extern "C" {
    /// Returns the milliseconds since the start of the worker, from a monotonic clock.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;

    /// The memory of the device in GiB, rounded and at most 8. Not all browsers have it.
    #[wasm_bindgen(js_namespace = navigator, js_name = deviceMemory, thread_local_v2)]
    static DEVICE_MEMORY: Option<f64>;
}

/// Returns the memory of the device in GiB, at most 8, if the browser has it.
fn device_memory() -> Option<f64> {
    DEVICE_MEMORY.with(Clone::clone)
}

/// Returns the time since the start of the worker.
fn time_since_start() -> Duration {
    const MILLISECONDS_PER_SECOND: f64 = 1e3;
    Duration::try_from_secs_f64(now() / MILLISECONDS_PER_SECOND).unwrap_or_default()
}

/// Throws an `Error`.
fn throw(message: &str) -> ! {
    wasm_bindgen::throw_val(JsError::new(message).into())
}
