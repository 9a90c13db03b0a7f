//! The files of the page, embedded in the program or read from a folder.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::Metadata;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::sync::OnceCell;
use xxhash_rust::xxh3::xxh3_64;

use kalah::Quoted;
use kalah_page::has_hashed_name;

use crate::config::PageSource;
use crate::http::error::ProblemResponse;
use crate::http::extract::PathParam;
use crate::page_path::{content_type, etag};
use crate::state::SharedState;

/// Builds a content security policy from its directive for scripts.
macro_rules! content_security_policy {
    ($scripts:literal, $frames:literal) => {
        concat!(
            "default-src 'none'; ",
            $scripts,
            "; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
             worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ",
            $frames
        )
    };
}

impl PageSource {
    /// Returns the content security policy: the page may use its own scripts and styles, and no
    /// other host. Other sites may show it in a frame if `is_framed`.
    pub(crate) const fn content_security_policy(&self, is_framed: bool) -> HeaderValue {
        HeaderValue::from_static(match (self, is_framed) {
            (Self::Embedded, false) => content_security_policy!("script-src 'self'", "'none'"),
            (Self::Embedded, true) => content_security_policy!("script-src 'self'", "*"),
            (Self::Folder(_), false) => {
                content_security_policy!("script-src 'self' 'wasm-unsafe-eval'", "'none'")
            }
            (Self::Folder(_), true) => {
                content_security_policy!("script-src 'self' 'wasm-unsafe-eval'", "*")
            }
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
pub(crate) const INDEX: &str = "index.html";

/// `GET /`
pub(crate) async fn index(State(state): State<SharedState>, headers: HeaderMap) -> Response {
    serve_file(&state.page_files, INDEX, &headers).await
}

/// `GET /{*path}`
pub(crate) async fn file_at_path(
    State(state): State<SharedState>,
    PathParam(path): PathParam,
    headers: HeaderMap,
) -> Response {
    serve_file(&state.page_files, &path, &headers).await
}

async fn serve_file(files: &PageFiles, path: &str, headers: &HeaderMap) -> Response {
    match files.find(path).await {
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

/// The maximum number of files to keep in memory. A page has about a hundred.
const MAX_KNOWN_FILES: usize = 1_024;

/// The age from which on the time of a change tells two versions of a file apart: some file systems
/// store it in steps of two seconds.
const MIN_KNOWN_AGE: Duration = Duration::from_secs(3);

/// The files of the page, each read and compressed once until it changes.
#[derive(Debug)]
pub(crate) struct PageFiles {
    source: PageSource,
    /// The files that were asked for, by path. Only paths of existing files are in it.
    known: Mutex<HashMap<String, Arc<KnownFile>>>,
}

/// A version of a file, which is read and compressed by the first request for it.
#[derive(Debug)]
struct KnownFile {
    version: FileVersion,
    file: OnceCell<Option<Arc<PageFile>>>,
}

/// The time, the length and further numbers of the system, which tell versions of a file apart;
/// `None` for an embedded file. Reproducible builds give all versions the same time.
type FileVersion = Option<(SystemTime, u64, [i64; 3])>;

/// A file of the page.
#[derive(Debug)]
struct PageFile {
    content_type: &'static str,
    cache_control: &'static str,
    etag: Cow<'static, str>,
    content: Bytes,
    /// The content in gzip, if it is shorter.
    gzip: Option<Bytes>,
}

impl PageFiles {
    /// Creates the files of a source, none of which is read yet.
    pub(crate) fn new(source: PageSource) -> Self {
        Self {
            source,
            known: Mutex::default(),
        }
    }

    /// Returns the source of the files.
    pub(crate) fn source(&self) -> &PageSource {
        &self.source
    }

    /// Returns the text of a file of the page.
    pub(crate) async fn text(&self, path: &str) -> Option<String> {
        let file = self.find(path).await?;
        String::from_utf8(file.content.to_vec()).ok()
    }

    /// Returns the current version of the file at a path of the page.
    async fn find(&self, path: &str) -> Option<Arc<PageFile>> {
        let content_type = content_type(path)?;
        let folder = match &self.source {
            PageSource::Embedded => {
                let known = self.known_file(path, None);
                return self.found(path, &known, read_embedded(path)).await;
            }
            PageSource::Folder(folder) => folder,
        };
        let file = folder.join(path);
        let metadata = tokio::fs::metadata(&file).await.ok()?;
        let modified = metadata.modified().ok()?;
        let read = read_from_folder(file, path, content_type);
        // A time in the future is as good as one in the past.
        if modified.elapsed().map_or(true, |age| age >= MIN_KNOWN_AGE) {
            let version = (modified, metadata.len(), change_of(&metadata));
            let known = self.known_file(path, Some(version));
            self.found(path, &known, read).await
        } else {
            read.await
        }
    }

    /// Returns the content of a file, which the first caller reads.
    async fn found(
        &self,
        path: &str,
        known: &KnownFile,
        read: impl Future<Output = Option<Arc<PageFile>>>,
    ) -> Option<Arc<PageFile>> {
        let found = known.file.get_or_init(|| read).await.clone();
        if found.is_none() {
            self.lock().remove(path);
        }
        found
    }

    /// Returns the entry of a version of a file, and forgets other versions.
    fn known_file(&self, path: &str, version: FileVersion) -> Arc<KnownFile> {
        let mut known = self.lock();
        if let Some(file) = known.get(path)
            && file.version == version
        {
            return Arc::clone(file);
        }
        if known.len() >= MAX_KNOWN_FILES {
            known.clear();
        }
        let file = Arc::new(KnownFile {
            version,
            file: OnceCell::new(),
        });
        known.insert(path.to_owned(), Arc::clone(&file));
        file
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<KnownFile>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the identity of a file and the time at which anything of it changed last.
#[cfg(unix)]
fn change_of(metadata: &Metadata) -> [i64; 3] {
    use std::os::unix::fs::MetadataExt as _;

    let inode = metadata.ino().cast_signed();
    [inode, metadata.ctime(), metadata.ctime_nsec()]
}

/// Returns nothing: this system does not have these numbers.
#[cfg(not(unix))]
fn change_of(_metadata: &Metadata) -> [i64; 3] {
    [0; 3]
}

fn find_embedded(path: &str) -> Option<&'static (EmbeddedFile, &'static [u8])> {
    let index = FILES.binary_search_by(|(file, _)| file.path.cmp(path));
    Some(&FILES[index.ok()?])
}

async fn read_embedded(path: &str) -> Option<Arc<PageFile>> {
    let (file, content) = find_embedded(path)?;
    let content = Bytes::from_static(content);
    let gzip = compressed(content.clone()).await;
    Some(Arc::new(PageFile {
        content_type: file.content_type,
        cache_control: cache_control(path),
        etag: Cow::Borrowed(file.etag),
        content,
        gzip,
    }))
}

async fn read_from_folder(
    file: PathBuf,
    path: &str,
    content_type: &'static str,
) -> Option<Arc<PageFile>> {
    match tokio::fs::read(file).await {
        Ok(content) => {
            let etag = etag(xxh3_64(&content)).into();
            let content = Bytes::from(content);
            let gzip = compressed(content.clone()).await;
            Some(Arc::new(PageFile {
                content_type,
                cache_control: cache_control(path),
                etag,
                content,
                gzip,
            }))
        }
        Err(error) => {
            tracing::debug!(path, %error, "cannot read a file of the page");
            None
        }
    }
}

/// Returns how long clients may use a file without asking for it again. A file whose name has the
/// hash of its content never changes. Another build may have others of the remaining files, so
/// clients have to revalidate those.
fn cache_control(path: &str) -> &'static str {
    if has_hashed_name(path) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    }
}

/// Returns a content in gzip, or `None` if that is not shorter, as that of images.
async fn compressed(content: Bytes) -> Option<Bytes> {
    let compress = move || {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&content).ok()?;
        let gzip = encoder.finish().ok()?;
        (gzip.len() < content.len()).then(|| Bytes::from(gzip))
    };
    tokio::task::spawn_blocking(compress).await.ok().flatten()
}

impl PageFile {
    /// Returns the file, or 304 if the client has this version.
    fn response(&self, headers: &HeaderMap) -> Response {
        let known_etags = headers.get_all(IF_NONE_MATCH).iter();
        let is_known = known_etags
            .filter_map(|tags| tags.to_str().ok())
            .flat_map(|tags| tags.split(','))
            .any(|known| etag_matches(known.trim(), &self.etag));
        let mut response = if is_known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            self.content_response(accepts_gzip(headers))
        };
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(self.cache_control));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if let Ok(etag_value) = HeaderValue::try_from(&*self.etag) {
            headers.insert(ETAG, etag_value);
        }
        response
    }

    fn content_response(&self, accepts_gzip: bool) -> Response {
        let content_type = HeaderValue::from_static(self.content_type);
        match &self.gzip {
            Some(gzip) if accepts_gzip => {
                let encoding = HeaderValue::from_static("gzip");
                let headers = [(CONTENT_TYPE, content_type), (CONTENT_ENCODING, encoding)];
                (headers, Body::from(gzip.clone())).into_response()
            }
            _ => (
                [(CONTENT_TYPE, content_type)],
                Body::from(self.content.clone()),
            )
                .into_response(),
        }
    }
}

/// Returns whether a client accepts gzip (RFC 9110, section 12.5.3).
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(ACCEPT_ENCODING).iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let is_gzip = parts
                .next()
                .is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            let weight = parts
                .next()
                .and_then(|weight| weight.strip_prefix(['q', 'Q'])?.strip_prefix('='));
            is_gzip
                && weight.is_none_or(|weight| weight.parse().is_ok_and(|weight: f32| weight > 0.0))
        })
}

