//! Kalah's rules and engine in a browser's worker: the requests of [`kalah_api`] for a page on any
//! file host.
//!
//! JavaScript calls one function, [`handle_request`], as `handleRequest`. A worker has one thread
//! and one engine for its whole life, so that later requests use the transposition table and the
//! endgame tables of earlier ones.
//!
//! A panic in WebAssembly leaves the module unusable. It is thrown as an `Error`, whereas a refused
//! request is thrown as a string. After an `Error` the page terminates the worker and starts
//! another.

use std::cell::RefCell;
use std::time::Duration;

use git_version::git_version;
use kalah::TimeLimit;
use kalah_api::{ProblemDetails, RequestEngine};
use kalah_book::BookSet;
use kalah_engine::Engine;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

/// The version of the package and the commit that it was built from, as `kalah --version` has them.
const VERSION: &str = git_version!(
    args = ["--always", "--abbrev=8", "--exclude=*", "--dirty=.changed"],
    prefix = concat!(env!("CARGO_PKG_VERSION"), "+"),
    fallback = env!("CARGO_PKG_VERSION")
);

/// Returns the name of the program with its version, such as `kalah/0.1.0+6f4e49a1`, as servers
/// send it in the header `Server`.
#[wasm_bindgen(js_name = programName)]
pub fn program_name() -> String {
    format!("kalah/{VERSION}")
}

thread_local! {
    static HANDLER: RefCell<Option<RequestHandler>> = const { RefCell::new(None) };
}

/// Handles the request `name` with a JSON body and returns the JSON response. During the request
/// `analyze`, it calls `on_snapshot`, if there is one, with the JSON of the result so far.
///
/// # Errors
/// The request is refused: returns a problem document as JSON text.
#[wasm_bindgen(js_name = handleRequest)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "wasm-bindgen passes an optional function by value"
)]
pub fn handle_request(
    name: &str,
    body: &str,
    on_snapshot: Option<SnapshotCallback>,
) -> Result<String, String> {
    HANDLER.with(|handler| {
        // A panic during an earlier request has left the handler borrowed.
        let Ok(mut handler) = handler.try_borrow_mut() else {
            return Err(worker_stopped_problem());
        };
        let handler = handler.get_or_insert_with(|| {
            std::panic::set_hook(Box::new(|panic| throw(&panic.to_string())));
            RequestHandler::new(time_since_start, device_memory())
        });
        handler.handle(name, body, &mut |snapshot| {
            if let Some(on_snapshot) = &on_snapshot {
                on_snapshot.call(&JsValue::UNDEFINED, snapshot);
            }
        })
    })
}

/// Handles the requests of a page with one engine, without JavaScript.
///
/// ```
/// use std::time::Duration;
/// use kalah_wasm::RequestHandler;
///
/// let mut handler = RequestHandler::new(|| Duration::ZERO, None);
/// let body = r#"{"position":"<3,1,1,0,0,1,1,0,0> s","opponent":"level:3"}"#;
/// let response = handler.handle("choose", body, &mut |_| {});
/// assert_eq!(response.as_deref(), Ok(r#"{"move":"C","bounds":null,"is_best":false}"#));
/// ```
pub struct RequestHandler {
    engine: RequestEngine,
}

/// The memory of the engine in bytes: the endgame table of 6x4 with 22 seeds, and a transposition
/// table. A request that is limited to five seconds builds an endgame table of at most a third of
/// it; a `prepare` request builds a larger one.
const ENGINE_MEMORY: usize = 704 << 20;

/// The memory for a table with 23 seeds, and the minimum memory in GiB of a device that gets it.
const LARGE_ENGINE_MEMORY: usize = 976 << 20;
const LARGE_DEVICE_GIB: f64 = 8.0;

impl RequestHandler {
    /// Creates a handler with a new engine. `clock` returns the time since a fixed moment;
    /// `device_gib` is the memory of the device in GiB, if it is known.
    pub fn new(clock: fn() -> Duration, device_gib: Option<f64>) -> Self {
        let is_large = device_gib.is_some_and(|gib| gib >= LARGE_DEVICE_GIB);
        let memory = if is_large {
            LARGE_ENGINE_MEMORY
        } else {
            ENGINE_MEMORY
        };
        let engine = (Engine::new().with_memory(memory)).with_books(BookSet::embedded());
        // The limit need not be lower: a page can terminate its worker, which has no other clients.
        let max_time = TimeLimit::MAX.get();
        Self {
            engine: RequestEngine::new(engine, max_time, clock),
        }
    }

    /// Handles the request `name` with a JSON body and returns the JSON response. During the
    /// request `analyze`, `observer` receives the JSON of the result so far.
    ///
    /// # Errors
    /// The request is refused: returns a problem document as JSON text.
    pub fn handle(
        &mut self,
        name: &str,
        body: &str,
        observer: &mut dyn FnMut(&str),
    ) -> Result<String, String> {
        kalah_api::handle_request(name, body.as_bytes(), &mut self.engine, observer)
            .map_err(|problem| to_json(&problem.details()))
    }
}

/// Returns the problem document for requests after a panic.
fn worker_stopped_problem() -> String {
    to_json(&ProblemDetails {
        type_uri: "about:blank".to_owned(),
        title: "the engine has stopped".to_owned(),
        status: 500,
        detail: "an earlier request has stopped this worker: start another worker".to_owned(),
    })
}

fn to_json(document: &ProblemDetails) -> String {
    // The fields are texts and a number, which JSON can represent.
    serde_json::to_string(document)
        .unwrap_or_else(|error| unreachable!("a problem document: {error}"))
}

// The functions of the browser that the engine needs.
#[wasm_bindgen]
extern "C" {
    /// Returns the milliseconds since the start of the worker, from a monotonic clock.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;

    /// The memory of the device in GiB, rounded and at most 8. Not all browsers have it.
    #[wasm_bindgen(js_namespace = navigator, js_name = deviceMemory, thread_local_v2)]
    static DEVICE_MEMORY: Option<f64>;

    /// A JavaScript function that receives a snapshot of an analysis as JSON.
    #[wasm_bindgen(typescript_type = "(snapshot: string) => void")]
    pub type SnapshotCallback;

    /// Calls the function.
    #[wasm_bindgen(method)]
    fn call(this: &SnapshotCallback, receiver: &JsValue, snapshot: &str);
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
