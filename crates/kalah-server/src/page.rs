use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use xxhash_rust::xxh3::xxh3_64;

use crate::page_path::{content_type, tag};
use crate::problem::{Problem, quoted};
use crate::segment::Segment;
use crate::service::Shared;

/// Where the files of the page come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PageSource {
    /// From this program, as it was built.
    #[default]
    Embedded,
    /// From a folder, read anew for every request. Its page may bring an engine of its own in WebAssembly.
    Folder(PathBuf),
}

/// The whole policy, by what it says of scripts.
macro_rules! policy {
    ($scripts:literal) => {
        concat!(
            "default-src 'none'; ",
            $scripts,
            "; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
             worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
    };
}

impl PageSource {
    /// What a browser lets the page do: nothing that it does not need, and nothing with any other host.
    pub(crate) const fn policy(&self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Embedded => policy!("script-src 'self'"),
            Self::Folder(_) => policy!("script-src 'self' 'wasm-unsafe-eval'"),
        })
    }
}

/// A file of the page.
struct File {
    /// Where it lies in the page, without a slash before it.
    path: &'static str,
    content_type: &'static str,
    /// Changes with its content.
    tag: &'static str,
}

/// The files as they were built, sorted by their paths.
static FILES: &[(File, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The file that is the page itself.
const INDEX: &str = "index.html";

/// `GET /`
pub(crate) async fn index(State(service): State<Shared>, headers: HeaderMap) -> Response {
    file(&service.page, INDEX, &headers).await
}

/// `GET /{*path}`
pub(crate) async fn at_path(
    State(service): State<Shared>,
    Segment(path): Segment,
    headers: HeaderMap,
) -> Response {
    file(&service.page, &path, &headers).await
}

async fn file(source: &PageSource, path: &str, headers: &HeaderMap) -> Response {
    let found = match source {
        PageSource::Embedded => embedded(path),
        PageSource::Folder(folder) => from_folder(folder.join(path), path).await,
    };
    match found {
        Some(found) => found.response(headers),
        None => Problem::new(
            StatusCode::NOT_FOUND,
            format!("there is nothing at {}", quoted(&format!("/{path}"))),
        )
        .into_response(),
    }
}

struct Found {
    content_type: &'static str,
    tag: Cow<'static, str>,
    content: Cow<'static, [u8]>,
}

fn embedded(path: &str) -> Option<Found> {
    let at = FILES.binary_search_by(|(file, _)| file.path.cmp(path));
    let (file, content) = &FILES[at.ok()?];
    Some(Found {
        content_type: file.content_type,
        tag: Cow::Borrowed(file.tag),
        content: Cow::Borrowed(content),
    })
}

async fn from_folder(file: PathBuf, path: &str) -> Option<Found> {
    let content_type = content_type(path)?;
    let read = tokio::task::spawn_blocking(move || std::fs::read(file)).await;
    match read.unwrap_or_else(|failed| Err(io::Error::other(failed))) {
        Ok(content) => Some(Found {
            content_type,
            tag: tag(xxh3_64(&content)).into(),
            content: Cow::Owned(content),
        }),
        Err(error) => {
            tracing::debug!(path, %error, "a file of the page cannot be read");
            None
        }
    }
}

impl Found {
    /// The file, or only that it is still the one that the caller has.
    fn response(self, headers: &HeaderMap) -> Response {
        let known = headers.get_all(IF_NONE_MATCH).iter();
        let is_known = known
            .filter_map(|tags| tags.to_str().ok())
            .flat_map(|tags| tags.split(','))
            .any(|known| matches(known.trim(), &self.tag));
        let mut response = if is_known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let body = match self.content {
                Cow::Borrowed(content) => Body::from(content),
                Cow::Owned(content) => Body::from(content),
            };
            let content_type = HeaderValue::from_static(self.content_type);
            ([(CONTENT_TYPE, content_type)], body).into_response()
        };
        let headers = response.headers_mut();
        // Another build may have other files: whoever has one asks whether it is still the same.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(tag) = HeaderValue::try_from(&*self.tag) {
            headers.insert(ETAG, tag);
        }
        response
    }
}

/// Whether a caller's tag is this one, as weak tags are compared (RFC 9110, 8.8.3.2).
fn matches(known: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    known == "*" || opaque(known) == opaque(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_paths() {
        assert!(FILES.is_sorted_by(|(one, _), (next, _)| one.path < next.path));
        for (file, content) in FILES {
            let found = embedded(file.path).expect("a file of the list");
            assert_eq!(found.content, *content, "{}", file.path);
            assert_eq!(found.tag, tag(xxh3_64(content)), "{}", file.path);
        }
    }

    #[test]
    fn tags_match_weakly() {
        assert!(matches("\"1\"", "W/\"1\""));
        assert!(matches("W/\"1\"", "W/\"1\""));
        assert!(matches("*", "W/\"1\""));
        assert!(!matches("\"2\"", "W/\"1\""));
        assert!(!matches("", "W/\"1\""));
    }
}
