//! Who takes nothing of what it is told is dropped.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::time::advance;
use tokio_tungstenite::client_async;

use crate::time::{TICKS, real_sleep, stop_time};
use crate::visit::{Live, Running, get, settings};

/// The time that a client has to take something, by Tokio's clock.
const WRITE_TIME: Duration = Duration::from_secs(1);

/// A connection that takes nothing for so long is probably blocked.
const STALL: Duration = Duration::from_millis(500);

/// What the server counts under a name.
async fn count(server: &Running, name: &str) -> u64 {
    let text = get(server.address, "/metrics", None).await.text;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.expect(name).parse().expect("a number")
}

/// A live connection of somebody whose system keeps little for who does not read.
async fn live_with_little_room(server: &Running, game: &str) -> Live {
    const LITTLE: u32 = 4 << 10;
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(LITTLE).expect("little room");
    let stream = socket.connect(server.address).await.expect("a server");
    let url = format!("ws://{}/api/v1/games/{game}/live", server.address);
    Live(client_async(url, stream).await.expect("a connection").0)
}

#[tokio::test]
async fn who_does_not_read_is_dropped_in_time_and_keeps_nobody_waiting() {
    let _stopped = stop_time();
    let mut settings = settings(None);
    settings.limits.write_timeout = WRITE_TIME;
    let server = Running::start(&settings).await;
    // Its states are long.
    let made = server.make(json!({"position": "26x4"})).await;
    let mut deaf = live_with_little_room(&server, &made.game).await;
    deaf.say(&json!({"type": "hello", "token": made.token}))
        .await;
    deaf.hear_of("state").await;
    assert_eq!(count(&server, "kalah_live_connections").await, 1);

    // Asks for what is long to tell, and listens to nothing: sooner or later the server cannot go on, and hears
    // nothing either.
    let message = json!({"type": "sow", "ply": 99, "choice": "A"}).to_string();
    let stream = deaf.0.get_mut();
    let length = u8::try_from(message.len()).expect("a short message");
    let frame = [&[0x81, 0x80 | length, 0, 0, 0, 0], message.as_bytes()].concat();
    let frames = frame.repeat(100);
    while count(&server, "kalah_live_connections").await > 0 {
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
        server.sow(&made.game, &made.token, 1, "A").await.status,
        200
    );
    drop(deaf);
    server.end().await;
}
