use std::time::Duration;

use kalah_api::{Analyst, ProblemDetails};
use kalah_engine::Engine;
use kalah_players::TimeLimit;

/// What a worker answers with.
///
/// ```
/// use std::time::Duration;
/// use kalah_wasm::RequestHandler;
///
/// let mut mind = RequestHandler::new(|| Duration::ZERO, None);
/// let body = r#"{"position":"<3,1,1,0,0,1,1,0,0> s","opponent":"level:3"}"#;
/// assert_eq!(mind.execute("choose", body).as_deref(), Ok(r#"{"choice":"C","proven":null,"best":false}"#));
/// ```
pub struct RequestHandler {
    analyst: Analyst,
}

/// Memory of the engine, in bytes: room for the table of 6x4 with 22 seeds and for what a search remembers. A table for
/// a question that is limited to five seconds takes a third of it at most; more is taken by a page that prepares
/// its worker.
const ENGINE_MEMORY: usize = 704 << 20;

/// The same with 23 seeds, and the memory of devices that can spare so much, in GiB.
const LARGE_ENGINE_MEMORY: usize = 976 << 20;
const LARGE_DEVICE_GIB: f64 = 8.0;

impl RequestHandler {
    /// One that has found nothing yet. `clock` tells the time since any fixed moment; `device` is the memory of the
    /// device in GiB, if that is known.
    pub fn new(clock: fn() -> Duration, device: Option<f64>) -> Self {
        let is_large = device.is_some_and(|device| device >= LARGE_DEVICE_GIB);
        let engine = Engine::new().with_memory(if is_large {
            LARGE_ENGINE_MEMORY
        } else {
            ENGINE_MEMORY
        });
        // Whoever waits can end the worker, and waits for nobody else.
        let most_time = TimeLimit::MAX.get();
        Self {
            analyst: Analyst::new(engine, most_time, clock),
        }
    }

    /// Answers a question of that name: JSON for JSON.
    ///
    /// # Errors
    /// Why it is not answered: a problem document.
    pub fn handle(&mut self, question: &str, body: &str) -> Result<String, String> {
        kalah_api::handle_request(question, body.as_bytes(), &mut self.analyst)
            .map_err(|problem| to_json(&problem.details()))
    }
}

/// A problem document for questions that come after a panic.
pub(crate) fn stopped_problem() -> String {
    to_json(&ProblemDetails {
        type_uri: "about:blank".to_owned(),
        title: "the engine has stopped".to_owned(),
        status: 500,
        detail: "an earlier question has stopped this worker: start another".to_owned(),
    })
}

fn to_json(document: &ProblemDetails) -> String {
    // Its fields are texts and a number: there is nothing in it that JSON lacks.
    serde_json::to_string(document).unwrap_or_else(|error| unreachable!("it is JSON: {error}"))
}
