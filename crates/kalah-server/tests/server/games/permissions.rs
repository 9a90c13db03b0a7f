use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{TestServer, games_config};

#[tokio::test(flavor = "multi_thread")]
async fn no_other_token_moves_anything() {
    let folder = TempDir::new().expect("a folder");
    let server = TestServer::start(&games_config(Some(folder.path()))).await;
    let made = server.create_game(json!({})).await;
    let others = server.create_game(json!({})).await;
    let before = server.game_state(&made.game, None).await.json;
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
            server.play_move(&made.game, token, 1, "A").await,
            server.game_action(&made.game, token, "resign").await,
            server.game_action(&made.game, token, "rematch").await,
            server.game_state(&made.game, Some(token)).await,
        ];
        for answer in answers {
            assert_eq!(
                (answer.status, &answer.json["state"]),
                (403, &Value::Null),
                "{token}"
            );
            assert!(token.is_empty() || token == "x" || !answer.json.to_string().contains(token));
        }
        let mut live = server.hello(&made.game, &json!({"token": token})).await;
        assert_eq!(live.receive().await["problem"]["status"], 403);
        assert_eq!(live.receive_close().await, Some(4403));
    }
    let asked = json!({"ply": 1, "choice": "A"});
    let path = format!("games/{}/plies", made.game);
    assert_eq!(server.post(&path, &asked).await.status, 403);
    // The other side's own token.
    assert_eq!(
        server
            .play_move(&made.game, &made.friend_token, 1, "A")
            .await
            .status,
        409
    );
    assert_eq!(
        server
            .play_move(&made.game, &made.friend_token, 1, "a")
            .await
            .status,
        409
    );
    // Somebody who watches.
    let mut watcher = server.hello(&made.game, &json!({})).await;
    watcher.receive_type("state").await;
    for message in [
        json!({"type": "sow", "ply": 1, "choice": "A"}),
        json!({"type": "resign"}),
        json!({"type": "rematch"}),
    ] {
        watcher.send_json(&message).await;
        assert_eq!(watcher.receive().await["problem"]["status"], 403);
    }
    assert_eq!(server.game_state(&made.game, None).await.json, before);
    server.stop().await;
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
    let server = TestServer::start(&games_config(None)).await;
    let made = server
        .create_game(json!({"clock": {"initial": "1m", "increment": "0s"}}))
        .await;
    let mut watcher = server.hello(&made.game, &json!({"since": 0})).await;
    let mut told = watcher.receive_type("state").await.to_string();
    let mut south = server
        .hello(&made.game, &json!({"token": made.token}))
        .await;
    let mut north = server
        .hello(&made.game, &json!({"token": made.friend_token}))
        .await;
    south.receive_type("state").await;
    north.receive_type("state").await;
    south.play_move(1, "A").await;
    told += &watcher.receive_type("sown").await.to_string();
    north.send_json(&json!({"type": "resign"})).await;
    loop {
        let message = watcher.receive_type("state").await;
        told += &message.to_string();
        assert_eq!(message["state"]["you"], Value::Null);
        if message["state"]["over"] != Value::Null {
            break;
        }
    }
    for token in [&made.token, &made.friend_token] {
        assert!(!told.contains(token.as_str()));
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_gets_no_live_connection() {
    let server = TestServer::start(&games_config(None)).await;
    let made = server.create_game(json!({})).await;
    let ask = |origin: &str| {
        format!(
            "GET /api/v1/games/{}/live HTTP/1.1\r\nhost: kalah.example\r\nconnection: upgrade, close\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\n\
             sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\norigin: {origin}\r\n\r\n",
            made.game
        )
    };
    for origin in ["http://evil.example", "http://kalah.example:81", "null"] {
        let answer = server.send_raw(ask(origin).as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 403 "), "{origin}: {answer}");
        assert!(answer.contains("content-type: application/problem+json"));
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_has_the_right_status() {
    let server = TestServer::start(&games_config(None)).await;
    let made = server.create_game(json!({})).await;
    for asked in [
        json!({"rules": "chess"}),
        json!({"position": "6x"}),
        json!({"position": "<2,4,4,0,0,0,0>"}),
        json!({"clock": {"initial": "0s", "increment": "0s"}}),
        json!({"clock": {"initial": "10", "increment": "0s"}}),
        json!({"clock": {"initial": "10m", "increment": "2h"}}),
    ] {
        let answer = server.post("games", &asked).await;
        assert_eq!(answer.status, 422, "{asked}: {}", answer.json);
    }
    let nobody = "AAAAAAAAAAAAAAAAAAAAAA";
    for game in [nobody, "x", "%00", &made.game.to_lowercase()] {
        assert_eq!(server.game_state(game, None).await.status, 404, "{game}");
        assert_eq!(
            server.play_move(game, &made.token, 1, "A").await.status,
            404,
            "{game}"
        );
    }
    let mut live = server.hello(nobody, &json!({})).await;
    assert_eq!(live.receive().await["problem"]["status"], 404);
    assert_eq!(live.receive_close().await, Some(4404));
    server.stop().await;
}
