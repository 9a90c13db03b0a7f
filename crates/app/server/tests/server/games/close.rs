//! How the server closes WebSocket connections after protocol errors and messages that are too
//! long.

use std::pin::pin;
use std::time::Duration;

use futures_util::SinkExt as _;
use serde_json::json;
use test_tools::stopped_time::{TICKS, real_sleep, stop_time};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::advance;
use tokio_tungstenite::tungstenite::Message;

use crate::common::{GameWithTokens, TestServer, WebSocketClient, games_config};

/// The time for which the server waits for the confirmation of a close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The maximum length of a message in bytes.
const MAX_MESSAGE_BYTES: usize = 1024;

/// Waits for `future` on a stopped clock, advancing it by `step` whenever nothing happens for a
/// while.
async fn step_until<T>(step: Duration, future: impl Future<Output = T>) -> T {
    const WHILE: Duration = Duration::from_millis(100);
    let mut future = pin!(future);
    loop {
        tokio::select! {
            output = &mut future => return output,
            () = real_sleep(WHILE) => advance(step + TICKS).await,
        }
    }
}

async fn join(server: &TestServer, created: &GameWithTokens) -> WebSocketClient {
    let mut client = server.hello_as(&created.game, &created.token).await;
    client.receive_type("state").await;
    client
}

/// Returns a frame of a client, masked with zeros.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    const MASKED: u8 = 0x80;
    let length = u8::try_from(payload.len()).expect("a short payload");
    assert!(length < 126, "longer ones have another form");
    [&[first, MASKED | length, 0, 0, 0, 0], payload].concat()
}

/// Reads until the end of the connection, and returns the code of the close frame, the last frame.
async fn read_close_code(mut client: WebSocketClient) -> u16 {
    let mut rest = Vec::new();
    let end = step_until(CLOSE_TIMEOUT, client.0.get_mut().read_to_end(&mut rest)).await;
    end.expect("no reset");
    // Pings and states may precede the close frame, which starts with its opcode and length.
    let close = (0..rest.len())
        .filter(|&at| rest[at] == 0x88 && rest.len() - at >= 4)
        .find(|&at| usize::from(rest[at + 1]) == rest.len() - at - 2);
    let close = close.unwrap_or_else(|| panic!("no close frame in {rest:?}"));
    u16::from_be_bytes([rest[close + 2], rest[close + 3]])
}

#[tokio::test]
async fn oversized_message_closes_with_1009() {
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    let mut client = join(&server, &created).await;
    client.send_text(&" ".repeat(MAX_MESSAGE_BYTES)).await;
    let problem = client.receive_type("problem").await;
    assert_eq!(problem["problem"]["status"], 400, "it is no JSON");

    for length in [MAX_MESSAGE_BYTES + 1, 100_000, 3_000_000] {
        let mut client = join(&server, &created).await;
        let message = Message::text(" ".repeat(length));
        // The server may close the connection before it has read everything.
        let _ = step_until(CLOSE_TIMEOUT, client.0.send(message)).await;
        assert_eq!(read_close_code(client).await, 1009, "{length}");
    }

    // A fragmented message whose fragments are short enough.
    let mut client = join(&server, &created).await;
    let part = [b' '; 100];
    let mut parts = frame(0x01, &part);
    for _ in 0..MAX_MESSAGE_BYTES / part.len() {
        parts.extend(frame(0x00, &part));
    }
    client.0.get_mut().write_all(&parts).await.expect("sent");
    assert_eq!(read_close_code(client).await, 1009);
    step_until(CLOSE_TIMEOUT, server.stop()).await;
}

