use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode, Uri};

use crate::problem::{ProblemResponse, quote};

/// Lets a request for a live connection pass that comes from a page of this host, or from no page at
/// all: browsers open such connections for pages of any site, and say for which.
///
/// # Errors
/// If it comes from a page of another site.
pub(super) fn check(headers: &HeaderMap) -> Result<(), ProblemResponse> {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else {
        return Ok(());
    };
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let named = origin.to_str().ok().filter(|_| origins.next().is_none());
    match (named, host) {
        (Some(origin), Some(host)) if is_same_origin(origin, host) => Ok(()),
        _ => {
            let origin = String::from_utf8_lossy(origin.as_bytes());
            let detail = format!("a page of {} may not look at games here", quote(&origin));
            Err(ProblemResponse::new(StatusCode::FORBIDDEN, detail))
        }
    }
}

/// Whether an origin such as `https://example.org` has the host of a request, such as
/// `example.org:443`. The port may be left out where it is the usual one.
fn is_same_origin(origin: &str, host: &str) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else {
        return false;
    };
    let usual = match origin.scheme_str() {
        Some("http") => 80,
        Some("https") => 443,
        _ => return false,
    };
    let Ok(host) = host.parse::<axum::http::uri::Authority>() else {
        return false;
    };
    let port = |port: Option<u16>| port.unwrap_or(usual);
    origin
        .host()
        .is_some_and(|name| name.eq_ignore_ascii_case(host.host()))
        && port(origin.port_u16()) == port(host.port_u16())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_the_same_host_and_port_may() {
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
    fn what_comes_from_no_page_may_and_what_is_unclear_may_not() {
        let mut headers = HeaderMap::new();
        assert!(check(&headers).is_ok());
        headers.append(ORIGIN, "http://a.example".parse().expect("a value"));
        assert!(check(&headers).is_err());
        headers.append(HOST, "a.example".parse().expect("a value"));
        assert!(check(&headers).is_ok());
        headers.append(ORIGIN, "http://b.example".parse().expect("a value"));
        assert!(check(&headers).is_err());
    }
}
