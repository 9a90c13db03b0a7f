//! `kalah kgp serve` with our own clients and with bad ones.

mod limits;
mod served;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kalah::{Rules, Side, Termination};
use kalah_protocols::kgp::Message;

use crate::served::{KALAH, PATIENCE, Server, client, records, wait_for};

#[test]
fn many_of_our_own_clients_play_each_other_and_ours_over_both_transports() {
    let data = tempfile::tempdir().expect("a folder");
    let folder = data.path().to_str().expect("text");
    let server = Server::start(&[
        "--board",
        "4x3",
        "--time",
        "10m",
        "--wait",
        "100ms",
        "--games",
        "24",
        "--opponent",
        "level:2",
        "--opponent",
        "random",
        "--data",
        folder,
    ]);
    let mut clients = Vec::new();
    for number in 0..9 {
        let url = if number % 2 == 0 {
            &server.tcp
        } else {
            &server.ws
        };
        let name = format!("Client {number}");
        let player = ["first", "random", "level:1"][number % 3];
        clients.push(client(url, &["--name", &name, "--player", player]));
    }
    for url in [&server.tcp, &server.ws] {
        clients.push(client(url, &["--verify"]));
    }
    let (errors, records) = server.end();
    assert_eq!(records.len(), 24);
    for record in &records {
        let ending = record.ending();
        let is_decided =
            [Termination::Normal, Termination::Adjudicated].contains(&ending.termination);
        assert!(is_decided, "{record}");
        assert_eq!(record.start().rules(), Rules::STANDARD);
        let stores = Side::ALL.map(|side| record.game().position().store(side).get());
        if ending.termination == Termination::Adjudicated {
            assert_eq!(
                ending.winner == Some(Side::South),
                stores[0] > 12,
                "{record}"
            );
        }
    }
    let names = records
        .iter()
        .flat_map(|record| [record.tags().get("South"), record.tags().get("North")]);
    let mut names: Vec<&str> = names.flatten().collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 5, "{names:?}");
    assert!(clients.into_iter().all(wait_for), "{errors}");
    // Every problem was solved, and there were some.
    let solved = errors.lines().filter_map(|line| {
        let (_, numbers) = line.split_once("; ")?;
        let mut words = numbers.split(' ');
        let (rightly, all) = (words.next()?, words.nth(1)?);
        Some((rightly.parse::<u64>().ok()?, all.parse::<u64>().ok()?))
    });
    let solved: Vec<(u64, u64)> = solved.collect();
    assert_eq!(solved.len(), 2, "{errors}");
    assert!(
        solved
            .iter()
            .all(|(rightly, all)| rightly == all && *all > 0),
        "{errors}"
    );
    assert_eq!(errors.matches("is kept as #watch=").count(), 24, "{errors}");
}

#[test]
fn games_are_shown_by_the_server_of_the_page() {
    let data = tempfile::tempdir().expect("a folder");
    let folder = data.path().to_str().expect("text");
    let server = Server::start(&[
        "--time",
        "10m",
        "--wait",
        "50ms",
        "--games",
        "1",
        "--opponent",
        "first",
        "--data",
        folder,
    ]);
    let mut peer = server.connect();
    peer.play("illegal");
    let state = peer.state();
    peer.say(format!("5@{state} move 26"));
    peer.say(format!("7@{state} yield"));
    let (errors, _) = server.end();
    let (_, told) = errors.split_once("is kept as #watch=").expect("it is kept");
    let id = told.lines().next().expect("a name");

    let mut page = Command::new(KALAH)
        .args([
            "serve",
            "--addr",
            "127.0.0.1:0",
            "--log",
            "off",
            "--tables",
            "none",
            "--data",
            folder,
        ])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let mut stdout = BufReader::new(page.stdout.take().expect("piped"));
    stdout.read_line(&mut line).expect("its address");
    let host = line
        .trim()
        .trim_start_matches("http://")
        .trim_end_matches('/');
    let mut stream = TcpStream::connect(host).expect("it listens");
    let request =
        format!("GET /api/v1/games/{id} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it is there");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    page.kill().expect("it is there");
    page.wait().expect("it ends");
    assert!(answer.contains("\"termination\":\"illegal\""), "{answer}");
    assert!(answer.contains("\"rules\":\"standard\""), "{answer}");
}

