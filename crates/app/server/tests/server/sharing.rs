//! Sharing: records under short addresses, previews of links, and the board in a frame.

use http_body_util::Full;
use hyper::Request;
use hyper::header::{ACCEPT_LANGUAGE, HOST, VARY};
use kalah_server::ServerConfig;
use serde_json::json;
use tempfile::TempDir;

use crate::common::{TestServer, games_config};
use crate::rooms::TestRoom;

const RECORD: &str = "[South \"<Ada>\"]\n[North \"Bob\"]\n\n1. CF { ?? } 1... c *\n";

async fn sharing_server(folder: &TempDir) -> TestServer {
    TestServer::start(&ServerConfig {
        share: true,
        ..games_config(Some(folder.path()))
    })
    .await
}

/// Returns a document of the server as text.
async fn document(server: &TestServer, path: &str) -> String {
    let response = server.get(path).await;
    assert_eq!(response.status, 200, "{path}");
    String::from_utf8(response.body.to_vec()).expect("a text")
}

#[tokio::test]
async fn shared_record_survives_a_restart() {
    let folder = TempDir::new().expect("a folder");
    let server = sharing_server(&folder).await;
    let settings = server.get("/api/v1/shared").await;
    let expected = json!({"enabled": true, "days": 365, "max_bytes": 12_000});
    assert_eq!(settings.json, expected);
    let shared = server.post("shared", &json!({"text": RECORD})).await;
    assert_eq!(shared.status, 201, "{}", shared.json);
    let id = shared.json["id"].as_str().expect("an id").to_owned();
    server.stop().await;

    let server = sharing_server(&folder).await;
    let loaded = server.get(&format!("/api/v1/shared/{id}")).await;
    assert_eq!(loaded.json, json!({"text": RECORD}));
    let preview = document(&server, &format!("/shared/{id}")).await;
    assert!(
        preview.contains("Kalah: &lt;Ada&gt; \u{2013} Bob"),
        "{preview}"
    );
    assert!(
        preview.contains(&format!("url=../#shared={id}")),
        "{preview}"
    );
    server.stop().await;
}

#[tokio::test]
async fn texts_that_are_not_one_game_are_not_kept() {
    let folder = TempDir::new().expect("a folder");
    let server = sharing_server(&folder).await;
    for (text, detail) in [
        ("", "the text is not one game"),
        ("1. C * 1. C *", "the text is not one game"),
        ("1. Zz *", "line 1, column 4, turn 1: "),
    ] {
        let refused = server.post("shared", &json!({"text": text})).await;
        assert_eq!(refused.status, 422, "{text}");
        let found = refused.json["detail"].as_str().expect("a text");
        assert!(found.contains(detail), "{found}");
    }
    let long = format!("1. C {{ {} }} *", "x".repeat(12_000));
    let refused = server.post("shared", &json!({"text": long})).await;
    assert_eq!(refused.status, 422);
    for id in ["0123456789", "short", "%00"] {
        let missing = server.get(&format!("/api/v1/shared/{id}")).await;
        assert_eq!(missing.status, 404, "{id}");
    }
    server.stop().await;
}

#[tokio::test]
async fn server_without_sharing_keeps_nothing() {
    let server = TestServer::with_defaults().await;
    let settings = server.get("/api/v1/shared").await;
    assert_eq!(settings.json["enabled"], false);
    let refused = server.post("shared", &json!({"text": RECORD})).await;
    assert_eq!(refused.status, 403);
    server.stop().await;
}

#[tokio::test]
async fn previews_describe_games_and_rooms_and_show_no_token() {
    let server = TestServer::with_defaults().await;
    let created = server
        .post("games", &json!({"name": "A\"><script>", "side": "south"}))
        .await;
    assert_eq!(created.status, 201, "{}", created.json);
    let id = created.json["state"]["game"].as_str().expect("an id");
    let token = created.json["token"].as_str().expect("a token");
    let preview = document(&server, &format!("/play/{id}")).await;
    assert!(
        preview.contains("invites you to a game of Kalah"),
        "{preview}"
    );
    assert!(
        !preview.contains("<script>") && !preview.contains(token),
        "{preview}"
    );
    assert!(
        preview.contains(&format!("url=../#friend={id}")),
        "{preview}"
    );
    let picture = format!("http://localhost/play/{id}/board.png");
    assert!(preview.contains(&picture), "{preview}");
    let png = server.get(&format!("/play/{id}/board.png")).await;
    assert_eq!(png.headers["content-type"], "image/png");
    assert!(png.body.starts_with(b"\x89PNG"));

    let room = TestRoom::create(&server, json!({"name": "Class 7b"}), &[]).await;
    let preview = document(&server, &format!("/room/{}", room.code)).await;
    assert!(preview.contains("enter the room Class 7b"), "{preview}");
    assert!(!preview.contains(&room.leader), "{preview}");
    // The page says what is wrong with a link.
    for (path, target) in [
        ("/puzzle/x", "../#puzzle=x"),
        ("/puzzle/2,0/cs32", "../../#puzzle=2,0&rules=cs32"),
        ("/play/x", "../#friend=x"),
        ("/room/QQQQQQ", "../#room=QQQQQQ"),
        ("/shared/x", "../#shared=x"),
        ("/shared/x/3", "../../#shared=x&at=3"),
    ] {
        let response = server.get(path).await;
        assert_eq!(response.status, 303, "{path}");
        assert_eq!(response.headers["location"], target, "{path}");
    }
    assert_eq!(server.get("/room/QQQQQQ/board.png").await.status, 404);
    server.stop().await;
}

