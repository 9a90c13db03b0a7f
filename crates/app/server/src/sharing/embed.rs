//! `/embed`: the page as a board in a frame of another site.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use kalah_page::with_embedded_board;

use crate::http::error::ProblemResponse;
use crate::http::static_files::INDEX;
use crate::state::SharedState;

/// The paths of the route: its own, and that of the file of a static site.
pub(crate) const EMBED_PATHS: [&str; 2] = ["/embed", "/embed.html"];

/// `GET /embed`
pub(crate) async fn embed(State(server): State<SharedState>) -> Response {
    const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
    let document = server.page_files.text(INDEX).await;
    match document.map(|document| with_embedded_board(&document)) {
        Some(Ok(embedded)) => ([(CONTENT_TYPE, HTML)], embedded).into_response(),
        Some(Err(error)) => {
            tracing::error!(%error, "the page cannot be a board in a frame");
            ProblemResponse::internal().into_response()
        }
        None => ProblemResponse::new(StatusCode::NOT_FOUND, "there is no page").into_response(),
    }
}
