//! Handlers of the stateless API, which call `kalah-api`, and of health, metrics and problem types.

use axum::Extension;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use kalah_api::{
    AnalyseRequest, AnalyseResponse, Analyst, ChooseRequest, ChooseResponse, MoveResultView,
    PlayRequest, PlayResponse, PositionRequest, PositionView, PresetView, ProblemKind, ReadRequest,
    ReadResponse, SowRequest, WriteRequest, WriteResponse, presets,
};
use kalah_tables::Variant;
use prometheus_client::encoding::text::encode;
use tokio::task::spawn_blocking;

use crate::http::error::{ProblemResponse, quote};
use crate::http::extract::{JsonBody, JsonResponse, LargeJsonBody, PathParam};
use crate::http::rate_limit::ClientIp;
use crate::state::SharedState;

/// The cost of an engine request in plain requests, in addition to the request itself.
const ENGINE_REQUEST_COST: u32 = 4;

/// The cost of a request about a whole game in plain requests, in addition to the request itself.
const WHOLE_GAME_COST: u32 = 2;

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
    // Requests that are answered at once do not wait for requests with a thinking time.
    let analysts = if question.uses_time_limit()? {
        &service.analysis_pool
    } else {
        &service.opponent_pool
    };
    let answer = move |thinker: &mut Analyst| question.execute(thinker);
    Ok(JsonResponse(analysts.run(variant, answer).await?))
}

/// Runs a request of some milliseconds on a blocking thread.
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

/// `GET /metrics`
pub(crate) async fn metrics(State(service): State<SharedState>) -> Response {
    const OPEN_METRICS: HeaderValue =
        HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    let mut text = String::new();
    match encode(&mut text, &service.metrics.registry) {
        Ok(()) => ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "metrics cannot be written");
            ProblemResponse::internal().into_response()
        }
    }
}

/// `GET /healthz`
pub(crate) async fn health(
    State(service): State<SharedState>,
) -> Result<&'static str, ProblemResponse> {
    if service.shutdown.started.is_cancelled() {
        return Err(ProblemResponse::shutting_down());
    }
    Ok("ok\n")
}

/// `GET /problems/{kind}`: explains a type of problem.
pub(crate) async fn describe_problem(
    PathParam(name): PathParam,
) -> Result<String, ProblemResponse> {
    let kind = ProblemKind::from_name(&name).ok_or_else(|| {
        let detail = format!("there is no kind of problem called {}", quote(&name));
        ProblemResponse::new(StatusCode::NOT_FOUND, detail)
    })?;
    Ok(format!("{}\n\n{}\n", kind.title(), kind.description()))
}

/// Returns a 404 problem for a path without a route.
pub(crate) async fn not_found(uri: axum::http::Uri) -> impl IntoResponse {
    let detail = format!("there is nothing at {}", quote(uri.path()));
    ProblemResponse::new(StatusCode::NOT_FOUND, detail)
}

/// `GET /api/v1/openapi.json`
pub(crate) async fn openapi() -> impl IntoResponse {
    const JSON: &str = "application/json";
    (
        [(axum::http::header::CONTENT_TYPE, JSON)],
        include_str!("../../openapi.json"),
    )
}
