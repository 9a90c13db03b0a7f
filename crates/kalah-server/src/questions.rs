//! What is asked about positions and games: each handler hands a question on to `kalah-api`.

use axum::Extension;
use axum::extract::State;
use kalah_api::{
    AnalyseQuestion, Analysis, ChooseQuestion, Chosen, Games, PlayQuestion, Played,
    PositionQuestion, PositionView, PresetView, ReadQuestion, SowQuestion, SownView, Thinker,
    WriteQuestion, Written, presets,
};
use kalah_tables::Variant;
use tokio::task::spawn_blocking;

use crate::answer::Answer;
use crate::asked::{Asked, AskedAtLength};
use crate::problem::Problem;
use crate::service::Shared;
use crate::visitor::Visitor;

/// `GET /api/v1/rules`
pub(crate) async fn rules() -> Answer<Vec<PresetView>> {
    Answer(presets())
}

/// `POST /api/v1/position`
pub(crate) async fn position(
    Asked(question): Asked<PositionQuestion>,
) -> Result<Answer<PositionView>, Problem> {
    Ok(Answer(question.answer()?))
}

/// `POST /api/v1/sow`
pub(crate) async fn sow(Asked(question): Asked<SowQuestion>) -> Result<Answer<SownView>, Problem> {
    Ok(Answer(question.answer()?))
}

/// `POST /api/v1/play`
pub(crate) async fn play(
    State(service): State<Shared>,
    Extension(visitor): Extension<Visitor>,
    Asked(question): Asked<PlayQuestion>,
) -> Result<Answer<Played>, Problem> {
    service.admit(visitor, GAME)?;
    whole_game(move || question.answer()).await
}

/// `POST /api/v1/read`
pub(crate) async fn read(
    State(service): State<Shared>,
    Extension(visitor): Extension<Visitor>,
    AskedAtLength(question): AskedAtLength<ReadQuestion>,
) -> Result<Answer<Games>, Problem> {
    service.admit(visitor, GAME)?;
    whole_game(move || question.answer()).await
}

/// `POST /api/v1/write`
pub(crate) async fn write(
    State(service): State<Shared>,
    Extension(visitor): Extension<Visitor>,
    Asked(question): Asked<WriteQuestion>,
) -> Result<Answer<Written>, Problem> {
    service.admit(visitor, GAME)?;
    whole_game(move || question.answer()).await
}

/// `POST /api/v1/analyse`
pub(crate) async fn analyse(
    State(service): State<Shared>,
    Extension(visitor): Extension<Visitor>,
    Asked(question): Asked<AnalyseQuestion>,
) -> Result<Answer<Analysis>, Problem> {
    service.admit(visitor, THOUGHT)?;
    let variant = Variant::from_position(&question.position()?);
    let answer = move |thinker: &mut Thinker| question.answer(thinker);
    Ok(Answer(service.analysts.ask(variant, answer).await?))
}

/// `POST /api/v1/choose`
pub(crate) async fn choose(
    State(service): State<Shared>,
    Extension(visitor): Extension<Visitor>,
    Asked(question): Asked<ChooseQuestion>,
) -> Result<Answer<Chosen>, Problem> {
    service.admit(visitor, THOUGHT)?;
    let variant = Variant::from_position(&question.position()?);
    // Who answers at once does not wait for those who take their time.
    let analysts = if question.takes_time()? {
        &service.analysts
    } else {
        &service.opponents
    };
    let answer = move |thinker: &mut Thinker| question.answer(thinker);
    Ok(Answer(analysts.ask(variant, answer).await?))
}

/// The plain requests that a question to an engine counts for, beside the one that it is.
const THOUGHT: u32 = 4;

/// The plain requests that a question about a whole game counts for, beside the one that it is.
const GAME: u32 = 2;

/// An answer that can take some milliseconds, during which others are answered too.
async fn whole_game<A: Send + 'static>(
    answer: impl FnOnce() -> Result<A, kalah_api::Problem> + Send + 'static,
) -> Result<Answer<A>, Problem> {
    match spawn_blocking(answer).await {
        Ok(answer) => Ok(Answer(answer?)),
        Err(failed) => {
            tracing::error!(%failed, "a question about a game was not answered");
            Err(Problem::internal())
        }
    }
}
