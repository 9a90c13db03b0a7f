//! Random request bodies: the server answers each of them with success or a problem.

use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use kalah_server::{ServerConfig, ServerLimits};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

use crate::common::{TestServer, api_request, config};

/// Returns the paths below `/api/v1/` of the endpoints with a request body and without parameters.
fn endpoint_paths() -> Vec<String> {
    let routes = kalah_server::routes().into_iter();
    routes
        .filter(|(method, _)| method == "POST")
        .filter_map(|(_, path)| path.strip_prefix("/api/v1/").map(str::to_owned))
        .filter(|path| !path.starts_with("games") && !path.contains('{'))
        .collect()
}

/// Returns a strategy for values, of which many are valid in some field of some request.
fn value() -> impl Strategy<Value = Value> {
    let known = select(vec![
        json!("cs32"),
        json!("mankalah"),
        json!("ends=row,capture=always,swap=yes,first-bonus=no"),
        json!("6x4"),
        json!("26x2520"),
        json!("<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n"),
        json!("<1,65535,0,0,0> s"),
        json!("<2,0,0,65535,0,0,0> s ply=2"),
        json!("C"),
        json!("c"),
        json!("swap"),
        json!("smart"),
        json!("level:1"),
        json!("level:9"),
        json!("1ms"),
        json!("0s"),
        json!("99999999999999999999s"),
        json!("best"),
        json!("1. CF b 2. A c { x } ( 2. B d ) *"),
        json!([]),
        json!(["C", "F", "b"]),
        json!([["Event", "x"]]),
        json!([{"move": "C"}, {"move": "F", "parent": 0}, {"move": "E", "parent": 0}]),
        json!([{"move": "C", "parent": 0}]),
        json!([null, {"margin": 0, "lower": -48, "upper": 48, "moves": []}, null, null]),
        json!("resign"),
        json!("south"),
        json!(u64::MAX),
        json!(-1),
        json!(1e300),
        json!(null),
        json!(true),
        json!({}),
    ]);
    prop_oneof![4 => known, 1 => any::<String>().prop_map(Value::from)]
}

fn object() -> impl Strategy<Value = Value> {
    let field = prop_oneof![
        20 => select(vec![
            "rules", "position", "move", "moves", "prove", "time", "analyses", "opponent", "seed",
            "text", "tags", "comments", "plies", "termination", "winner",
        ])
        .prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec((field, value()), 0..4)
        .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
}

/// Returns a strategy for valid, changed and truncated requests, and for noise.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let text = || object().prop_map(|object| object.to_string().into_bytes());
    let changed =
        (text(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut text, at, byte)| {
            let at = at.index(text.len());
            text[at] = byte;
            text
        });
    let cut = (text(), any::<prop::sample::Index>())
        .prop_map(|(text, at)| text[..at.index(text.len())].to_vec());
    let deep = (0..8_000_usize).prop_map(|depth| "[".repeat(depth).into_bytes());
    prop_oneof![
        8 => text(),
        2 => changed,
        1 => cut,
        1 => deep,
        1 => prop::collection::vec(any::<u8>(), 0..200),
    ]
}

#[test]
fn random_bodies_are_answered() {
    let runtime = Runtime::new().expect("threads");
    let limits = ServerLimits {
        max_engine_time: Duration::from_millis(20),
        requests_per_second: u32::MAX.try_into().expect("positive"),
        request_burst: u32::MAX.try_into().expect("positive"),
        ..ServerLimits::default()
    };
    let server = runtime.block_on(TestServer::start(&ServerConfig {
        share: true,
        ..config(limits)
    }));
    let mut runner = TestRunner::new(Config {
        cases: 600,
        failure_persistence: None,
        ..Config::default()
    });
    let result = runner.run(&(select(endpoint_paths()), body()), |(path, body)| {
        let mut request = api_request(&path, "");
        *request.body_mut() = Full::from(Bytes::from(body));
        // The harness checks the response against the description of the API.
        let response = runtime.block_on(server.send(request));
        let status = response.status;
        prop_assert!(
            matches!(status, 200 | 201 | 400 | 422),
            "{}",
            response.text()
        );
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(runtime.block_on(server.get("/healthz")).status, 200);
}
