//! The routes of the server with the middleware around them, and their handlers: the stateless API,
//! which calls `kalah-api`, health, metrics and problem types.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::handler::Handler;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use axum::{Extension, Router};
use kalah::Variant;
use kalah_api::{
    AnalyzeRequest, AnalyzeResponse, ChooseRequest, ChooseResponse, MoveRequest, MoveResultView,
    PlayRequest, PlayResponse, PositionRequest, PositionView, PresetView, ProblemKind,
    PuzzleRequest, PuzzleResponse, ReadRequest, ReadResponse, RequestEngine, ReviewRequest,
    ReviewView, WriteRequest, WriteResponse, presets,
};
use prometheus_client::encoding::text::encode;
use tokio::task::spawn_blocking;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::engine_pool::{EngineRequest, RequestKind};
use crate::games::routes as games;
use crate::http::error::ProblemResponse;
use crate::http::extract::{JsonBody, JsonResponse, LargeJsonBody, PathParam};
use crate::http::rate_limit::ClientIp;
use crate::http::{analysis_stream, middleware, static_files};
use crate::state::{ServerState, SharedState};
use kalah_store::quote_input;

/// A router together with the list of its API routes.
pub(crate) struct Routes {
    router: Router<SharedState>,
    paths: Vec<(Method, &'static str)>,
}

impl Routes {
    /// Returns all routes of the server.
    pub(crate) fn all() -> Self {
        Self {
            router: Router::new(),
            paths: Vec::new(),
        }
        .get("/healthz", health)
        .get("/metrics", metrics)
        .get("/problems/{kind}", describe_problem)
        .get("/api/v1/openapi.json", openapi)
        .get("/api/v1/rules", rules)
        .post("/api/v1/position", position)
        .post("/api/v1/move", make_move)
        .post("/api/v1/play", play)
        .post("/api/v1/analyze", analyze)
        .get("/api/v1/analyses", analysis_stream::stream)
        .post("/api/v1/choose", choose)
        .post("/api/v1/puzzle", puzzle)
        .post("/api/v1/read", read)
        .post("/api/v1/write", write)
        .post("/api/v1/review", review)
        .post("/api/v1/games", games::create)
        .get("/api/v1/games/{game}", games::state)
        .post("/api/v1/games/{game}/plies", games::play_move)
        .post("/api/v1/games/{game}/resign", games::resign)
        .post("/api/v1/games/{game}/name", games::set_name)
        .post("/api/v1/games/{game}/takeback", games::takeback)
        .post("/api/v1/games/{game}/rematch", games::rematch)
        .get("/api/v1/games/{game}/live", games::websocket)
    }

    /// Adds a handler of `GET` at `path`.
    #[must_use]
    fn get<H, T>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, SharedState>,
        T: 'static,
    {
        self.on(MethodFilter::GET, Method::GET, path, handler)
    }

    /// Adds a handler of `POST` at `path`.
    #[must_use]
    fn post<H, T>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, SharedState>,
        T: 'static,
    {
        self.on(MethodFilter::POST, Method::POST, path, handler)
    }

    fn on<H, T>(
        mut self,
        filter: MethodFilter,
        method: Method,
        path: &'static str,
        handler: H,
    ) -> Self
    where
        H: Handler<T, SharedState>,
        T: 'static,
    {
        self.paths.push((method, path));
        Self {
            router: self.router.route(path, on(filter, handler)),
            ..self
        }
    }

    /// Returns the router: the listed routes, and the files of the page at all other paths.
    fn router(self) -> Router<SharedState> {
        self.router
            .route("/api/{*path}", axum::routing::any(not_found))
            .route("/", axum::routing::get(static_files::index))
            .route("/{*path}", axum::routing::get(static_files::file_at_path))
            .fallback(not_found)
    }
}

/// Returns the method and path of every API route, as `openapi.json` lists them.
pub fn routes() -> Vec<(String, String)> {
    let paths = Routes::all().paths.into_iter();
    paths
        .map(|(method, path)| (method.to_string(), path.to_owned()))
        .collect()
}

/// Wraps `routes` in the middleware of all requests.
pub(crate) fn router(state: &SharedState, routes: Routes) -> Router {
    routes
        .router()
        .layer(from_fn_with_state(
            Arc::clone(state),
            middleware::check_request,
        ))
        .layer(CatchPanicLayer::custom(middleware::handle_panic))
        .layer(from_fn(middleware::errors_to_problems))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(
            Arc::clone(state),
            middleware::log_request,
        ))
        .with_state(Arc::clone(state))
}

