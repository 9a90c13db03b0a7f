//! Rounds of Swiss and round-robin rooms: leavers, late joiners, byes, pauses and restarts.

use std::collections::HashSet;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{TestServer, games_config};
use crate::rooms::{TestRoom, games};

/// A board on which games are short.
const BOARD: &str = "3x1";

/// Waits until the room has noted the end of all games.
async fn wait_until_ready(server: &TestServer, room: &TestRoom, expected: &str) {
    while room.state(server).await["next_round"] != expected {
        tokio::task::yield_now().await;
    }
}

/// Returns the two members of a game.
fn members(game: &Value) -> [u64; 2] {
    ["south", "north"].map(|side| game[side].as_u64().expect("a number"))
}

#[tokio::test]
async fn swiss_room_survives_a_leaver_a_late_joiner_and_a_restart() {
    let folder = TempDir::new().expect("a folder");
    let config = games_config(Some(folder.path()));
    let server = TestServer::start(&config).await;
    let request = json!({"name": "Class", "format": "swiss", "position": BOARD});
    let names = ["Ann", "Bob", "Cem", "Dee", "Eve", "Fay", "Gus", "Hal"];
    let mut room = TestRoom::create(&server, request, &names).await;
    let mut met = HashSet::new();

    room.start_round(&server).await;
    let state = room.state(&server).await;
    assert_eq!((&state["round"], games(&state).len()), (&json!(1), 4));
    met.extend(games(&state).iter().map(members));
    assert_eq!(state["next_round"], "running-games");
    let early = json!({"command": "start-round"});
    let refused = room.command_as(&server, &room.leader, &early).await;
    assert_eq!(refused.status, 409);
    room.play_all(&server).await;
    wait_until_ready(&server, &room, "ready").await;

    // One leaves, and the others are seven.
    let left = room.member_command(&server, 8, json!({"command": "leave"}));
    assert_eq!(left.await, 200);
    room.start_round(&server).await;
    let state = room.state(&server).await;
    assert_eq!(games(&state).len(), 3);
    assert_eq!(state["byes"].as_array().map(Vec::len), Some(1));
    met.extend(games(&state).iter().map(members));
    let played = room.play_to_end(&server, &games(&state)[0]).await;
    assert!(played > 0);

    // The others play after a restart.
    server.stop().await;
    let server = TestServer::start(&config).await;
    let after = room.state(&server).await;
    assert_eq!((&after["round"], games(&after).len()), (&json!(2), 3));
    assert_eq!(after["byes"], state["byes"]);
    room.play_all(&server).await;
    wait_until_ready(&server, &room, "ready").await;
    room.enter(&server, "Ida").await;
    room.start_round(&server).await;
    let state = room.state(&server).await;
    assert_eq!(games(&state).len(), 4);
    met.extend(games(&state).iter().map(members));
    // No two have met twice.
    let pairs: HashSet<_> = met
        .iter()
        .map(|&[one, other]| [one.min(other), one.max(other)])
        .collect();
    assert_eq!(pairs.len(), 4 + 3 + 4);
    server.stop().await;
}

#[tokio::test]
async fn round_robin_ends_when_all_have_met() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({"name": "Club", "format": "round-robin", "position": BOARD});
    let room = TestRoom::create(&server, request, &["Ann", "Bob", "Cem", "Dee"]).await;
    for round in 1..=3 {
        room.start_round(&server).await;
        assert_eq!(games(&room.state(&server).await).len(), 2);
        room.play_all(&server).await;
        let next = if round < 3 { "ready" } else { "all-met" };
        wait_until_ready(&server, &room, next).await;
    }
    let refused = json!({"command": "start-round"});
    let refused = room.command_as(&server, &room.leader, &refused).await;
    assert_eq!(
        (refused.status, refused.detail().as_str()),
        (409, "all members have met each other")
    );
    server.stop().await;
}

