//! What is refused, how, and in which words.

use http_body_util::Full;
use hyper::Request;
use serde_json::json;

use crate::running::{Running, asking};

#[tokio::test]
async fn refusals_say_what_is_wrong() {
    let server = Running::new().await;
    let large = json!({"text": "x".repeat(16 << 10)}).to_string();
    for (question, body, status, words) in [
        ("position", "{", 400, "no JSON"),
        ("position", "", 400, "no JSON"),
        ("position", "\u{feff}{}", 400, "no JSON"),
        ("position", "[]", 422, "question"),
        ("position", "[null, null]", 422, "braces"),
        ("position", "[]", 422, "braces"),
        ("position", "null", 422, "braces"),
        ("position", " [\"cs32\", \"6x4\"]", 422, "braces"),
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
        ("read", &large, 413, "16384 bytes"),
        ("nothing", "{}", 404, "`/api/v1/nothing`"),
    ] {
        let reply = server.ask(question, body).await;
        let told = reply.text();
        assert_eq!(reply.status.as_u16(), status, "{question} {body}: {told}");
        assert_eq!(reply.json()["status"], status, "{told}");
        assert_eq!(reply.header("content-type"), "application/problem+json");
        assert!(reply.detail().contains(words), "{question} {body}: {told}");
    }
}

#[tokio::test]
async fn long_input_is_quoted_in_short() {
    let server = Running::new().await;
    let body = json!({"position": "9".repeat(10_000)});
    let reply = server.ask("position", &body).await;
    assert_eq!(reply.status, 422);
    assert!(reply.body.len() < 1_000, "{}", reply.text());
    let reply = server.get(&format!("/{}", "y".repeat(5_000))).await;
    assert_eq!(reply.status, 404);
    assert!(reply.body.len() < 1_000, "{}", reply.text());
}

#[tokio::test]
async fn only_json_is_read() {
    let server = Running::new().await;
    for content_type in [
        None,
        Some("text/plain"),
        Some("application/jsonp"),
        Some(""),
    ] {
        let mut request = asking("position", "{}");
        request.headers_mut().remove("content-type");
        if let Some(name) = content_type {
            let name = name.parse().expect("a header");
            request.headers_mut().insert("content-type", name);
        }
        assert_eq!(server.send(request).await.status, 415, "{content_type:?}");
    }
    for content_type in ["application/json; charset=utf-8", "Application/JSON"] {
        let mut request = asking("position", "{}");
        let name = content_type.parse().expect("a header");
        request.headers_mut().insert("content-type", name);
        assert_eq!(server.send(request).await.status, 200, "{content_type}");
    }
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_one() {
    let server = Running::new().await;
    for (method, path, allowed) in [
        ("GET", "/api/v1/sow", "POST"),
        ("DELETE", "/api/v1/sow", "POST"),
        ("POST", "/api/v1/rules", "GET,HEAD"),
        ("PUT", "/", "GET,HEAD"),
        ("BREW", "/healthz", "GET,HEAD"),
    ] {
        let request = Request::builder().method(method).uri(path);
        let request = request.body(Full::default()).expect("a request");
        let reply = server.send(request).await;
        assert_eq!(reply.status, 405, "{method} {path}");
        assert_eq!(reply.header("allow"), allowed, "{method} {path}");
        assert_eq!(reply.header("content-type"), "application/problem+json");
    }
}

#[tokio::test]
async fn paths_that_are_none_are_not_there() {
    let server = Running::new().await;
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
    assert_eq!(server.get("/%ff.js").await.status, 400);
}
