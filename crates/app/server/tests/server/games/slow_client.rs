//! A client that stops reading is disconnected.

use std::time::Duration;

use serde_json::json;
use test_tools::stopped_time::{TICKS, real_sleep, stop_time};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::time::advance;
use tokio_tungstenite::client_async;

use crate::common::{TestServer, WebSocketClient, games_config};

/// The write time-out of the server, by Tokio's clock.
const WRITE_TIME: Duration = Duration::from_secs(1);

/// A connection that accepts no bytes for this long is probably blocked.
const STALL: Duration = Duration::from_millis(500);

/// The number of open WebSocket connections.
const WEBSOCKETS: &str = "kalah_websockets_open";

/// Connects with a small receive buffer.
async fn connect_with_small_buffer(server: &TestServer, game: &str) -> WebSocketClient {
    const BUFFER_BYTES: u32 = 4 << 10;
    let socket = TcpSocket::new_v4().expect("a socket");
    socket
        .set_recv_buffer_size(BUFFER_BYTES)
        .expect("a small buffer");
    let stream = socket.connect(server.address).await.expect("a server");
    let url = format!("ws://{}/api/v1/games/{game}/live", server.address);
    WebSocketClient(client_async(url, stream).await.expect("a connection").0)
}

#[tokio::test]
async fn slow_client_is_disconnected_and_delays_no_others() {
    let _stopped = stop_time();
    let mut config = games_config(None);
    config.limits.http.write_timeout = WRITE_TIME;
    let server = TestServer::start(&config).await;
    // A large board has a long state.
    let created = server.create_game(json!({"position": "26x4"})).await;
    let mut client = connect_with_small_buffer(&server, &created.game).await;
    client
        .send_json(&json!({"type": "hello", "token": created.token}))
        .await;
    client.receive_type("state").await;
    server.wait_for_metric(WEBSOCKETS, 1.0).await;

    // Send commands that are rejected with a long state, and read nothing. Eventually the server
    // cannot write and stops reading.
    let message = json!({"type": "move", "ply": 99, "move": "A"}).to_string();
    let stream = client.0.get_mut();
    let length = u8::try_from(message.len()).expect("a short message");
    let frame = [&[0x81, 0x80 | length, 0, 0, 0, 0], message.as_bytes()].concat();
    let frames = frame.repeat(100);
    while server.metric(WEBSOCKETS).await > 0.0 {
        // A slow server may only seem to be blocked. Then the loop continues.
        let mut is_written = true;
        while is_written {
            is_written = tokio::select! {
                sent = stream.write_all(&frames) => sent.is_ok(),
                () = real_sleep(STALL) => false,
            };
        }
        advance(WRITE_TIME + TICKS).await;
    }
    // The game is not affected.
    server
        .assert_play(&created.game, &created.token, 1, "A", 200)
        .await;
    drop(client);
    server.stop().await;
}
