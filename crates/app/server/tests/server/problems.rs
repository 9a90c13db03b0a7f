//! Problem documents of rejected requests.

use http_body_util::Full;
use hyper::Request;
use kalah_api::ProblemKind;
use serde_json::json;
use test_tools::stopped_time::stop_time;

use crate::common::{TestServer, api_request};
use crate::description::openapi::described_problem_types;

#[tokio::test]
async fn problems_name_the_invalid_input() {
    let server = TestServer::with_defaults().await;
    let large = json!({"moves": ["x".repeat(16 << 10)]}).to_string();
    let larger = json!({"text": "x".repeat(256 << 10)}).to_string();
    for (path, body, status, expected) in [
        ("position", "{", 400, "ends too early"),
        ("position", "", 400, "the body is empty"),
        ("position", "\u{feff}{}", 400, "not JSON"),
        ("position", "[null, null]", 422, "braces"),
        ("position", "[]", 422, "braces"),
        ("position", "null", 422, "braces"),
        ("position", " [\"cs32\", \"6x4\"]", 422, "braces"),
        ("position", "[", 400, "ends too early"),
        ("position", r#"{"rules":7,"#, 400, "ends too early"),
        ("write", r#"{"plies":[[null,"C"]]}"#, 422, "braces"),
        (
            "write",
            r#"{"plies":[{"move":"C"},[0,"F",[]]]}"#,
            422,
            "braces",
        ),
        ("write", r#"{"plies":[7]}"#, 422, "braces"),
        ("games", r#"{"clock":["10m","5s"]}"#, 422, "braces"),
        (
            "games",
            r#"{"position":"1x0"}"#,
            422,
            "position `1x0`: the game is over",
        ),
        ("position", r#"{"rule":"cs32"}"#, 422, "`rule`"),
        ("position", r#"{"rules":"chess"}"#, 422, "`chess`"),
        ("position", r#"{"position":"6x"}"#, 422, "`6x`"),
        ("position", r#"{"position":"27x1"}"#, 422, "`27x1`"),
        ("position", r#"{"position":7}"#, 422, "7"),
        ("move", r#"{"move":"a"}"#, 422, "`a`"),
        ("move", r#"{"move":"G"}"#, 422, "`G`"),
        ("move", "{}", 422, "`move`"),
        ("play", r#"{"moves":["C","C"]}"#, 422, "ply 2"),
        ("analyze", r#"{"time":"5"}"#, 422, "`5`"),
        ("analyze", r#"{"time":"31s"}"#, 422, "30s"),
        ("analyze", r#"{"prove":"worst"}"#, 422, "`worst`"),
        ("choose", r#"{"opponent":"level:11"}"#, 422, "`level:11`"),
        (
            "choose",
            r#"{"opponent":"level:1","position":"<3,1,1,0,0,0,0,0,0> s"}"#,
            422,
            "over",
        ),
        (
            "write",
            r#"{"plies":[{"move":"C","parent":3}]}"#,
            422,
            "`3`",
        ),
        ("play", &large, 413, "16384 bytes"),
        ("read", &larger, 413, "262144 bytes"),
        ("nothing", "{}", 404, "`/api/v1/nothing`"),
    ] {
        let response = server.post(path, body).await;
        let text = response.text();
        assert_eq!(response.status, status, "{path} {body}: {text}");
        assert_eq!(response.json["status"], status, "{text}");
        assert_eq!(response.header("content-type"), "application/problem+json");
        assert!(
            response.detail().contains(expected),
            "{path} {body}: {text}"
        );
        // The detail does not repeat the title.
        let title = response.json["title"].as_str().expect("a title").to_owned();
        for again in ["this is", &format!("{title}:")] {
            assert!(!response.detail().starts_with(again), "{text}");
        }
        // The URI of the type leads to its explanation.
        let kind = response.json["type"].as_str().expect("a kind").to_owned();
        if kind != "about:blank" {
            let page = server.get(&kind).await;
            assert_eq!(page.status, 200, "{kind}");
            assert!(page.text().starts_with(&title), "{kind}: {}", page.text());
        }
    }
}

#[tokio::test]
async fn every_problem_type_is_explained() {
    let server = TestServer::with_defaults().await;
    for kind in ProblemKind::ALL {
        let path = format!("/problems/{}", kind.name());
        let page = server.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.header("content-type"), "text/plain; charset=utf-8");
        assert!(page.text().contains(kind.description()), "{path}");
    }
    let all: Vec<&str> = ProblemKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(described_problem_types(), all);
    for path in [
        "/problems",
        "/problems/",
        "/problems/nothing",
        "/problems/a/b",
    ] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn record_of_maximum_length_is_read() {
    let server = TestServer::with_defaults().await;
    let text = format!("1. C {{ {} }} *", "as I have said ".repeat(16 << 10));
    let response = server.post("read", &json!({"text": text})).await;
    assert_eq!(response.status, 200, "{}", response.text());
}

#[tokio::test]
async fn long_input_is_shortened_in_problems() {
    let server = TestServer::with_defaults().await;
    let body = json!({"position": "9".repeat(10_000)});
    let response = server.post("position", &body).await;
    assert_eq!(response.status, 422);
    assert!(response.body.len() < 1_000, "{}", response.text());
    let response = server.get(&format!("/{}", "y".repeat(5_000))).await;
    assert_eq!(response.status, 404);
    assert!(response.body.len() < 1_000, "{}", response.text());
}

#[tokio::test]
async fn content_type_must_be_json() {
    let server = TestServer::with_defaults().await;
    for content_type in [
        None,
        Some("text/plain"),
        Some("application/jsonp"),
        Some(""),
    ] {
        let mut request = api_request("position", "{}");
        request.headers_mut().remove("content-type");
        if let Some(name) = content_type {
            let name = name.parse().expect("a header");
            request.headers_mut().insert("content-type", name);
        }
        assert_eq!(server.send(request).await.status, 415, "{content_type:?}");
    }
    for content_type in ["application/json; charset=utf-8", "Application/JSON"] {
        let mut request = api_request("position", "{}");
        let name = content_type.parse().expect("a header");
        request.headers_mut().insert("content-type", name);
        assert_eq!(server.send(request).await.status, 200, "{content_type}");
    }
}

#[tokio::test]
async fn encoded_body_is_refused() {
    let server = TestServer::with_defaults().await;
    for (encoding, status) in [
        ("identity", 200),
        ("Identity", 200),
        ("gzip", 415),
        ("br", 415),
        ("gzip, identity", 415),
        ("", 415),
    ] {
        let mut request = api_request("position", "{}");
        let value = encoding.parse().expect("a header");
        request.headers_mut().insert("content-encoding", value);
        let response = server.send(request).await;
        assert_eq!(response.status, status, "{encoding:?}");
        if status == 415 {
            let expected = format!("the content encoding of the body is `{encoding}`");
            assert!(
                response.detail().starts_with(&expected),
                "{}",
                response.text()
            );
            assert_eq!(response.header("accept-encoding"), "identity");
        }
    }
}

#[tokio::test]
async fn wrong_method_returns_405_with_allowed_methods() {
    let server = TestServer::with_defaults().await;
    for (method, path, allowed) in [
        ("GET", "/api/v1/move", "POST"),
        ("DELETE", "/api/v1/move", "POST"),
        ("POST", "/api/v1/rules", "GET,HEAD"),
        ("PUT", "/", "GET,HEAD"),
        ("BREW", "/healthz", "GET,HEAD"),
    ] {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost");
        let request = request.body(Full::default()).expect("a request");
        let response = server.send(request).await;
        assert_eq!(response.status, 405, "{method} {path}");
        assert_eq!(response.header("allow"), allowed, "{method} {path}");
        assert_eq!(response.header("content-type"), "application/problem+json");
        let expected = format!("`{method}` is not allowed at `{path}`");
        assert_eq!(response.detail(), expected);
    }
}

#[tokio::test]
async fn unknown_and_invalid_paths_are_rejected() {
    let server = TestServer::with_defaults().await;
    for path in [
        "/api",
        "/api/",
        "/api/v1",
        "/api/v2/rules",
        "/nothing.html",
        "/package.json",
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/node_modules/typescript/lib/typescript.js",
        "//",
        "/%00.js",
    ] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
    for path in ["/%ff", "/%ff.js", "/api/v1/games/%ff", "/problems/%ff"] {
        let response = server.get(path).await;
        assert_eq!(response.status, 400, "{path}");
        let expected = format!("the path `{path}` is not valid UTF-8");
        assert!(response.detail().contains(&expected), "{}", response.text());
    }
}

#[tokio::test]
async fn oversized_body_is_rejected_before_it_arrives() {
    // With a stopped clock, a server that waits for the body never answers.
    let _stopped = stop_time();
    let server = TestServer::with_defaults().await;
    for (path, length) in [
        ("move", 16_385),
        ("read", 262_145),
        ("move", usize::MAX / 2),
    ] {
        let head = format!(
            "POST /api/v1/{path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n"
        );
        // The response arrives even if a part of the body was sent already.
        for sent in [0, 1, 100_000] {
            let request = [head.as_bytes(), &vec![b' '; sent]].concat();
            let response = server.send_raw(&request).await;
            assert!(
                response.starts_with("HTTP/1.1 413 "),
                "{length}: {response}"
            );
            assert!(response.contains("connection: close"), "{response}");
            assert!(response.contains("application/problem+json"), "{response}");
        }
    }
    // A body of exactly the maximum size is read.
    let exact = json!({"position": "x".repeat(16_384 - 15)}).to_string();
    assert_eq!(exact.len(), 16_384);
    assert_eq!(server.post("position", &exact).await.status, 422);
    // A game with long comments is a record.
    let game = json!({"plies": [], "comments": ["x".repeat(200_000)]});
    assert_eq!(server.post("write", &game).await.status, 200);
}

#[tokio::test]
async fn oversized_head_is_rejected() {
    let _stopped = stop_time();
    let server = TestServer::with_defaults().await;
    let with = |length: usize| {
        let cookie = "x".repeat(length);
        format!(
            "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncookie: {cookie}\r\n\r\n"
        )
    };
    let response = server.send_raw(with(12 << 10).as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    let many = "a: b\r\n".repeat(200);
    let many = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{many}\r\n");
    for head in [with(17 << 10), with(1 << 20), many] {
        let response = server.send_raw(head.as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 431 "), "{response}");
    }
}

#[tokio::test]
async fn request_needs_exactly_one_host() {
    let server = TestServer::with_defaults().await;
    for (version, hosts, status) in [
        ("1.1", "host: localhost\r\n", 200),
        ("1.1", "", 400),
        ("1.1", "host: a\r\nhost: b\r\n", 400),
        ("1.1", "host: a\r\nhost: a\r\n", 400),
        ("1.1", "host: a b\r\n", 400),
        ("1.0", "", 200),
    ] {
        let request = format!("GET /healthz HTTP/{version}\r\n{hosts}connection: close\r\n\r\n");
        let response = server.send_raw(request.as_bytes()).await;
        let wanted = format!("HTTP/{version} {status} ");
        assert!(response.starts_with(&wanted), "{hosts:?}: {response}");
        assert_eq!(response.contains("`Host`"), status == 400, "{response}");
    }
}
