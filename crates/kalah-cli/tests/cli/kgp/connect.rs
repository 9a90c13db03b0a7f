//! `kalah kgp connect` with correct and faulty servers.

use std::net::TcpListener;

use kalah::Setup;
use kalah_protocols::kgp::{Line, Message};
use tokio_tungstenite::tungstenite;

use super::server::{Peer, start_client};
use crate::harness::{Process, TIMEOUT};

/// Waits for the end of a client. Returns its exit code and its messages.
fn wait(client: Process) -> (Option<i32>, String) {
    let output = client.wait();
    (output.code(), output.stderr)
}

fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("a socket").to_string();
    (listener, address)
}

fn receive(peer: &mut Peer) -> Line {
    peer.receive().expect("an open connection")
}

/// Returns the moves of a state up to its `yield`. Lines about other states are appended to `others`.
fn moves_of(peer: &mut Peer, state: u64, others: &mut Vec<Line>) -> Vec<u8> {
    let mut houses = Vec::new();
    loop {
        let line = receive(peer);
        if line.reference != Some(state) {
            others.push(line);
            continue;
        }
        match line.message {
            Message::Move(house) => houses.push(house.number()),
            Message::Yield => return houses,
            other => panic!("{other:?}"),
        }
    }
}

const SMALL: &str = "<3,0,0,2,2,2,2,2,2>";
const LARGE: &str = "<8,0,0,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8>";

#[test]
fn tcp_client_plays_despite_malformed_lines_and_a_lost_connection() {
    let (listener, address) = listener();
    let arguments = ["--name", "Lisa", "--token", "secret", "--time", "1h"];
    let client = start_client(&address, &arguments);
    let mut peer = Peer::accept(&listener);
    peer.send(b"\xff\xfe \x00\x1b[2J");
    peer.send("hello \"world");
    peer.send(vec![b'x'; 200_000]);
    peer.send("");
    peer.send("8 state <6,0,0>");
    peer.send("set game:id 7 8 9");
    peer.send("2 kgp 1 0 1");
    let lines: Vec<String> = (0..3).map(|_| receive(&mut peer).to_string()).collect();
    let expected = [
        "1 set info:name \"Lisa\"",
        "3 set auth:token \"secret\"",
        "5 mode freeplay",
    ];
    assert_eq!(lines, expected);
    peer.send("4@5 ok");
    peer.send("6 ping");
    assert_eq!(receive(&mut peer).to_string(), "7@6 pong");

    // Two states at once: the small one is proven, and the large one would take an hour.
    peer.send(format!("8 state {LARGE}"));
    peer.send(format!("10 state {SMALL}"));
    let mut others = Vec::new();
    let small = moves_of(&mut peer, 10, &mut others);
    // The only move that wins by 4.
    assert_eq!(small.last(), Some(&2), "{small:?}");
    assert!(others.iter().all(|line| line.reference == Some(8)));
    assert!(others.iter().all(|line| line.message != Message::Yield));
    peer.send("9@8 stop");

    // A state with one legal move, a finished one, and one with too many seeds.
    peer.send("12 state <3,0,0,0,1,0,1,1,1>");
    assert_eq!(moves_of(&mut peer, 12, &mut others), [2]);
    peer.send("14 state <3,5,5,0,0,0,1,1,1>");
    assert_eq!(moves_of(&mut peer, 14, &mut others), [0; 0]);
    peer.send("16 state <1,65535,0,1,1>");
    assert_eq!(moves_of(&mut peer, 16, &mut others), [0; 0]);

    // No `yield` follows a stop.
    others.clear();
    peer.send(format!(
        "18 state {LARGE}\r\n20@18 stop\r\n22 state {SMALL}"
    ));
    moves_of(&mut peer, 22, &mut others);
    assert!(
        others.iter().all(|line| line.message != Message::Yield),
        "{others:?}"
    );
    peer.send("24 ping");
    assert_eq!(receive(&mut peer).reference, Some(24));

    // The client connects again after a lost connection.
    drop(peer);
    let mut peer = Peer::accept(&listener);
    peer.send("2 kgp 1 0 1");
    assert_eq!(receive(&mut peer).to_string(), expected[0]);
    peer.send("4 error \"you have been \\\"away\\\"\" \"long\"");
    peer.send("goodbye");
    let (code, errors) = wait(client);
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        errors.contains("the server closed the connection; trying again in 1s"),
        "{errors}"
    );
    assert!(
        errors.contains("warning: the server reports an error: you have been \"away\" long"),
        "{errors}"
    );
    assert!(
        errors.contains("warning: skipped a line: `hello \"world`"),
        "{errors}"
    );
    assert!(!errors.contains('\u{1b}'), "{errors:?}");
}

