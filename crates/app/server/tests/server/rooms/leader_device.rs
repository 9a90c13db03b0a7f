//! The way of a leader to another device.

use serde_json::{Value, json};

use super::TestRoom;
use crate::common::{TestServer, games_config};

#[tokio::test(flavor = "multi_thread")]
async fn code_brings_the_leader_to_another_device_once() {
    let server = TestServer::start(&games_config(None)).await;
    let room = TestRoom::create(&server, json!({"name": "Class 7b"}), &["Ann"]).await;
    let other = TestRoom::create(&server, json!({"name": "Class 8a"}), &[]).await;
    let path = |room: &TestRoom, name: &str| format!("rooms/{}/{name}", room.code);
    let code_path = path(&room, "leader-code");

    let without_token = server.post(&code_path, &json!({})).await;
    assert_eq!(without_token.status, 403);
    let member = &room.members[0];
    for token in [member, &other.leader] {
        let foreign = server.post_as(&code_path, token, &json!({})).await;
        assert_eq!(foreign.status, 403, "{}", foreign.json);
    }
    let malformed = server.post_as(&code_path, "xx", &json!({})).await;
    let detail = "the token is not of this room";
    assert_eq!(
        (malformed.status, &malformed.json["detail"]),
        (403, &json!(detail))
    );
    let code = server.post_as(&code_path, &room.leader, &json!({})).await;
    assert_eq!(code.json["expires_in_s"], 900);

    let request = json!({"code": code.json["code"]});
    let use_in = async |room: &TestRoom, request: &Value| {
        let response = server.post(&path(room, "leader"), request).await;
        (response.status, response.json)
    };
    assert_eq!(use_in(&other, &request).await.0, 403);
    assert_eq!(use_in(&room, &json!({"code": member})).await.0, 403);
    let taken = use_in(&room, &request).await;
    assert_eq!(taken, (200, json!({"leader_token": room.leader})));
    let (status, problem) = use_in(&room, &request).await;
    let detail = "the code of the leader is wrong, was used before, or is too old";
    assert_eq!((status, &problem["detail"]), (403, &json!(detail)));
    server.stop().await;
}
