//! Start and graceful shutdown of a server.

use std::time::Duration;

use kalah_net::ListenError;
use kalah_server::{ServeError, Server, ServerConfig, ServerLimits};
use serde_json::json;
use test_tools::stopped_time::{TICKS, stop_time};
use tokio::net::TcpStream;
use tokio::task::yield_now;
use tokio::time::advance;

use crate::common::{HANG_TIMEOUT, TestResponse, TestServer, config};

const RUNNING: &str = "kalah_engine_requests_running{pool=\"analysis\"}";

/// The maximum thinking time, longer than any test.
const THINKING_TIME: Duration = Duration::from_hours(1);

/// Requests an analysis with this thinking time, shuts the server down meanwhile, advances Tokio's
/// clock by `grace` if the test has stopped it, and returns the response.
async fn shut_down_during(time: &str, grace: Option<Duration>) -> TestResponse {
    let server = TestServer::start(&config(ServerLimits {
        max_engine_time: THINKING_TIME,
        shutdown_timeout: grace.unwrap_or(HANG_TIMEOUT),
        ..ServerLimits::default()
    }))
    .await;
    // Browsers open connections in advance. They must not delay the shutdown.
    let unused = server.connect().await;
    let address = server.address;
    let ending = async {
        server.wait_for_metric(RUNNING, 1.0).await;
        server.shut_down();
        if let Some(grace) = grace {
            // The shutdown time-out starts when the listener is closed.
            while TcpStream::connect(address).await.is_ok() {
                yield_now().await;
            }
            advance(grace + TICKS).await;
        }
    };
    let request = json!({"position": "6x6", "time": time});
    let (response, ()) = tokio::join!(server.post("analyze", &request), ending);
    server.wait().await;
    assert!(TcpStream::connect(address).await.is_err(), "no listener");
    drop(unused);
    response
}

#[tokio::test]
async fn accepted_requests_are_finished() {
    let response = shut_down_during("2s", None).await;
    assert_eq!(response.status, 200);
    assert!(
        response.json["seconds"].as_f64() > Some(1.5),
        "{}",
        response.text()
    );
}

#[tokio::test]
async fn aborted_analysis_returns_its_best_result() {
    let _stopped = stop_time();
    let response = shut_down_during("1h", Some(Duration::from_millis(300))).await;
    assert_eq!(response.status, 200);
    assert!(response.json["best"].is_string(), "{}", response.text());
}

#[tokio::test]
async fn used_address_is_reported() {
    let server = TestServer::with_defaults().await;
    let taken = ServerConfig {
        address: server.address.into(),
        ..ServerConfig::default()
    };
    let again = Server::bind(&taken).await;
    let error = again.err().expect("an address in use");
    assert!(matches!(
        &error,
        ServeError::Listen(ListenError::AddressInUse(address))
            if *address == server.address.into()
    ));
    let words = error.to_string();
    assert!(words.contains(&server.address.to_string()), "{words}");
    assert!(!words.contains("--"), "a library knows no flags: {words}");
}

#[tokio::test]
async fn address_may_be_a_host_name() {
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
