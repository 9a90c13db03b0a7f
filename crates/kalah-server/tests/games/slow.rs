//! Who takes nothing of what it is told is dropped.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::client_async;

use crate::visit::{Live, Running, get, settings};

/// What a client has to take something in, here.
const PATIENCE: Duration = Duration::from_secs(1);

/// Longer than anything takes, unless it hangs.
const FOREVER: Duration = Duration::from_mins(1);

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

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_is_dropped_in_time_and_keeps_nobody_waiting() {
    let mut settings = settings(None);
    settings.limits.write_timeout = PATIENCE;
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
    while let Ok(sent) = timeout(PATIENCE / 2, stream.write_all(&frames)).await {
        sent.expect("it is not dropped for being quick");
    }
    let start = Instant::now();
    let dropped = async {
        while count(&server, "kalah_live_connections").await > 0 {
            sleep(PATIENCE / 50).await;
        }
    };
    timeout(FOREVER, dropped).await.expect("it is dropped");
    assert!(start.elapsed() < 10 * PATIENCE, "{:?}", start.elapsed());
    // The game has not noticed.
    assert_eq!(
        server.sow(&made.game, &made.token, 1, "A").await.status,
        200
    );
    drop(deaf);
    server.end().await;
}
