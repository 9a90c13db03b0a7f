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
use kalah_api::{BodySize, Endpoint};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use kalah::Quoted;

use crate::config::ServerLimits;
use crate::http::error::ProblemResponse;
use crate::state::SharedState;

/// A request body parsed from JSON.
pub(crate) struct JsonBody<T>(pub(crate) T);

/// The body of a request to an endpoint, parsed from JSON, with the size limit of the endpoint.
pub(crate) struct EndpointBody<Q>(pub(crate) Q);

impl<T: DeserializeOwned> FromRequest<SharedState> for JsonBody<T> {
    type Rejection = ProblemResponse;

    async fn from_request(request: Request, state: &SharedState) -> Result<Self, ProblemResponse> {
        let limits = &state.limits;
        parse_body(request, limits.max_body_bytes, limits)
            .await
            .map(Self)
    }
}

impl<Q: Endpoint> FromRequest<SharedState> for EndpointBody<Q> {
    type Rejection = ProblemResponse;

    async fn from_request(request: Request, state: &SharedState) -> Result<Self, ProblemResponse> {
        let limits = &state.limits;
        let max_bytes = match Q::BODY_SIZE {
            BodySize::Small => limits.max_body_bytes,
            BodySize::Large => limits.max_record_bytes,
        };
        parse_body(request, max_bytes, limits).await.map(Self)
    }
}

/// Parses a body of at most `max_bytes` bytes.
async fn parse_body<T: DeserializeOwned>(
    request: Request,
    max_bytes: usize,
    limits: &ServerLimits,
) -> Result<T, ProblemResponse> {
    let (head, body) = request.into_parts();
    check_content_type(&head.headers)?;
    let body = read_body(body, max_bytes, limits.body_timeout).await?;
    Ok(kalah_api::parse_request(&body)?)
}

/// Returns a 415 problem unless the body is declared as JSON.
fn check_content_type(headers: &HeaderMap) -> Result<(), ProblemResponse> {
    let content_type = headers.get(CONTENT_TYPE);
    let text = content_type.map(|name| String::from_utf8_lossy(name.as_bytes()));
    let essence = text.as_deref().and_then(|text| text.split(';').next());
    let detail = match essence.map(str::trim) {
        Some(essence) if essence.eq_ignore_ascii_case("application/json") => return Ok(()),
        Some(other) => format!(
            "the content type of the body is {}, expected `application/json`",
            Quoted::literal(other)
        ),
        None => "the request has no content type, expected `application/json`".to_owned(),
    };
    Err(ProblemResponse::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        detail,
    ))
}

/// Reads the body, with limits of its size and of the time to arrive.
async fn read_body(
    body: Body,
    max_bytes: usize,
    duration: Duration,
) -> Result<Bytes, ProblemResponse> {
    let too_large = || {
        ProblemResponse::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body has more than {max_bytes} bytes"),
        )
    };
    // A declared length that is too large is rejected before the body arrives.
    if body.size_hint().lower() > u64::try_from(max_bytes).unwrap_or(u64::MAX) {
        return Err(too_large());
    }
    match timeout(duration, Limited::new(body, max_bytes).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(error)) => Err(ProblemResponse::new(
            StatusCode::BAD_REQUEST,
            format!("cannot read the body: {error}"),
        )),
        Err(_) => Err(ProblemResponse::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("the body did not arrive within {duration:?}"),
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
            let path = Quoted::literal(parts.uri.path());
            let detail = format!("the path {path} is not valid UTF-8");
            ProblemResponse::new(StatusCode::BAD_REQUEST, detail)
        })
    }
}

/// A response body in JSON. Unlike `axum::Json`, a failure becomes a problem document.
pub(crate) struct JsonResponse<T>(pub(crate) T);

/// The content type of JSON.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

impl<T: Serialize> IntoResponse for JsonResponse<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => ([(CONTENT_TYPE, JSON)], body).into_response(),
            Err(error) => {
                tracing::error!(%error, "cannot serialize a response");
                ProblemResponse::internal().into_response()
            }
        }
    }
}
