//! How a server ends.

use std::time::Duration;

use kalah_server::{ServeError, Server, ServerConfig, ServerLimits};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::yield_now;
use tokio::time::advance;

use crate::common::{HANG_TIMEOUT, TestResponse, TestServer, config};
use crate::time::{TICKS, stop_time};

const RUNNING: &str = "kalah_questions_running{to=\"analysts\"}";

/// The most time that may be asked for here: longer than any of these tests waits.
const THINKING_TIME: Duration = Duration::from_hours(1);

/// Asks for an analysis of so much time, has the server end while the analysis is going on, lets `grace` pass
/// on Tokio's clock if the test has stopped it, and returns the answer.
async fn ended_during(time: &str, grace: Option<Duration>) -> TestResponse {
    let server = TestServer::start(&config(ServerLimits {
        max_engine_time: THINKING_TIME,
        shutdown_timeout: grace.unwrap_or(HANG_TIMEOUT),
        ..ServerLimits::default()
    }))
    .await;
    // A browser opens connections in advance: they keep nobody waiting.
    let unused = server.connect().await;
    let address = server.address;
    let ending = async {
        server.wait_for_metric(RUNNING, 1.0).await;
        server.shut_down();
        if let Some(grace) = grace {
            // The grace begins when nobody listens any more.
            while TcpStream::connect(address).await.is_ok() {
                yield_now().await;
            }
            advance(grace + TICKS).await;
        }
    };
    let question = json!({"position": "6x6", "time": time});
    let (reply, ()) = tokio::join!(server.post("analyse", &question), ending);
    server.wait().await;
    assert!(TcpStream::connect(address).await.is_err(), "nobody listens");
    drop(unused);
    reply
}

#[tokio::test]
async fn what_was_accepted_is_finished() {
    let reply = ended_during("2s", None).await;
    assert_eq!(reply.status, 200);
    assert!(
        reply.json["seconds"].as_f64() > Some(1.5),
        "{}",
        reply.text()
    );
}

#[tokio::test]
async fn what_takes_too_long_is_answered_with_what_is_known() {
    let _stopped = stop_time();
    let reply = ended_during("1h", Some(Duration::from_millis(300))).await;
    assert_eq!(reply.status, 200);
    assert!(reply.json["best"].is_string(), "{}", reply.text());
}

#[tokio::test]
async fn an_address_that_is_taken_is_told() {
    let server = TestServer::with_defaults().await;
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
    let server = TestServer::start(&ServerConfig {
        address: "localhost:0".parse().expect("an address"),
        ..config(ServerLimits::default())
    })
    .await;
    assert!(server.address.ip().is_loopback(), "{}", server.address);
    assert_eq!(server.get("/healthz").await.status, 200);

    let nowhere = ServerConfig {
        address: "nowhere.invalid:80".parse().expect("an address"),
        ..config(ServerLimits::default())
    };
    let error = Server::bind(&nowhere).await.err().expect("no such host");
    let words = error.to_string();
    assert!(
        words.starts_with("cannot listen at nowhere.invalid:80: "),
        "{words}"
    );
}
