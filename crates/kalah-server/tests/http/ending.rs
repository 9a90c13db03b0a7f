//! How a server ends.

use std::time::{Duration, Instant};

use kalah_server::{ServeError, Server, ServerConfig, ServerLimits};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::running::{FOREVER, Reply, Running, settings};

const RUNNING: &str = "kalah_questions_running{to=\"analysts\"}";

/// Asks for an analysis of so much time, has the server end while it is going on, and tells the answer and how long
/// it took from then on until the server had ended.
async fn ended_during(time: &str, grace: Duration) -> (Reply, Duration) {
    let server = Running::with(settings(ServerLimits {
        shutdown_timeout: grace,
        ..ServerLimits::default()
    }))
    .await;
    // A browser opens connections in advance: they keep nobody waiting.
    let unused = server.connect().await;
    let ending = async {
        server.until_count(RUNNING, 1.0).await;
        server.end();
        Instant::now()
    };
    let question = json!({"position": "6x6", "time": time});
    let (reply, start) = tokio::join!(server.ask("analyse", &question), ending);
    let address = server.address;
    timeout(FOREVER, server.ended()).await.expect("it ends");
    let took = start.elapsed();
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens");
    drop(unused);
    (reply, took)
}

#[tokio::test]
async fn what_was_accepted_is_finished() {
    let (reply, took) = ended_during("2s", FOREVER).await;
    assert_eq!(reply.status, 200);
    assert!(
        reply.json()["seconds"].as_f64() > Some(1.5),
        "{}",
        reply.text()
    );
    assert!(took < FOREVER / 2, "{took:?}");
}

#[tokio::test]
async fn what_takes_too_long_is_answered_with_what_is_known() {
    let (reply, took) = ended_during("30s", Duration::from_millis(300)).await;
    assert_eq!(reply.status, 200);
    assert!(reply.json()["best"].is_string(), "{}", reply.text());
    assert!(took < Duration::from_secs(15), "{took:?}");
}

#[tokio::test]
async fn an_address_that_is_taken_is_told() {
    let server = Running::new().await;
    let taken = ServerConfig {
        address: server.address.into(),
        ..ServerConfig::default()
    };
    let again = Server::bind(&taken).await;
    let error = again.err().expect("it is taken");
    assert!(
        matches!(&error, ServeError::AddressInUse(address) if *address == server.address.into())
    );
    let words = error.to_string();
    assert!(words.contains(&server.address.to_string()), "{words}");
    assert!(!words.contains("--"), "a library knows no flags: {words}");
}

#[tokio::test]
async fn a_host_can_be_named() {
    let server = Running::with(ServerConfig {
        address: "localhost:0".parse().expect("an address"),
        ..settings(ServerLimits::default())
    })
    .await;
    assert!(server.address.ip().is_loopback(), "{}", server.address);
    assert_eq!(server.get("/healthz").await.status, 200);

    let nowhere = ServerConfig {
        address: "nowhere.invalid:80".parse().expect("an address"),
        ..settings(ServerLimits::default())
    };
    let error = Server::bind(&nowhere).await.err().expect("no such host");
    let words = error.to_string();
    assert!(
        words.starts_with("cannot listen at nowhere.invalid:80: "),
        "{words}"
    );
}
