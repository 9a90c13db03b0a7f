//! What is refused, how, and in which words.

use http_body_util::Full;
use hyper::Request;
use kalah_api::ProblemKind;
use serde_json::json;

use crate::common::{TestServer, api_request};
use crate::openapi::described_kinds;
use crate::time::stop_time;

#[tokio::test]
async fn refusals_say_what_is_wrong() {
    let server = TestServer::with_defaults().await;
    let large = json!({"choices": ["x".repeat(16 << 10)]}).to_string();
    let larger = json!({"text": "x".repeat(256 << 10)}).to_string();
    for (question, body, status, words) in [
        ("position", "{", 400, "EOF"),
        ("position", "", 400, "EOF"),
        ("position", "\u{feff}{}", 400, "expected value"),
        ("position", "[null, null]", 422, "braces"),
        ("position", "[]", 422, "braces"),
        ("position", "null", 422, "braces"),
        ("position", " [\"cs32\", \"6x4\"]", 422, "braces"),
        ("position", "[", 400, "EOF"),
        ("position", r#"{"rules":7,"#, 400, "EOF"),
        ("write", r#"{"plies":[[null,"C"]]}"#, 422, "braces"),
        (
            "write",
            r#"{"plies":[{"choice":"C"},[0,"F",[]]]}"#,
            422,
            "braces",
        ),
        ("write", r#"{"plies":[7]}"#, 422, "braces"),
        ("games", r#"{"clock":["10m","5s"]}"#, 422, "braces"),
        ("position", r#"{"rule":"cs32"}"#, 422, "`rule`"),
        ("position", r#"{"rules":"chess"}"#, 422, "`chess`"),
        ("position", r#"{"position":"6x"}"#, 422, "`6x`"),
        ("position", r#"{"position":"27x1"}"#, 422, "`27x1`"),
        ("position", r#"{"position":7}"#, 422, "7"),
        ("sow", r#"{"choice":"a"}"#, 422, "`a`"),
        ("sow", r#"{"choice":"G"}"#, 422, "`G`"),
        ("sow", "{}", 422, "`choice`"),
        ("play", r#"{"choices":["C","C"]}"#, 422, "ply 2"),
        ("analyse", r#"{"time":"5"}"#, 422, "`5`"),
        ("analyse", r#"{"time":"31s"}"#, 422, "30s"),
        ("analyse", r#"{"moves":"worst"}"#, 422, "`worst`"),
        ("choose", r#"{"opponent":"level:11"}"#, 422, "`level:11`"),
        (
            "choose",
            r#"{"opponent":"level:1","position":"<3,1,1,0,0,0,0,0,0> s"}"#,
            422,
            "over",
        ),
        ("read", r#"{"text":"1. X"}"#, 422, "X"),
        (
            "write",
            r#"{"plies":[{"choice":"C","parent":3}]}"#,
            422,
            "`3`",
        ),
        ("play", &large, 413, "16384 bytes"),
        ("read", &larger, 413, "262144 bytes"),
        ("nothing", "{}", 404, "`/api/v1/nothing`"),
    ] {
        let reply = server.post(question, body).await;
        let told = reply.text();
        assert_eq!(reply.status, status, "{question} {body}: {told}");
        assert_eq!(reply.json["status"], status, "{told}");
        assert_eq!(reply.header("content-type"), "application/problem+json");
        assert!(reply.detail().contains(words), "{question} {body}: {told}");
        // What stands in the title need not be said again.
        let title = reply.json["title"].as_str().expect("words").to_owned();
        for again in ["this is", &format!("{title}:")] {
            assert!(!reply.detail().starts_with(again), "{told}");
        }
        // What its kind is called leads to what it means.
        let kind = reply.json["type"].as_str().expect("a kind").to_owned();
        if kind != "about:blank" {
            let page = server.get(&kind).await;
            assert_eq!(page.status, 200, "{kind}");
            assert!(page.text().starts_with(&title), "{kind}: {}", page.text());
        }
    }
}

#[tokio::test]
async fn every_kind_of_problem_is_explained() {
    let server = TestServer::with_defaults().await;
    for kind in ProblemKind::ALL {
        let path = format!("/problems/{}", kind.name());
        let page = server.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.header("content-type"), "text/plain; charset=utf-8");
        assert!(page.text().contains(kind.description()), "{path}");
    }
    let all: Vec<&str> = ProblemKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(described_kinds(), all);
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
async fn a_long_record_is_read() {
    let server = TestServer::with_defaults().await;
    let text = format!("1. C {{ {} }} *", "so it is said ".repeat(16 << 10));
    let reply = server.post("read", &json!({"text": text})).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[tokio::test]
async fn long_input_is_quoted_in_short() {
    let server = TestServer::with_defaults().await;
    let body = json!({"position": "9".repeat(10_000)});
    let reply = server.post("position", &body).await;
    assert_eq!(reply.status, 422);
    assert!(reply.body.len() < 1_000, "{}", reply.text());
    let reply = server.get(&format!("/{}", "y".repeat(5_000))).await;
    assert_eq!(reply.status, 404);
    assert!(reply.body.len() < 1_000, "{}", reply.text());
}

#[tokio::test]
async fn only_json_is_read() {
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
async fn a_wrong_method_is_told_the_right_one() {
    let server = TestServer::with_defaults().await;
    for (method, path, allowed) in [
        ("GET", "/api/v1/sow", "POST"),
        ("DELETE", "/api/v1/sow", "POST"),
        ("POST", "/api/v1/rules", "GET,HEAD"),
        ("PUT", "/", "GET,HEAD"),
        ("BREW", "/healthz", "GET,HEAD"),
    ] {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost");
        let request = request.body(Full::default()).expect("a request");
        let reply = server.send(request).await;
        assert_eq!(reply.status, 405, "{method} {path}");
        assert_eq!(reply.header("allow"), allowed, "{method} {path}");
        assert_eq!(reply.header("content-type"), "application/problem+json");
    }
}

#[tokio::test]
async fn paths_that_are_none_are_not_there() {
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
        let reply = server.get(path).await;
        assert_eq!(reply.status, 400, "{path}");
        let words = format!("the path `{path}` is not valid UTF-8");
        assert!(reply.detail().contains(&words), "{}", reply.text());
    }
}

#[tokio::test]
async fn a_body_that_will_be_too_large_is_not_waited_for() {
    // A server that waited for the body would wait for ever.
    let _stopped = stop_time();
    let server = TestServer::with_defaults().await;
    for (question, length) in [("sow", 16_385), ("read", 262_145), ("sow", usize::MAX / 2)] {
        let head = format!(
            "POST /api/v1/{question} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n"
        );
        // Some of it is on its way already, and the answer is read nevertheless.
        for begun in [0, 1, 100_000] {
            let request = [head.as_bytes(), &vec![b' '; begun]].concat();
            let answer = server.send_raw(&request).await;
            assert!(answer.starts_with("HTTP/1.1 413 "), "{length}: {answer}");
            assert!(answer.contains("connection: close"), "{answer}");
            assert!(answer.contains("application/problem+json"), "{answer}");
        }
    }
    // As much as is allowed is waited for.
    let exact = json!({"position": "x".repeat(16_384 - 15)}).to_string();
    assert_eq!(exact.len(), 16_384);
    assert_eq!(server.post("position", &exact).await.status, 422);
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let _stopped = stop_time();
    let server = TestServer::with_defaults().await;
    let with = |length: usize| {
        let cookie = "x".repeat(length);
        format!(
            "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncookie: {cookie}\r\n\r\n"
        )
    };
    let answer = server.send_raw(with(12 << 10).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let many = "a: b\r\n".repeat(200);
    let many = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{many}\r\n");
    for head in [with(17 << 10), with(1 << 20), many] {
        let answer = server.send_raw(head.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
    }
}

#[tokio::test]
async fn a_request_is_for_one_host() {
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
        let answer = server.send_raw(request.as_bytes()).await;
        let wanted = format!("HTTP/{version} {status} ");
        assert!(answer.starts_with(&wanted), "{hosts:?}: {answer}");
        assert_eq!(answer.contains("`Host`"), status == 400, "{answer}");
    }
}
