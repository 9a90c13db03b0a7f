//! What is asked about positions and games: each handler hands a question on to `kalah-api`.

use axum::Extension;
use axum::extract::State;
use kalah_api::{
    AnalyseRequest, AnalyseResponse, Analyst, ChooseRequest, ChooseResponse, MoveResultView,
    PlayRequest, PlayResponse, PositionRequest, PositionView, PresetView, ReadRequest,
    ReadResponse, SowRequest, WriteRequest, WriteResponse, presets,
};
use kalah_tables::Variant;
use tokio::task::spawn_blocking;

use crate::answer::JsonResponse;
use crate::asked::{JsonBody, LargeJsonBody};
use crate::problem::ProblemResponse;
use crate::service::SharedState;
use crate::visitor::ClientIp;

/// `GET /api/v1/rules`
pub(crate) async fn rules() -> JsonResponse<Vec<PresetView>> {
    JsonResponse(presets())
}

/// `POST /api/v1/position`
pub(crate) async fn position(
    JsonBody(question): JsonBody<PositionRequest>,
) -> Result<JsonResponse<PositionView>, ProblemResponse> {
    Ok(JsonResponse(question.execute()?))
}

/// `POST /api/v1/sow`
pub(crate) async fn sow(
    JsonBody(question): JsonBody<SowRequest>,
) -> Result<JsonResponse<MoveResultView>, ProblemResponse> {
    Ok(JsonResponse(question.execute()?))
}

/// `POST /api/v1/play`
pub(crate) async fn play(
    State(service): State<SharedState>,
    Extension(visitor): Extension<ClientIp>,
    JsonBody(question): JsonBody<PlayRequest>,
) -> Result<JsonResponse<PlayResponse>, ProblemResponse> {
    service.check_rate_limit(visitor, WHOLE_GAME_COST)?;
    respond_blocking(move || question.execute()).await
}

/// `POST /api/v1/read`
pub(crate) async fn read(
    State(service): State<SharedState>,
    Extension(visitor): Extension<ClientIp>,
    LargeJsonBody(question): LargeJsonBody<ReadRequest>,
) -> Result<JsonResponse<ReadResponse>, ProblemResponse> {
    service.check_rate_limit(visitor, WHOLE_GAME_COST)?;
    respond_blocking(move || question.execute()).await
}

/// `POST /api/v1/write`
pub(crate) async fn write(
    State(service): State<SharedState>,
    Extension(visitor): Extension<ClientIp>,
    JsonBody(question): JsonBody<WriteRequest>,
) -> Result<JsonResponse<WriteResponse>, ProblemResponse> {
    service.check_rate_limit(visitor, WHOLE_GAME_COST)?;
    respond_blocking(move || question.execute()).await
}

/// `POST /api/v1/analyse`
pub(crate) async fn analyse(
    State(service): State<SharedState>,
    Extension(visitor): Extension<ClientIp>,
    JsonBody(question): JsonBody<AnalyseRequest>,
) -> Result<JsonResponse<AnalyseResponse>, ProblemResponse> {
    service.check_rate_limit(visitor, ENGINE_REQUEST_COST)?;
    let variant = Variant::from_position(&question.position()?);
    let answer = move |thinker: &mut Analyst| question.execute(thinker);
    Ok(JsonResponse(
        service.analysis_pool.run(variant, answer).await?,
    ))
}

/// `POST /api/v1/choose`
pub(crate) async fn choose(
    State(service): State<SharedState>,
    Extension(visitor): Extension<ClientIp>,
    JsonBody(question): JsonBody<ChooseRequest>,
) -> Result<JsonResponse<ChooseResponse>, ProblemResponse> {
    service.check_rate_limit(visitor, ENGINE_REQUEST_COST)?;
    let variant = Variant::from_position(&question.position()?);
    // Who answers at once does not wait for those who take their time.
    let analysts = if question.uses_time_limit()? {
        &service.analysis_pool
    } else {
        &service.opponent_pool
    };
    let answer = move |thinker: &mut Analyst| question.execute(thinker);
    Ok(JsonResponse(analysts.run(variant, answer).await?))
}

/// The plain requests that a question to an engine counts for, beside the one that it is.
const ENGINE_REQUEST_COST: u32 = 4;

/// The plain requests that a question about a whole game counts for, beside the one that it is.
const WHOLE_GAME_COST: u32 = 2;

/// An answer that can take some milliseconds, during which others are answered too.
async fn respond_blocking<A: Send + 'static>(
    answer: impl FnOnce() -> Result<A, kalah_api::RequestError> + Send + 'static,
) -> Result<JsonResponse<A>, ProblemResponse> {
    match spawn_blocking(answer).await {
        Ok(answer) => Ok(JsonResponse(answer?)),
        Err(failed) => {
            tracing::error!(%failed, "a question about a game was not answered");
            Err(ProblemResponse::internal())
        }
    }
}
