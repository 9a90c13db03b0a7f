//! Requests to the handler of a worker: responses, problems and the time limit.

use std::cell::Cell;
use std::time::Duration;

use kalah_api::{AnalyzeResponse, MoveResultView, ProblemDetails};
use kalah_wasm::RequestHandler;

fn stopped_clock() -> Duration {
    Duration::ZERO
}

fn problem(name: &str, body: &str) -> ProblemDetails {
    let problem = RequestHandler::new(stopped_clock, None)
        .handle(name, body, &mut |_| {})
        .unwrap_err();
    serde_json::from_str(&problem).expect("a problem document")
}

#[test]
fn requests_return_json() {
    let mut handler = RequestHandler::new(stopped_clock, None);
    let response = handler
        .handle("move", r#"{"move":"C"}"#, &mut |_| {})
        .unwrap();
    let result: MoveResultView = serde_json::from_str(&response).unwrap();
    assert_eq!(result.path, ["D", "E", "F", "south"]);

    let rules = handler.handle("rules", "", &mut |_| {}).unwrap();
    assert!(rules.starts_with(r#"[{"name":"cs32""#), "{rules}");

    let body = r#"{"position":"4x3","prove":"best"}"#;
    let analysis = handler.handle("analyze", body, &mut |_| {}).unwrap();
    let analysis: AnalyzeResponse = serde_json::from_str(&analysis).unwrap();
    assert!(analysis.bounds.exact);
    assert_eq!(analysis.margin, 6);
}

#[test]
fn refused_requests_return_problem_documents() {
    let unknown = problem("guess", "{}");
    assert_eq!(
        (unknown.status, &*unknown.type_uri),
        (404, "/problems/unknown-request")
    );
    assert!(unknown.detail.contains("guess"), "{}", unknown.detail);
    assert_eq!(problem("move", "house C").status, 400);
    assert_eq!(problem("move", r#"{"house":"C"}"#).status, 422);
    let illegal = problem("move", r#"{"position":"<2,0,0,0,1,1,1> s","move":"A"}"#);
    assert_eq!(&*illegal.type_uri, "/problems/illegal-move");
}

#[test]
fn search_time_is_that_of_the_given_clock() {
    thread_local!(static READS: Cell<u64> = const { Cell::new(0) });
    /// A clock that advances a millisecond with each read.
    fn clock() -> Duration {
        READS.set(READS.get() + 1);
        Duration::from_millis(READS.get())
    }
    let body = r#"{"position":"8x8","time":"200ms"}"#;
    let analysis = RequestHandler::new(clock, None)
        .handle("analyze", body, &mut |_| {})
        .unwrap();
    let analysis: AnalyzeResponse = serde_json::from_str(&analysis).unwrap();
    assert!(!analysis.bounds.exact);
    // The summary of the search reads the clock a few more times.
    let reads = READS.get();
    assert!((190..220).contains(&reads), "{reads} reads");
}
