//! The files of the page, and the headers of all responses.

use std::fs;
use std::path::PathBuf;

use http_body_util::Full;
use hyper::Request;
use kalah_server::{PageSource, ServerConfig, ServerLimits};

use crate::common::{TestResponse, TestServer, config};

async fn get_with(server: &TestServer, path: &str, name: &str, value: &str) -> TestResponse {
    let request = Request::get(path)
        .header("host", "localhost")
        .header(name, value);
    server
        .send(request.body(Full::default()).expect("a request"))
        .await
}

#[tokio::test]
async fn page_scripts_and_styles_are_served() {
    let server = TestServer::with_defaults().await;
    let page = server.get("/").await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.text().contains("data-engine=\"server\""));
    assert_eq!(server.get("/index.html").await.body, page.body);
    let script = server
        .get(&named_in(&page, "<script type=\"module\" src"))
        .await;
    assert_eq!(
        script.header("content-type"),
        "text/javascript; charset=utf-8"
    );
    let style = server
        .get(&named_in(&page, "rel=\"stylesheet\" href"))
        .await;
    assert_eq!(style.header("content-type"), "text/css; charset=utf-8");
}

/// Returns the path in the value of an attribute of the page.
fn named_in(page: &TestResponse, attribute: &str) -> String {
    let text = page.text();
    let (_, rest) = text
        .split_once(&format!("{attribute}=\""))
        .expect("the page has the attribute");
    format!("/{}", rest.split('"').next().expect("a value"))
}

#[tokio::test]
async fn files_with_hashed_names_are_immutable() {
    let server = TestServer::with_defaults().await;
    let page = server.get("/").await;
    for attribute in [
        "<script type=\"module\" src",
        "rel=\"stylesheet\" href",
        "rel=\"icon\" href",
        "rel=\"apple-touch-icon\" href",
    ] {
        let path = named_in(&page, attribute);
        let file = server.get(&path).await;
        assert_eq!(file.status, 200, "{path}");
        let control = file.header("cache-control");
        assert_eq!(control, "public, max-age=31536000, immutable", "{path}");
    }
    let unknown = server.get("/app-0123456789abcdef.js").await;
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.header("cache-control"), "no-store");
    // The modules of the bundle are not served beside it.
    assert_eq!(server.get("/app.js").await.status, 404);
}

#[tokio::test]
async fn page_can_be_installed() {
    let server = TestServer::with_defaults().await;
    let page = server.get("/").await;
    let manifest = server.get(&named_in(&page, "rel=\"manifest\" href")).await;
    assert_eq!(manifest.header("content-type"), "application/manifest+json");
    assert_eq!(manifest.header("cache-control"), "no-cache");
    let manifest: serde_json::Value =
        serde_json::from_str(&manifest.text()).expect("the manifest is JSON");
    let icons = manifest["icons"].as_array().expect("icons");
    assert_eq!(icons.len(), 3);
    for icon in icons {
        let path = format!("/{}", icon["src"].as_str().expect("a path"));
        let file = server.get(&path).await;
        assert_eq!(file.status, 200, "{path}");
        assert_eq!(file.header("content-type"), icon["type"], "{path}");
    }
    let worker = server.get("/sw.js").await;
    assert_eq!(worker.header("cache-control"), "no-cache");
    let script = named_in(&page, "<script type=\"module\" src");
    assert!(worker.text().contains(&script[1..]), "{script}");
}

#[tokio::test]
async fn known_etag_returns_304() {
    let server = TestServer::with_defaults().await;
    let file = server.get("/sw.js").await;
    let tag = file.header("etag");
    assert_eq!(file.header("cache-control"), "no-cache");
    let again = get_with(&server, "/sw.js", "if-none-match", tag).await;
    assert_eq!(again.status, 304);
    assert!(again.body.is_empty());
    assert_eq!(again.header("etag"), tag);
    let other = get_with(&server, "/sw.js", "if-none-match", "\"other\"").await;
    assert_eq!(other.status, 200);
}

