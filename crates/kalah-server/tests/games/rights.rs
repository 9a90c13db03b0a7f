use serde_json::{Value, json};
use tempfile::TempDir;

use crate::visit::{Running, post, request, settings};

#[tokio::test(flavor = "multi_thread")]
async fn no_other_token_moves_anything() {
    let folder = TempDir::new().expect("a folder");
    let server = Running::start(&settings(Some(folder.path()))).await;
    let made = server.make(json!({})).await;
    let others = server.make(json!({})).await;
    let before = server.state(&made.game, None).await.body;
    let strangers = [
        &others.token,
        &others.friend_token,
        &made.game,
        "",
        "x",
        "Bearer",
    ];
    for token in strangers {
        let answers = [
            server.sow(&made.game, token, 1, "A").await,
            server.ask(&made.game, token, "resign").await,
            server.ask(&made.game, token, "rematch").await,
            server.state(&made.game, Some(token)).await,
        ];
        for answer in answers {
            assert_eq!(
                (answer.status, &answer.body["state"]),
                (403, &Value::Null),
                "{token}"
            );
            assert!(token.is_empty() || token == "x" || !answer.body.to_string().contains(token));
        }
        let mut live = server.hello(&made.game, &json!({"token": token})).await;
        assert_eq!(live.hear().await["problem"]["status"], 403);
        assert_eq!(live.hear_close().await, Some(4403));
    }
    let asked = json!({"ply": 1, "choice": "A"});
    let path = format!("/api/v1/games/{}/plies", made.game);
    assert_eq!(post(server.address, &path, None, &asked).await.status, 403);
    // The other side's own token.
    assert_eq!(
        server
            .sow(&made.game, &made.friend_token, 1, "A")
            .await
            .status,
        409
    );
    assert_eq!(
        server
            .sow(&made.game, &made.friend_token, 1, "a")
            .await
            .status,
        409
    );
    // Somebody who watches.
    let mut watcher = server.hello(&made.game, &json!({})).await;
    watcher.hear_of("state").await;
    for message in [
        json!({"type": "sow", "ply": 1, "choice": "A"}),
        json!({"type": "resign"}),
        json!({"type": "rematch"}),
    ] {
        watcher.say(&message).await;
        assert_eq!(watcher.hear().await["problem"]["status"], 403);
    }
    assert_eq!(server.state(&made.game, None).await.body, before);
    server.end().await;
    // Nothing on the disk opens a game.
    for entry in folder.path().read_dir().expect("a folder") {
        let bytes = std::fs::read(entry.expect("a file").path()).expect("a file");
        for token in [&made.token, &made.friend_token] {
            assert!(
                !bytes
                    .windows(token.len())
                    .any(|part| part == token.as_bytes())
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_watches_is_told_nothing_secret() {
    let server = Running::start(&settings(None)).await;
    let made = server
        .make(json!({"clock": {"initial": "1m", "increment": "0s"}}))
        .await;
    let mut watcher = server.hello(&made.game, &json!({"since": 0})).await;
    let mut told = watcher.hear_of("state").await.to_string();
    let mut south = server
        .hello(&made.game, &json!({"token": made.token}))
        .await;
    let mut north = server
        .hello(&made.game, &json!({"token": made.friend_token}))
        .await;
    south.hear_of("state").await;
    north.hear_of("state").await;
    south.sow(1, "A").await;
    told += &watcher.hear_of("sown").await.to_string();
    north.say(&json!({"type": "resign"})).await;
    loop {
        let message = watcher.hear_of("state").await;
        told += &message.to_string();
        assert_eq!(message["state"]["you"], Value::Null);
        if message["state"]["over"] != Value::Null {
            break;
        }
    }
    for token in [&made.token, &made.friend_token] {
        assert!(!told.contains(token.as_str()));
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_gets_no_live_connection() {
    let server = Running::start(&settings(None)).await;
    let made = server.make(json!({})).await;
    let ask = |origin: &str| {
        format!(
            "GET /api/v1/games/{}/live HTTP/1.1\r\nhost: kalah.example\r\nconnection: upgrade, close\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\n\
             sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\norigin: {origin}\r\n\r\n",
            made.game
        )
    };
    for origin in ["http://evil.example", "http://kalah.example:81", "null"] {
        let answer = request(server.address, &ask(origin)).await;
        assert_eq!(answer.status, 403, "{origin}");
        assert!(
            answer
                .head
                .contains("content-type: application/problem+json")
        );
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_has_the_right_status() {
    let server = Running::start(&settings(None)).await;
    let made = server.make(json!({})).await;
    let games = "/api/v1/games";
    for asked in [
        json!({"rules": "chess"}),
        json!({"position": "6x"}),
        json!({"position": "<2,4,4,0,0,0,0>"}),
        json!({"clock": {"initial": "0s", "increment": "0s"}}),
        json!({"clock": {"initial": "10", "increment": "0s"}}),
        json!({"clock": {"initial": "10m", "increment": "2h"}}),
    ] {
        let answer = post(server.address, games, None, &asked).await;
        assert_eq!(answer.status, 422, "{asked}: {}", answer.body);
    }
    let nobody = "AAAAAAAAAAAAAAAAAAAAAA";
    for game in [nobody, "x", "%00", &made.game.to_lowercase()] {
        assert_eq!(server.state(game, None).await.status, 404, "{game}");
        assert_eq!(
            server.sow(game, &made.token, 1, "A").await.status,
            404,
            "{game}"
        );
    }
    let mut live = server.hello(nobody, &json!({})).await;
    assert_eq!(live.hear().await["problem"]["status"], 404);
    assert_eq!(live.hear_close().await, Some(4404));
    server.end().await;
}