#[tokio::test]
async fn second_game_of_a_pairing_has_the_same_opening_and_exchanged_sides() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({
        "name": "Club", "format": "swiss", "position": "4x3", "games_per_pairing": 2,
        "opening_plies": 3,
    });
    let room = TestRoom::create(&server, request, &["Ann", "Bob", "Cem", "Dee"]).await;
    room.start_round(&server).await;
    let first = games(&room.state(&server).await);
    assert_eq!(first.len(), 2);
    room.play_all(&server).await;
    let all = loop {
        let all = games(&room.state(&server).await);
        if all.len() == 4 {
            break all;
        }
        tokio::task::yield_now().await;
    };
    let mut starts = HashSet::new();
    for game in &all {
        let state = server.game_state(game["game"].as_str().expect("an id"), None);
        starts.insert(state.await.json["start"].to_string());
        let pair = all
            .iter()
            .filter(|other| other["pairing"] == game["pairing"]);
        let pair: Vec<_> = pair.collect();
        assert_eq!(pair.len(), 2);
        assert_eq!(pair[0]["south"], pair[1]["north"]);
    }
    assert_eq!(starts.len(), 1, "{starts:?}");
    room.play_all(&server).await;
    wait_until_ready(&server, &room, "ready").await;
    server.stop().await;
}

#[tokio::test]
async fn pause_stops_clocks_and_refuses_moves() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({
        "name": "Class", "format": "swiss", "clock": {"initial": "5m", "increment": "0s"},
    });
    let room = TestRoom::create(&server, request, &["Ann", "Bob"]).await;
    room.start_round(&server).await;
    let game = games(&room.state(&server).await)[0].clone();
    assert_eq!(game["clock"]["running"], "south");
    let id = game["game"].as_str().expect("an id");
    let south = usize::try_from(members(&game)[0]).expect("a number");
    let token = &room.members[south - 1];
    room.lead(&server, json!({"command": "pause"})).await;
    let paused = server.game_state(id, None).await.json;
    assert_eq!(
        (&paused["paused"], &paused["clock"]["running"]),
        (&json!(true), &Value::Null)
    );
    let refused = server.play_move(id, token, 1, "A").await;
    assert_eq!(
        (refused.status, refused.detail().as_str()),
        (409, "the leader of the room has paused the game")
    );
    assert_eq!(games(&room.state(&server).await)[0]["paused"], true);
    room.lead(&server, json!({"command": "resume"})).await;
    server.assert_play(id, token, 1, "A", 200).await;
    server.stop().await;
}

#[tokio::test]
async fn leader_decides_voids_renames_removes_and_closes() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({"name": "Class", "format": "swiss"});
    let names = ["Ann", "Bob", "Cem", "Dee", "Eve", "Fay"];
    let room = TestRoom::create(&server, request, &names).await;
    room.start_round(&server).await;
    let all = games(&room.state(&server).await);
    let id = |index: usize| all[index]["game"].as_str().expect("an id").to_owned();
    let end =
        |game: String, result: &str| json!({"command": "end-game", "game": game, "result": result});
    room.lead(&server, end(id(0), "north")).await;
    room.lead(&server, end(id(1), "void")).await;
    let refused = room
        .command_as(&server, &room.leader, &end("A".repeat(22), "tie"))
        .await;
    assert_eq!(refused.status, 404);
    let [one, other] = members(&all[2]);
    room.lead(
        &server,
        json!({"command": "rename", "member": one, "name": "Max"}),
    )
    .await;
    let renamed = server.game_state(&id(2), None).await.json;
    assert_eq!(renamed["names"]["south"], "Max");
    let [first, _] = members(&all[0]);
    room.lead(
        &server,
        json!({"command": "rename", "member": first, "name": "Kim"}),
    )
    .await;
    let renamed = server.game_state(&id(0), None).await.json;
    assert_eq!(renamed["names"]["south"], "Kim", "in a finished game");
    assert_eq!(renamed["ending"]["winner"], "north");
    room.lead(&server, json!({"command": "remove", "member": other}))
        .await;
    let ended = server.game_state(&id(2), None).await.json;
    assert_eq!(
        ended["ending"],
        json!({"termination": "adjudicated", "winner": "south"})
    );
    let token = &room.members[usize::try_from(other).expect("a number") - 1];
    assert_eq!(room.enter_with(&server, token, "Again").await.status, 403);
    let mut removed = room.hello(&server, &json!({"token": token})).await;
    assert_eq!(removed.receive_close().await, Some(4410));

    let standings = server
        .get(&format!("/api/v1/rooms/{}/standings", room.code))
        .await;
    let rows = standings.json["standings"].as_array().expect("rows");
    let points: f64 = rows
        .iter()
        .map(|row| row["points"].as_f64().expect("points"))
        .sum();
    // The voided game counts nowhere.
    assert!((points - 2.0).abs() < f64::EPSILON, "{}", standings.json);

    room.lead(&server, json!({"command": "close"})).await;
    let late = room.enter_with(&server, &"A".repeat(22), "Late").await;
    assert_eq!(
        (late.status, late.detail().as_str()),
        (409, "this room is closed")
    );
    assert_eq!(room.state(&server).await["closed"], true);
    server.stop().await;
}

