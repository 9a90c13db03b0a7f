//! A server with clients that say what no client should, or are too many.

use std::io::{Read, Write};
use std::net::TcpStream;

use kalah::Termination;
use kalah_protocols::kgp::Message;

use crate::served::Server;

#[test]
fn a_move_that_names_no_house_loses_whatever_its_number_is() {
    let server = Server::start(&[
        "--time",
        "10m",
        "--wait",
        "50ms",
        "--games",
        "4",
        "--opponent",
        "first",
    ]);
    for number in ["27", "0", "-3", "1.5"] {
        let mut peer = server.connect();
        peer.play("illegal");
        let state = peer.state();
        peer.say(format!("5@{state} move 3"));
        peer.say(format!("7@{state} move {number}"));
        peer.say(format!("9@{state} yield"));
        // The server may have ended by then.
        peer.until(|message| *message == Message::Stop);
    }
    let (errors, records) = server.end();
    for record in &records {
        assert_eq!(
            record.ending().termination,
            Termination::Illegal,
            "{errors}"
        );
    }
    let told = "illegal has lost, its last `move` names no house";
    assert_eq!(errors.matches(told).count(), 4, "{errors}");
}

#[test]
fn an_endless_line_is_told_of_before_its_end() {
    let server = Server::start(&[]);
    let mut peer = server.connect();
    peer.stream
        .write_all(&vec![b'x'; 70_000])
        .expect("it is there");
    let error = peer.until(|message| matches!(message, Message::Error(_)));
    assert_eq!(
        error.message,
        Message::error("a line has 16384 characters at most")
    );
    // Once it ends there is a next one.
    peer.say("\r\n5 ping");
    let pong = peer.until(|message| *message == Message::Pong);
    assert_eq!(pong.reference, Some(5));
}

/// Goes on to a line with these words.
fn until(socket: &mut tungstenite::WebSocket<impl Read + Write>, words: &str) {
    loop {
        let said = socket.read().expect("it is there");
        if said.to_text().expect("text").contains(words) {
            return;
        }
    }
}

#[test]
fn a_frame_that_is_too_long_breaks_the_protocol() {
    let server = Server::start(&[
        "--time",
        "10m",
        "--wait",
        "50ms",
        "--games",
        "1",
        "--opponent",
        "first",
    ]);
    let (mut socket, _) = tungstenite::connect(&server.ws).expect("it listens");
    let text = |text: &str| tungstenite::Message::text(text.to_owned());
    socket
        .send(text("1 mode freeplay\r\n"))
        .expect("it is there");
    until(&mut socket, " state <");
    socket.send(text(&"x".repeat(70_000))).expect("it is there");
    until(
        &mut socket,
        " error \"a line has 16384 characters at most\"",
    );
    // It goes on after that, and not after one for which there is no room.
    socket.send(text("7 ping\r\n")).expect("it is there");
    until(&mut socket, "@7 pong");
    // It may be gone before all of it is sent.
    let _ = socket.send(text(&"x".repeat(2_000_000)));
    let (errors, records) = server.end();
    assert_eq!(
        records[0].ending().termination,
        Termination::Protocol,
        "{errors}"
    );
    assert!(errors.contains("it breaks the protocol"), "{errors}");
}

#[cfg(unix)]
#[test]
fn records_are_written_however_many_connections_there_are() {
    let server = Server::start_with_files(
        110,
        &[
            "--time",
            "10m",
            "--wait",
            "50ms",
            "--games",
            "1",
            "--opponent",
            "first",
        ],
    );
    let mut peer = server.connect();
    peer.play("alone");
    let state = peer.state();
    let silent: Vec<TcpStream> = (0..200).map(|_| server.connect().stream).collect();
    // The last of them has been taken, or sent away.
    assert!(server.connect().bye());
    peer.say(format!("5@{state} move 26"));
    peer.say(format!("7@{state} yield"));
    let (errors, records) = server.end();
    drop(silent);
    assert_eq!(records.len(), 1, "{errors}");
    assert!(errors.contains("clients instead of 500"), "{errors}");
    assert!(!errors.contains("is not recorded"), "{errors}");
}