/// The cost of an engine request in plain requests, in addition to the request itself.
pub(crate) const ENGINE_REQUEST_COST: NonZeroU32 = NonZeroU32::new(4).expect("not zero");

/// The cost of a request about a whole game in plain requests, in addition to the request itself.
const WHOLE_GAME_COST: NonZeroU32 = NonZeroU32::new(2).expect("not zero");

/// The time in which a puzzle is found, or the request gives up.
const PUZZLE_TIME: Duration = Duration::from_secs(1);

/// `GET /api/v1/rules`
async fn rules() -> JsonResponse<Vec<PresetView>> {
    JsonResponse(presets())
}

/// `POST /api/v1/position`
async fn position(
    JsonBody(request): JsonBody<PositionRequest>,
) -> Result<JsonResponse<PositionView>, ProblemResponse> {
    Ok(JsonResponse(request.execute()?))
}

/// `POST /api/v1/move`
async fn make_move(
    JsonBody(request): JsonBody<MoveRequest>,
) -> Result<JsonResponse<MoveResultView>, ProblemResponse> {
    Ok(JsonResponse(request.execute()?))
}

/// `POST /api/v1/play`
async fn play(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<PlayRequest>,
) -> Result<JsonResponse<PlayResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, WHOLE_GAME_COST)?;
    respond_blocking(move || request.execute()).await
}

/// `POST /api/v1/read`
async fn read(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    LargeJsonBody(request): LargeJsonBody<ReadRequest>,
) -> Result<JsonResponse<ReadResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, WHOLE_GAME_COST)?;
    respond_blocking(move || request.execute()).await
}

/// `POST /api/v1/write`
async fn write(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<WriteRequest>,
) -> Result<JsonResponse<WriteResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, WHOLE_GAME_COST)?;
    respond_blocking(move || request.execute()).await
}

/// `POST /api/v1/review`
async fn review(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    LargeJsonBody(request): LargeJsonBody<ReviewRequest>,
) -> Result<JsonResponse<ReviewView>, ProblemResponse> {
    state.check_rate_limit(client_ip, WHOLE_GAME_COST)?;
    respond_blocking(move || request.execute()).await
}

/// `POST /api/v1/analyze`
async fn analyze(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<AnalyzeRequest>,
) -> Result<JsonResponse<AnalyzeResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, ENGINE_REQUEST_COST)?;
    let engine_request = analysis_engine_request(&state, client_ip, &request)?;
    let execute = move |engine: &mut RequestEngine| request.execute(engine);
    let response = state.analysis_pool.run(engine_request, execute).await?;
    Ok(JsonResponse(response))
}

/// Returns the request of an analysis to the engine pool.
///
/// # Errors
/// Returns a problem if the position or the time limit is invalid.
pub(crate) fn analysis_engine_request(
    state: &ServerState,
    client_ip: ClientIp,
    request: &AnalyzeRequest,
) -> Result<EngineRequest, ProblemResponse> {
    Ok(EngineRequest {
        client: client_ip,
        kind: RequestKind::Analysis,
        variant: Variant::from_position(&request.position()?),
        time_limit: request.time_limit(state.limits.max_engine_time)?,
    })
}

/// `POST /api/v1/choose`
async fn choose(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<ChooseRequest>,
) -> Result<JsonResponse<ChooseResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, ENGINE_REQUEST_COST)?;
    let variant = Variant::from_position(&request.position()?);
    // Requests that are answered at once do not wait for requests with a thinking time.
    let (pool, time_limit) = match request.time_limit(state.limits.max_engine_time)? {
        Some(time_limit) => (&state.analysis_pool, time_limit),
        None => (&state.opponent_pool, Duration::ZERO),
    };
    let engine_request = EngineRequest {
        client: client_ip,
        kind: RequestKind::OpponentMove,
        variant,
        time_limit,
    };
    let execute = move |engine: &mut RequestEngine| request.execute(engine);
    Ok(JsonResponse(pool.run(engine_request, execute).await?))
}

