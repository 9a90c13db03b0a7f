//! The execution of a request by its name, from JSON to JSON.

use serde::Serialize;

use crate::{
    AnalyzeRequest, ChooseRequest, MoveRequest, PlayRequest, PositionRequest, PrepareRequest,
    PuzzleRequest, ReadRequest, RequestEngine, RequestError, ReviewRequest, WriteRequest,
    parse_request, presets,
};

/// Executes the request `name` with the JSON object `body`, and returns the response as JSON. During
/// the request `analyze`, `observer` receives the result so far as JSON, in the form of the response.
///
/// | name | request | response |
/// | --- | --- | --- |
/// | `rules` | none, `body` is ignored | a list of [`PresetView`](crate::PresetView) |
/// | `position` | [`PositionRequest`] | [`PositionView`](crate::PositionView) |
/// | `move` | [`MoveRequest`] | [`MoveResultView`](crate::MoveResultView) |
/// | `play` | [`PlayRequest`] | [`PlayResponse`](crate::PlayResponse) |
/// | `read` | [`ReadRequest`] | [`ReadResponse`](crate::ReadResponse) |
/// | `write` | [`WriteRequest`] | [`WriteResponse`](crate::WriteResponse) |
/// | `review` | [`ReviewRequest`] | [`ReviewView`](crate::ReviewView) |
/// | `analyze` | [`AnalyzeRequest`] | [`AnalyzeResponse`](crate::AnalyzeResponse) |
/// | `prepare` | [`PrepareRequest`] | [`PrepareResponse`](crate::PrepareResponse) |
/// | `choose` | [`ChooseRequest`] | [`ChooseResponse`](crate::ChooseResponse) |
/// | `puzzle` | [`PuzzleRequest`] | [`PuzzleResponse`](crate::PuzzleResponse) |
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
    Ok(match name {
        "rules" => to_json(&presets()),
        "position" => to_json(&parse_request::<PositionRequest>(body)?.execute()?),
        "move" => to_json(&parse_request::<MoveRequest>(body)?.execute()?),
        "play" => to_json(&parse_request::<PlayRequest>(body)?.execute()?),
        "read" => to_json(&parse_request::<ReadRequest>(body)?.execute()?),
        "write" => to_json(&parse_request::<WriteRequest>(body)?.execute()?),
        "review" => to_json(&parse_request::<ReviewRequest>(body)?.execute()?),
        "analyze" => {
            let request = parse_request::<AnalyzeRequest>(body)?;
            to_json(&request.execute_with_snapshots(engine, &mut |snapshot| {
                observer(&to_json(snapshot));
            })?)
        }
        "prepare" => to_json(&parse_request::<PrepareRequest>(body)?.execute(engine)?),
        "choose" => to_json(&parse_request::<ChooseRequest>(body)?.execute(engine)?),
        "puzzle" => to_json(&parse_request::<PuzzleRequest>(body)?.execute()?),
        _ => return Err(RequestError::UnknownRequest(name.to_owned())),
    })
}

/// Serializes a response.
fn to_json(response: &impl Serialize) -> String {
    // The keys of all responses are strings, so serialization cannot fail.
    serde_json::to_string(response)
        .unwrap_or_else(|error| unreachable!("a response is serializable: {error}"))
}