#[test]
fn each_of_many_states_is_yielded() {
    let (listener, address) = listener();
    let client = start_client(&address, &["--time", "200ms", "--threads", "1"]);
    let mut peer = Peer::accept(&listener);
    peer.send("2 kgp 1 0 1");
    assert_eq!(receive(&mut peer).to_string(), "1 mode freeplay");
    let states: Vec<u64> = (0..100).map(|number| 4 + 2 * number).collect();
    for state in &states {
        peer.send(format!("{state} state {LARGE}"));
    }
    let mut open = states;
    while !open.is_empty() {
        let line = receive(&mut peer);
        if line.message == Message::Yield {
            open.retain(|state| Some(*state) != line.reference);
        }
    }
    peer.send("goodbye");
    assert_eq!(wait(client).0, Some(0));
}

#[test]
fn websocket_client_solves_problems() {
    let (listener, address) = listener();
    let url = format!("ws://{address}/socket");
    let client = start_client(&url, &["--verify"]);
    let (stream, _) = listener.accept().expect("a client");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    let mut socket = tungstenite::accept(stream).expect("a handshake");
    let frame = |text: &str| tungstenite::Message::text(text);
    let mut send = |text: &str, response: &str| {
        socket.send(frame(text)).expect("a connection");
        if !response.is_empty() {
            let message = socket.read().expect("a frame").into_text().expect("text");
            assert_eq!(message.as_str(), format!("{response}\r\n"), "{text}");
        }
    };
    send("nonsense <<<\r\n", "");
    send("2 kgp 1 0 1\r\n", "1 mode verify");
    send("4@1 ok\r\n", "");
    // A line without an end is complete after a moment.
    send("6 ping", "3@6 pong");
    for (problem, solution) in [
        (
            "8 problem <3,0,0,2,2,2,2,2,2> 1",
            "5@8 solution <3,1,0,2,0,3,2,2,2> true",
        ),
        (
            "10 problem <3,0,0,2,2,2,2,2,2> 0\r\n",
            "7@10 solution <3,0,0,0,3,3,2,2,2> false",
        ),
    ] {
        let board = solution.split(' ').nth(2).expect("a board");
        board.parse::<Setup>().expect(board);
        send(problem, solution);
    }
    // The client sends no solution of a problem whose house is empty: some servers end after
    // an error.
    send("12 problem <3,0,0,0,2,2,2,2,2> 0\r\n", "");
    send("14 ping", "9@14 pong");
    send("goodbye", "");
    let (code, errors) = wait(client);
    assert_eq!(code, Some(0), "{errors}");
}

#[test]
fn unreachable_and_incompatible_servers_are_not_tried_again() {
    let (closed, address) = listener();
    drop(closed);
    let (code, errors) = wait(start_client(&address, &[]));
    assert_eq!(code, Some(1), "{errors}");
    let begins = format!("error: tcp://{address}: ");
    assert!(errors.starts_with(&begins), "{errors}");

    let (listener, address) = listener();
    let client = start_client(&address, &[]);
    let mut peer = Peer::accept(&listener);
    peer.send("kgp 2 0 0");
    let (code, errors) = wait(client);
    assert_eq!(code, Some(1), "{errors}");
    assert!(
        errors.ends_with("error: the server speaks KGP 2, which is not supported\n"),
        "{errors}"
    );
}

#[cfg(unix)]
#[test]
fn sigint_sends_goodbye() {
    let (listener, address) = listener();
    let client = start_client(&address, &["--time", "1m"]);
    let mut peer = Peer::accept(&listener);
    peer.send("2 kgp 1 0 1");
    assert_eq!(receive(&mut peer).to_string(), "1 mode freeplay");
    peer.send(format!("8 state {LARGE}"));
    receive(&mut peer);
    client.signal("INT");
    peer.receive_until(|message| *message == Message::Goodbye);
    let (code, errors) = wait(client);
    assert_eq!(code, Some(0), "{errors}");
}