#[tokio::test]
async fn subscribers_receive_the_state_and_then_changes() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({"name": "Class", "format": "swiss", "position": BOARD});
    let mut room = TestRoom::create(&server, request, &["Ann"]).await;
    let hello = json!({"token": room.members[0], "leader": room.leader, "boards": true});
    let mut leader = room.hello(&server, &hello).await;
    let state = leader.receive_type("state").await;
    assert_eq!(state["state"]["you"], json!({"member": 1, "leader": true}));
    room.enter(&server, "Bob").await;
    loop {
        let update = leader.receive_type("update").await;
        let entered = update["members"].as_array().into_iter().flatten();
        if entered.clone().any(|member| member["name"] == "Bob") {
            break;
        }
    }
    let mut watcher = room.hello(&server, &json!({})).await;
    watcher.receive_type("state").await;
    room.start_round(&server).await;
    // A new round is sent as a whole.
    let round = leader.receive_type("state").await;
    assert_eq!(round["state"]["you"], json!({"member": 1, "leader": true}));
    let game = games(&round["state"])[0].clone();
    let plies = room.play_to_end(&server, &game).await;
    loop {
        let update = leader.receive_type("update").await;
        let games = update["games"].as_array().into_iter().flatten();
        let ended = games.clone().find(|game| !game["ending"].is_null());
        if let Some(game) = ended {
            assert_eq!(game["plies"], plies);
            break;
        }
    }
    leader.send_json(&json!({"type": "ping"})).await;
    assert_eq!(leader.receive_type("pong").await, json!({"type": "pong"}));
    server.stop().await;
    assert_eq!(watcher.receive_close().await, Some(1012));
}

#[tokio::test]
async fn member_receives_the_own_game_before_the_state_of_a_round() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({"name": "Class", "format": "swiss", "position": BOARD});
    let names = ["Ann", "Bob", "Cem", "Dee"];
    let room = TestRoom::create(&server, request, &names).await;
    for round in 1..=2 {
        let mut member = room
            .hello(&server, &json!({"token": room.members[2]}))
            .await;
        member.receive_type("state").await;
        room.start_round(&server).await;
        let update = loop {
            let update = member.receive_type("update").await;
            if update["room"]["round"] == round {
                break update;
            }
        };
        let own = update["games"].as_array().expect("games");
        assert_eq!(own.len(), 1, "{update}");
        assert!(members(&own[0]).contains(&3), "{update}");
        let state = member.receive_type("state").await["state"].take();
        assert_eq!((&state["round"], games(&state).len()), (&json!(round), 2));
        assert_eq!(state["you"], json!({"member": 3, "leader": false}));
        room.play_all(&server).await;
        wait_until_ready(&server, &room, "ready").await;
    }
    server.stop().await;
}

