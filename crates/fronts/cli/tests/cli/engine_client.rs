//! `kalah engine-client`: programs in a room of a real server, and wrong arguments.

use kalah_store::PlayerToken;
use serde_json::{Value, json};

use crate::harness::{KALAH, Process, kalah, run, temp_dir};
use crate::serve::page_server::{PageServer, post_request, send_request};

/// Sends a request, and returns whether the server has accepted it, and the body.
fn post(server: &PageServer, path: &str, token: &str, body: &Value) -> (bool, Value) {
    let request = post_request(path, token, body);
    let response = send_request(&server.address, &request).expect("a response");
    let (head, body) = response.split_once("\r\n\r\n").expect("a body");
    let is_success = head.starts_with("HTTP/1.1 20");
    (is_success, serde_json::from_str(body).expect("JSON"))
}

#[test]
fn programs_play_in_a_room_until_it_is_closed() {
    let data = temp_dir();
    let server = PageServer::start(data.path(), &["--log", "off"]);
    let room = json!({"name": "Course", "format": "round-robin", "position": "3x2"});
    let (_, created) = post(&server, "/api/v1/rooms", "", &room);
    let text = |name: &str| created[name].as_str().expect("a text").to_owned();
    let (code, leader) = (text("code"), text("leader_token"));
    let address = format!("http://{}/room/{code}", server.address);
    let secret = data.path().join("robot.token");
    let command = ["engine-client", "--room", &*address, "--name"];
    let mut robot = kalah(command);
    robot.arg("Robot").arg("--token").arg(&secret);
    robot.args(["--", KALAH, "engine", "--player", "level:1"]);
    let robot = Process::spawn(&mut robot);
    let other = Process::spawn(kalah(command).args(["Other", "first"]));
    let path = format!("/api/v1/rooms/{code}/commands");
    let lead = |command: Value| while !post(&server, &path, &leader, &command).0 {};
    lead(json!({"command": "start-round"}));
    // Both have met as soon as the game has ended.
    let all_met = loop {
        let start = json!({"command": "start-round"});
        let (_, response) = post(&server, &path, &leader, &start);
        let detail = response["detail"].as_str().expect("a refusal").to_owned();
        if !detail.contains("have not ended") {
            break detail;
        }
    };
    assert_eq!(all_met, "all members have met each other");
    lead(json!({"command": "close"}));
    let robot = robot.finish().success();
    let other = other.finish().success();
    for (lines, opponent) in [(&robot, "Other"), (&other, "Robot")] {
        assert!(lines.contains(&format!(" against {opponent}\n")), "{lines}");
        assert!(lines.contains("\n1 game: "), "{lines}");
    }
    let token = std::fs::read_to_string(secret).expect("a token");
    assert!(PlayerToken::parse(token.trim()).is_some());
}

#[test]
fn wrong_arguments_are_explained() {
    for (arguments, expected) in [
        (
            ["--room", "localhost:8080", "--name", "X", "first"],
            "expected an address such as http://localhost:8080/room/ABCDEF",
        ),
        (
            [
                "--room",
                "http://a.org/#room=ABCDEF",
                "--name",
                "X",
                "human",
            ],
            "human",
        ),
    ] {
        let mut command = kalah(["engine-client"]);
        let finished = run(command.args(arguments));
        assert_eq!(finished.code(), Some(2), "{finished:?}");
        assert!(finished.stderr.contains(expected), "{}", finished.stderr);
    }
    // Port 1 of this machine has no server.
    let address = "http://127.0.0.1:1/room/ABCDEF";
    let finished = run(&mut kalah([
        "engine-client",
        "--room",
        address,
        "--name",
        "X",
        "first",
    ]));
    assert_eq!(finished.code(), Some(1), "{finished:?}");
    assert!(finished.stderr.contains(address), "{}", finished.stderr);
}
