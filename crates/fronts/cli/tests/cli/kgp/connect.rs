//! `kalah kgp connect` as a process. The tests of `kalah-kgp` have more servers for its client.

use std::fs;
use std::net::TcpListener;

use kalah::record::Record;
use kalah::{Setup, Side};
use kalah_kgp::{Argument, Line, Message};
use tokio_tungstenite::tungstenite;

use super::server::{KgpServerProcess, Peer, start_client};
use crate::harness::{Process, TIMEOUT, args, args_with, kalah, path_text, run, temp_dir};

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

/// Returns the text of a comment on a move.
fn comment(line: &Line) -> Option<&str> {
    match &line.message {
        Message::Set { option, value } if option.as_str() == "info:comment" => match value {
            Argument::Text(text) => Some(text.as_str()),
            other => panic!("{other:?}"),
        },
        _ => None,
    }
}

const SMALL: &str = "<3,0,0,2,2,2,2,2,2>";
const LARGE: &str = "<8,0,0,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8>";

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
    send("16@7 error \"wrong\"\r\n", "");
    for number in 3..=30 {
        let problem = 14 + 2 * number;
        let text = format!("{problem} problem <3,0,0,2,2,2,2,2,2> 1");
        let id = 5 + 2 * number;
        let response = format!("{id}@{problem} solution <3,1,0,2,0,3,2,2,2> true");
        send(&text, &response);
    }
    send("98@41 ok\r\n", "");
    send("100@43 error \"no\"\r\n", "");
    send("goodbye", "");
    let output = client.wait();
    assert_eq!(output.code(), Some(0), "{output:?}");
    let lines: Vec<&str> = output.stdout.lines().collect();
    let expected = [
        "problem 1: house 2 of <3,0,0,2,2,2,2,2,2> gives <3,1,0,2,0,3,2,2,2>, bonus turn",
        "problem 2: house 1 of <3,0,0,2,2,2,2,2,2> gives <3,0,0,0,3,3,2,2,2>",
        "problem 2: the server refuses the solution: wrong",
    ];
    assert_eq!(lines[..3], expected);
    let expected = [
        "20 problems solved, 1 refused",
        "30 problems solved, 1 refused",
        "problem 19: house 2 of <3,0,0,2,2,2,2,2,2> gives <3,1,0,2,0,3,2,2,2>, bonus turn",
        "problem 19: the server refuses the solution: no",
        "30 problems solved, 2 refused",
    ];
    assert_eq!(lines[11..], expected);
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
fn signals_send_goodbye_and_interrupt_games() {
    for signal in ["INT", "TERM", "HUP"] {
        let (listener, address) = listener();
        let client = start_client(&address, &["--time", "1m"]);
        let mut peer = Peer::accept(&listener);
        peer.send("2 kgp 1 0 1");
        assert_eq!(receive(&mut peer).to_string(), "1 mode freeplay");
        peer.send(format!("8 state {LARGE}"));
        receive(&mut peer);
        client.signal(signal);
        peer.receive_until(|message| *message == Message::Goodbye);
        let output = client.wait();
        assert_eq!(output.code(), Some(0), "{signal}: {output:?}");
        let expected = "game 1: 8x8, moving first\n\
                        game 1: interrupted\n\
                        1 game: 0 won, 0 lost, 0 tied, 0 unknown, 1 interrupted\n";
        assert_eq!(output.stdout, expected, "{signal}");
    }
}

/// Greets a client, which plays, and returns its other first lines.
fn greet(peer: &mut Peer) -> Vec<String> {
    peer.send("2 kgp 1 0 1");
    let mut lines = Vec::new();
    loop {
        let line = receive(peer);
        if let Message::Mode(_) = line.message {
            return lines;
        }
        lines.push(line.to_string());
    }
}

#[test]
fn short_idle_times_are_refused() {
    for idle in ["0", "0s", "999ms", "2d", "soon"] {
        let output = run(&mut kalah(["kgp", "connect", "localhost", "--idle", idle]));
        assert_eq!(output.code(), Some(2), "{output:?}");
        let message = format!("invalid value '{idle}' for '--idle");
        assert!(output.stderr.contains(&message), "{output:?}");
    }
}