#[tokio::test]
async fn files_are_compressed_if_accepted() {
    let server = TestServer::with_defaults().await;
    let plain = server.get("/").await;
    let small = get_with(&server, "/", "accept-encoding", "gzip").await;
    assert_eq!(small.header("content-encoding"), "gzip");
    assert!(small.body.len() < plain.body.len());
    assert!(small.body.starts_with(b"\x1f\x8b"), "it is no gzip");
    assert_eq!(small.header("etag"), plain.header("etag"));
}

#[tokio::test]
async fn all_responses_have_security_headers() {
    let server = TestServer::with_defaults().await;
    let mut numbers = Vec::new();
    for path in ["/", "/sw.js", "/api/v1/rules", "/nothing", "/healthz"] {
        let response = server.get(path).await;
        let policy = response.header("content-security-policy").to_owned();
        assert!(policy.contains("default-src 'none'"), "{path}");
        assert!(policy.contains("script-src 'self';"), "{path}");
        assert!(!policy.contains("unsafe"), "{path}");
        assert_eq!(
            response.header("server"),
            concat!("kalah/", env!("CARGO_PKG_VERSION")),
            "{path}"
        );
        assert_eq!(
            response.header("x-content-type-options"),
            "nosniff",
            "{path}"
        );
        assert_eq!(response.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(response.header("cross-origin-opener-policy"), "same-origin");
        assert_eq!(
            response.header("cross-origin-resource-policy"),
            "same-origin"
        );
        numbers.push(response.header("x-request-id").to_owned());
    }
    let all = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), all, "each request has its number");
}

#[tokio::test]
async fn page_folder_is_read_for_every_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = TestServer::start(&ServerConfig {
        page: PageSource::Folder(folder.path().to_owned()),
        ..config(ServerLimits::default())
    })
    .await;
    assert_eq!(server.get("/").await.status, 404);
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    for text in ["one", "two"] {
        write("index.html", text);
        assert_eq!(server.get("/").await.text(), text);
    }
    write("package.json", "{}");
    assert_eq!(server.get("/package.json").await.status, 404);
}

#[tokio::test]
async fn page_folder_may_contain_a_wasm_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path();
    fs::create_dir(site.join("wasm")).expect("a folder");
    for (file, content) in [
        ("index.html", "<html data-engine=\"worker\">"),
        ("wasm/kalah_wasm.js", "export {};"),
        ("wasm/kalah_wasm_bg.wasm", "\0asm"),
        ("manifest.webmanifest", "{}"),
        ("sw.js", "const FILES = {};"),
    ] {
        fs::write(site.join(file), content).expect("a file");
    }
    let server = TestServer::start(&ServerConfig {
        page: PageSource::Folder(site.to_owned()),
        ..config(ServerLimits::default())
    })
    .await;
    for (path, content_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/wasm/kalah_wasm.js", "text/javascript; charset=utf-8"),
        ("/wasm/kalah_wasm_bg.wasm", "application/wasm"),
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/sw.js", "text/javascript; charset=utf-8"),
    ] {
        let response = server.get(path).await;
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(response.header("content-type"), content_type);
        // The policy of a worker is the one sent with its script.
        let policy = response.header("content-security-policy");
        let scripts = "script-src 'self' 'wasm-unsafe-eval';";
        assert!(policy.contains(scripts), "{path}: {policy}");
        assert!(!policy.contains("'unsafe-"), "{path}: {policy}");
        assert_eq!(response.header("cache-control"), "no-cache", "{path}");
    }
    // The API for games is available, too.
    assert_eq!(server.post("games", "{}").await.status, 201);
}

#[test]
fn page_refers_to_no_other_host() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../web");
    let markup = fs::read_to_string(page.join("index.html")).expect("the page");
    for marker in [
        "http:",
        "https:",
        "src=\"//",
        "href=\"//",
        " style=",
        "<style",
        " onclick=",
    ] {
        assert!(!markup.contains(marker), "{marker}");
    }
    assert_eq!(
        markup.matches("<script").count(),
        markup.matches("<script type=\"module\" src=").count()
    );
}
