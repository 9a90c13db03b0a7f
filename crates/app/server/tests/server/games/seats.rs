//! Seats: joining a game, handicaps, the way to another device, summaries and phrases.

use kalah_store::PlayerToken;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{TestServer, games_config};

/// The token of a player who joins.
const TOKEN: &str = "BBBBBBBBBBBBBBBBBBBBBA";

/// Creates a game with a free seat, and returns its id and the token of its creator.
async fn open_game(server: &TestServer, request: &Value) -> (String, String) {
    let created = server.post("games", request).await.json;
    let text = |name: &str| created[name].as_str().expect("a text").to_owned();
    (text("game"), text("token"))
}

#[tokio::test(flavor = "multi_thread")]
async fn first_client_takes_the_free_seat_and_keeps_it() {
    let folder = TempDir::new().expect("a folder");
    let server = TestServer::start(&games_config(Some(folder.path()))).await;
    let (game, _) = open_game(&server, &json!({"name": "Ann"})).await;
    let mut watcher = server.hello(&game, &json!({})).await;
    let state = watcher.receive_type("state").await["state"].take();
    assert_eq!(state["free_seat"], "north");
    let unknown = server.game_state(&game, Some(TOKEN)).await;
    assert_eq!(unknown.status, 403);

    let request = json!({"token": TOKEN, "name": "Bob"});
    // A repeated request succeeds, for example after a lost response.
    for _ in 0..2 {
        let joined = server.join(&game, &request).await;
        assert_eq!(joined.status, 200, "{}", joined.json);
        assert_eq!(joined.json["you"], "north");
        assert_eq!(joined.json["free_seat"], Value::Null);
        assert_eq!(
            joined.json["names"],
            json!({"south": "Ann", "north": "Bob"})
        );
    }
    let state = watcher.receive_type("state").await["state"].take();
    assert_eq!(state["names"]["north"], "Bob");
    assert!(!state.to_string().contains(TOKEN));
    let late = json!({"token": PlayerToken::random().reveal()});
    let late = server.join(&game, &late).await;
    assert_eq!(
        (late.status, late.detail().as_str()),
        (409, "both seats of this game are taken")
    );
    server.stop().await;

    let server = TestServer::start(&games_config(Some(folder.path()))).await;
    let state = server.game_state(&game, Some(TOKEN)).await;
    assert_eq!((state.status, &state.json["you"]), (200, &json!("north")));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_requests_for_seats_are_rejected() {
    let server = TestServer::start(&games_config(None)).await;
    let (game, token) = open_game(&server, &json!({})).await;
    for (request, status) in [
        (json!({}), 422),
        (json!({"token": "x"}), 422),
        (json!({"token": TOKEN, "name": "\u{202e}"}), 422),
        (json!({"token": TOKEN, "side": "north"}), 422),
    ] {
        assert_eq!(
            server.join(&game, &request).await.status,
            status,
            "{request}"
        );
    }
    let state = server.game_state(&game, None).await.json;
    assert_eq!(state["free_seat"], "north");
    server.resign(&game, &token).await;
    let over = server.join(&game, &json!({"token": TOKEN})).await;
    assert_eq!(over.detail(), "the game has ended");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn code_brings_a_player_to_another_device_once() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    let path = |name: &str| format!("games/{}/{name}", created.game);
    let without_token = server.post(&path("seat-code"), &json!({})).await;
    assert_eq!(without_token.status, 403);
    let foreign = server.post_as(&path("seat-code"), TOKEN, &json!({})).await;
    assert_eq!(foreign.status, 403);
    let code = server
        .post_as(&path("seat-code"), &created.friend_token, &json!({}))
        .await;
    assert_eq!(code.json["expires_in_s"], 900);
    let request = json!({"code": code.json["code"]});
    let other = server.create_game(json!({})).await;
    let wrong_game = format!("games/{}/seat", other.game);
    assert_eq!(server.post(&wrong_game, &request).await.status, 403);
    let seat = server.post(&path("seat"), &request).await;
    assert_eq!(seat.json["token"], json!(created.friend_token));
    assert_eq!(seat.json["state"]["you"], "north");
    let again = server.post(&path("seat"), &request).await;
    assert_eq!(
        (again.status, again.detail().as_str()),
        (
            403,
            "the code of the seat is wrong, was used before, or is too old"
        )
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seeds_ahead_lie_in_the_store_of_their_player() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({
        "position": "6x4", "side": "north", "seeds_ahead": {"you": 2, "friend": 5},
        "spectator_scores": true,
    });
    let created = server.create_game(request).await;
    assert_eq!(created.state["start"], "<6,5,2,4,4,4,4,4,4,4,4,4,4,4,4> s");
    assert_eq!(created.state["spectator_scores"], true);
    for request in [
        json!({"seeds_ahead": {"you": -1}}),
        json!({"seeds_ahead": {"south": 1}}),
        json!({"seeds_ahead": [1, 2]}),
        json!({"seeds_ahead": {"you": 65535}}),
    ] {
        let response = server.post("games", &request).await;
        assert_eq!(response.status, 422, "{request}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn summaries_tell_whose_turn_it_is() {
    let server = TestServer::start(&games_config(None)).await;
    let one = server.create_game(json!({"name": "Ann"})).await;
    let other = server.create_game(json!({"side": "north"})).await;
    server.assert_play(&one.game, &one.token, 1, "A", 200).await;
    let games = json!([
        {"game": one.game, "token": one.token},
        {"game": other.game, "token": other.token},
        {"game": one.game, "token": other.token},
        {"game": TOKEN, "token": one.token},
    ]);
    let response = server
        .post("games/summaries", &json!({"games": games}))
        .await;
    let summaries = &response.json["games"];
    let turn = |index: usize| {
        let summary = &summaries[index];
        json!([
            summary["you"],
            summary["to_move"],
            summary["plies"],
            summary["names"]["south"]
        ])
    };
    assert_eq!(turn(0), json!(["south", "north", 1, "Ann"]));
    assert_eq!(turn(1), json!(["north", "south", 0, null]));
    for index in 2..4 {
        assert_eq!(summaries[index], Value::Null, "{index}");
    }
    for malformed in [
        json!({"game": "x", "token": one.token}),
        json!({"game": one.game, "token": "x"}),
    ] {
        let request = json!({"games": [malformed]});
        let response = server.post("games/summaries", &request).await;
        assert_eq!(response.status, 422, "{request}");
        assert!(
            response.detail().contains("is not a"),
            "{}",
            response.detail()
        );
    }
    let many = vec![json!({"game": one.game, "token": one.token}); 65];
    let many = server
        .post("games/summaries", &json!({"games": many}))
        .await;
    assert_eq!(
        (many.status, many.detail().as_str()),
        (422, "65 games are too many: at most 64")
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn phrases_reach_all_clients_and_are_not_repeated_within_a_second() {
    let server = TestServer::start(&games_config(None)).await;
    let created = server.create_game(json!({})).await;
    let mut south = server.hello_as(&created.game, &created.token).await;
    let mut north = server.hello_as(&created.game, &created.friend_token).await;
    let mut watcher = server.hello(&created.game, &json!({})).await;
    for client in [&mut south, &mut north, &mut watcher] {
        client.receive_type("state").await;
    }
    let phrase = |phrase: &str| json!({"type": "phrase", "phrase": phrase});
    north.send_json(&phrase("good-luck")).await;
    for client in [&mut south, &mut north, &mut watcher] {
        let received = client.receive_type("phrase").await;
        assert_eq!(
            received,
            json!({"type": "phrase", "side": "north", "phrase": "good-luck"})
        );
    }
    for (client, text, status) in [
        (&mut watcher, "hello", 403),
        (&mut south, "I hate you", 422),
    ] {
        client.send_json(&phrase(text)).await;
        let problem = client.receive_type("problem").await;
        assert_eq!(problem["problem"]["status"], status, "{problem}");
    }
    server.stop().await;
}
