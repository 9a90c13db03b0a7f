//! Extractors of JSON bodies and path parameters, and the JSON responder.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Body as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::config::ServerLimits;
use crate::http::error::{ProblemResponse, quote};
use crate::state::SharedState;

/// A request body parsed from JSON.
pub(crate) struct JsonBody<Q>(pub(crate) Q);

/// A request body parsed from JSON, with the size limit for game records.
pub(crate) struct LargeJsonBody<Q>(pub(crate) Q);

impl<Q: DeserializeOwned> FromRequest<SharedState> for JsonBody<Q> {
    type Rejection = ProblemResponse;

    async fn from_request(
        request: Request,
        service: &SharedState,
    ) -> Result<Self, ProblemResponse> {
        let limits = &service.limits;
        parse_body(request, limits.max_body_bytes, limits)
            .await
            .map(Self)
    }
}

impl<Q: DeserializeOwned> FromRequest<SharedState> for LargeJsonBody<Q> {
    type Rejection = ProblemResponse;

    async fn from_request(
        request: Request,
        service: &SharedState,
    ) -> Result<Self, ProblemResponse> {
        let limits = &service.limits;
        parse_body(request, limits.max_record_bytes, limits)
            .await
            .map(Self)
    }
}

/// Parses a body of at most `max_bytes` bytes.
async fn parse_body<Q: DeserializeOwned>(
    request: Request,
    most: usize,
    limits: &ServerLimits,
) -> Result<Q, ProblemResponse> {
    let (head, body) = request.into_parts();
    check_content_type(&head.headers)?;
    let body = read_body(body, most, limits.body_timeout).await?;
    Ok(kalah_api::parse_request(&body)?)
}

/// Returns a 415 problem unless the body is declared as JSON.
fn check_content_type(headers: &HeaderMap) -> Result<(), ProblemResponse> {
    let named = headers.get(CONTENT_TYPE);
    let text = named.map(|name| String::from_utf8_lossy(name.as_bytes()));
    let essence = text.as_deref().and_then(|text| text.split(';').next());
    let detail = match essence.map(str::trim) {
        Some(essence) if essence.eq_ignore_ascii_case("application/json") => return Ok(()),
        Some(other) => format!("the body is {}, and not `application/json`", quote(other)),
        None => "the request does not say that its body is `application/json`".to_owned(),
    };
    Err(ProblemResponse::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        detail,
    ))
}

/// Reads the body, with limits of its size and of the time to arrive.
async fn read_body(body: Body, most: usize, time: Duration) -> Result<Bytes, ProblemResponse> {
    let too_large = || {
        ProblemResponse::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body has more than {most} bytes"),
        )
    };
    // A declared length that is too large is rejected before the body arrives.
    if body.size_hint().lower() > u64::try_from(most).unwrap_or(u64::MAX) {
        return Err(too_large());
    }
    match timeout(time, Limited::new(body, most).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(error)) => Err(ProblemResponse::new(
            StatusCode::BAD_REQUEST,
            format!("the body broke off: {error}"),
        )),
        Err(_) => Err(ProblemResponse::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("the body did not arrive within {time:?}"),
        )),
    }
}

/// A path parameter, such as `{game}` in a route.
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

/// A response body in JSON. Unlike `axum::Json`, a failure becomes a problem document.
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
