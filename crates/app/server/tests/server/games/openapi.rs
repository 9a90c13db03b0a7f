//! The responses of the games API, which the harness checks against their description.

use http_body_util::Full;
use hyper::Request;
use hyper::header::AUTHORIZATION;
use serde_json::json;

use crate::common::TestServer;

#[tokio::test]
async fn game_responses_match_the_description() {
    let server = TestServer::with_defaults().await;
    let request = json!({"clock": {"initial": "10m", "increment": "5s"}});
    let created = server.post("games", &request).await;
    assert_eq!(created.status, 201);
    let location = created.header("location").to_owned();
    let created = created.json;
    let text = |name: &str| created[name].as_str().expect("a text");
    let (token, name) = (text("token"), text("game"));
    let friend = "BBBBBBBBBBBBBBBBBBBBBA";
    let joined = server.join(name, &json!({"token": friend})).await;
    assert_eq!(joined.json["you"], "north");
    assert_eq!(location, format!("/api/v1/games/{name}"));
    assert_eq!(server.get(&location).await.json["you"], json!(null));

    let plies = format!("games/{name}/plies");
    for (token, body, status) in [
        (token, json!({"ply": 1, "move": "C"}), 200),
        (token, json!({"ply": 1, "move": "C"}), 200),
        (token, json!({"ply": 1, "move": "D"}), 409),
        (token, json!({"ply": 2, "move": "a"}), 422),
        (friend, json!({"ply": 2, "move": "A"}), 409),
        (
            "AAAAAAAAAAAAAAAAAAAAAA",
            json!({"ply": 2, "move": "A"}),
            403,
        ),
        (token, json!({"ply": -1, "move": "A"}), 422),
    ] {
        let response = server.post_as(&plies, token, &body).await;
        assert_eq!(response.status, status, "{body}: {}", response.text());
        if status == 409 {
            assert_eq!(response.json["state"]["plies"], json!(["C"]));
        }
    }
    let body = json!({"ply": 2, "move": "A"});
    assert_eq!(server.post(&plies, &body).await.status, 403);

    let resign = format!("games/{name}/resign");
    let over = server.post_as(&resign, friend, &json!({})).await.json;
    assert_eq!(
        over["ending"],
        json!({"termination": "resign", "winner": "south"})
    );
    let again = server.post_as(&resign, friend, &json!({})).await;
    assert!(matches!(again.status, 200 | 409), "{}", again.text());
    let rematch = format!("games/{name}/rematch");
    for token in [token, friend] {
        assert_eq!(
            server
                .post_as(&rematch, token, &json!({"action": "offer"}))
                .await
                .status,
            200
        );
    }
    let state = server.get(&location).await.json;
    assert!(state["rematch"]["game"].is_string(), "{state}");
}

#[tokio::test]
async fn game_problems_match_the_description() {
    let server = TestServer::with_defaults().await;
    for body in [
        json!({"clock": {"initial": "10"}}),
        json!({"side": "west"}),
        json!({"token": "AAAAAAAAAAAAAAAAAAAAAA"}),
    ] {
        assert_eq!(server.post("games", &body).await.status, 422, "{body}");
    }
    for (initial, increment, detail) in [
        (
            "999ms",
            "0s",
            "a clock starts with a time from 1s to 24h, not `999ms`",
        ),
        ("10s", "61m", "a turn adds 1h to a clock at most, not `61m`"),
    ] {
        let body = json!({"clock": {"initial": initial, "increment": increment}});
        let response = server.post("games", &body).await;
        assert_eq!((response.status, response.detail().as_str()), (422, detail));
    }
    let finished = json!({"position": "<3,1,1,0,0,0,0,0,0> s"});
    let response = server.post("games", &finished).await;
    assert_eq!(response.status, 422);
    assert_eq!(response.json["type"], "/problems/unplayable-position");
    let no_game = "/api/v1/games/AAAAAAAAAAAAAAAAAAAAAA";
    let response = server.get(no_game).await;
    assert_eq!(response.status, 404);
    assert_eq!(
        response.detail(),
        "there is no game `AAAAAAAAAAAAAAAAAAAAAA`, or it was deleted"
    );
    assert_eq!(server.get("/api/v1/games/x").await.status, 404);
    let plain = server.get(&format!("{no_game}/live")).await;
    assert_eq!(plain.status, 400);
    assert_eq!(plain.header("content-type"), "application/problem+json");
    assert_eq!(
        plain.detail(),
        "the request does not open a WebSocket: the header `Connection` is not `upgrade`"
    );
    let odd = Request::get(no_game)
        .header("host", "localhost")
        .header(AUTHORIZATION, "Basic x");
    let odd = odd.body(Full::default()).expect("a request");
    assert!(matches!(server.send(odd).await.status, 403 | 404));
}