/// `POST /api/v1/puzzle`
async fn puzzle(
    State(state): State<SharedState>,
    Extension(client_ip): Extension<ClientIp>,
    JsonBody(request): JsonBody<PuzzleRequest>,
) -> Result<JsonResponse<PuzzleResponse>, ProblemResponse> {
    state.check_rate_limit(client_ip, ENGINE_REQUEST_COST)?;
    let engine_request = EngineRequest {
        client: client_ip,
        kind: RequestKind::Analysis,
        variant: Variant::from_position(&request.position()?),
        time_limit: PUZZLE_TIME,
    };
    // The request searches with an engine of its own, because a puzzle depends on its seed alone. A
    // worker runs it, because it takes up to a second.
    let execute = move |_: &mut RequestEngine| request.execute();
    Ok(JsonResponse(
        state.analysis_pool.run(engine_request, execute).await?,
    ))
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
async fn metrics(State(state): State<SharedState>) -> Response {
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
async fn health(State(state): State<SharedState>) -> Result<&'static str, ProblemResponse> {
    if state.shutdown.started.is_cancelled() {
        return Err(ProblemResponse::shutting_down());
    }
    Ok("ok\n")
}

/// `GET /problems/{kind}`: explains a type of problem.
async fn describe_problem(PathParam(name): PathParam) -> Result<String, ProblemResponse> {
    let kind = ProblemKind::from_name(&name).ok_or_else(|| {
        let detail = format!("there is no problem type {}", quote_input(&name));
        ProblemResponse::new(StatusCode::NOT_FOUND, detail)
    })?;
    Ok(format!("{}\n\n{}\n", kind.title(), kind.description()))
}

/// Returns a 404 problem for a path without a route.
async fn not_found(uri: Uri) -> impl IntoResponse {
    let detail = format!("there is nothing at {}", quote_input(uri.path()));
    ProblemResponse::new(StatusCode::NOT_FOUND, detail)
}

/// `GET /api/v1/openapi.json`
async fn openapi() -> impl IntoResponse {
    const JSON: &str = "application/json";
    ([(CONTENT_TYPE, JSON)], include_str!("../../openapi.json"))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use http_body_util::BodyExt as _;
    use hyper::Request;
    use hyper::service::Service as _;
    use hyper_util::service::TowerToHyperService;

    use super::*;
    use crate::config::ServerConfig;
    use crate::http::middleware::ConnectionAddrs;

    /// Returns the status and problem document of a request to a handler that panics.
    async fn request_panicking_handler(
        prepare: impl FnOnce(&ServerState),
    ) -> (u16, serde_json::Value) {
        async fn panics() -> &'static str {
            panic!("as it should")
        }
        let state = ServerState::new(&ServerConfig::default()).expect("threads");
        prepare(&state);
        let routes = Routes::all().get("/panics", panics);
        let service = TowerToHyperService::new(router(&Arc::new(state), routes));
        let request = Request::get("/panics")
            .header("host", "localhost")
            .extension(ConnectionAddrs {
                peer: ServerConfig::DEFAULT_ADDRESS,
                local: ServerConfig::DEFAULT_ADDRESS,
            });
        let response = service.call(request.body(Body::empty()).expect("a request"));
        let (head, body) = response.await.expect("an answer").into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let problem = serde_json::from_slice(&body).expect("a problem");
        (head.status.as_u16(), problem)
    }

    #[tokio::test]
    async fn handler_panic_returns_500() {
        let (status, problem) = request_panicking_handler(|_| {}).await;
        assert_eq!(status, 500);
        assert_eq!(problem["status"], 500);
    }

    #[tokio::test]
    async fn requests_are_rejected_during_shutdown() {
        let (status, problem) =
            request_panicking_handler(|state| state.shutdown.started.cancel()).await;
        assert_eq!(status, 503);
        assert_eq!(problem["detail"], "the server is shutting down");
    }
}
