//! Who takes nothing of what it is told is dropped.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::time::advance;
use tokio_tungstenite::client_async;

use crate::common::{TestServer, WebSocketClient, games_config};
use crate::time::{TICKS, real_sleep, stop_time};

/// The time that a client has to take something, by Tokio's clock.
const WRITE_TIME: Duration = Duration::from_secs(1);

/// A connection that takes nothing for so long is probably blocked.
const STALL: Duration = Duration::from_millis(500);

/// The number of open WebSocket connections.
const WEBSOCKETS: &str = "kalah_live_connections";

/// A live connection of somebody whose system keeps little for who does not read.
async fn live_with_little_room(server: &TestServer, game: &str) -> WebSocketClient {
    const LITTLE: u32 = 4 << 10;
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(LITTLE).expect("little room");
    let stream = socket.connect(server.address).await.expect("a server");
    let url = format!("ws://{}/api/v1/games/{game}/live", server.address);
    WebSocketClient(client_async(url, stream).await.expect("a connection").0)
}

#[tokio::test]
async fn who_does_not_read_is_dropped_in_time_and_keeps_nobody_waiting() {
    let _stopped = stop_time();
    let mut config = games_config(None);
    config.limits.write_timeout = WRITE_TIME;
    let server = TestServer::start(&config).await;
    // Its states are long.
    let made = server.create_game(json!({"position": "26x4"})).await;
    let mut deaf = live_with_little_room(&server, &made.game).await;
    deaf.send_json(&json!({"type": "hello", "token": made.token}))
        .await;
    deaf.receive_type("state").await;
    server.wait_for_metric(WEBSOCKETS, 1.0).await;

    // Asks for what is long to tell, and listens to nothing: sooner or later the server cannot go on, and hears
    // nothing either.
    let message = json!({"type": "sow", "ply": 99, "choice": "A"}).to_string();
    let stream = deaf.0.get_mut();
    let length = u8::try_from(message.len()).expect("a short message");
    let frame = [&[0x81, 0x80 | length, 0, 0, 0, 0], message.as_bytes()].concat();
    let frames = frame.repeat(100);
    while server.metric(WEBSOCKETS).await > 0.0 {
        // A slow server may only seem to be blocked: then there is another round.
        let mut is_written = true;
        while is_written {
            is_written = tokio::select! {
                sent = stream.write_all(&frames) => sent.is_ok(),
                () = real_sleep(STALL) => false,
            };
        }
        advance(WRITE_TIME + TICKS).await;
    }
    // The game has not noticed.
    assert_eq!(
        server
            .play_move(&made.game, &made.token, 1, "A")
            .await
            .status,
        200
    );
    drop(deaf);
    server.stop().await;
}
