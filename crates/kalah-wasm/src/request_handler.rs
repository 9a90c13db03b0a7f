//! The handler of requests, without JavaScript.

use std::time::Duration;

use kalah_api::{ProblemDetails, RequestEngine};
use kalah_engine::Engine;
use kalah_players::TimeLimit;

/// Handles the requests of a page with one engine.
///
/// ```
/// use std::time::Duration;
/// use kalah_wasm::RequestHandler;
///
/// let mut handler = RequestHandler::new(|| Duration::ZERO, None);
/// let body = r#"{"position":"<3,1,1,0,0,1,1,0,0> s","opponent":"level:3"}"#;
/// let response = handler.handle("choose", body);
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
        let engine = Engine::new().with_memory(if is_large {
            LARGE_ENGINE_MEMORY
        } else {
            ENGINE_MEMORY
        });
        // The limit need not be lower: a page can terminate its worker, which has no other clients.
        let max_time = TimeLimit::MAX.get();
        Self {
            engine: RequestEngine::new(engine, max_time, clock),
        }
    }

    /// Handles the request `name` with a JSON body and returns the JSON response.
    ///
    /// # Errors
    /// The request is refused: returns a problem document as JSON text.
    pub fn handle(&mut self, name: &str, body: &str) -> Result<String, String> {
        kalah_api::handle_request(name, body.as_bytes(), &mut self.engine)
            .map_err(|problem| to_json(&problem.details()))
    }
}

/// Returns the problem document for requests after a panic.
pub(crate) fn worker_stopped_problem() -> String {
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
