use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::common::{CreatedGame, HANG_TIMEOUT, TestServer, games_config};

/// Texts that are nearly messages.
fn message() -> impl Strategy<Value = String> {
    let kind = prop_oneof!["hello", "sow", "resign", "rematch", "state", "[a-z]{0,5}"];
    let field = prop_oneof!["type", "token", "since", "ply", "choice", "[a-z]{0,5}"];
    let value = prop_oneof![
        Just(Value::Null),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[A-Fa-f]|swap|\\PC{0,9}".prop_map(Value::from),
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

/// Says everything, and leaves; how the server takes each message is its own affair.
async fn say_all(server: &TestServer, made: &CreatedGame, texts: &[String], token: Option<&str>) {
    let mut live = server.hello(&made.game, &json!({"token": token})).await;
    for text in texts {
        use futures_util::SinkExt as _;
        let message = tokio_tungstenite::tungstenite::Message::text(text.as_str());
        if live.0.send(message).await.is_err() {
            return;
        }
    }
}

#[test]
fn no_message_harms_a_game() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(TestServer::start(&games_config(None)));
    let made = runtime.block_on(server.create_game(json!({})));
    let cases = prop::collection::vec(message(), 0..8);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(200));
    let outcome = runner.run(&(cases, any::<bool>()), |(texts, watches)| {
        runtime.block_on(async {
            // A person who resigns by chance would end the game: only whoever has no token fuzzes all.
            let token = (!watches).then_some(made.token.as_str());
            let harmless: Vec<_> = texts
                .into_iter()
                .filter(|text| watches || !(text.contains("resign") || text.contains("sow")))
                .collect();
            say_all(&server, &made, &harmless, token).await;
            let state = server.game_state(&made.game, None).await;
            prop_assert_eq!((state.status, &state.json["plies"]), (200, &json!([])));
            prop_assert_eq!(&state.json["over"], &Value::Null);
            Ok(())
        })
    });
    outcome.expect("the game is as it was");
    runtime.block_on(server.stop());
}

#[test]
fn no_bytes_harm_the_server() {
    let runtime = Runtime::new().expect("a runtime");
    let server = runtime.block_on(TestServer::start(&games_config(None)));
    let made = runtime.block_on(server.create_game(json!({})));
    let mut runner = TestRunner::new(ProptestConfig::with_cases(200));
    let bytes = prop::collection::vec(any::<u8>(), 0..600);
    let outcome = runner.run(&bytes, |bytes| {
        runtime.block_on(async {
            let mut stream = server.websocket(&made.game).await.0;
            let stream = stream.get_mut();
            // What comes after the handshake is frames, whatever it looks like.
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
            let mut rest = Vec::new();
            let ended = timeout(HANG_TIMEOUT, stream.read_to_end(&mut rest)).await;
            prop_assert!(ended.is_ok(), "the connection is still open");
            prop_assert_eq!(server.game_state(&made.game, None).await.status, 200);
            Ok(())
        })
    });
    outcome.expect("the server is as it was");
    let metrics = runtime.block_on(server.get("/metrics"));
    assert_eq!(metrics.status, 200);
    runtime.block_on(server.stop());
}