#[test]
fn introduction_and_comments_describe_the_player() {
    let (listener, address) = listener();
    let arguments = args_with(
        "--player smart --time 1h --authors {} --description {} --token secret",
        &["Lisa, Bart", "reads \"Kalah\""],
    );
    let client = start_client(&address, &arguments);
    let mut peer = Peer::accept(&listener);
    let expected = [
        r#"1 set info:authors "Lisa, Bart""#,
        r#"3 set info:description "reads \"Kalah\"""#,
        r#"5 set auth:token "secret""#,
    ];
    assert_eq!(greet(&mut peer), expected);
    peer.send(format!("8 state {SMALL}"));
    let mut comments = Vec::new();
    loop {
        let line = receive(&mut peer);
        comments.extend(comment(&line).map(str::to_owned));
        if line.message == Message::Yield {
            break;
        }
    }
    let last = comments.last().expect("a comment");
    assert!(last.starts_with("+4, proven, depth "), "{comments:?}");
    peer.send("10 state <3,0,0,0,1,0,1,1,1>");
    assert_eq!(comment(&receive(&mut peer)), Some("the only legal move"));
    peer.send("goodbye");
    assert_eq!(wait(client).0, Some(0));
}

#[test]
fn log_of_a_client_is_imported() {
    let server = KgpServerProcess::start(&args(
        "--board 4x3 --time 10m --wait 50ms --games 3 --opponent first",
    ));
    let folder = temp_dir();
    let (log, games) = (
        folder.path().join("lisa.log"),
        folder.path().join("games.kgn"),
    );
    // A crash of the machine can leave a line without an end.
    fs::write(&log, "2026-01-02T03:04:05.678Z < 8 sta").expect("a file");
    let player = [
        "--name",
        "Lisa",
        "--player",
        "first",
        "--log",
        path_text(&log),
    ];
    let client = start_client(&server.tcp, &player);
    let (errors, records) = server.wait();
    let output = client.wait();
    assert_eq!(output.code(), Some(0), "{output:?}");
    let text = fs::read_to_string(&log).expect("a log");
    assert!(
        text.starts_with("2026-01-02T03:04:05.678Z < 8 sta\n20"),
        "{text}"
    );
    assert!(text.contains("Z < 2 kgp 1 0 1\n"), "{text}");
    assert!(text.contains("Z > 1 set info:name \"Lisa\"\n"), "{text}");

    let import = ["import", path_text(&log), "--out", path_text(&games)];
    let output_of_import = run(&mut kalah(import));
    assert_eq!(output_of_import.code(), Some(0), "{output_of_import:?}");
    let imported = fs::read_to_string(&games).expect("records");
    let imported = Record::parse_all(&imported).expect("games");
    assert_eq!(imported.len(), records.len(), "{errors}");
    for (ours, theirs) in imported.iter().zip(&records) {
        assert_eq!(ours.start(), theirs.start());
        let ends = [ours, theirs].map(|record| record.game().plies().len());
        // The log ends with the last move of the client.
        assert!(ends[0] <= ends[1], "{ours}{theirs}");
    }

    // The results are those of the server as far as they are known.
    let lines: Vec<&str> = output.stdout.lines().collect();
    for (number, record) in (1..).zip(&records) {
        let is_lisa = |side: Side| record.tags().get(&side.to_string()) == Some("Lisa");
        let result = match record.ending().winner {
            Some(winner) if is_lisa(winner) => "won",
            Some(_) => "lost",
            None => "tied",
        };
        let of_game = format!("game {number}: ");
        let about: Vec<&str> = lines
            .iter()
            .filter_map(|line| line.strip_prefix(&*of_game))
            .collect();
        let [start, end] = about.as_slice() else {
            panic!("{}", output.stdout)
        };
        assert!(start.starts_with("4x3, moving "), "{start}");
        let id = format!(" against first (id {number})");
        assert!(start.ends_with(&id), "{start}");
        assert!(
            end.starts_with(result) || end.ends_with("unknown"),
            "{record}{end}"
        );
    }
    let tally = lines.last().expect("a line");
    assert!(tally.starts_with("3 games: "), "{tally}");
}
