//! Challenges in rooms without rounds, on ladders and in the lobby.

use kalah_server::ServerConfig;
use serde_json::{Value, json};

use crate::common::{TestServer, games_config};
use crate::rooms::{TestRoom, games};

fn challenge(to: Option<usize>) -> Value {
    json!({"command": "challenge", "to": to})
}

fn accept(from: usize) -> Value {
    json!({"command": "accept-challenge", "from": from})
}

#[tokio::test]
async fn challenges_are_accepted_declined_and_withdrawn() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({"name": "Club", "position": "3x1"});
    let room = TestRoom::create(&server, request, &["Ann", "Bob", "Cem"]).await;
    let command = async |number, command| room.member_command(&server, number, command).await;
    assert_eq!(command(1, challenge(None)).await, 200);
    assert_eq!(command(1, accept(1)).await, 409);
    assert_eq!(command(2, challenge(Some(3))).await, 200);
    assert_eq!(command(1, accept(2)).await, 409, "it is for another member");
    let state = room.state(&server).await;
    assert_eq!(
        state["challenges"],
        json!([{"from": 1, "to": null}, {"from": 2, "to": 3}])
    );
    let decline = json!({"command": "decline-challenge", "from": 2});
    assert_eq!(command(3, decline).await, 200);
    assert_eq!(command(3, accept(2)).await, 409);
    assert_eq!(command(3, accept(1)).await, 200);
    let game = games(&room.state(&server).await)[0].clone();
    assert_eq!((&game["south"], &game["north"]), (&json!(1), &json!(3)));
    assert_eq!(command(2, challenge(Some(1))).await, 200);
    assert_eq!(command(1, accept(2)).await, 409, "a game is running");
    room.play_to_end(&server, &game).await;
    while !games(&room.state(&server).await)[0]["ending"].is_object() {
        tokio::task::yield_now().await;
    }
    assert_eq!(command(1, accept(2)).await, 200);
    // The member who began as South more often gets the other side.
    let running = games(&room.state(&server).await)[0].clone();
    assert_eq!(
        (&running["south"], &running["north"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(command(3, challenge(None)).await, 200);
    assert_eq!(
        command(3, json!({"command": "withdraw-challenge"})).await,
        200
    );
    assert_eq!(room.state(&server).await["challenges"], json!([]));
    server.stop().await;
}

#[tokio::test]
async fn ladder_allows_challenges_of_those_above() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({"name": "Ladder", "format": "ladder", "position": "3x1"});
    let names = ["Ann", "Bob", "Cem", "Dee", "Eve"];
    let room = TestRoom::create(&server, request, &names).await;
    let command = async |number, command| room.member_command(&server, number, command).await;
    assert_eq!(command(5, challenge(None)).await, 409);
    assert_eq!(
        command(5, challenge(Some(1))).await,
        409,
        "four places above"
    );
    assert_eq!(command(1, challenge(Some(2))).await, 409, "below");
    assert_eq!(command(5, challenge(Some(2))).await, 200);
    assert_eq!(command(2, accept(5)).await, 200);
    let start = json!({"command": "start-round"});
    assert_eq!(
        room.command_as(&server, &room.leader, &start).await.status,
        409
    );
    server.stop().await;
}

#[tokio::test]
async fn lobby_exists_where_it_is_switched_on() {
    let server = TestServer::start(&games_config(None)).await;
    assert_eq!(server.get("/api/v1/rooms/LOBBY").await.status, 404);
    server.stop().await;
    let config = ServerConfig {
        lobby: true,
        ..games_config(None)
    };
    let server = TestServer::start(&config).await;
    let mut lobby = TestRoom {
        code: "LOBBY".to_owned(),
        leader: "A".repeat(22),
        members: Vec::new(),
    };
    lobby.enter(&server, "Ann").await;
    lobby.enter(&server, "Bob").await;
    assert_eq!(lobby.member_command(&server, 1, challenge(None)).await, 200);
    assert_eq!(lobby.member_command(&server, 2, accept(1)).await, 200);
    let state = lobby.state(&server).await;
    assert_eq!((&state["is_lobby"], games(&state).len()), (&json!(true), 1));
    let close = json!({"command": "close"});
    assert_eq!(
        lobby
            .command_as(&server, &lobby.leader, &close)
            .await
            .status,
        403
    );
    server.stop().await;
}
