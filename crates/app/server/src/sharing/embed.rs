//! `/embed`: the page as a board in a frame of another site.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::http::error::ProblemResponse;
use crate::http::static_files::INDEX;
use crate::state::SharedState;

/// The path of the route.
pub(crate) const EMBED_PATH: &str = "/embed";

/// The begin of the document, and the same with the attribute that makes the page a board.
const DOCUMENT: &str = "<html ";
const EMBEDDED_DOCUMENT: &str = r#"<html data-embed="true" "#;

/// `GET /embed`
pub(crate) async fn embed(State(server): State<SharedState>) -> Response {
    const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
    let document = server.page_files.text(INDEX).await;
    match document {
        Some(document) => {
            let embedded = document.replacen(DOCUMENT, EMBEDDED_DOCUMENT, 1);
            ([(CONTENT_TYPE, HTML)], embedded).into_response()
        }
        None => ProblemResponse::new(StatusCode::NOT_FOUND, "there is no page").into_response(),
    }
}
