//! The routes of the server with the middleware around them, and the handlers of health, metrics
//! and problem types.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use kalah::Quoted;
use kalah_api::{ProblemKind, visit_endpoints};
use prometheus_client::encoding::text::encode;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::games::{routes as games, seats, summaries};
use crate::http::error::ProblemResponse;
use crate::http::extract::PathParam;
use crate::http::route_list::Routes;
use crate::http::{middleware, network, search_stream, static_files};
use crate::openapi::OPENAPI_JSON;
use crate::openings;
use crate::rooms::{leader_device, results, routes as rooms};
use crate::sharing::embed::{EMBED_PATHS, embed};
use crate::sharing::{previews, records};
use crate::state::SharedState;

/// Returns all routes of the server.
pub(crate) fn all_routes() -> Routes {
    let mut routes = Routes::default()
        .get("/healthz", health)
        .get("/metrics", metrics)
        .get("/problems/{kind}", describe_problem)
        .get("/api/v1/openapi.json", openapi)
        .get("/api/v1/network", network::network);
    visit_endpoints(&mut routes);
    routes
        .get("/api/v1/analyses", search_stream::analyses)
        .post("/api/v1/games", games::create)
        .post("/api/v1/games/summaries", summaries::summaries)
        .get("/api/v1/games/{game}", games::state)
        .post("/api/v1/games/{game}/join", seats::join)
        .post("/api/v1/games/{game}/seat-code", seats::create_code)
        .post("/api/v1/games/{game}/seat", seats::take_seat)
        .post("/api/v1/games/{game}/plies", games::play_move)
        .post("/api/v1/games/{game}/resign", games::resign)
        .post("/api/v1/games/{game}/name", games::set_name)
        .post("/api/v1/games/{game}/takeback", games::takeback)
        .post("/api/v1/games/{game}/rematch", games::rematch)
        .get("/api/v1/games/{game}/live", games::websocket)
        .post("/api/v1/rooms", rooms::create)
        .get("/api/v1/rooms/{room}", rooms::state)
        .post("/api/v1/rooms/{room}/enter", rooms::enter)
        .post("/api/v1/rooms/{room}/commands", rooms::command)
        .post(
            "/api/v1/rooms/{room}/leader-code",
            leader_device::create_code,
        )
        .post("/api/v1/rooms/{room}/leader", leader_device::take_token)
        .get("/api/v1/rooms/{room}/standings", rooms::standings)
        .get("/api/v1/rooms/{room}/results", results::results)
        .post("/api/v1/rooms/{room}/openings", openings::of_room)
        .post("/api/v1/openings", openings::of_server)
        .get("/api/v1/rooms/{room}/live", rooms::websocket)
        .get("/api/v1/shared", records::settings)
        .post("/api/v1/shared", records::create)
        .get("/api/v1/shared/{id}", records::load)
}

/// Returns the method and path of every API route, as the description lists them.
pub fn routes() -> Vec<(String, String)> {
    let paths = all_routes().into_paths().into_iter();
    paths
        .map(|(method, path)| (method.to_string(), path))
        .collect()
}

/// Wraps `routes` in the middleware of all requests.
pub(crate) fn router(state: &SharedState, routes: Routes) -> Router {
    // The files of the page, which are compressed already, are at all other paths.
    routes
        .into_router()
        .route("/api/{*path}", axum::routing::any(not_found))
        .route(EMBED_PATHS[0], axum::routing::get(embed))
        .route(EMBED_PATHS[1], axum::routing::get(embed))
        .route("/play/{game}", axum::routing::get(previews::game))
        .route("/room/{room}", axum::routing::get(previews::room))
        .route("/puzzle/{position}", axum::routing::get(previews::puzzle))
        .route(
            "/puzzle/{position}/{rules}",
            axum::routing::get(previews::puzzle_with_rules),
        )
        .route("/shared/{id}", axum::routing::get(previews::shared))
        .route("/shared/{id}/{at}", axum::routing::get(previews::shared_at))
        .layer(CompressionLayer::new())
        .route(
            "/play/{game}/board.png",
            axum::routing::get(previews::game_picture),
        )
        .route(
            "/room/{room}/board.png",
            axum::routing::get(previews::room_picture),
        )
        .route(
            "/puzzle/{position}/{rules}/board.png",
            axum::routing::get(previews::puzzle_picture),
        )
        .route(
            "/shared/{id}/board.png",
            axum::routing::get(previews::shared_picture),
        )
        .route("/", axum::routing::get(static_files::index))
        .route("/{*path}", axum::routing::get(static_files::file_at_path))
        .fallback(not_found)
        .layer(from_fn_with_state(
            Arc::clone(state),
            middleware::check_request,
        ))
        .layer(CatchPanicLayer::custom(middleware::handle_panic))
        .layer(from_fn(middleware::errors_to_problems))
        .layer(from_fn_with_state(
            Arc::clone(state),
            middleware::log_request,
        ))
        .with_state(Arc::clone(state))
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
        let detail = format!("there is no problem type {}", Quoted::literal(&name));
        ProblemResponse::new(StatusCode::NOT_FOUND, detail)
    })?;
    Ok(format!("{}\n\n{}\n", kind.title(), kind.description()))
}

/// Returns a 404 problem for a path without a route.
async fn not_found(uri: Uri) -> impl IntoResponse {
    let detail = format!("there is nothing at {}", Quoted::literal(uri.path()));
    ProblemResponse::new(StatusCode::NOT_FOUND, detail)
}

/// `GET /api/v1/openapi.json`
async fn openapi() -> impl IntoResponse {
    const JSON: &str = "application/json";
    ([(CONTENT_TYPE, JSON)], OPENAPI_JSON.as_str())
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
    use crate::state::ServerState;

    /// Returns the status and problem document of a request to a handler that panics.
    async fn request_panicking_handler(
        prepare: impl FnOnce(&ServerState),
    ) -> (u16, serde_json::Value) {
        async fn panics() -> &'static str {
            panic!("as it should")
        }
        let state = ServerState::new(&ServerConfig::default(), ServerConfig::DEFAULT_ADDRESS)
            .expect("threads");
        prepare(&state);
        let routes = all_routes().get("/panics", panics);
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
