//! Wrong requests and limits of rooms: tokens, names, codes that are guessed, and greedy addresses.

use kalah_server::{ClientIpSource, ServerConfig};
use serde_json::{Value, json};

use crate::common::{TestServer, games_config};
use crate::rooms::TestRoom;

#[tokio::test]
async fn tokens_decide_who_may_do_what() {
    let server = TestServer::start(&games_config(None)).await;
    let room = TestRoom::create(&server, json!({"name": "Class"}), &["Ann", "Bob"]).await;
    let other = TestRoom::create(&server, json!({"name": "Other"}), &["Cem"]).await;
    let pause = json!({"command": "pause"});
    for (token, command, status) in [
        (&room.leader, &pause, 200),
        (&room.members[0], &pause, 403),
        (&other.leader, &pause, 403),
        (&other.members[0], &pause, 403),
        (&room.leader, &json!({"command": "leave"}), 403),
        (&room.members[0], &json!({"command": "leave"}), 200),
        (
            &room.leader,
            &json!({"command": "remove", "member": 3}),
            404,
        ),
        (
            &room.leader,
            &json!({"command": "remove", "member": 0}),
            404,
        ),
        (&room.leader, &json!({"command": "dance"}), 422),
        (
            &room.leader,
            &json!({"command": "rename", "member": 1, "name": ""}),
            422,
        ),
    ] {
        let response = room.command_as(&server, token, command).await;
        assert_eq!(response.status, status, "{command}: {}", response.json);
    }
    let path = format!("rooms/{}/commands", room.code);
    assert_eq!(server.post(&path, &pause).await.status, 403);
    let mut stranger = room
        .hello(&server, &json!({"token": other.members[0]}))
        .await;
    assert_eq!(stranger.receive_close().await, Some(4403));
    let mut stranger = room.hello(&server, &json!({"token": "x"})).await;
    assert_eq!(stranger.receive_close().await, Some(4403));
    server.stop().await;
}

#[tokio::test]
async fn names_are_unique_and_entries_can_be_repeated() {
    let server = TestServer::start(&games_config(None)).await;
    let room = TestRoom::create(&server, json!({"name": "Class"}), &["Ann"]).await;
    let taken = room
        .enter_with(&server, "BBBBBBBBBBBBBBBBBBBBBA", "ANN")
        .await;
    assert_eq!(
        (taken.status, taken.detail().as_str()),
        (409, "another member of this room is called `ANN`")
    );
    let again = room.enter_with(&server, &room.members[0], "Other").await;
    assert_eq!((again.status, &again.json["member"]), (200, &json!(1)));
    assert_eq!(again.json["state"]["members"][0]["name"], "Ann");
    let leader = room.enter_with(&server, &room.leader, "Leader").await;
    assert_eq!(leader.status, 403);
    assert_eq!(room.enter_with(&server, "short", "Bob").await.status, 422);
    let bot = json!({"token": "CAAAAAAAAAAAAAAAAAAAAA", "name": "Robot", "bot": true});
    let path = format!("rooms/{}/enter", room.code);
    let bot = server.post(&path, &bot).await.json;
    let marks = bot["state"]["members"].as_array().expect("members");
    let marks: Vec<_> = marks.iter().map(|member| &member["bot"]).collect();
    assert_eq!(marks, [false, true]);
    // The code in any case, with spaces or dashes.
    let spaced = format!("{}-{}", &room.code[..3], &room.code[3..]).to_lowercase();
    assert_eq!(
        server.get(&format!("/api/v1/rooms/{spaced}")).await.status,
        200
    );
    server.stop().await;
}

#[tokio::test]
async fn invalid_rooms_are_refused() {
    let server = TestServer::start(&games_config(None)).await;
    for (request, status) in [
        (
            json!({"name": "Class", "rules": "standard", "format": "ladder"}),
            201,
        ),
        (json!({}), 422),
        (json!({"name": ""}), 422),
        (json!({"name": "Class", "format": "knockout"}), 422),
        (json!({"name": "Class", "games_per_pairing": 3}), 422),
        (json!({"name": "Class", "opening_plies": 2}), 422),
        (
            json!({"name": "Class", "opening_plies": 7, "games_per_pairing": 2}),
            422,
        ),
        (
            json!({"name": "Class", "opening_plies": 6, "games_per_pairing": 2, "position": "1x1"}),
            422,
        ),
        (json!({"name": "Class", "position": "0x4"}), 422),
        (
            json!({"name": "Class", "clock": {"initial": "0s", "increment": "0s"}}),
            422,
        ),
    ] {
        let response = server.post("rooms", &request).await;
        assert_eq!(response.status, status, "{request}: {}", response.json);
    }
    server.stop().await;
}

#[tokio::test]
async fn guessed_codes_are_limited() {
    let server = TestServer::start(&games_config(None)).await;
    let room = TestRoom::create(&server, json!({"name": "Class"}), &["Ann"]).await;
    let mut statuses = Vec::new();
    for _ in 0..62 {
        let wrong = server.get("/api/v1/rooms/ZZZZZZ").await;
        statuses.push(wrong.status);
    }
    assert_eq!((statuses[60], statuses[61]), (404, 429));
    // The code of the lobby is no guess.
    let lobby = server.get("/api/v1/rooms/LOBBY").await;
    assert_eq!(lobby.status, 404);
    // A hit tells as little as a miss, except with a token of the room.
    let path = format!("/api/v1/rooms/{}", room.code);
    let hit = server.get(&path).await;
    assert_eq!((hit.status, &hit.json["code"]), (429, &Value::Null));
    let mut watcher = room.hello(&server, &json!({})).await;
    assert_eq!(watcher.receive_close().await, Some(1008));
    let mut guesser = room.hello(&server, &json!({"token": "A".repeat(22)})).await;
    assert_eq!(guesser.receive_close().await, Some(1008));
    let known = room.enter_with(&server, &room.members[0], "Ann").await;
    assert_eq!(known.status, 200);
    let mut member = room
        .hello(&server, &json!({"token": room.members[0]}))
        .await;
    member.receive_type("state").await;
    server.stop().await;
}

#[tokio::test]
async fn greedy_address_fills_no_room_and_no_server() {
    let config = ServerConfig {
        client_ip_source: ClientIpSource::Connection,
        ..games_config(None)
    };
    let server = TestServer::start(&config).await;
    let mut room = TestRoom::create(&server, json!({"name": "Class"}), &[]).await;
    for number in 0..256 {
        room.enter(&server, &format!("Member {number}")).await;
    }
    let refused = room.enter_with(&server, &"A".repeat(22), "One more").await;
    assert_eq!(refused.status, 429);
    for _ in 0..19 {
        assert_eq!(
            server.post("rooms", &json!({"name": "Class"})).await.status,
            201
        );
    }
    assert_eq!(
        server.post("rooms", &json!({"name": "Class"})).await.status,
        429
    );
    server.stop().await;
}
