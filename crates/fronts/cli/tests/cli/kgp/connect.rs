//! `kalah kgp connect` with correct and faulty servers.

use std::fs;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use kalah::record::Record;
use kalah::{Setup, Side};
use kalah_protocols::kgp::{Argument, Line, Message};
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

/// Returns the moves of a state up to its `yield`. Lines about other states are appended to `others`.
fn moves_of(peer: &mut Peer, state: u64, others: &mut Vec<Line>) -> Vec<u8> {
    let mut houses = Vec::new();
    loop {
        let line = receive(peer);
        if comment(&line).is_some() {
            continue;
        }
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
    let lines: Vec<String> = (0..4).map(|_| receive(&mut peer).to_string()).collect();
    let description = format!("kalah {}, smart", env!("CARGO_PKG_VERSION"));
    let expected = [
        "1 set info:name \"Lisa\"".to_owned(),
        format!("3 set info:description \"{description}\""),
        "5 set auth:token \"secret\"".to_owned(),
        "7 mode freeplay".to_owned(),
    ];
    assert_eq!(lines, expected);
    peer.send("4@7 ok");
    peer.send("6 ping");
    assert_eq!(receive(&mut peer).to_string(), "9@6 pong");

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

/// FAU's practice server registers a state only after it has sent it, and refuses answers until
/// then.
#[test]
fn answers_wait_for_the_server_and_are_repeated_if_it_refuses_them() {
    let (listener, address) = listener();
    let client = start_client(&address, &["--player", "first"]);
    let mut peer = Peer::accept(&listener);
    greet(&mut peer);
    let sent_at = Instant::now();
    peer.send(format!("8 state {SMALL}"));
    let first = receive(&mut peer);
    let delay = Duration::from_millis(50);
    assert!(sent_at.elapsed() >= delay, "{:?}", sent_at.elapsed());
    assert!(matches!(first.message, Message::Move(_)), "{first}");
    let mut others = vec![first];
    moves_of(&mut peer, 8, &mut others);
    // All lines up to `yield` were too early.
    let refused_at = Instant::now();
    for id in [3, 5] {
        peer.send(format!("10@{id} error \"No state associated with id\""));
    }
    assert_eq!(moves_of(&mut peer, 8, &mut others), [1]);
    assert!(refused_at.elapsed() >= delay, "{:?}", refused_at.elapsed());
    peer.send("12@8 stop");
    // The refusal of a line after `stop` needs no warning.
    peer.send("14@3 error \"No state associated with id\"");
    peer.send("16@3 error \"other\"");
    peer.send("goodbye");
    let (code, errors) = wait(client);
    assert_eq!(code, Some(0), "{errors}");
    let warnings: Vec<&str> = errors
        .lines()
        .filter(|line| line.starts_with("warning"))
        .collect();
    assert_eq!(warnings, ["warning: the server reports an error: other"]);
}

#[test]
fn idle_client_connects_again() {
    let (listener, address) = listener();
    let client = start_client(&address, &["--idle", "1s"]);
    for _ in 0..2 {
        let mut peer = Peer::accept(&listener);
        greet(&mut peer);
        assert!(peer.receive_goodbye());
    }
    let mut peer = Peer::accept(&listener);
    peer.send("kgp 2 0 0");
    let (code, errors) = wait(client);
    assert_eq!(code, Some(1), "{errors}");
    let message = "no game for 1s; connecting again in 1s";
    assert_eq!(errors.matches(message).count(), 2, "{errors}");
}

#[test]
fn silent_server_is_not_tried_again() {
    let (listener, address) = listener();
    let client = start_client(&address, &["--idle", "1s"]);
    let _peer = Peer::accept(&listener);
    let (code, errors) = wait(client);
    assert_eq!(code, Some(1), "{errors}");
    let message =
        format!("error: tcp://{address}: the server has sent no greeting of the protocol in 1s\n");
    assert!(errors.ends_with(&message), "{errors}");
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
fn log_has_no_token_and_notes_lines_that_are_too_long() {
    let (listener, address) = listener();
    let folder = temp_dir();
    let log = folder.path().join("lisa.log");
    let arguments = ["--token", "secret", "--log", path_text(&log)];
    let client = start_client(&address, &arguments);
    let mut peer = Peer::accept(&listener);
    assert_eq!(greet(&mut peer), [r#"1 set auth:token "secret""#]);
    peer.send(vec![b'x'; 200_000]);
    peer.send("goodbye");
    assert_eq!(wait(client).0, Some(0));
    let text = fs::read_to_string(&log).expect("a log");
    let lines: Vec<&str> = text
        .lines()
        .filter_map(|line| Some(line.split_once(' ')?.1))
        .collect();
    let expected = [
        "< 2 kgp 1 0 1",
        r#"> 1 set auth:token "***""#,
        "> 3 mode freeplay",
        "# a line of the server is too long for this log",
        "< goodbye",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn games_and_their_number_are_shown() {
    let (listener, address) = listener();
    let client = start_client(&address, &["--player", "first", "--idle", "none"]);
    let mut peer = Peer::accept(&listener);
    greet(&mut peer);
    peer.send("4 set game:id \"a\u{202e}1\"");
    peer.send("6 set game:opponent \"Bart\u{1b}[2J\"");
    peer.send(format!("8 state {SMALL}"));
    moves_of(&mut peer, 8, &mut Vec::new());
    peer.send("10@8 stop");
    peer.send("12 set game:id b2");
    peer.send("14 set game:opponent \"\"");
    // A move that decides the game.
    peer.send("16 state <3,6,0,1,0,1,0,3,1>");
    moves_of(&mut peer, 16, &mut Vec::new());
    peer.send("goodbye");
    let output = client.wait();
    assert_eq!(output.code(), Some(0), "{output:?}");
    let expected = "game 1: 3x2, moving first against Bart [2J (id a\\u{202e}1)\n\
                    game 1: over, the result is unknown\n\
                    game 2: 3x2, moving second (id b2)\n\
                    game 2: won 10-0\n\
                    2 games: 1 won, 0 lost, 0 tied, 1 unknown\n";
    assert_eq!(output.stdout, expected);
}

#[test]
fn client_comes_back_after_a_goodbye_with_forever() {
    let (listener, address) = listener();
    let client = start_client(&address, &["--forever"]);
    for _ in 0..2 {
        let mut peer = Peer::accept(&listener);
        greet(&mut peer);
        peer.send("goodbye");
    }
    let mut peer = Peer::accept(&listener);
    peer.send("kgp 2 0 0");
    let (code, errors) = wait(client);
    assert_eq!(code, Some(1), "{errors}");
    for delay in ["1s", "2s"] {
        let message = format!("the server said goodbye; connecting again in {delay}");
        assert!(errors.contains(&message), "{errors}");
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
