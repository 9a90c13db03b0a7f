//! The routes of the server and the middleware around them.

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::{from_fn_with_state, map_response};
use axum::routing::{MethodFilter, on};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use crate::games::routes as games;
use crate::http::{handlers, middleware, static_files};
use crate::state::SharedState;

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
        .get("/healthz", handlers::health)
        .get("/metrics", handlers::metrics)
        .get("/problems/{kind}", handlers::describe_problem)
        .get("/api/v1/openapi.json", handlers::openapi)
        .get("/api/v1/rules", handlers::rules)
        .post("/api/v1/position", handlers::position)
        .post("/api/v1/move", handlers::make_move)
        .post("/api/v1/play", handlers::play)
        .post("/api/v1/analyze", handlers::analyze)
        .post("/api/v1/choose", handlers::choose)
        .post("/api/v1/read", handlers::read)
        .post("/api/v1/write", handlers::write)
        .post("/api/v1/review", handlers::review)
        .post("/api/v1/games", games::create)
        .get("/api/v1/games/{game}", games::state)
        .post("/api/v1/games/{game}/plies", games::play_move)
        .post("/api/v1/games/{game}/resign", games::resign)
        .post("/api/v1/games/{game}/rematch", games::rematch)
        .get("/api/v1/games/{game}/live", games::websocket)
    }

    /// Adds a handler of `GET` at `path`.
    #[must_use]
    pub(crate) fn get<H, T>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, SharedState>,
        T: 'static,
    {
        self.on(MethodFilter::GET, Method::GET, path, handler)
    }

    /// Adds a handler of `POST` at `path`.
    #[must_use]
    pub(crate) fn post<H, T>(self, path: &'static str, handler: H) -> Self
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
    pub(crate) fn router(self) -> Router<SharedState> {
        self.router
            .route("/api/{*path}", axum::routing::any(handlers::not_found))
            .route("/", axum::routing::get(static_files::index))
            .route("/{*path}", axum::routing::get(static_files::file_at_path))
            .fallback(handlers::not_found)
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
            middleware::limit_rate,
        ))
        .layer(CatchPanicLayer::custom(middleware::handle_panic))
        .layer(map_response(middleware::errors_to_problems))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(
            Arc::clone(state),
            middleware::log_request,
        ))
        .with_state(Arc::clone(state))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::config::ServerConfig;
    use crate::http::middleware::PeerAddr;
    use crate::state::ServerState;
    use hyper::Request;
    use hyper::service::Service as _;
    use hyper_util::service::TowerToHyperService;

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
            .extension(PeerAddr(ServerConfig::DEFAULT_ADDRESS));
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
