//! Checks of the `Host` and `Origin` headers.

use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri, Version};

use crate::http::error::{ProblemResponse, quote};

/// Checks that a request names exactly one valid host (RFC 9112, section 3.2). Otherwise a proxy in
/// front of the server could see another host than the server does.
///
/// # Errors
/// Returns a 400 problem if `Host` is missing, repeated or invalid.
pub(crate) fn check_host(request: &Request) -> Result<(), ProblemResponse> {
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

/// Whether `text` is a host name or IP address with an optional port.
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

/// Whether an origin such as `https://example.org` has the same host and port as a `Host` header
/// such as `example.org:443`. A missing port is the default port of the scheme.
fn is_same_origin(origin: &str, host: &str) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else {
        return false;
    };
    let default_port = match origin.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return false,
    };
    let Ok(host) = host.parse::<axum::http::uri::Authority>() else {
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
    use axum::body::Body;

    use super::*;

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
