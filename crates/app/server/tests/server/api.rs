//! The stateless API for positions and games, health and metrics.

use serde_json::{Value, json};

use crate::common::TestServer;

#[tokio::test]
async fn requests_are_answered() {
    let server = TestServer::with_defaults().await;
    let cases: [(&str, Value, &str, Value); 11] = [
        (
            "position",
            json!({}),
            "/legal_moves",
            json!(["A", "B", "C", "D", "E", "F"]),
        ),
        (
            "move",
            json!({"move": "C"}),
            "/path",
            json!(["D", "E", "F", "south"]),
        ),
        (
            "play",
            json!({"moves": ["C", "F", "b"]}),
            "/plies/2/side",
            json!("north"),
        ),
        (
            "read",
            json!({"text": "1. CF b *"}),
            "/games/0/plies/1/result/move",
            json!("F"),
        ),
        (
            "choose",
            json!({"opponent": "level:1", "position": "<3,1,1,0,0,1,1,0,0> s"}),
            "/move",
            json!("C"),
        ),
        (
            "choose",
            json!({"opponent": "smart", "position": "<3,1,1,0,1,1,1,0,0> s"}),
            "/bounds/exact",
            json!(true),
        ),
        (
            "puzzle",
            json!({"position": "3x2", "seed": 1}),
            "/puzzle/solution",
            json!("B"),
        ),
        (
            "check_puzzle",
            json!({"position": "3x2"}),
            "/puzzle/solution",
            json!("B"),
        ),
        (
            "analyze",
            json!({"position": "3x2", "time": "10s"}),
            "/exact",
            json!(true),
        ),
        (
            "review",
            json!({"moves": ["C"], "analyses": [null, null]}),
            "/plies/0/cost/exact",
            json!(false),
        ),
        (
            "analyze",
            json!({"position": "<3,1,1,0,0,0,0,0,0> s"}),
            "/best",
            json!(null),
        ),
    ];
    for (path, body, part, expected) in cases {
        let response = server.post(path, &body).await;
        assert_eq!(response.status, 200, "{path} {body}: {}", response.text());
        assert_eq!(
            response.json.pointer(part),
            Some(&expected),
            "{path} {body}"
        );
    }
    let rules = server.get("/api/v1/rules").await.json;
    assert_eq!(rules[0]["name"], "cs32");
    let plies = json!({"plies": [{"move": "C"}, {"move": "F", "parent": 0}]});
    let written = server.post("write", &plies).await.json;
    assert!(
        written["text"]
            .as_str()
            .expect("a record")
            .contains("1. CF")
    );
}

#[tokio::test]
async fn description_is_served() {
    let server = TestServer::with_defaults().await;
    let description = server.get("/api/v1/openapi.json").await.json;
    assert_eq!(description["openapi"], "3.1.0");
}

#[tokio::test]
async fn health_and_metrics_are_served() {
    let server = TestServer::with_defaults().await;
    assert_eq!(server.get("/healthz").await.text(), "ok\n");
    server.post("position", &json!({})).await;
    let metric = "kalah_requests_total{method=\"POST\",route=\"/api/v1/position\",status=\"200\"}";
    server.wait_for_metric(metric, 1.0).await;
    let text = server.get("/metrics").await.text();
    assert!(text.ends_with("# EOF\n"));
    let described = text.lines().filter(|line| line.starts_with("# TYPE"));
    let mut described: Vec<_> = described.collect();
    let all = described.len();
    described.sort_unstable();
    described.dedup();
    assert_eq!(described.len(), all, "each is described once");
}