#[tokio::test]
async fn invalid_frames_close_with_their_code() {
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    for (what, bytes, code) in [
        ("binary", frame(0x82, b"{}"), 1003),
        ("no UTF-8", frame(0x81, b"{\"type\":\"\xff\"}"), 1007),
        ("an opcode that is none", frame(0x83, b"{}"), 1002),
        ("a bit that means nothing", frame(0xc1, b"{}"), 1002),
        ("a frame without a mask", vec![0x81, 2, b'{', b'}'], 1002),
        ("the rest of nothing", frame(0x80, b"{}"), 1002),
        ("a ping in parts", frame(0x09, b""), 1002),
    ] {
        let mut client = join(&server, &created).await;
        client.0.get_mut().write_all(&bytes).await.expect("sent");
        assert_eq!(read_close_code(client).await, code, "{what}");
    }
    // The server answers a close frame, and tolerates clients that disconnect without one.
    let mut client = join(&server, &created).await;
    let goodbye = frame(0x88, &1000_u16.to_be_bytes());
    client.0.get_mut().write_all(&goodbye).await.expect("sent");
    assert_eq!(read_close_code(client).await, 1000);
    drop(join(&server, &created).await);
    step_until(CLOSE_TIMEOUT, server.stop()).await;
}

/// Checks that the server reports the limit of connections and closes the connection.
async fn expect_refusal(mut client: WebSocketClient, code: u16, detail: &str) {
    let problem = client.receive_type("problem").await["problem"].clone();
    assert_eq!(problem["status"], 429);
    assert_eq!(problem["detail"], detail);
    let close = client.receive_close_frame().await;
    assert_eq!(close, Some((code, detail.to_owned())));
}

#[tokio::test]
async fn connection_beyond_the_limit_of_its_address_closes_with_4429() {
    let mut config = games_config(None);
    config.limits.max_spectators_per_client = 2;
    let server = TestServer::start(&config).await;
    let created = server.create_game(json!({})).await;
    let first = watch(&server, &created).await;
    let second = watch(&server, &created).await;
    let third = server.hello(&created.game, &json!({})).await;
    expect_refusal(
        third,
        4429,
        "this address has 2 live connections of spectators, the maximum",
    )
    .await;
    // A player has a place nevertheless.
    let player = join(&server, &created).await;
    drop(second);
    // Besides these two, the connection that reads the metrics is open.
    server.wait_for_metric("kalah_connections", 3.0).await;
    let again = watch(&server, &created).await;
    drop((first, again, player));
    server.stop().await;
}

/// Opens the connection of a spectator.
async fn watch(server: &TestServer, created: &GameWithTokens) -> WebSocketClient {
    let mut spectator = server.hello(&created.game, &json!({})).await;
    spectator.receive_type("state").await;
    spectator
}

#[tokio::test]
async fn connection_beyond_the_limit_of_its_game_closes_with_1013() {
    const MAX_CONNECTIONS: usize = 256;
    let mut config = games_config(None);
    config.limits.max_spectators_per_client = 2 * MAX_CONNECTIONS;
    let server = TestServer::start(&config).await;
    let created = server.create_game(json!({})).await;
    let mut spectators = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        spectators.push(watch(&server, &created).await);
    }
    let refused = server.hello(&created.game, &json!({})).await;
    expect_refusal(
        refused,
        1013,
        "this game has 256 live connections of spectators, the maximum",
    )
    .await;
    let player = join(&server, &created).await;
    drop((spectators, player));
    server.stop().await;
}

#[tokio::test]
async fn further_connection_of_a_player_replaces_the_oldest() {
    const KEPT: usize = 16;
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    let mut oldest = join(&server, &created).await;
    let mut others = Vec::new();
    for _ in 0..KEPT {
        others.push(join(&server, &created).await);
    }
    let reason = "newer connections of the player have replaced this one";
    let close = oldest.receive_close_frame().await;
    assert_eq!(close, Some((4409, reason.to_owned())));
    let mut spectator = server.hello(&created.game, &json!({})).await;
    let state = spectator.receive_type("state").await;
    assert_eq!(state["state"]["connected"]["south"], true, "{state}");
    drop((spectator, others));
    server.stop().await;
}
