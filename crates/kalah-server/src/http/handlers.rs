//! Handlers of the stateless API, which call `kalah-api`, and of health, metrics and problem types.

use std::num::NonZeroU32;

use axum::Extension;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use kalah_api::{
    Analyst, AnalyzeRequest, AnalyzeResponse, ChooseRequest, ChooseResponse, MoveRequest,
    MoveResultView, PlayRequest, PlayResponse, PositionRequest, PositionView, PresetView,
    ProblemKind, ReadRequest, ReadResponse, ReviewRequest, ReviewView, WriteRequest, WriteResponse,
    presets,
};
use kalah_tables::Variant;
use prometheus_client::encoding::text::encode;
use tokio::task::spawn_blocking;

use crate::http::error::{ProblemResponse, quote};
use crate::http::extract::{JsonBody, JsonResponse, LargeJsonBody, PathParam};
use crate::http::rate_limit::ClientIp;
use crate::state::SharedState;

/// The cost of an engine request in plain requests, in addition to the request itself.
const ENGINE_REQUEST_COST: NonZeroU32 = NonZeroU32::new(4).expect("not zero");

/// The cost of a request about a whole game in plain requests, in addition to the request itself.
const WHOLE_GAME_COST: NonZeroU32 = NonZeroU32::new(2).expect("not zero");

/// `GET /api/v1/rules`
pub(crate) async fn rules() -> JsonResponse<Vec<PresetView>> {
    JsonResponse(presets())
}

/// `POST /api/v1/position`
pub(crate) async fn position(
    JsonBody(request): JsonBody<PositionRequest>,
) -> Result<JsonResponse<PositionView>, ProblemResponse> {
    Ok(JsonResponse(request.execute()?))
}

/// `POST /api/v1/move`
pub(crate) async fn make_move(
    JsonBody(request): JsonBody<MoveRequest>,
) -> Result<JsonResponse<MoveResultView>, ProblemResponse> {
    Ok(JsonResponse(request.execute()?))
}

/// `POST /api/v1/play`
pub(crate) async fn play(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<PlayRequest>,
) -> Result<JsonResponse<PlayResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, WHOLE_GAME_COST)?;
    respond_blocking(move || request.execute()).await
}

/// `POST /api/v1/read`
pub(crate) async fn read(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    LargeJsonBody(request): LargeJsonBody<ReadRequest>,
) -> Result<JsonResponse<ReadResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, WHOLE_GAME_COST)?;
    respond_blocking(move || request.execute()).await
}

/// `POST /api/v1/write`
pub(crate) async fn write(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<WriteRequest>,
) -> Result<JsonResponse<WriteResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, WHOLE_GAME_COST)?;
    respond_blocking(move || request.execute()).await
}

/// `POST /api/v1/review`
pub(crate) async fn review(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    LargeJsonBody(request): LargeJsonBody<ReviewRequest>,
) -> Result<JsonResponse<ReviewView>, ProblemResponse> {
    state.check_rate_limit(client_ip, WHOLE_GAME_COST)?;
    respond_blocking(move || request.execute()).await
}

/// `POST /api/v1/analyze`
pub(crate) async fn analyze(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<AnalyzeRequest>,
) -> Result<JsonResponse<AnalyzeResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, ENGINE_REQUEST_COST)?;
    let variant = Variant::from_position(&request.position()?);
    let execute = move |analyst: &mut Analyst| request.execute(analyst);
    Ok(JsonResponse(
        state.analysis_pool.run(variant, execute).await?,
    ))
}

/// `POST /api/v1/choose`
pub(crate) async fn choose(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<ChooseRequest>,
) -> Result<JsonResponse<ChooseResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, ENGINE_REQUEST_COST)?;
    let variant = Variant::from_position(&request.position()?);
    // Requests that are answered at once do not wait for requests with a thinking time.
    let pool = if request.uses_time_limit()? {
        &state.analysis_pool
    } else {
        &state.opponent_pool
    };
    let execute = move |analyst: &mut Analyst| request.execute(analyst);
    Ok(JsonResponse(pool.run(variant, execute).await?))
}

/// Runs a request of some milliseconds on a blocking thread.
async fn respond_blocking<T: Send + 'static>(
    execute: impl FnOnce() -> Result<T, kalah_api::RequestError> + Send + 'static,
) -> Result<JsonResponse<T>, ProblemResponse> {
    match spawn_blocking(execute).await {
        Ok(result) => Ok(JsonResponse(result?)),
        Err(error) => {
            tracing::error!(%error, "a request about a game failed");
            Err(ProblemResponse::internal())
        }
    }
}

/// `GET /metrics`
pub(crate) async fn metrics(State(state): State<SharedState>) -> Response {
    const OPEN_METRICS: HeaderValue =
        HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    let mut text = String::new();
    match encode(&mut text, &state.metrics.registry) {
        Ok(()) => ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "cannot encode the metrics");
            ProblemResponse::internal().into_response()
        }
    }
}

/// `GET /healthz`
pub(crate) async fn health(
    State(state): State<SharedState>,
) -> Result<&'static str, ProblemResponse> {
    if state.shutdown.started.is_cancelled() {
        return Err(ProblemResponse::shutting_down());
    }
    Ok("ok\n")
}

/// `GET /problems/{kind}`: explains a type of problem.
pub(crate) async fn describe_problem(
    PathParam(name): PathParam,
) -> Result<String, ProblemResponse> {
    let kind = ProblemKind::from_name(&name).ok_or_else(|| {
        let detail = format!("there is no problem type {}", quote(&name));
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
