use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{StatusCode, Version};

use crate::problem::{ProblemResponse, quote};

/// Lets a request pass that names the one host that it is for, as RFC 9112 wants it (3.2). Who passes requests on could
/// else be told another host than the one that answers.
///
/// # Errors
/// If it names none, or several, or what is none.
pub(crate) fn check(request: &Request) -> Result<(), ProblemResponse> {
    let mut hosts = request.headers().get_all(HOST).iter();
    let detail = match (hosts.next(), hosts.next()) {
        (Some(host), None) if is_host(host.as_bytes()) => return Ok(()),
        (None, _) if request.version() < Version::HTTP_11 => return Ok(()),
        (Some(host), None) => {
            let host = String::from_utf8_lossy(host.as_bytes());
            format!("`Host` is {}, which is no host", quote(&host))
        }
        (None, _) => "the request does not say in `Host` which host it is for".to_owned(),
        (Some(_), Some(_)) => "the request has more than one `Host`".to_owned(),
    };
    Err(ProblemResponse::new(StatusCode::BAD_REQUEST, detail))
}

/// Whether this is a name or an address of a host, perhaps with a port.
fn is_host(text: &[u8]) -> bool {
    Authority::try_from(text).is_ok_and(|authority| {
        let (host, text) = (authority.host(), authority.as_str());
        // No `user@`, and no port that is none.
        let port = text
            .strip_prefix(host)
            .and_then(|rest| rest.strip_prefix(':'));
        !host.is_empty() && (text == host || port.is_some_and(|port| port.parse::<u16>().is_ok()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    #[test]
    fn a_request_is_for_one_host() {
        let asked = |version: Version, hosts: &[&str]| {
            let mut request = Request::get("/").version(version);
            for host in hosts {
                request = request.header(HOST, *host);
            }
            check(&request.body(Body::empty()).expect("a request")).is_ok()
        };
        for hosts in [&["localhost"], &["kalah.example:8080"], &["[::1]:80"]] {
            assert!(asked(Version::HTTP_11, hosts), "{hosts:?}");
            assert!(asked(Version::HTTP_10, hosts), "{hosts:?}");
        }
        assert!(asked(Version::HTTP_10, &[]));
        assert!(!asked(Version::HTTP_11, &[]));
        for hosts in [&["a", "b"], &["a", "a"]] {
            assert!(!asked(Version::HTTP_11, hosts), "{hosts:?}");
            assert!(!asked(Version::HTTP_10, hosts), "{hosts:?}");
        }
        for host in ["", "a b", "a/b", "http://a", "a@b", "a:x", "a:99999", ":80"] {
            assert!(!asked(Version::HTTP_11, &[host]), "{host:?}");
        }
    }
}
