//! Permissions: tokens, spectators and origins.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{TestServer, games_config};

#[tokio::test(flavor = "multi_thread")]
async fn foreign_tokens_are_rejected() {
    let folder = TempDir::new().expect("a folder");
    let server = TestServer::start(&games_config(Some(folder.path()))).await;
    let created = server.create_game(json!({})).await;
    let other_game = server.create_game(json!({})).await;
    let before = server.game_state(&created.game, None).await.json;
    let foreign_tokens = [
        &other_game.token,
        &other_game.friend_token,
        &created.game,
        "",
        "x",
        "Bearer",
    ];
    for token in foreign_tokens {
        let responses = [
            server.play_move(&created.game, token, 1, "A").await,
            server.resign(&created.game, token).await,
            server
                .act_on("rematch", &created.game, token, "offer")
                .await,
            server
                .act_on("takeback", &created.game, token, "accept")
                .await,
            server.game_state(&created.game, Some(token)).await,
        ];
        for response in responses {
            assert_eq!(
                (response.status, &response.json["state"]),
                (403, &Value::Null),
                "{token}"
            );
            assert!(token.is_empty() || token == "x" || !response.json.to_string().contains(token));
        }
        let mut client = server.hello_as(&created.game, token).await;
        assert_eq!(client.receive().await["problem"]["status"], 403);
        assert_eq!(client.receive_close().await, Some(4403));
    }
    let request = json!({"ply": 1, "move": "A"});
    let path = format!("games/{}/plies", created.game);
    assert_eq!(server.post(&path, &request).await.status, 403);
    // The token of the opponent.
    server
        .assert_play(&created.game, &created.friend_token, 1, "A", 409)
        .await;
    server
        .assert_play(&created.game, &created.friend_token, 1, "a", 409)
        .await;
    // A spectator.
    let mut watcher = server.hello(&created.game, &json!({})).await;
    watcher.receive_type("state").await;
    for message in [
        json!({"type": "move", "ply": 1, "move": "A"}),
        json!({"type": "resign"}),
        json!({"type": "name", "name": "Eve"}),
        json!({"type": "takeback", "action": "offer"}),
        json!({"type": "rematch", "action": "offer"}),
    ] {
        watcher.send_json(&message).await;
        assert_eq!(watcher.receive().await["problem"]["status"], 403);
    }
    assert_eq!(server.game_state(&created.game, None).await.json, before);
    server.stop().await;
    // No file contains a token.
    for entry in folder.path().read_dir().expect("a folder") {
        let bytes = std::fs::read(entry.expect("a file").path()).expect("a file");
        for token in [&created.token, &created.friend_token] {
            assert!(
                !bytes
                    .windows(token.len())
                    .any(|part| part == token.as_bytes())
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn spectators_receive_no_tokens() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server
        .create_game(json!({"clock": {"initial": "1m", "increment": "0s"}}))
        .await;
    let mut watcher = server.hello(&created.game, &json!({"since": 0})).await;
    let mut text = watcher.receive_type("state").await.to_string();
    let mut south = server.hello_as(&created.game, &created.token).await;
    let mut north = server.hello_as(&created.game, &created.friend_token).await;
    south.receive_type("state").await;
    north.receive_type("state").await;
    south.play_move(1, "A").await;
    text += &watcher.receive_type("move").await.to_string();
    north.send_json(&json!({"type": "resign"})).await;
    loop {
        let message = watcher.receive_type("state").await;
        text += &message.to_string();
        assert_eq!(message["state"]["you"], Value::Null);
        if message["state"]["ending"] != Value::Null {
            break;
        }
    }
    for token in [&created.token, &created.friend_token] {
        assert!(!text.contains(token.as_str()));
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_origin_is_rejected() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    let upgrade_request = |origin: &str| {
        format!(
            "GET /api/v1/games/{}/live HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, close\r\n\
             upgrade: websocket\r\nsec-websocket-version: 13\r\n\
             sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\norigin: {origin}\r\n\r\n",
            created.game
        )
    };
    for origin in ["http://evil.example", "http://localhost:81", "null"] {
        let response = server.send_raw(upgrade_request(origin).as_bytes()).await;
        assert!(
            response.starts_with("HTTP/1.1 403 "),
            "{origin}: {response}"
        );
        assert!(response.contains("content-type: application/problem+json"));
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_websocket_names_the_reason() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    let headers = [
        (
            "connection: upgrade, close",
            "`Connection` is not `upgrade`",
        ),
        ("upgrade: websocket", "`Upgrade` is not `websocket`"),
        (
            "sec-websocket-version: 13",
            "`Sec-WebSocket-Version` is not `13`",
        ),
        (
            "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
            "it has no header `Sec-WebSocket-Key`",
        ),
    ];
    for (missing, reason) in headers {
        let present = headers.iter().filter(|(header, _)| *header != missing);
        let present: String = present.flat_map(|(header, _)| [*header, "\r\n"]).collect();
        let request = format!(
            "GET /api/v1/games/{}/live HTTP/1.1\r\nhost: localhost\r\n{present}\
             connection: close\r\n\r\n",
            created.game
        );
        let response = server.send_raw(request.as_bytes()).await;
        assert!(response.contains(reason), "{missing}: {response}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_game_requests_have_the_right_status() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    for request in [
        json!({"rules": "chess"}),
        json!({"position": "6x"}),
        json!({"position": "<2,4,4,0,0,0,0>"}),
        json!({"clock": {"initial": "0s", "increment": "0s"}}),
        json!({"clock": {"initial": "10", "increment": "0s"}}),
        json!({"clock": {"initial": "10m", "increment": "2h"}}),
    ] {
        let response = server.post("games", &request).await;
        assert_eq!(response.status, 422, "{request}: {}", response.json);
    }
    let unknown = "AAAAAAAAAAAAAAAAAAAAAA";
    for game in [unknown, "x", "%00", &created.game.to_lowercase()] {
        assert_eq!(server.game_state(game, None).await.status, 404, "{game}");
        assert_eq!(
            server.play_move(game, &created.token, 1, "A").await.status,
            404,
            "{game}"
        );
    }
    let mut client = server.hello(unknown, &json!({})).await;
    assert_eq!(client.receive().await["problem"]["status"], 404);
    assert_eq!(client.receive_close().await, Some(4404));
    server.stop().await;
}
