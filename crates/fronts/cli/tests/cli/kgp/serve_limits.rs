//! `kalah kgp serve` with clients that break the protocol, and with too many.

use std::io::{Read, Write};
use std::net::TcpStream;

use kalah::Termination;
use kalah_kgp::Message;
use tokio_tungstenite::tungstenite;

use super::server::KgpServerProcess;
use crate::harness::args;

#[test]
fn move_with_an_invalid_house_number_loses() {
    let server =
        KgpServerProcess::start(&args("--time 10m --wait 50ms --games 4 --opponent first"));
    for number in ["27", "0", "-3", "1.5"] {
        let mut peer = server.connect();
        peer.join("illegal");
        let state = peer.receive_state();
        peer.send(format!("5@{state} move 3"));
        peer.send(format!("7@{state} move {number}"));
        peer.send(format!("9@{state} yield"));
        // The server may have ended already.
        peer.receive_until(|message| *message == Message::Stop);
    }
    let (errors, records) = server.wait();
    for record in &records {
        assert_eq!(
            record.ending().termination,
            Termination::Illegal,
            "{errors}"
        );
    }
    let message = "illegal loses: the last `move` names no house";
    assert_eq!(errors.matches(message).count(), 4, "{errors}");
}

#[test]
fn too_long_line_is_refused_before_its_end() {
    let server = KgpServerProcess::start(&[]);
    let mut peer = server.connect();
    peer.stream
        .write_all(&vec![b'x'; 70_000])
        .expect("a connection");
    let error = peer.receive_until(|message| matches!(message, Message::Error(_)));
    assert_eq!(
        error.message,
        Message::error("a line has 16384 characters at most")
    );
    // The server reads the next line after the end of the long one.
    peer.send("\r\n5 ping");
    let pong = peer.receive_until(|message| *message == Message::Pong);
    assert_eq!(pong.reference, Some(5));
}

/// Receives messages up to the first that contains a text.
fn receive_text(socket: &mut tungstenite::WebSocket<impl Read + Write>, text: &str) {
    loop {
        let message = socket.read().expect("a connection");
        if message.to_text().expect("text").contains(text) {
            return;
        }
    }
}

#[test]
fn too_long_websocket_message_loses_the_game() {
    let server =
        KgpServerProcess::start(&args("--time 10m --wait 50ms --games 1 --opponent first"));
    let (mut socket, _) = tungstenite::connect(&server.ws).expect("a listening server");
    let text = |text: &str| tungstenite::Message::text(text.to_owned());
    socket
        .send(text("1 mode freeplay\r\n"))
        .expect("a connection");
    receive_text(&mut socket, " state <");
    socket
        .send(text(&("x".repeat(70_000) + "\r\n")))
        .expect("a connection");
    receive_text(
        &mut socket,
        " error \"a line has 16384 characters at most\"",
    );
    // The connection survives a long line, but not a message above the limit of the server.
    socket.send(text("7 ping\r\n")).expect("a connection");
    receive_text(&mut socket, "@7 pong");
    // The server may close the connection before it has read all.
    let _ = socket.send(text(&"x".repeat(2_000_000)));
    let (errors, records) = server.wait();
    assert_eq!(
        records[0].ending().termination,
        Termination::Protocol,
        "{errors}"
    );
    assert!(
        errors.contains("the client violated the protocol"),
        "{errors}"
    );
}

#[cfg(unix)]
#[test]
fn records_are_written_when_the_file_limit_is_reached() {
    let server = KgpServerProcess::start_with_file_limit(
        110,
        &args("--time 10m --wait 50ms --games 1 --opponent first"),
    );
    let mut peer = server.connect();
    peer.join("alone");
    let state = peer.receive_state();
    let silent: Vec<TcpStream> = (0..200).map(|_| server.connect().stream).collect();
    // After this one, the server has accepted or refused all others.
    assert!(server.connect().receive_goodbye());
    peer.send(format!("5@{state} move 26"));
    peer.send(format!("7@{state} yield"));
    let (errors, records) = server.wait();
    drop(silent);
    assert_eq!(records.len(), 1, "{errors}");
    assert!(errors.contains("connections instead of 500"), "{errors}");
    assert!(!errors.contains("is not recorded"), "{errors}");
}
