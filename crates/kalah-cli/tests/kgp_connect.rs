//! `kalah kgp connect` on servers of our own, good and bad ones.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use kalah::Setup;
use kalah_protocols::kgp::{Line, Message};

/// Nothing here takes as long.
const PATIENCE: Duration = Duration::from_mins(5);

fn client(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kalah"))
        .args(["kgp", "connect", "--tables", "none"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

/// The exit code of a client that has ended, and what it has complained of.
fn end(mut client: Child) -> (Option<i32>, String) {
    let mut errors = String::new();
    let mut stderr = client.stderr.take().expect("piped");
    stderr.read_to_string(&mut errors).expect("text");
    (client.wait().expect("it ends").code(), errors)
}

fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("it has one").to_string();
    (listener, address)
}

/// The server's end of a connection over TCP.
struct Peer {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Peer {
    fn accept(listener: &TcpListener) -> Self {
        let (stream, _) = listener.accept().expect("a client");
        stream.set_read_timeout(Some(PATIENCE)).expect("it has one");
        let lines = BufReader::new(stream.try_clone().expect("one more"));
        Self { stream, lines }
    }

    fn say(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).expect("it is there");
        self.stream.write_all(b"\r\n").expect("it is there");
    }

    fn hear(&mut self) -> Line {
        let mut text = String::new();
        self.lines.read_line(&mut text).expect("a line");
        assert!(text.ends_with("\r\n"), "{text:?}");
        text.parse().expect("it is of the protocol")
    }

    /// What is said about a state up to its yield; what is said about others goes to `others`.
    fn answers(&mut self, state: u64, others: &mut Vec<Line>) -> Vec<u8> {
        let mut houses = Vec::new();
        loop {
            let line = self.hear();
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
}

const SMALL: &str = "<3,0,0,2,2,2,2,2,2>";
const LARGE: &str = "<8,0,0,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8>";

#[test]
fn a_server_over_tcp_is_played_on_through_garbage_and_a_lost_connection() {
    let (listener, address) = listener();
    let arguments = [
        &*address, "--name", "Lisa", "--token", "secret", "--time", "1h",
    ];
    let client = client(&arguments);
    let mut peer = Peer::accept(&listener);
    peer.say(b"\xff\xfe \x00\x1b[2J");
    peer.say("hello \"world");
    peer.say(vec![b'x'; 200_000]);
    peer.say("");
    peer.say("8 state <6,0,0>");
    peer.say("set game:id 7 8 9");
    peer.say("2 kgp 1 0 1");
    let said: Vec<String> = (0..3).map(|_| peer.hear().to_string()).collect();
    let expected = [
        "1 set info:name \"Lisa\"",
        "3 set auth:token \"secret\"",
        "5 mode freeplay",
    ];
    assert_eq!(said, expected);
    peer.say("4@5 ok");
    peer.say("6 ping");
    assert_eq!(peer.hear().to_string(), "7@6 pong");

    // Two at once: the small one is proven, and the large one would take an hour.
    peer.say(format!("8 state {LARGE}"));
    peer.say(format!("10 state {SMALL}"));
    let mut others = Vec::new();
    let small = peer.answers(10, &mut others);
    // The only one that wins by 4.
    assert_eq!(small.last(), Some(&2), "{small:?}");
    assert!(others.iter().all(|line| line.reference == Some(8)));
    assert!(others.iter().all(|line| line.message != Message::Yield));
    peer.say("9@8 stop");

    // What needs no thought, and what cannot be played.
    peer.say("12 state <3,0,0,0,1,0,1,1,1>");
    assert_eq!(peer.answers(12, &mut others), [2]);
    peer.say("14 state <3,5,5,0,0,0,1,1,1>");
    assert_eq!(peer.answers(14, &mut others), [0; 0]);
    peer.say("16 state <1,65535,0,1,1>");
    assert_eq!(peer.answers(16, &mut others), [0; 0]);

    // After a stop nothing more is said.
    others.clear();
    peer.say(format!(
        "18 state {LARGE}\r\n20@18 stop\r\n22 state {SMALL}"
    ));
    peer.answers(22, &mut others);
    assert!(
        others.iter().all(|line| line.message != Message::Yield),
        "{others:?}"
    );
    peer.say("24 ping");
    assert_eq!(peer.hear().reference, Some(24));

    // It hangs up, and comes back after a while.
    drop(peer);
    let mut peer = Peer::accept(&listener);
    peer.say("2 kgp 1 0 1");
    assert_eq!(peer.hear().to_string(), expected[0]);
    peer.say("4 error \"you have been \\\"away\\\"\" \"long\"");
    peer.say("goodbye");
    let (code, errors) = end(client);
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        errors.contains("the server has hung up; trying again in 1s"),
        "{errors}"
    );
    assert!(
        errors.contains("warning: the server says: you have been \"away\" long"),
        "{errors}"
    );
    assert!(
        errors.contains("warning: passed over: `hello \"world`"),
        "{errors}"
    );
    assert!(!errors.contains('\u{1b}'), "{errors:?}");
}

#[test]
fn states_in_great_number_are_all_answered() {
    let (listener, address) = listener();
    let client = client(&[&address, "--time", "200ms", "--threads", "1"]);
    let mut peer = Peer::accept(&listener);
    peer.say("2 kgp 1 0 1");
    assert_eq!(peer.hear().to_string(), "1 mode freeplay");
    let states: Vec<u64> = (0..100).map(|number| 4 + 2 * number).collect();
    for state in &states {
        peer.say(format!("{state} state {LARGE}"));
    }
    let mut open = states;
    while !open.is_empty() {
        let line = peer.hear();
        if line.message == Message::Yield {
            open.retain(|state| Some(*state) != line.reference);
        }
    }
    peer.say("goodbye");
    assert_eq!(end(client).0, Some(0));
}

#[test]
fn a_server_over_a_web_socket_verifies_the_rules() {
    let (listener, address) = listener();
    let url = format!("ws://{address}/socket");
    let client = client(&[&url, "--verify"]);
    let (stream, _) = listener.accept().expect("a client");
    stream.set_read_timeout(Some(PATIENCE)).expect("it has one");
    let mut socket = tungstenite::accept(stream).expect("a handshake");
    let frame = |text: &str| tungstenite::Message::text(text);
    let mut say = |text: &str, answer: &str| {
        socket.send(frame(text)).expect("it is there");
        if !answer.is_empty() {
            let heard = socket.read().expect("a frame").into_text().expect("text");
            assert_eq!(heard.as_str(), format!("{answer}\r\n"), "{text}");
        }
    };
    say("nonsense <<<", "");
    say("2 kgp 1 0 1\r\n", "1 mode verify");
    say("4@1 ok", "");
    say("6 ping", "3@6 pong");
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
        say(problem, solution);
    }
    // A bad solution would end some servers: better none.
    say("12 problem <3,0,0,0,2,2,2,2,2> 0", "");
    say("14 ping", "9@14 pong");
    say("goodbye", "");
    let (code, errors) = end(client);
    assert_eq!(code, Some(0), "{errors}");
}

#[test]
fn a_server_that_is_none_is_not_tried_again() {
    let (closed, address) = listener();
    drop(closed);
    let (code, errors) = end(client(&[&address]));
    assert_eq!(code, Some(1), "{errors}");
    let begins = format!("error: tcp://{address}: ");
    assert!(errors.starts_with(&begins), "{errors}");

    let (listener, address) = listener();
    let other = client(&[&address]);
    let mut peer = Peer::accept(&listener);
    peer.say("kgp 2 0 0");
    let (code, errors) = end(other);
    assert_eq!(code, Some(1), "{errors}");
    assert!(
        errors.ends_with("error: the server speaks KGP 2, which nobody here knows\n"),
        "{errors}"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_says_goodbye() {
    let (listener, address) = listener();
    let client = client(&[&address, "--time", "1m"]);
    let mut peer = Peer::accept(&listener);
    peer.say("2 kgp 1 0 1");
    assert_eq!(peer.hear().to_string(), "1 mode freeplay");
    peer.say(format!("8 state {LARGE}"));
    peer.hear();
    let id = client.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status();
    assert!(sent.expect("it runs").success());
    while peer.hear().message != Message::Goodbye {}
    let (code, errors) = end(client);
    assert_eq!(code, Some(0), "{errors}");
}
