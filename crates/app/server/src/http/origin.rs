//! Checks of the pages that send requests.

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Uri};
use kalah::Quoted;

use crate::http::error::ProblemResponse;

/// Checks by the header `Origin` that a request comes from a page of this host, or not from a page
/// at all. Browsers send it with requests for WebSocket connections, which they allow to pages of
/// any site.
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
                "pages of {} may not send requests here",
                Quoted::literal(&origin)
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

/// Checks that a request of the API comes from a page of this host, or not from a page at all.
/// Pages of any site can make the browser of a visitor send requests to a server on the visitor's
/// machine, which would search for them. Browsers name the relation of the sites in
/// `Sec-Fetch-Site` (Fetch Metadata, <https://www.w3.org/TR/fetch-metadata/>), and older ones the
/// origin of some requests.
///
/// # Errors
/// Returns a 403 problem for a page of another site.
pub(crate) fn check_site(headers: &HeaderMap) -> Result<(), ProblemResponse> {
    let Some(site) = headers.get("sec-fetch-site") else {
        return check_origin(headers);
    };
    if [b"same-origin", b"none".as_slice()].contains(&site.as_bytes()) {
        return Ok(());
    }
    Err(ProblemResponse::new(
        StatusCode::FORBIDDEN,
        "pages of other sites may not send requests here",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn requests_of_other_sites_are_refused() {
        for (site, is_allowed) in [
            ("same-origin", true),
            ("none", true),
            ("same-site", false),
            ("cross-site", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("sec-fetch-site", site.parse().expect("a value"));
            assert_eq!(check_site(&headers).is_ok(), is_allowed, "{site}");
        }
        let mut headers = HeaderMap::new();
        assert!(check_site(&headers).is_ok());
        headers.append(ORIGIN, "http://a.example".parse().expect("a value"));
        assert!(check_site(&headers).is_err());
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
