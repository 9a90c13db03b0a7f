//! Questions to a worker's mind: what it is asked for, and what it cannot be.

use std::cell::Cell;
use std::time::Duration;

use kalah_api::{AnalyseResponse, MoveResultView, ProblemDetails};
use kalah_wasm::RequestHandler;

fn no_clock() -> Duration {
    Duration::ZERO
}

fn problem(question: &str, body: &str) -> ProblemDetails {
    let refused = RequestHandler::new(no_clock, None)
        .handle(question, body)
        .unwrap_err();
    serde_json::from_str(&refused).expect("a problem document")
}

#[test]
fn questions_are_answered() {
    let mut mind = RequestHandler::new(no_clock, None);
    let sown = mind.handle("sow", r#"{"choice":"C"}"#).unwrap();
    let sown: MoveResultView = serde_json::from_str(&sown).unwrap();
    assert_eq!(sown.path, ["D", "E", "F", "south"]);

    let rules = mind.handle("rules", "").unwrap();
    assert!(rules.starts_with(r#"[{"name":"cs32""#), "{rules}");

    let body = r#"{"position":"4x3","moves":"best"}"#;
    let analysis = mind.handle("analyse", body).unwrap();
    let analysis: AnalyseResponse = serde_json::from_str(&analysis).unwrap();
    assert!(analysis.bounds.exact);
    assert_eq!(analysis.margin, 6);
}

#[test]
fn problems_are_documents_that_quote() {
    let no_such = problem("guess", "{}");
    assert_eq!(
        (no_such.status, &*no_such.type_uri),
        (404, "/problems/no-such-question")
    );
    assert!(no_such.detail.contains("guess"), "{}", no_such.detail);
    assert_eq!(problem("sow", "house C").status, 400);
    assert_eq!(problem("sow", r#"{"house":"C"}"#).status, 422);
    let illegal = problem("sow", r#"{"position":"<2,0,0,0,1,1,1> s","choice":"A"}"#);
    assert_eq!(&*illegal.type_uri, "/problems/illegal-choice");
}

#[test]
fn time_is_kept_by_the_clock_that_is_handed_in() {
    thread_local!(static LOOKS: Cell<u64> = const { Cell::new(0) });
    /// A clock on which each look takes a millisecond.
    fn clock() -> Duration {
        LOOKS.set(LOOKS.get() + 1);
        Duration::from_millis(LOOKS.get())
    }
    let body = r#"{"position":"8x8","time":"200ms"}"#;
    let analysis = RequestHandler::new(clock, None)
        .handle("analyse", body)
        .unwrap();
    let analysis: AnalyseResponse = serde_json::from_str(&analysis).unwrap();
    assert!(!analysis.bounds.exact);
    // It looks a few times more while it sums up.
    let looks = LOOKS.get();
    assert!((190..220).contains(&looks), "{looks} looks");
}
