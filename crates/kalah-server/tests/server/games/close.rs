//! How live connections are closed whose other end does not keep to the words or to the protocol.

use std::pin::pin;
use std::time::Duration;

use futures_util::SinkExt as _;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::advance;
use tokio_tungstenite::tungstenite::Message;

use crate::common::{CreatedGame, TestServer, WebSocketClient, games_config};
use crate::time::{TICKS, real_sleep, stop_time};

/// The time in which the server waits for the end of a connection that it closes.
const GOODBYE: Duration = Duration::from_secs(1);

/// The most bytes of a message.
const MOST: usize = 1024;

/// Waits for `future` on a stopped clock, which goes on by `step` whenever nothing has come for a while.
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

async fn greeted(server: &TestServer, made: &CreatedGame) -> WebSocketClient {
    let mut live = server
        .hello(&made.game, &json!({"token": made.token}))
        .await;
    live.receive_type("state").await;
    live
}

/// A frame as a client sends it: masked, with a mask of zeros.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    const MASKED: u8 = 0x80;
    let length = u8::try_from(payload.len()).expect("a short payload");
    assert!(length < 126, "longer ones have another form");
    [&[first, MASKED | length, 0, 0, 0, 0], payload].concat()
}

/// The code of the close frame with which the rest of a connection ends, and which is its last frame.
async fn code_at_the_end(mut live: WebSocketClient) -> u16 {
    let mut rest = Vec::new();
    let end = step_until(GOODBYE, live.0.get_mut().read_to_end(&mut rest)).await;
    end.expect("no reset");
    // Pings and states come before it; it begins with its opcode, and its length.
    let close = (0..rest.len())
        .filter(|&at| rest[at] == 0x88 && rest.len() - at >= 4)
        .find(|&at| usize::from(rest[at + 1]) == rest.len() - at - 2);
    let close = close.unwrap_or_else(|| panic!("no close frame in {rest:?}"));
    u16::from_be_bytes([rest[close + 2], rest[close + 3]])
}

#[tokio::test]
async fn a_message_that_is_too_long_is_told_so() {
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let made = server.create_game(json!({})).await;
    let mut live = greeted(&server, &made).await;
    live.send_text(&" ".repeat(MOST)).await;
    let problem = live.receive_type("problem").await;
    assert_eq!(problem["problem"]["status"], 400, "it is no JSON");

    for length in [MOST + 1, 100_000, 3_000_000] {
        let mut live = greeted(&server, &made).await;
        let message = Message::text(" ".repeat(length));
        // The server need not take all of it.
        let _ = step_until(GOODBYE, live.0.send(message)).await;
        assert_eq!(code_at_the_end(live).await, 1009, "{length}");
    }

    // In parts, of which each is short enough.
    let mut live = greeted(&server, &made).await;
    let part = [b' '; 100];
    let mut parts = frame(0x01, &part);
    for _ in 0..MOST / part.len() {
        parts.extend(frame(0x00, &part));
    }
    live.0.get_mut().write_all(&parts).await.expect("sent");
    assert_eq!(code_at_the_end(live).await, 1009);
    step_until(GOODBYE, server.stop()).await;
}

#[tokio::test]
async fn what_is_no_message_is_told_so() {
    let _stopped = stop_time();
    let server = TestServer::start(&games_config(None)).await;
    let made = server.create_game(json!({})).await;
    for (what, bytes, code) in [
        ("binary", frame(0x82, b"{}"), 1003),
        ("no UTF-8", frame(0x81, b"{\"type\":\"\xff\"}"), 1007),
        ("an opcode that is none", frame(0x83, b"{}"), 1002),
        ("a bit that means nothing", frame(0xc1, b"{}"), 1002),
        ("a frame without a mask", vec![0x81, 2, b'{', b'}'], 1002),
        ("the rest of nothing", frame(0x80, b"{}"), 1002),
        ("a ping in parts", frame(0x09, b""), 1002),
    ] {
        let mut live = greeted(&server, &made).await;
        live.0.get_mut().write_all(&bytes).await.expect("sent");
        assert_eq!(code_at_the_end(live).await, code, "{what}");
    }
    // Who says goodbye is answered, and nobody is missed who leaves without it.
    let mut live = greeted(&server, &made).await;
    let goodbye = frame(0x88, &1000_u16.to_be_bytes());
    live.0.get_mut().write_all(&goodbye).await.expect("sent");
    assert_eq!(code_at_the_end(live).await, 1000);
    drop(greeted(&server, &made).await);
    step_until(GOODBYE, server.stop()).await;
}