#[test]
fn each_way_to_lose_has_its_name() {
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
    let mut illegal = server.connect();
    illegal.play("illegal");
    let state = illegal.state();
    // The last one counts, whatever is said of other states.
    illegal.say(format!("5@{state} move 1"));
    illegal.say("7@9998 move 2");
    illegal.say(format!("9@{state} move 26"));
    illegal.say(format!("11@{state} yield"));
    let stop = illegal.until(|message| *message == Message::Stop);
    assert_eq!(stop.reference, Some(state));
    illegal.say("goodbye");
    assert!(illegal.bye());

    let mut polite = server.connect();
    polite.play("polite");
    polite.state();
    polite.say("goodbye");
    assert!(polite.bye());

    let mut gone = server.connect();
    gone.play("gone");
    gone.state();
    drop(gone);

    let mut wild = server.connect();
    wild.play("wild");
    wild.state();
    for _ in 0..100 {
        wild.say("<<< \x1b[2J");
    }
    assert!(wild.bye());

    let (errors, records) = server.end();
    let endings: Vec<(String, Termination, bool)> = records
        .iter()
        .map(|record| {
            let ending = record.ending();
            let guest = Side::ALL
                .into_iter()
                .find(|side| record.tags().get(side.to_string().as_str()) != Some("first"));
            let guest = guest.expect("one of ours was called first");
            let name = record
                .tags()
                .get(&guest.to_string())
                .expect("a name")
                .to_owned();
            (
                name,
                ending.termination,
                ending.winner == Some(guest.opponent()),
            )
        })
        .collect();
    let expected = [
        ("illegal", Termination::Illegal),
        ("polite", Termination::Resign),
        ("gone", Termination::Crash),
        ("wild", Termination::Protocol),
    ];
    let expected = expected.map(|(name, termination)| (name.to_owned(), termination, true));
    assert_eq!(endings, expected, "{errors}");
    assert!(errors.contains("illegal has lost, ply "), "{errors}");
    assert!(!errors.contains('\u{1b}'), "{errors:?}");
}

#[test]
fn a_client_that_answers_too_late_loses_on_time() {
    let server = Server::start(&[
        "--time",
        "1s",
        "--wait",
        "50ms",
        "--games",
        "2",
        "--opponent",
        "first",
    ]);
    let mut late = server.connect();
    late.play("late");
    let state = late.state();
    late.until(|message| *message == Message::Stop);
    late.say(format!("5@{state} move 1"));
    late.say("7 ping");
    // What comes too late is no fault.
    assert_eq!(late.until(|_| true).message, Message::Pong);
    late.say("9 goodbye");
    assert!(late.bye());

    // The server goes on to the next game, which ends it.
    let mut polite = server.connect();
    polite.play("polite");
    polite.state();
    polite.say("goodbye");
    assert!(polite.bye());

    let (errors, records) = server.end();
    assert_eq!(
        records[0].ending().termination,
        Termination::Time,
        "{errors}"
    );
}

#[test]
fn bad_clients_hurt_nobody() {
    let server = Server::start(&[
        "--board",
        "4x3",
        "--time",
        "10m",
        "--wait",
        "50ms",
        "--games",
        "3",
        "--opponent",
        "first",
    ]);
    // It never reads, and asks for answers.
    let mut deaf = server.connect();
    let flood = "ping\r\n".repeat(10_000);
    let mut half = server.connect();
    half.say("set info:name \"hal");
    half.stream.write_all(b"3 mo").expect("it is there");
    let mut garbage = server.connect();
    garbage.say(vec![b'x'; 200_000]);
    garbage.say(b"\xff\xfe\x00");
    garbage.say("1@2 solution <3,0,0,1> maybe");
    garbage.say("1 mode dance");
    let line = garbage.until(|message| matches!(message, Message::Error(_)));
    assert!(line.id.is_some());
    deaf.stream
        .set_write_timeout(Some(Duration::from_millis(100)))
        .expect("it has one");
    // The server stops listening to it.
    let _ = deaf.stream.write_all(flood.as_bytes());

    let mut good = client(&server.tcp, &["--name", "good", "--player", "first"]);
    let began = Instant::now();
    while !records(server.out.path()).iter().any(|record| {
        record.ending().termination == Termination::Normal
            || record.ending().termination == Termination::Adjudicated
    }) {
        assert!(began.elapsed() < PATIENCE, "no game is played");
        std::thread::sleep(Duration::from_millis(20));
    }
    let (errors, _) = server.end();
    assert!(good.wait().expect("it ends").success(), "{errors}");
}