/// Compares entity tags weakly (RFC 9110, section 8.8.3.2).
fn etag_matches(known: &str, current: &str) -> bool {
    let opaque = |etag: &str| etag.strip_prefix("W/").unwrap_or(etag).to_owned();
    known == "*" || opaque(known) == opaque(current)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn embedded_files_are_found_by_path() {
        assert!(FILES.is_sorted_by(|(one, _), (next, _)| one.path < next.path));
        for (entry, content) in FILES {
            let (file, found) = find_embedded(entry.path).expect("a file of the list");
            assert_eq!(found, content, "{}", entry.path);
            assert_eq!(file.etag, etag(xxh3_64(content)), "{}", entry.path);
        }
    }

    #[test]
    fn gzip_is_sent_only_if_it_is_accepted() {
        for (value, expected) in [
            ("gzip", true),
            ("deflate, GZIP;q=0.5, br", true),
            ("gzip; q=0", false),
            ("gzip;Q=0", false),
            ("gzip;q=0.0", false),
            ("br", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, value.parse().expect("a value"));
            assert_eq!(accepts_gzip(&headers), expected, "{value}");
        }
    }

    #[tokio::test]
    async fn file_is_compressed_once_until_it_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = PageFiles::new(PageSource::Folder(folder.path().to_owned()));
        let write = |text: &str, age: Duration| {
            let mut file = File::create(folder.path().join("app.js")).expect("a file");
            file.write_all(text.as_bytes()).expect("our file");
            file.set_modified(SystemTime::now() - age)
                .expect("our file");
        };
        assert!(files.find("app.js").await.is_none());
        assert!(files.lock().is_empty());
        write(&"a".repeat(1000), 2 * MIN_KNOWN_AGE);
        let first = files.find("app.js").await.expect("a file");
        assert!(first.gzip.as_ref().expect("shorter").len() < 100);
        let again = files.find("app.js").await.expect("a file");
        assert!(Arc::ptr_eq(&first, &again));
        // A file that has just changed may change again without another time.
        for text in ["b", "c"] {
            write(text, Duration::ZERO);
            let other = files.find("app.js").await.expect("a file");
            assert_eq!(&other.content[..], text.as_bytes());
            assert!(other.gzip.is_none());
        }
        // Reproducible builds give all versions one time, which can also be in the future.
        let time = SystemTime::now() + 10 * MIN_KNOWN_AGE;
        for text in ["d", "e"] {
            write(text, Duration::ZERO);
            let file = File::options()
                .append(true)
                .open(folder.path().join("app.js"));
            file.expect("our file")
                .set_modified(time)
                .expect("our file");
            let other = files.find("app.js").await.expect("a file");
            let again = files.find("app.js").await.expect("a file");
            assert!(Arc::ptr_eq(&other, &again));
            if cfg!(unix) {
                assert_eq!(&other.content[..], text.as_bytes());
            }
        }
        assert_eq!(files.lock().len(), 1);
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
