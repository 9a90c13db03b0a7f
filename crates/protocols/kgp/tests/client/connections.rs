//! The end of connections, their log, and connecting again.

use std::time::Duration;

use kalah_kgp::client::{ClientError, Introduction};
use kalah_kgp::{Message, Text};

use super::peer::{Options, pass, run};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn idle_client_connects_again() {
    let options = Options {
        idle_limit: Some(SECOND),
        ..Options::default()
    };
    let client = run(options, async |server| {
        for _ in 0..2 {
            let mut peer = server.accept().await;
            peer.greet().await;
            pass(SECOND).await;
            assert!(peer.receive_goodbye().await);
            pass(SECOND).await;
        }
        let mut peer = server.accept().await;
        peer.send("kgp 2 0 0").await;
    })
    .await;
    let error = client.result.expect_err("another version");
    assert!(
        matches!(error, ClientError::UnsupportedVersion { major: 2 }),
        "{error}"
    );
    let idle = (client.messages.iter())
        .filter(|message| *message == "no game for 1s; connecting again in 1s");
    assert_eq!(idle.count(), 2, "{:?}", client.messages);
}

#[tokio::test]
async fn silent_server_is_not_tried_again() {
    let options = Options {
        idle_limit: Some(SECOND),
        ..Options::default()
    };
    let client = run(options, async |server| {
        let mut peer = server.accept().await;
        pass(SECOND).await;
        assert!(peer.receive_goodbye().await);
    })
    .await;
    assert_eq!(
        client.result.expect_err("a silent server").to_string(),
        "tcp://kalah.example:2671: the server has sent no greeting of the protocol in 1s"
    );
}

#[tokio::test]
async fn connection_that_died_without_a_word_is_opened_again() {
    let client = run(Options::default(), async |server| {
        let mut peer = server.accept().await;
        peer.greet().await;
        // An answer to the ping keeps the connection.
        for _ in 0..2 {
            pass(SECOND * 20).await;
            let ping = peer.receive().await;
            assert_eq!(ping.message, Message::Ping);
            let id = ping.id.expect("an id");
            peer.send(format!("@{id} pong")).await;
        }
        pass(SECOND * 20).await;
        assert_eq!(peer.receive().await.message, Message::Ping);
        pass(SECOND * 10).await;
        assert!(!peer.receive_goodbye().await);
        pass(SECOND).await;
        let mut peer = server.accept().await;
        peer.send("kgp 2 0 0").await;
    })
    .await;
    assert!(client.result.is_err());
    let message =
        "warning: tcp://kalah.example:2671: the server is silent; trying again in 1s".to_owned();
    assert!(client.messages.contains(&message), "{:?}", client.messages);
}

#[tokio::test]
async fn server_that_knows_no_ping_gets_one() {
    let client = run(Options::default(), async |server| {
        let mut peer = server.accept().await;
        peer.greet().await;
        pass(SECOND * 20).await;
        let id = peer.receive().await.id.expect("a ping has an id");
        peer.send(format!("@{id} error \"what?\"")).await;
        pass(SECOND * 90).await;
        peer.send("goodbye").await;
        assert_eq!(peer.try_receive().await, None);
    })
    .await;
    client.result.expect("a goodbye");
}

#[tokio::test]
async fn log_has_no_token_and_notes_lines_that_are_too_long() {
    let options = Options {
        introduction: Introduction {
            token: Text::new("secret"),
            ..Introduction::default()
        },
        has_log: true,
        ..Options::default()
    };
    let client = run(options, async |server| {
        let mut peer = server.accept().await;
        assert_eq!(peer.greet().await, [r#"1 set auth:token "secret""#]);
        peer.send(vec![b'x'; 200_000]).await;
        peer.send("goodbye").await;
    })
    .await;
    client.result.expect("a goodbye");
    let expected = [
        "1970-01-01T00:00:00.000Z < 2 kgp 1 0 1",
        r#"1970-01-01T00:00:00.000Z > 1 set auth:token "***""#,
        "1970-01-01T00:00:00.000Z > 3 mode freeplay",
        "1970-01-01T00:00:00.000Z # a line of the server is too long for this log",
        "1970-01-01T00:00:00.000Z < goodbye",
    ];
    let lines: Vec<&str> = client.log.lines().collect();
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn client_comes_back_after_a_goodbye_with_forever() {
    let options = Options {
        is_persistent: true,
        ..Options::default()
    };
    let client = run(options, async |server| {
        for delay in [1, 2] {
            let mut peer = server.accept().await;
            peer.greet().await;
            peer.send("goodbye").await;
            assert!(!peer.receive_goodbye().await);
            pass(SECOND * delay).await;
        }
        let mut peer = server.accept().await;
        peer.send("kgp 2 0 0").await;
    })
    .await;
    assert!(client.result.is_err());
    for delay in ["1s", "2s"] {
        let message = format!("the server said goodbye; connecting again in {delay}");
        assert!(client.messages.contains(&message), "{:?}", client.messages);
    }
}
