use serde::Serialize;

use crate::{
    AnalyseRequest, Analyst, ChooseRequest, PlayRequest, PositionRequest, PrepareRequest,
    ReadRequest, RequestError, SowRequest, WriteRequest, parse_request, presets,
};

/// Answers a question of any name: JSON for JSON.
///
/// ```
/// use std::time::Duration;
/// use kalah_api::{Analyst, handle_request};
/// use kalah_engine::Engine;
///
/// let mut thinker = Analyst::new(Engine::new(), Duration::from_secs(5), || Duration::ZERO);
/// let body = br#"{"position":"<3,1,1,0,0,1,1,0,0> s","opponent":"perfect"}"#;
/// let chosen = handle_request("choose", body, &mut thinker)?;
/// assert_eq!(chosen, r#"{"choice":"C","proven":null,"best":true}"#);
/// # Ok::<(), kalah_api::RequestError>(())
/// ```
///
/// # Errors
/// Why it is not answered.
pub fn handle_request(
    name: &str,
    body: &[u8],
    thinker: &mut Analyst,
) -> Result<String, RequestError> {
    Ok(match name {
        "rules" => to_json(&presets()),
        "position" => to_json(&parse_request::<PositionRequest>(body)?.execute()?),
        "sow" => to_json(&parse_request::<SowRequest>(body)?.execute()?),
        "play" => to_json(&parse_request::<PlayRequest>(body)?.execute()?),
        "read" => to_json(&parse_request::<ReadRequest>(body)?.execute()?),
        "write" => to_json(&parse_request::<WriteRequest>(body)?.execute()?),
        "analyse" => to_json(&parse_request::<AnalyseRequest>(body)?.execute(thinker)?),
        "prepare" => to_json(&parse_request::<PrepareRequest>(body)?.execute(thinker)?),
        "choose" => to_json(&parse_request::<ChooseRequest>(body)?.execute(thinker)?),
        _ => return Err(RequestError::UnknownRequest(name.to_owned())),
    })
}

/// An answer as JSON.
fn to_json(answer: &impl Serialize) -> String {
    // Its keys are texts and its numbers finite: there is nothing in it that JSON lacks.
    serde_json::to_string(answer).unwrap_or_else(|error| unreachable!("it is JSON: {error}"))
}
