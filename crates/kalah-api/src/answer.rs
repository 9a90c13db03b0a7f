use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::{
    AnalyseQuestion, ChooseQuestion, Object, PlayQuestion, PositionQuestion, PrepareQuestion,
    Problem, ReadQuestion, SowQuestion, Thinker, WriteQuestion, presets,
};

/// The question that a text in JSON asks.
///
/// # Errors
/// [`Problem::NoJson`] and [`Problem::NotTheQuestion`].
pub fn question<Q: DeserializeOwned>(body: &[u8]) -> Result<Q, Problem> {
    match serde_json::from_slice(body) {
        Ok(Object(question)) => Ok(question),
        Err(error) => {
            // Something may be wrong before the place where it ceases to be JSON.
            serde_json::from_slice::<IgnoredAny>(body).map_err(|error| Problem::of_json(&error))?;
            Err(Problem::of_json(&error))
        }
    }
}

/// Answers a question of any name: JSON for JSON.
///
/// ```
/// use std::time::Duration;
/// use kalah_api::{Thinker, answer};
/// use kalah_engine::Engine;
///
/// let mut thinker = Thinker::new(Engine::new(), Duration::from_secs(5), || Duration::ZERO);
/// let body = br#"{"position":"<3,1,1,0,0,1,1,0,0> s","opponent":"perfect"}"#;
/// let chosen = answer("choose", body, &mut thinker)?;
/// assert_eq!(chosen, r#"{"choice":"C","proven":null,"best":true}"#);
/// # Ok::<(), kalah_api::Problem>(())
/// ```
///
/// # Errors
/// Why it is not answered.
pub fn answer(name: &str, body: &[u8], thinker: &mut Thinker) -> Result<String, Problem> {
    Ok(match name {
        "rules" => text(&presets()),
        "position" => text(&question::<PositionQuestion>(body)?.answer()?),
        "sow" => text(&question::<SowQuestion>(body)?.answer()?),
        "play" => text(&question::<PlayQuestion>(body)?.answer()?),
        "read" => text(&question::<ReadQuestion>(body)?.answer()?),
        "write" => text(&question::<WriteQuestion>(body)?.answer()?),
        "analyse" => text(&question::<AnalyseQuestion>(body)?.answer(thinker)?),
        "prepare" => text(&question::<PrepareQuestion>(body)?.answer(thinker)?),
        "choose" => text(&question::<ChooseQuestion>(body)?.answer(thinker)?),
        _ => return Err(Problem::NoSuchQuestion(name.to_owned())),
    })
}

/// An answer as JSON.
fn text(answer: &impl Serialize) -> String {
    // Its keys are texts and its numbers finite: there is nothing in it that JSON lacks.
    serde_json::to_string(answer).unwrap_or_else(|error| unreachable!("it is JSON: {error}"))
}
