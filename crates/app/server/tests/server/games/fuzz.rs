//! Random WebSocket messages and bytes: none of them changes a game or stops the server.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::common::{GameWithTokens, HANG_TIMEOUT, TestServer, games_config};

/// Returns a strategy for messages, most of which are nearly valid.
fn message() -> impl Strategy<Value = String> {
    let kind = prop_oneof![
        "hello",
        "move",
        "name",
        "ping",
        "phrase",
        "takeback",
        "resign",
        "rematch",
        "state",
        "[a-z]{0,5}"
    ];
    let field = prop_oneof![
        "type",
        "token",
        "since",
        "ply",
        "move",
        "name",
        "phrase",
        "action",
        "[a-z]{0,5}"
    ];
    let value = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[A-Fa-f]|swap|hello|\\PC{0,9}".prop_map(Value::from),
        Just(json!([[{}]])),
    ];
    let object =
        (kind, prop::collection::btree_map(field, value, 0..4)).prop_map(|(kind, fields)| {
            let mut message = json!(fields);
            message["type"] = json!(kind);
            message.to_string()
        });
    prop_oneof![
        8 => object,
        1 => "\\PC{0,40}",
        1 => Just("[".repeat(600)),
        1 => Just("x".repeat(5000)),
    ]
}

/// Sends all messages and disconnects. The answers do not matter.
async fn send_all(
    server: &TestServer,
    created: &GameWithTokens,
    texts: &[String],
    token: Option<&str>,
) {
    let mut client = server.hello(&created.game, &json!({"token": token})).await;
    for text in texts {
        use futures_util::SinkExt as _;
        let message = tokio_tungstenite::tungstenite::Message::text(text.as_str());
        if client.0.send(message).await.is_err() {
            return;
        }
    }
}

#[test]
fn random_messages_do_not_change_a_game() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(TestServer::start(&games_config(None)));
    let created = runtime.block_on(server.create_game(json!({})));
    let cases = prop::collection::vec(message(), 0..8);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(200));
    let outcome = runner.run(&(cases, any::<bool>()), |(texts, is_spectator)| {
        runtime.block_on(async {
            // A player could resign or move by chance, so only spectators send these messages.
            let token = (!is_spectator).then_some(created.token.as_str());
            let messages: Vec<_> = texts
                .into_iter()
                .filter(|text| is_spectator || !(text.contains("resign") || text.contains("move")))
                .collect();
            send_all(&server, &created, &messages, token).await;
            let state = server.game_state(&created.game, None).await;
            prop_assert_eq!((state.status, &state.json["plies"]), (200, &json!([])));
            prop_assert_eq!(&state.json["ending"], &Value::Null);
            Ok(())
        })
    });
    outcome.expect("an unchanged game");
    runtime.block_on(server.stop());
}

#[test]
fn random_frames_do_not_stop_the_server() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(TestServer::start(&games_config(None)));
    let created = runtime.block_on(server.create_game(json!({})));
    let mut runner = TestRunner::new(ProptestConfig::with_cases(200));
    let bytes = prop::collection::vec(any::<u8>(), 0..600);
    let outcome = runner.run(&bytes, |bytes| {
        runtime.block_on(async {
            let mut stream = server.websocket(&created.game).await.0;
            let stream = stream.get_mut();
            // After the handshake, the server reads the bytes as frames.
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
            let mut rest = Vec::new();
            let ended = timeout(HANG_TIMEOUT, stream.read_to_end(&mut rest)).await;
            prop_assert!(ended.is_ok(), "the connection is still open");
            prop_assert_eq!(server.game_state(&created.game, None).await.status, 200);
            Ok(())
        })
    });
    outcome.expect("a running server");
    let metrics = runtime.block_on(server.get("/metrics"));
    assert_eq!(metrics.status, 200);
    runtime.block_on(server.stop());
}