#[test]
fn who_finds_no_place_is_sent_away() {
    let server = Server::start(&["--clients", "1"]);
    let mut first = server.connect();
    first.until(|message| matches!(message, Message::Kgp(_)));
    assert!(server.connect().bye());
    first.say("goodbye");
    assert!(first.bye());
    // Its place is free after a moment.
    let began = Instant::now();
    loop {
        let next = server.connect().hear().expect("it says something");
        if matches!(next.message, Message::Kgp(_)) {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "its place stays taken");
    }
}

#[test]
fn who_has_not_come_for_what_is_offered_is_told_so() {
    let server = Server::verify();
    let mut player = server.connect();
    player.say("1 mode freeplay");
    let line = player.until(|message| matches!(message, Message::Error(_)));
    assert_eq!(
        line.message,
        Message::error("there is no mode freeplay here")
    );
    let mut solver = player;
    solver.say("1 mode verify");
    let problem = solver.until(|message| matches!(message, Message::Problem { .. }));
    let id = problem.id.expect("a problem has one");
    // After a solution that is none there is another problem, and after a wrong one too.
    solver.say(format!("3@{id} solution nonsense"));
    let error = solver.until(|message| matches!(message, Message::Error(_)));
    assert_eq!(error.reference, Some(3));
    let next = solver.until(|message| matches!(message, Message::Problem { .. }));
    let id = next.id.expect("a problem has one");
    solver.say(format!(
        "5@{id} solution <6,0,0,0,0,0,0,0,0,0,0,0,0,0,0> true"
    ));
    solver.until(|message| matches!(message, Message::Error(_)));
    let next = solver.until(|message| matches!(message, Message::Problem { .. }));
    assert_ne!(next.id, Some(id));
}

#[test]
fn who_yields_without_a_move_has_one_drawn_by_lot() {
    let server = Server::start(&[
        "--board",
        "3x2",
        "--time",
        "10m",
        "--wait",
        "50ms",
        "--games",
        "1",
        "--opponent",
        "first",
    ]);
    let mut peer = server.connect();
    peer.play("unaware");
    let mut states = 0;
    while let Some(line) = peer.hear() {
        if let (Some(state), Message::State(_)) = (line.id, line.message) {
            states += 1;
            // Some clients put in quotes whatever they can.
            peer.say(format!("5 set \"info:comment\" \"\"\r\n7@{state} yield"));
        }
    }
    let (errors, records) = server.end();
    assert!(states > 0);
    let is_decided = [Termination::Normal, Termination::Adjudicated];
    assert!(
        is_decided.contains(&records[0].ending().termination),
        "{errors}"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_says_goodbye_and_keeps_what_was_played() {
    for signal in ["-INT", "-TERM"] {
        let server = Server::start(&["--time", "10m", "--wait", "50ms", "--opponent", "first"]);
        let mut peer = server.connect();
        peer.play("patient");
        let state = peer.state();
        peer.say(format!("5@{state} move 1"));
        peer.say(format!("7@{state} yield"));
        peer.state();
        server.signal(signal);
        let stop = peer.until(|message| *message == Message::Stop);
        assert!(stop.reference.is_some());
        assert!(peer.bye());
        let (errors, records) = server.end();
        assert_eq!(records.len(), 1, "{errors}");
        assert_eq!(records[0].ending().termination, Termination::Unfinished);
        assert_eq!(records[0].ending().winner, None);
        assert!(!records[0].game().plies().is_empty());
    }
}

#[test]
fn what_cannot_be_served_is_refused() {
    let server = Server::start(&[]);
    let address = server.tcp.strip_prefix("tcp://").expect("an address");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "text").expect("a file");
    let file = file.to_str().expect("text");
    for (arguments, code, words) in [
        (["--addr", address], 1, "cannot listen at"),
        (["--rules", "mankalah"], 2, "the protocol knows no swap"),
        (["--board", "6x0"], 2, "over before it begins"),
        (["--board", "1x1"], 2, "nobody ever has a choice"),
        (["--time", "0s"], 2, "no time for an answer"),
        (["--play", "verify"], 2, "--games is for games"),
        (["--opponent", "human"], 2, "nobody is there to be asked"),
        (["--out", file], 1, "cannot use the folder"),
        (["--data", file], 1, "is not a folder"),
    ] {
        let output = Command::new(KALAH)
            .args(["kgp", "serve", "--games", "1"])
            .args(arguments)
            .args(
                (arguments[0] != "--addr")
                    .then_some(["--addr", "127.0.0.1:0"])
                    .into_iter()
                    .flatten(),
            )
            .output()
            .expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert!(errors.contains(words), "{errors}");
    }
}
