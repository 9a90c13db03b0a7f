use axum::extract::{FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;

use crate::problem::{Problem, quoted};

/// What stands in a path where its route has a name in braces.
pub(crate) struct Segment(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Segment {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        path.map(|Path(segment)| Self(segment)).map_err(|_| {
            let path = quoted(parts.uri.path());
            let detail = format!("the bytes that the path {path} stands for are no UTF-8 text");
            Problem::new(StatusCode::BAD_REQUEST, detail)
        })
    }
}
