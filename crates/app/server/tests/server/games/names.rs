//! The names of players, over HTTP and WebSocket.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{TestServer, games_config};

#[tokio::test(flavor = "multi_thread")]
async fn names_reach_all_clients_and_survive_a_restart() {
    let folder = TempDir::new().expect("a folder");
    let server = TestServer::start(&games_config(Some(folder.path()))).await;
    let request = json!({"side": "north", "name": "  <b>Ann</b> & Co "});
    let created = server.create_game(request).await;
    let (game, north, south) = (&created.game, &created.token, &created.friend_token);
    assert_eq!(
        created.state["names"],
        json!({"south": null, "north": "<b>Ann</b> & Co"})
    );
    let mut watcher = server.hello(game, &json!({})).await;
    watcher.receive_type("state").await;
    let mut friend = server.hello_as(game, south).await;
    friend.receive_type("state").await;
    friend
        .send_json(&json!({"type": "name", "name": "Bob"}))
        .await;
    let names = json!({"south": "Bob", "north": "<b>Ann</b> & Co"});
    loop {
        let state = watcher.receive_type("state").await["state"].take();
        if state["names"] == names {
            break;
        }
    }
    let path = format!("games/{game}/name");
    let changed = server.post_as(&path, north, &json!({"name": "Anne"})).await;
    assert_eq!(
        (changed.status, &changed.json["names"]["north"]),
        (200, &json!("Anne"))
    );
    let deleted = server.post_as(&path, south, &json!({"name": ""})).await;
    assert_eq!(
        deleted.json["names"],
        json!({"south": null, "north": "Anne"})
    );
    server.stop().await;

    let server = TestServer::start(&games_config(Some(folder.path()))).await;
    let state = server.game_state(game, None).await.json;
    assert_eq!(state["names"], json!({"south": null, "north": "Anne"}));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_names_are_quoted_and_change_nothing() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({"name": "Ann"})).await;
    let path = format!("games/{}/name", created.game);
    let mut client = server.hello_as(&created.game, &created.token).await;
    client.receive_type("state").await;
    let long = "x".repeat(25);
    for (name, quoted) in [
        ("   ", "`   `"),
        ("a\nb", r"`a\nb`"),
        ("\u{202e}nnA", r"`\u{202e}nnA`"),
        (&long, &format!("`{long}`")),
    ] {
        let body = json!({"name": name});
        for response in [
            server.post_as(&path, &created.token, &body).await,
            server.post("games", &body).await,
        ] {
            assert_eq!(response.status, 422, "{quoted}");
            assert!(
                response.detail().starts_with(quoted),
                "{}",
                response.detail()
            );
        }
        client
            .send_json(&json!({"type": "name", "name": name}))
            .await;
        let problem = client.receive_type("problem").await["problem"].take();
        assert_eq!(problem["status"], 422);
        assert!(
            problem["detail"]
                .as_str()
                .is_some_and(|detail| detail.starts_with(quoted))
        );
    }
    for token in [&created.game, ""] {
        let response = server.post_as(&path, token, &json!({"name": "Eve"})).await;
        assert_eq!(
            (response.status, &response.json["state"]),
            (403, &Value::Null)
        );
    }
    let state = server.game_state(&created.game, None).await.json;
    assert_eq!(state["names"], json!({"south": "Ann", "north": null}));
    server.stop().await;
}
