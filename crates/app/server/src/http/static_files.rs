//! The files of the page, embedded in the program or read from a folder.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use xxhash_rust::xxh3::xxh3_64;

use kalah::Quoted;

use crate::config::PageSource;
use crate::http::error::ProblemResponse;
use crate::http::extract::PathParam;
use crate::page_path::{content_type, etag};
use crate::state::SharedState;

/// Builds a content security policy from its directive for scripts.
macro_rules! content_security_policy {
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
    /// Returns the content security policy: the page may use its own scripts and styles, and no
    /// other host.
    pub(crate) const fn content_security_policy(&self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Embedded => content_security_policy!("script-src 'self'"),
            Self::Folder(_) => content_security_policy!("script-src 'self' 'wasm-unsafe-eval'"),
        })
    }
}

/// An embedded file of the page.
struct EmbeddedFile {
    /// The path in the page, without a leading slash.
    path: &'static str,
    content_type: &'static str,
    /// The entity tag, which depends on the content.
    etag: &'static str,
}

/// The embedded files, sorted by path.
static FILES: &[(EmbeddedFile, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// The file served at `/`.
const INDEX: &str = "index.html";

/// `GET /`
pub(crate) async fn index(State(state): State<SharedState>, headers: HeaderMap) -> Response {
    serve_file(&state.page, INDEX, &headers).await
}

/// `GET /{*path}`
pub(crate) async fn file_at_path(
    State(state): State<SharedState>,
    PathParam(path): PathParam,
    headers: HeaderMap,
) -> Response {
    serve_file(&state.page, &path, &headers).await
}

async fn serve_file(source: &PageSource, path: &str, headers: &HeaderMap) -> Response {
    let file = match source {
        PageSource::Embedded => find_embedded(path),
        PageSource::Folder(folder) => read_from_folder(folder.join(path), path).await,
    };
    match file {
        Some(file) => file.response(headers),
        None => ProblemResponse::new(
            StatusCode::NOT_FOUND,
            format!(
                "there is nothing at {}",
                Quoted::literal(&format!("/{path}"))
            ),
        )
        .into_response(),
    }
}

struct PageFile {
    content_type: &'static str,
    etag: Cow<'static, str>,
    content: Cow<'static, [u8]>,
}

fn find_embedded(path: &str) -> Option<PageFile> {
    let index = FILES.binary_search_by(|(file, _)| file.path.cmp(path));
    let (file, content) = &FILES[index.ok()?];
    Some(PageFile {
        content_type: file.content_type,
        etag: Cow::Borrowed(file.etag),
        content: Cow::Borrowed(content),
    })
}

async fn read_from_folder(file: PathBuf, path: &str) -> Option<PageFile> {
    let content_type = content_type(path)?;
    let read = tokio::task::spawn_blocking(move || std::fs::read(file)).await;
    match read.unwrap_or_else(|failed| Err(io::Error::other(failed))) {
        Ok(content) => Some(PageFile {
            content_type,
            etag: etag(xxh3_64(&content)).into(),
            content: Cow::Owned(content),
        }),
        Err(error) => {
            tracing::debug!(path, %error, "cannot read a file of the page");
            None
        }
    }
}

impl PageFile {
    /// Returns the file, or 304 if the client has this version.
    fn response(self, headers: &HeaderMap) -> Response {
        let known_etags = headers.get_all(IF_NONE_MATCH).iter();
        let is_known = known_etags
            .filter_map(|tags| tags.to_str().ok())
            .flat_map(|tags| tags.split(','))
            .any(|known| etag_matches(known.trim(), &self.etag));
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
        // Another build may have other files, so clients have to revalidate.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(etag_value) = HeaderValue::try_from(&*self.etag) {
            headers.insert(ETAG, etag_value);
        }
        response
    }
}

/// Compares entity tags weakly (RFC 9110, section 8.8.3.2).
fn etag_matches(known: &str, current: &str) -> bool {
    let opaque = |etag: &str| etag.strip_prefix("W/").unwrap_or(etag).to_owned();
    known == "*" || opaque(known) == opaque(current)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_files_are_found_by_path() {
        assert!(FILES.is_sorted_by(|(one, _), (next, _)| one.path < next.path));
        for (entry, content) in FILES {
            let file = find_embedded(entry.path).expect("a file of the list");
            assert_eq!(file.content, *content, "{}", entry.path);
            assert_eq!(file.etag, etag(xxh3_64(content)), "{}", entry.path);
        }
    }

    #[test]
    fn etags_match_weakly() {
        assert!(etag_matches("\"1\"", "W/\"1\""));
        assert!(etag_matches("W/\"1\"", "W/\"1\""));
        assert!(etag_matches("*", "W/\"1\""));
        assert!(!etag_matches("\"2\"", "W/\"1\""));
        assert!(!etag_matches("", "W/\"1\""));
    }
}
