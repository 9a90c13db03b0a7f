//! What JavaScript does for the engine.

use std::time::Duration;

use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the worker began, whatever becomes of the time of day.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;

    /// Memory of the device in GiB, rounded, and 8 for all that have more; not all browsers tell it.
    #[wasm_bindgen(js_namespace = navigator, js_name = deviceMemory, thread_local_v2)]
    static DEVICE_MEMORY: Option<f64>;
}

/// Memory of the device in GiB, as far as the browser tells it: no more than 8.
pub(crate) fn device_memory() -> Option<f64> {
    DEVICE_MEMORY.with(Clone::clone)
}

/// The time since the worker began.
pub(crate) fn time_since_start() -> Duration {
    const MILLISECONDS_PER_SECOND: f64 = 1e3;
    Duration::try_from_secs_f64(now() / MILLISECONDS_PER_SECOND).unwrap_or_default()
}

/// Throws an `Error`, which ends whatever is under way.
pub(crate) fn throw(message: &str) -> ! {
    wasm_bindgen::throw_val(JsError::new(message).into())
}
