//! The execution of a request by its name, from JSON to JSON.

use serde::Serialize;

use crate::endpoint::{Endpoint, EndpointVisitor, Execution, visit_endpoints};
use crate::{RequestEngine, RequestError, parse_request};

/// Executes the request with the [`Endpoint::NAME`] `name` and the JSON object `body`, and returns
/// the response as JSON. During a search that reports results before its end, `observer` receives
/// each result so far as JSON, in the form of the response.
///
/// ```
/// use std::time::Duration;
/// use kalah_api::{RequestEngine, handle_request};
/// use kalah_engine::Engine;
///
/// let clock = || Duration::ZERO;
/// let mut engine = RequestEngine::new(Engine::new(), Duration::from_secs(5), clock);
/// let body = br#"{"position":"<3,1,1,0,0,1,1,0,0> s","opponent":"smart"}"#;
/// let response = handle_request("choose", body, &mut engine, &mut |_| {})?;
/// assert_eq!(response, r#"{"move":"C","bounds":null,"is_best":true}"#);
/// # Ok::<(), kalah_api::RequestError>(())
/// ```
///
/// # Errors
/// [`RequestError::UnknownRequest`], the errors of [`parse_request`] and those of the request.
pub fn handle_request(
    name: &str,
    body: &[u8],
    engine: &mut RequestEngine,
    observer: &mut dyn FnMut(&str),
) -> Result<String, RequestError> {
    let mut dispatcher = Dispatcher {
        name,
        body,
        engine,
        observer,
        response: None,
    };
    visit_endpoints(&mut dispatcher);
    dispatcher
        .response
        .unwrap_or_else(|| Err(RequestError::UnknownRequest(name.to_owned())))
}

/// Executes a request when it visits the endpoint with the name of the request.
struct Dispatcher<'a> {
    name: &'a str,
    body: &'a [u8],
    engine: &'a mut RequestEngine,
    observer: &'a mut dyn FnMut(&str),
    response: Option<Result<String, RequestError>>,
}

impl EndpointVisitor for Dispatcher<'_> {
    fn visit<Q: Endpoint>(&mut self) {
        if Q::NAME == self.name {
            self.response = Some(self.execute::<Q>().map(|response| to_json(&response)));
        }
    }
}

impl Dispatcher<'_> {
    fn execute<Q: Endpoint>(&mut self) -> Result<Q::Response, RequestError> {
        match Q::EXECUTION {
            Execution::Constant(execute) => Ok(execute()),
            Execution::Immediate(execute)
            | Execution::WholeGame(execute)
            | Execution::Lookup { execute, .. } => execute(&parse_request(self.body)?),
            Execution::Search { execute, .. } => {
                let request = parse_request(self.body)?;
                execute(&request, self.engine, &mut |snapshot| {
                    (self.observer)(&to_json(snapshot));
                })
            }
            Execution::Preparation(execute) => execute(&parse_request(self.body)?, self.engine),
        }
    }
}

/// Serializes a response.
fn to_json(response: &impl Serialize) -> String {
    // The keys of all responses are strings, so serialization cannot fail.
    serde_json::to_string(response)
        .unwrap_or_else(|error| unreachable!("a response is serializable: {error}"))
}