#[tokio::test]
async fn previews_have_the_language_of_the_address_or_else_of_the_client() {
    const GERMAN: &[&str] = &[
        r#"<html lang="de">"#,
        r#"<meta property="og:locale" content="de_DE">"#,
        "Eine Aufgabe in Kalah: Nord ist am Zug",
        "Mulden je Seite: 2, Samen: 8, Regeln: cs32",
    ];
    const ENGLISH: &[&str] = &[
        r#"<html lang="en">"#,
        r#"<meta property="og:locale" content="en_GB">"#,
        "A puzzle of Kalah: North to move",
        "2 houses a side, 8 seeds, rules cs32",
    ];
    const URL: &str = "http://localhost/puzzle/2,0,0,4,1,0,3,n";
    let server = TestServer::with_defaults().await;
    for (query, accepted, texts) in [
        ("", None, ENGLISH),
        ("?lang=de", None, GERMAN),
        ("?lang=de", Some("en"), GERMAN),
        ("?lang=en", Some("de"), ENGLISH),
        ("?lang=fr", Some("de-AT"), GERMAN),
        ("", Some("fr, de;q=0.8, en;q=0.5"), GERMAN),
    ] {
        let mut request = Request::get(format!("/puzzle/2,0,0,4,1,0,3,n{query}"));
        request = request.header(HOST, "localhost");
        if let Some(accepted) = accepted {
            request = request.header(ACCEPT_LANGUAGE, accepted);
        }
        let request = request.body(Full::default()).expect("a request");
        let response = server.send(request).await;
        let varies = response.headers.get_all(VARY).into_iter();
        assert!(varies.into_iter().any(|name| name == "accept-language"));
        let preview = response.text();
        for text in texts {
            assert!(preview.contains(text), "{query}, {accepted:?}: {preview}");
        }
        // The page that opens has the language of its reader.
        assert!(preview.contains("url=../#puzzle=2,0,0,4,1,0,3,n\""));
        let is_named = ["?lang=de", "?lang=en"].contains(&query);
        let url = format!("{URL}{}", if is_named { query } else { "" });
        let tag = format!(r#"<meta property="og:url" content="{url}">"#);
        assert!(preview.contains(&tag), "{preview}");
    }
    server.stop().await;
}

#[tokio::test]
async fn other_sites_may_frame_the_embedded_board_alone() {
    let server = TestServer::with_defaults().await;
    for (path, ancestors) in [
        ("/", "'none'"),
        ("/embed", "*"),
        ("/embed.html", "*"),
        ("/play/x", "'none'"),
    ] {
        let response = server.get(path).await;
        let policy = &response.headers["content-security-policy"];
        let policy = policy.to_str().expect("a text");
        let expected = format!("frame-ancestors {ancestors}");
        assert!(policy.ends_with(&expected), "{path}: {policy}");
    }
    let board = document(&server, "/embed").await;
    assert!(board.contains(r#"<html data-embed="true""#));
    server.stop().await;
}

#[tokio::test]
async fn previews_show_puzzles_of_an_address() {
    let server = TestServer::with_defaults().await;
    for (path, target) in [
        ("/puzzle/2,0,0,4,1,0,3,n", "../#puzzle=2,0,0,4,1,0,3,n"),
        (
            "/puzzle/2,0,0,4,1,0,3/standard",
            "../../#puzzle=2,0,0,4,1,0,3&amp;rules=standard",
        ),
    ] {
        let preview = document(&server, path).await;
        assert!(preview.contains("A puzzle of Kalah: "), "{preview}");
        assert!(preview.contains(&format!("url={target}")), "{preview}");
    }
    let png = server.get("/puzzle/2,0,0,4,1,0,3/cs32/board.png").await;
    assert!(png.body.starts_with(b"\x89PNG"));
    server.stop().await;
}
