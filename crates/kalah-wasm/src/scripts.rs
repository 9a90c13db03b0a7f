//! What JavaScript does for the engine.

use std::time::Duration;

use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the worker began, whatever becomes of the time of day.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// The time since the worker began.
pub(crate) fn time() -> Duration {
    const MILLISECONDS_PER_SECOND: f64 = 1e3;
    Duration::try_from_secs_f64(now() / MILLISECONDS_PER_SECOND).unwrap_or_default()
}

/// Throws an `Error`, which ends whatever is under way.
pub(crate) fn throw(message: &str) -> ! {
    wasm_bindgen::throw_val(JsError::new(message).into())
}
