//! Problem documents (RFC 9457), the form of every error response.

use std::borrow::Cow;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use kalah_api::ProblemKind;
use kalah_net::RequestHostError;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

/// An error response: a problem document (RFC 9457) with its status and headers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ProblemResponse {
    /// The type of the problem: the address of its explanation, or `about:blank`.
    #[serde(rename = "type")]
    #[schemars(regex(pattern = "^(about:blank|/problems/[a-z-]+)$"))]
    type_uri: Cow<'static, str>,
    /// The type of the problem in words.
    title: Cow<'static, str>,
    /// The status of the response.
    #[serde(serialize_with = "serialize_status")]
    #[schemars(with = "u16", range(min = 400, max = 599))]
    status: StatusCode,
    /// The reason, which quotes the invalid input.
    detail: String,
    /// The current state of a game, for a client whose state was outdated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "game_state_schema")]
    state: Option<Box<serde_json::Value>>,
    #[serde(skip)]
    retry_after: Option<Duration>,
}

/// Returns a reference to the schema of [`GameStateView`](crate::games::messages::GameStateView),
/// which the description of the API contains.
fn game_state_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"$ref": "#/components/schemas/GameStateView"})
}

/// The content type of problem documents.
pub(crate) const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
fn serialize_status<S: serde::Serializer>(
    status: &StatusCode,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_u16(status.as_u16())
}

impl ProblemResponse {
    /// Creates a problem of the type `about:blank` whose title is the status.
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            type_uri: "about:blank".into(),
            title: status.canonical_reason().unwrap_or("Problem").into(),
            status,
            detail: detail.into(),
            state: None,
            retry_after: None,
        }
    }

    /// Creates a problem with a request whose content is invalid.
    pub(crate) fn unprocessable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// Returns the reason.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// Sets the type.
    #[must_use]
    pub(crate) fn with_kind(self, kind: ProblemKind) -> Self {
        Self {
            type_uri: format!("/problems/{}", kind.name()).into(),
            title: kind.title().into(),
            ..self
        }
    }

    /// Adds the current state of a game.
    #[must_use]
    pub(crate) fn with_state(self, state: serde_json::Value) -> Self {
        Self {
            state: Some(Box::new(state)),
            ..self
        }
    }

    /// Adds a `Retry-After` header.
    #[must_use]
    pub(crate) fn with_retry_after(self, time: Duration) -> Self {
        Self {
            retry_after: Some(time),
            ..self
        }
    }

    /// Returns a 500 problem. The cause is in the log.
    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal error; the cause is in the log of the server",
        )
    }

    /// Returns a 503 problem.
    pub(crate) fn shutting_down() -> Self {
        /// The expected duration of a restart.
        const RETRY_DELAY: Duration = Duration::from_secs(5);
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is shutting down",
        )
        .with_retry_after(RETRY_DELAY)
    }
}

impl From<RequestHostError> for ProblemResponse {
    fn from(error: RequestHostError) -> Self {
        Self::new(error.status(), error.to_string())
    }
}

impl From<kalah_api::RequestError> for ProblemResponse {
    fn from(error: kalah_api::RequestError) -> Self {
        let details = error.details();
        let status = StatusCode::from_u16(details.status);
        Self {
            type_uri: details.type_uri.into(),
            title: details.title.into(),
            status: status.unwrap_or(StatusCode::UNPROCESSABLE_ENTITY),
            detail: details.detail,
            state: None,
            retry_after: None,
        }
    }
}

impl IntoResponse for ProblemResponse {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, PROBLEM_JSON);
        if let StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT = self.status {
            // The rest of the body stays unread, so the connection cannot be reused.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(time) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(whole_seconds(time)));
        }
        response
    }
}

/// Returns a duration in seconds, rounded up, at least 1: clients must not retry too early.
fn whole_seconds(time: Duration) -> u64 {
    let part = u64::from(time.subsec_nanos() > 0);
    (time.as_secs() + part).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_at_least_one_second() {
        for (milliseconds, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2)] {
            assert_eq!(whole_seconds(Duration::from_millis(milliseconds)), seconds);
        }
    }
}
