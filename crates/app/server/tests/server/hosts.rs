//! Requests for hosts that the server does not answer for.

use std::net::SocketAddr;

use kalah_server::{ServerConfig, ServerLimits};
use serde_json::json;

use crate::common::{TestServer, config, games_config};

/// Returns the head of a request without a body.
fn get(path: &str, host: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")
}

/// Returns a request that opens a WebSocket, from the page of `origin`.
fn upgrade(game: &str, host: &str, origin: &str) -> String {
    format!(
        "GET /api/v1/games/{game}/live HTTP/1.1\r\nhost: {host}\r\nconnection: upgrade, close\r\n\
         upgrade: websocket\r\nsec-websocket-version: 13\r\n\
         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\norigin: {origin}\r\n\r\n"
    )
}

#[tokio::test]
async fn unknown_host_is_refused_with_421() {
    let server = TestServer::start(&ServerConfig {
        hosts: vec!["kalah.example".parse().expect("a host")],
        ..config(ServerLimits::default())
    })
    .await;
    let port = server.address.port();
    for path in ["/", "/api/v1/rules", "/healthz", "/api/v1/analyses"] {
        let response = server.send_raw(get(path, "evil.example").as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 421 "), "{path}: {response}");
        assert!(response.contains("application/problem+json"), "{response}");
        assert!(response.contains("`evil.example`"), "{response}");
    }
    for (host, status) in [
        (format!("localhost:{port}"), 200),
        (format!("127.0.0.1:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        ("kalah.example".to_owned(), 200),
        (format!("127.0.0.1.evil.example:{port}"), 421),
        (format!("0.0.0.0:{port}"), 421),
    ] {
        let response = server.send_raw(get("/healthz", &host).as_bytes()).await;
        let expected = format!("HTTP/1.1 {status} ");
        assert!(response.starts_with(&expected), "{host}: {response}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_start_no_search() {
    let server = TestServer::start(&config(ServerLimits::default())).await;
    let get = |path: &str, header: &str| {
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{header}\r\n\r\n")
    };
    let search = "/api/v1/analyses?position=2x1";
    for header in [
        "sec-fetch-site: cross-site",
        "sec-fetch-site: same-site",
        "origin: http://evil.example",
    ] {
        let response = server.send_raw(get(search, header).as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 403 "), "{response}");
        assert!(response.contains("pages of "), "{response}");
        // A link of another page may lead to the page.
        let response = server.send_raw(get("/", header).as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }
    for header in [
        "sec-fetch-site: same-origin",
        "sec-fetch-site: none",
        "x: y",
    ] {
        let response = server.send_raw(get(search, header).as_bytes()).await;
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }
}

#[tokio::test]
async fn server_at_all_addresses_answers_for_the_address_of_the_connection() {
    let server = TestServer::start(&ServerConfig {
        address: SocketAddr::from(([0, 0, 0, 0], 0)).into(),
        ..config(ServerLimits::default())
    })
    .await;
    let response = server
        .send_raw(get("/healthz", "127.0.0.1").as_bytes())
        .await;
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    let response = server
        .send_raw(get("/healthz", "192.0.2.1").as_bytes())
        .await;
    assert!(response.starts_with("HTTP/1.1 421 "), "{response}");
}

#[tokio::test(flavor = "multi_thread")]
async fn websocket_of_a_rebound_page_is_refused() {
    let server = TestServer::start(&games_config(None)).await;
    let game = server.create_game(json!({})).await.game;
    // For the browser, page and server have the same origin.
    let rebound = upgrade(&game, "evil.example", "http://evil.example");
    let response = server.send_raw(rebound.as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 421 "), "{response}");
    let foreign = upgrade(&game, "localhost", "http://evil.example");
    let response = server.send_raw(foreign.as_bytes()).await;
    assert!(response.starts_with("HTTP/1.1 403 "), "{response}");
    server.stop().await;
}
