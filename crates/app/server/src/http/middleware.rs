//! Middleware around every request: request ids, logs, metrics, rate limits, checks of request
//! headers, and response headers.

use std::any::Any;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, HeaderName, REFERRER_POLICY, SERVER, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, Limited};

use kalah::Quoted;

use crate::http::error::{PROBLEM_JSON, ProblemResponse};
use crate::http::origin::check_site;
use crate::http::rate_limit::ClientIp;
use crate::metrics::CLIENT_CLOSED_REQUEST;
use crate::sharing::embed::EMBED_PATHS;
use crate::state::SharedState;

/// The addresses of both ends of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionAddrs {
    pub(crate) peer: SocketAddr,
    pub(crate) local: SocketAddr,
}

/// The header of the request id, which is also in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Headers of every response that restrict how browsers may use it.
const SECURITY_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
    ),
];

/// Counts and logs a request on drop, whether it was answered or its client disconnected.
struct RequestLog {
    state: SharedState,
    id: String,
    method: Method,
    route: String,
    start: Instant,
    status: u16,
}

/// The outermost middleware: logs and counts every request and completes the headers of its
/// response.
pub(crate) async fn log_request(
    State(state): State<SharedState>,
    request: Request,
    next: Next,
) -> Response {
    let matched = request.extensions().get::<MatchedPath>();
    let mut log = RequestLog {
        // Log the route and not the path, which may contain the id of a game.
        route: matched.map_or("none", MatchedPath::as_str).to_owned(),
        id: next_request_id(),
        method: request.method().clone(),
        state,
        start: Instant::now(),
        status: CLIENT_CLOSED_REQUEST,
    };
    let mut response = next.run(request).await;
    log.status = response.status().as_u16();
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        headers.insert(name, value);
    }
    let policy = log
        .state
        .page_files
        .source()
        .content_security_policy(EMBED_PATHS.contains(&&*log.route));
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    headers.insert(SERVER, log.state.server_header.clone());
    if let Ok(id) = HeaderValue::try_from(&log.id) {
        headers.insert(REQUEST_ID, id);
    }
    response
}

impl Drop for RequestLog {
    fn drop(&mut self) {
        let duration = self.start.elapsed();
        let Self {
            state,
            id,
            method,
            route,
            status,
            ..
        } = self;
        state
            .metrics
            .record_request(method, route, *status, duration);
        let milliseconds = milliseconds(duration);
        tracing::info!(id, %method, route, status, milliseconds, "request");
    }
}

/// Returns a duration in milliseconds, rounded to three decimals.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Returns an id that is unique within the process.
fn next_request_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!(
        "{:x}-{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

/// The beginning of the paths of the API. The files of the page are at all other paths.
const API_PREFIX: &str = "/api/";

/// The end of the paths of live connections. They count as files, and their messages as requests.
const LIVE_SUFFIX: &str = "/live";

/// Rejects requests over the rate limit, for an invalid or unknown host, of another site's page,
/// with an encoded body, or during shutdown.
pub(crate) async fn check_request(
    State(state): State<SharedState>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(&ConnectionAddrs { peer, local }) = request.extensions().get() else {
        tracing::error!("a request without a peer address");
        return ProblemResponse::internal().into_response();
    };
    let client_ip: ClientIp = state
        .client_ip_source
        .client_ip(peer.ip(), request.headers());
    let is_api = request.uri().path().starts_with(API_PREFIX);
    // Many spectators at one address must not keep its players from connecting again.
    let is_live = is_api && request.uri().path().ends_with(LIVE_SUFFIX);
    let checked = if is_api && !is_live {
        state.check_rate_limit(client_ip, NonZeroU32::MIN)
    } else {
        state.check_file_rate_limit(client_ip)
    };
    if let Err(problem) = checked
        .and_then(|()| Ok(state.allowed_hosts.check(&request, local.ip())?))
        .and_then(|()| {
            if is_api {
                check_site(request.headers())
            } else {
                Ok(())
            }
        })
    {
        return problem.into_response();
    }
    if let Err(problem) = check_content_encoding(request.headers()) {
        return ([ACCEPTED_ENCODING], problem).into_response();
    }
    request.extensions_mut().insert(client_ip);
    next.run(request).await
}

/// The content codings of request bodies that the server accepts (RFC 9110, section 12.5.3).
const ACCEPTED_ENCODING: (HeaderName, HeaderValue) =
    (ACCEPT_ENCODING, HeaderValue::from_static("identity"));

/// Checks that the body of a request is not compressed.
///
/// # Errors
/// Returns a 415 problem for a `Content-Encoding` other than `identity`.
fn check_content_encoding(headers: &HeaderMap) -> Result<(), ProblemResponse> {
    let is_identity = |value: &&HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    let mut encodings = headers.get_all(CONTENT_ENCODING).iter();
    let Some(encoding) = encodings.find(|value| !is_identity(value)) else {
        return Ok(());
    };
    let encoding = String::from_utf8_lossy(encoding.as_bytes());
    let detail = format!(
        "the content encoding of the body is {}, expected none",
        Quoted::literal(&encoding)
    );
    Err(ProblemResponse::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        detail,
    ))
}

/// Turns error responses of other layers into problem documents.
pub(crate) async fn errors_to_problems(request: Request, next: Next) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let response = next.run(request).await;
    let status = response.status();
    let is_failure = status.is_client_error() || status.is_server_error();
    if !is_failure || response.headers().get(CONTENT_TYPE) == Some(&PROBLEM_JSON) {
        return response;
    }
    let (head, body) = response.into_parts();
    let detail = match status {
        StatusCode::METHOD_NOT_ALLOWED => {
            let (method, path) = (
                Quoted::literal(method.as_str()),
                Quoted::literal(uri.path()),
            );
            format!("{method} is not allowed at {path}")
        }
        _ => short_body_text(body).await.unwrap_or_else(|| {
            let reason = status.canonical_reason();
            reason.unwrap_or("the request failed").to_lowercase()
        }),
    };
    let mut problem_response = ProblemResponse::new(status, detail).into_response();
    for (name, value) in &head.headers {
        if !problem_response.headers().contains_key(name) && name != CONTENT_LENGTH {
            problem_response
                .headers_mut()
                .insert(name.clone(), value.clone());
        }
    }
    problem_response
}

/// The maximum length in bytes of a response body to use as the detail of a problem. Bodies of
/// other layers are one sentence.
const MAX_DETAIL_BYTES: usize = 200;

/// Returns a response body if it is short text.
async fn short_body_text(body: Body) -> Option<String> {
    let body = Limited::new(body, MAX_DETAIL_BYTES).collect().await.ok()?;
    let text = String::from_utf8(body.to_bytes().to_vec()).ok()?;
    (!text.is_empty()).then_some(text)
}

/// Logs a panic of a handler and returns a 500 problem.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the layer hands over what was thrown"
)]
pub(crate) fn handle_panic(panic: Box<dyn Any + Send>) -> Response {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = text.unwrap_or("no message"), "a handler panicked");
    ProblemResponse::internal().into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_times_have_three_decimals() {
        for (nanoseconds, expected) in [
            (0, "0.0"),
            (499, "0.0"),
            (1_234_567, "1.235"),
            (30_000_000_100, "30000.0"),
            (100_100_000, "100.1"),
        ] {
            let time = Duration::from_nanos(nanoseconds);
            assert_eq!(format!("{:?}", milliseconds(time)), expected);
        }
    }
}
