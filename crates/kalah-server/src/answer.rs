use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::problem::ProblemResponse;

/// What a question is answered with, as JSON.
pub(crate) struct JsonResponse<A>(pub(crate) A);

const JSON: HeaderValue = HeaderValue::from_static("application/json");

impl<A: Serialize> IntoResponse for JsonResponse<A> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => ([(CONTENT_TYPE, JSON)], body).into_response(),
            Err(error) => {
                tracing::error!(%error, "an answer cannot be written as JSON");
                ProblemResponse::internal().into_response()
            }
        }
    }
}
