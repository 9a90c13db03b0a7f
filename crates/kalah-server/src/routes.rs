use axum::Router;
use axum::handler::Handler;
use axum::http::{Method, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, on};

use crate::games::routes as games;
use crate::metrics;
use crate::page;
use crate::problem::{self, ProblemResponse, quote};
use crate::questions;
use crate::service::SharedState;

/// Routes, and the list of them.
pub(crate) struct Routes {
    router: Router<SharedState>,
    paths: Vec<(Method, &'static str)>,
}

impl Routes {
    /// All routes of the server.
    pub(crate) fn all() -> Self {
        Self {
            router: Router::new(),
            paths: Vec::new(),
        }
        .get("/healthz", metrics::health)
        .get("/metrics", metrics::metrics)
        .get("/problems/{kind}", problem::describe_problem)
        .get("/api/v1/openapi.json", openapi)
        .get("/api/v1/rules", questions::rules)
        .post("/api/v1/position", questions::position)
        .post("/api/v1/sow", questions::sow)
        .post("/api/v1/play", questions::play)
        .post("/api/v1/analyse", questions::analyse)
        .post("/api/v1/choose", questions::choose)
        .post("/api/v1/read", questions::read)
        .post("/api/v1/write", questions::write)
        .post("/api/v1/games", games::create)
        .get("/api/v1/games/{game}", games::state)
        .post("/api/v1/games/{game}/plies", games::play_move)
        .post("/api/v1/games/{game}/resign", games::resign)
        .post("/api/v1/games/{game}/rematch", games::rematch)
        .get("/api/v1/games/{game}/live", games::websocket)
    }

    /// These routes, and what answers `GET` at `path`.
    #[must_use]
    pub(crate) fn get<H, T>(self, path: &'static str, handler: H) -> Self
    where
        H: Handler<T, SharedState>,
        T: 'static,
    {
        self.on(MethodFilter::GET, Method::GET, path, handler)
    }

    /// These routes, and what answers `POST` at `path`.
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

    /// The router: what is listed, and at all other paths the page.
    pub(crate) fn router(self) -> Router<SharedState> {
        self.router
            .route("/api/{*path}", axum::routing::any(not_found))
            .route("/", axum::routing::get(page::index))
            .route("/{*path}", axum::routing::get(page::file_at_path))
            .fallback(not_found)
    }
}

/// What the server answers, beside the files of the page: methods and paths as its description has them.
pub fn routes() -> Vec<(String, String)> {
    let listed = Routes::all().paths.into_iter();
    listed
        .map(|(method, path)| (method.to_string(), path.to_owned()))
        .collect()
}

/// Any path under `/api` that is none.
async fn not_found(uri: axum::http::Uri) -> impl IntoResponse {
    let detail = format!("there is nothing at {}", quote(uri.path()));
    ProblemResponse::new(StatusCode::NOT_FOUND, detail)
}

/// `GET /api/v1/openapi.json`
async fn openapi() -> impl IntoResponse {
    const JSON: &str = "application/json";
    (
        [(axum::http::header::CONTENT_TYPE, JSON)],
        include_str!("../openapi.json"),
    )
}
