use axum::extract::{FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;

use crate::problem::{ProblemResponse, quote};

/// What stands in a path where its route has a name in braces.
pub(crate) struct PathParam(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathParam {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        path.map(|Path(segment)| Self(segment)).map_err(|_| {
            let path = quote(parts.uri.path());
            let detail = format!("the bytes that the path {path} stands for are no UTF-8 text");
            ProblemResponse::new(StatusCode::BAD_REQUEST, detail)
        })
    }
}
