//! Middleware around every request: request ids, logs, metrics, rate limits and response headers;
//! and checks of the `Host` and `Origin` headers.

use std::any::Any;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, Limited};

use crate::http::error::{PROBLEM_JSON, ProblemResponse, quote};
use crate::http::rate_limit::ClientIp;
use crate::metrics::CLIENT_CLOSED_REQUEST;
use crate::state::SharedState;

/// The peer address of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerAddr(pub(crate) SocketAddr);

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
    let policy = log.state.page.content_security_policy();
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
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

/// Rejects requests over the rate limit, with an invalid `Host`, or during shutdown.
pub(crate) async fn limit_rate(
    State(state): State<SharedState>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(&PeerAddr(peer)) = request.extensions().get() else {
        tracing::error!("a request without a peer address");
        return ProblemResponse::internal().into_response();
    };
    let client_ip: ClientIp = state
        .client_ip_source
        .client_ip(peer.ip(), request.headers());
    if let Err(problem) = state
        .check_rate_limit(client_ip, NonZeroU32::MIN)
        .and_then(|()| check_host(&request))
    {
        return problem.into_response();
    }
    request.extensions_mut().insert(client_ip);
    next.run(request).await
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
            let (method, path) = (quote(method.as_str()), quote(uri.path()));
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

/// Checks that a request names exactly one valid host (RFC 9112, section 3.2). Otherwise a proxy in
/// front of the server could see another host than the server does.
///
/// # Errors
/// Returns a 400 problem if `Host` is missing, repeated or invalid.
fn check_host(request: &Request) -> Result<(), ProblemResponse> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let detail = match (hosts.next(), hosts.next()) {
        (Some(host), None) if is_host(host.as_bytes()) => return Ok(()),
        (None, _) if request.version() < Version::HTTP_11 => return Ok(()),
        (Some(host), None) => {
            let host = String::from_utf8_lossy(host.as_bytes());
            format!("`Host` is {}, which is not a valid host", quote(&host))
        }
        (None, _) => "the request has no `Host` header".to_owned(),
        (Some(_), Some(_)) => "the request has more than one `Host` header".to_owned(),
    };
    Err(ProblemResponse::new(StatusCode::BAD_REQUEST, detail))
}

/// Returns whether `text` is a host name or IP address with an optional port.
fn is_host(text: &[u8]) -> bool {
    Authority::try_from(text).is_ok_and(|authority| {
        let (host, text) = (authority.host(), authority.as_str());
        // Reject user information and invalid ports.
        let port = text
            .strip_prefix(host)
            .and_then(|rest| rest.strip_prefix(':'));
        !host.is_empty() && (text == host || port.is_some_and(|port| port.parse::<u16>().is_ok()))
    })
}

/// Checks that a WebSocket request comes from a page of this host, or not from a page at all.
/// Browsers allow pages of any site to open WebSocket connections, and name the site in `Origin`.
///
/// # Errors
/// Returns a 403 problem for a page of another site.
pub(crate) fn check_origin(headers: &HeaderMap) -> Result<(), ProblemResponse> {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else {
        return Ok(());
    };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let origin_text = origin.to_str().ok().filter(|_| origins.next().is_none());
    match (origin_text, host) {
        (Some(origin), Some(host)) if is_same_origin(origin, host) => Ok(()),
        _ => {
            let origin = String::from_utf8_lossy(origin.as_bytes());
            let detail = format!(
                "pages of {} may not open WebSocket connections here",
                quote(&origin)
            );
            Err(ProblemResponse::new(StatusCode::FORBIDDEN, detail))
        }
    }
}

/// Returns whether an origin such as `https://example.org` has the same host and port as a `Host`
/// header such as `example.org:443`. A missing port is the default port of the scheme.
fn is_same_origin(origin: &str, host: &str) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else {
        return false;
    };
    let default_port = match origin.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return false,
    };
    let Ok(host) = host.parse::<Authority>() else {
        return false;
    };
    let port = |port: Option<u16>| port.unwrap_or(default_port);
    origin
        .host()
        .is_some_and(|name| name.eq_ignore_ascii_case(host.host()))
        && port(origin.port_u16()) == port(host.port_u16())
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

    #[test]
    fn request_needs_exactly_one_valid_host() {
        let is_accepted = |version: Version, hosts: &[&str]| {
            let mut request = Request::get("/").version(version);
            for host in hosts {
                request = request.header(HOST, *host);
            }
            check_host(&request.body(Body::empty()).expect("a request")).is_ok()
        };
        for hosts in [&["localhost"], &["kalah.example:8080"], &["[::1]:80"]] {
            assert!(is_accepted(Version::HTTP_11, hosts), "{hosts:?}");
            assert!(is_accepted(Version::HTTP_10, hosts), "{hosts:?}");
        }
        assert!(is_accepted(Version::HTTP_10, &[]));
        assert!(!is_accepted(Version::HTTP_11, &[]));
        for hosts in [&["a", "b"], &["a", "a"]] {
            assert!(!is_accepted(Version::HTTP_11, hosts), "{hosts:?}");
            assert!(!is_accepted(Version::HTTP_10, hosts), "{hosts:?}");
        }
        for host in ["", "a b", "a/b", "http://a", "a@b", "a:x", "a:99999", ":80"] {
            assert!(!is_accepted(Version::HTTP_11, &[host]), "{host:?}");
        }
    }

    #[test]
    fn origin_must_have_the_host_and_port() {
        for (origin, host) in [
            ("http://127.0.0.1:8080", "127.0.0.1:8080"),
            ("http://[::1]:8080", "[::1]:8080"),
            ("https://kalah.example", "kalah.example"),
            ("https://kalah.example", "Kalah.Example:443"),
            ("http://kalah.example:80", "kalah.example"),
        ] {
            assert!(is_same_origin(origin, host), "{origin} {host}");
        }
        for (origin, host) in [
            ("http://127.0.0.1:8081", "127.0.0.1:8080"),
            ("http://localhost:8080", "127.0.0.1:8080"),
            ("https://kalah.example.evil.example", "kalah.example"),
            ("https://kalah.example@evil.example", "kalah.example"),
            ("https://evil.example", "kalah.example"),
            ("file://kalah.example", "kalah.example"),
            ("null", "kalah.example"),
            ("null", "null"),
            ("", ""),
        ] {
            assert!(!is_same_origin(origin, host), "{origin} {host}");
        }
    }

    #[test]
    fn origin_is_optional_but_must_be_unique() {
        let mut headers = HeaderMap::new();
        assert!(check_origin(&headers).is_ok());
        headers.append(ORIGIN, "http://a.example".parse().expect("a value"));
        assert!(check_origin(&headers).is_err());
        headers.append(HOST, "a.example".parse().expect("a value"));
        assert!(check_origin(&headers).is_ok());
        headers.append(ORIGIN, "http://b.example".parse().expect("a value"));
        assert!(check_origin(&headers).is_err());
    }
}
