//! Games between friends as the description of the API has them. How they are played is tested beside this.

use http_body_util::Full;
use hyper::Request;
use hyper::header::AUTHORIZATION;
use serde_json::{Value, json};

use crate::common::{TestResponse, TestServer, api_request};

async fn ask_as(server: &TestServer, token: &Value, question: &str, body: &Value) -> TestResponse {
    let mut request = api_request(question, body);
    let token = token.as_str().expect("a token");
    let value = format!("Bearer {token}").parse().expect("a header");
    request.headers_mut().insert(AUTHORIZATION, value);
    server.send(request).await
}

#[tokio::test]
async fn a_game_is_as_it_is_described() {
    let server = TestServer::with_defaults().await;
    let asked = json!({"clock": {"initial": "10m", "increment": "5s"}});
    let made = server.post("games", &asked).await;
    assert_eq!(made.status, 201);
    let location = made.header("location").to_owned();
    let made = made.json;
    let (token, friend) = (&made["token"], &made["friend_token"]);
    let name = made["game"].as_str().expect("a name");
    assert_eq!(location, format!("/api/v1/games/{name}"));
    assert_eq!(server.get(&location).await.json["you"], json!(null));

    let plies = format!("games/{name}/plies");
    for (token, body, status) in [
        (token, json!({"ply": 1, "choice": "C"}), 200),
        (token, json!({"ply": 1, "choice": "C"}), 200),
        (token, json!({"ply": 1, "choice": "D"}), 409),
        (token, json!({"ply": 2, "choice": "a"}), 422),
        (friend, json!({"ply": 2, "choice": "A"}), 409),
        (
            &json!("AAAAAAAAAAAAAAAAAAAAAA"),
            json!({"ply": 2, "choice": "A"}),
            403,
        ),
        (token, json!({"ply": -1, "choice": "A"}), 422),
    ] {
        let reply = ask_as(&server, token, &plies, &body).await;
        assert_eq!(reply.status, status, "{body}: {}", reply.text());
        if status == 409 {
            assert_eq!(reply.json["state"]["plies"], json!(["C"]));
        }
    }
    let body = json!({"ply": 2, "choice": "A"});
    assert_eq!(server.post(&plies, &body).await.status, 403);

    let resign = format!("games/{name}/resign");
    let over = ask_as(&server, friend, &resign, &json!({})).await.json;
    assert_eq!(
        over["over"],
        json!({"termination": "resign", "winner": "south"})
    );
    let again = ask_as(&server, friend, &resign, &json!({})).await;
    assert!(matches!(again.status, 200 | 409), "{}", again.text());
    let rematch = format!("games/{name}/rematch");
    for token in [token, friend] {
        assert_eq!(
            ask_as(&server, token, &rematch, &json!({})).await.status,
            200
        );
    }
    let state = server.get(&location).await.json;
    assert!(state["rematch"]["game"].is_string(), "{state}");
}

#[tokio::test]
async fn refusals_are_as_they_are_described() {
    let server = TestServer::with_defaults().await;
    for body in [
        json!({"clock": {"initial": "10"}}),
        json!({"side": "west"}),
        json!({"position": "<3,1,1,0,0,0,0,0,0> s"}),
        json!({"token": "AAAAAAAAAAAAAAAAAAAAAA"}),
    ] {
        assert_eq!(server.post("games", &body).await.status, 422, "{body}");
    }
    let no_game = "/api/v1/games/AAAAAAAAAAAAAAAAAAAAAA";
    assert_eq!(server.get(no_game).await.status, 404);
    assert_eq!(server.get("/api/v1/games/x").await.status, 404);
    let plain = server.get(&format!("{no_game}/live")).await;
    assert_eq!(plain.header("content-type"), "application/problem+json");
    let odd = Request::get(no_game)
        .header("host", "localhost")
        .header(AUTHORIZATION, "Basic x");
    let odd = odd.body(Full::default()).expect("a request");
    assert!(matches!(server.send(odd).await.status, 403 | 404));
}