/// A room with two games of each pairing, and its members.
async fn two_game_room(server: &TestServer) -> TestRoom {
    let request = json!({
        "name": "Club", "format": "swiss", "position": BOARD, "games_per_pairing": 2,
    });
    let room = TestRoom::create(server, request, &["Ann", "Bob"]).await;
    room.start_round(server).await;
    room
}

#[tokio::test]
async fn member_who_comes_back_plays_the_second_game() {
    let server = TestServer::start(&games_config(None)).await;
    let room = two_game_room(&server).await;
    let left = room.member_command(&server, 1, json!({"command": "leave"}));
    assert_eq!(left.await, 200);
    assert_eq!(games(&room.state(&server).await).len(), 1);
    let back = room.enter_with(&server, &room.members[0], "Anna").await;
    assert_eq!(back.json["state"]["members"][0]["name"], "Anna");
    assert_eq!(games(&room.state(&server).await).len(), 2);
    room.play_all(&server).await;
    wait_until_ready(&server, &room, "ready").await;
    // Another member has the name of one who left, who needs another one then.
    let left = room.member_command(&server, 1, json!({"command": "leave"}));
    assert_eq!(left.await, 200);
    let other = room.enter_with(&server, &"A".repeat(22), "ANNA").await;
    assert_eq!(other.status, 200);
    let back = room.enter_with(&server, &room.members[0], "Anna").await;
    assert_eq!(back.status, 409);
    server.stop().await;
}

#[tokio::test]
async fn second_game_begins_although_the_first_ended_after_a_restart() {
    let folder = TempDir::new().expect("a folder");
    let config = games_config(Some(folder.path()));
    let server = TestServer::start(&config).await;
    let room = two_game_room(&server).await;
    let game = games(&room.state(&server).await)[0].clone();
    server.stop().await;
    let server = TestServer::start(&config).await;
    // No request has loaded the room.
    let id = game["game"].as_str().expect("an id");
    assert_eq!(server.resign(id, &room.members[0]).await.status, 200);
    while games(&room.state(&server).await).len() < 2 {
        tokio::task::yield_now().await;
    }
    server.stop().await;
}

#[tokio::test]
async fn refused_round_voids_no_game_and_a_closed_room_goes_on() {
    let server = TestServer::start(&games_config(None)).await;
    let free = TestRoom::create(&server, json!({"name": "Club"}), &["Ann", "Bob"]).await;
    let challenge = json!({"command": "challenge", "to": 2});
    assert_eq!(free.member_command(&server, 1, challenge).await, 200);
    let accept = json!({"command": "accept-challenge", "from": 1});
    assert_eq!(free.member_command(&server, 2, accept).await, 200);
    let start = json!({"command": "start-round", "void_running": true});
    let refused = free.command_as(&server, &free.leader, &start).await;
    assert_eq!(refused.status, 409);
    assert!(games(&free.state(&server).await)[0]["ending"].is_null());

    let room = two_game_room(&server).await;
    room.lead(&server, json!({"command": "pause"})).await;
    room.lead(&server, json!({"command": "close"})).await;
    let game = games(&room.state(&server).await)[0].clone();
    assert_eq!(game["paused"], false);
    room.play_to_end(&server, &game).await;
    while games(&room.state(&server).await)[0]["ending"].is_null() {
        tokio::task::yield_now().await;
    }
    assert_eq!(games(&room.state(&server).await).len(), 1, "no game begins");
    server.stop().await;
}

#[tokio::test]
async fn present_standings_have_the_present_revision() {
    let server = TestServer::start(&games_config(None)).await;
    let request = json!({"name": "Class", "format": "swiss", "position": BOARD});
    let room = TestRoom::create(&server, request, &["Ann", "Bob"]).await;
    room.start_round(&server).await;
    room.play_all(&server).await;
    wait_until_ready(&server, &room, "ready").await;
    let path = format!("/api/v1/rooms/{}/standings", room.code);
    // The standings may be computed before the state names their revision.
    let revision = async || server.get(&path).await.json["revision"].clone();
    while revision().await != room.state(&server).await["standings_revision"] {
        tokio::task::yield_now().await;
    }
    server.stop().await;
}
