//! `kalah kgp serve` with `kalah kgp connect` and other clients.

use std::io::Write as _;
use std::thread;
use std::time::Duration;

use kalah::{Rules, Side, Termination};
use kalah_kgp::Message;

use super::server::{KgpServerProcess, records, start_client};
use crate::harness::{args, args_with, kalah, run, temp_dir, wait_until};
use crate::serve::page_server::{PageServer, get_request, send_request};

#[test]
fn many_clients_play_over_both_transports() {
    let data = temp_dir();
    let folder = data.path().to_str().expect("UTF-8");
    let server = KgpServerProcess::start(&args_with(
        "--board 4x3 --time 10m --wait 100ms --games 24 \
         --opponent level:2 --opponent random --data {}",
        &[folder],
    ));
    let mut clients = Vec::new();
    for number in 0..9 {
        let url = if number % 2 == 0 {
            &server.tcp
        } else {
            &server.ws
        };
        let name = format!("Client {number}");
        let player = ["first", "random", "level:1"][number % 3];
        clients.push(start_client(url, &["--name", &name, "--player", player]));
    }
    for url in [&server.tcp, &server.ws] {
        clients.push(start_client(url, &["--verify"]));
    }
    let (errors, records) = server.wait();
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
    for client in clients {
        assert!(client.finish().status.success(), "{errors}");
    }
    // Each client of the mode `verify` has solved all of its problems, and at least one.
    let solved = errors.lines().filter_map(|line| {
        let (_, numbers) = line.split_once("; ")?;
        let mut words = numbers.split(' ');
        let (correct, all) = (words.next()?, words.nth(1)?);
        Some((correct.parse::<u64>().ok()?, all.parse::<u64>().ok()?))
    });
    let solved: Vec<(u64, u64)> = solved.collect();
    assert_eq!(solved.len(), 2, "{errors}");
    assert!(
        solved
            .iter()
            .all(|(correct, all)| correct == all && *all > 0),
        "{errors}"
    );
    assert_eq!(
        errors.matches("is stored as #watch=").count(),
        24,
        "{errors}"
    );
}

#[test]
fn page_server_shows_the_games_of_the_database() {
    let data = temp_dir();
    let folder = data.path().to_str().expect("UTF-8");
    let server = KgpServerProcess::start(&args_with(
        "--time 10m --wait 50ms --games 1 --opponent first --data {}",
        &[folder],
    ));
    let mut peer = server.connect();
    peer.join("illegal");
    let state = peer.receive_state();
    peer.send(format!("5@{state} move 26"));
    peer.send(format!("7@{state} yield"));
    let (errors, _) = server.wait();
    let (_, rest) = errors.split_once("is stored as #watch=").expect("an id");
    let id = rest.lines().next().expect("a name");

    let page = PageServer::start(data.path(), &["--log", "off", "--tables", "none"]);
    let response = page.get(&format!("/api/v1/games/{id}"));
    assert!(
        response.contains("\"termination\":\"illegal\""),
        "{response}"
    );
    assert!(response.contains("\"rules\":\"standard\""), "{response}");
}

#[test]
fn page_lists_agents_and_games_of_the_process() {
    let mut server = KgpServerProcess::start(&args(
        "--page 127.0.0.1:0 --time 10m --wait 50ms --opponent first",
    ));
    let url = server.process.read_line();
    let address = url.strip_prefix("http://").expect("a URL");
    let address = address.strip_suffix('/').expect("a slash").to_owned();
    let get = |path: &str| send_request(&address, &get_request(path)).expect("a response");
    assert!(get("/").contains("No agent has connected yet."));

    let mut peer = server.connect();
    peer.send("1 set info:authors \"<Bart> & \\\"El\\\"\"");
    peer.send("3 set info:description \"</table><script>\"");
    peer.join("<b>Lisa</b>");
    peer.receive_state();
    let running = get("/");
    for text in [
        "<td>&lt;b&gt;Lisa&lt;/b&gt;</td>",
        "<td>&lt;Bart&gt; &amp; &quot;El&quot;</td>",
        "<td>&lt;/table&gt;&lt;script&gt;</td><td>yes</td>",
        "<td>running</td>",
    ] {
        assert!(running.contains(text), "{text}: {running}");
    }
    peer.send("goodbye");
    assert!(peer.receive_goodbye());
    wait_until("the page shows the end of the game", || {
        get("/").contains(" wins, resign</td>")
    });
    let finished = get("/");
    let (_, rest) = finished.split_once("/games/").expect("a game");
    let (number, _) = rest.split_once('"').expect("a number");
    let record = get(&format!("/games/{number}.kgn"));
    assert!(record.contains("[Termination \"resign\"]"), "{record}");
    assert!(get(&format!("/games/{number}")).contains("&lt;b&gt;Lisa"));
    let others = "GET / HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    let refused = send_request(&address, others).expect("a response");
    assert!(refused.starts_with("HTTP/1.1 421 "), "{refused}");
}

#[test]
fn each_loss_has_its_termination() {
    let server =
        KgpServerProcess::start(&args("--time 10m --wait 50ms --games 4 --opponent first"));
    let mut illegal = server.connect();
    illegal.join("illegal");
    let state = illegal.receive_state();
    // The last move of the state counts, and messages about other states do not.
    illegal.send(format!("5@{state} move 1"));
    illegal.send("7@9998 move 2");
    illegal.send(format!("9@{state} move 26"));
    illegal.send(format!("11@{state} yield"));
    let stop = illegal.receive_until(|message| *message == Message::Stop);
    assert_eq!(stop.reference, Some(state));
    illegal.send("goodbye");
    assert!(illegal.receive_goodbye());

    let mut resigning = server.connect();
    resigning.join("resigning");
    resigning.receive_state();
    resigning.send("goodbye");
    assert!(resigning.receive_goodbye());

    let mut gone = server.connect();
    gone.join("gone");
    gone.receive_state();
    drop(gone);

    let mut wild = server.connect();
    wild.join("wild");
    wild.receive_state();
    for _ in 0..100 {
        wild.send("<<< \x1b[2J");
    }
    assert!(wild.receive_goodbye());

    let (errors, records) = server.wait();
    let endings: Vec<(String, Termination, bool)> = records
        .iter()
        .map(|record| {
            let ending = record.ending();
            let client = Side::ALL
                .into_iter()
                .find(|side| record.tags().get(side.to_string().as_str()) != Some("first"));
            let client = client.expect("a side of the client");
            let name = record
                .tags()
                .get(&client.to_string())
                .expect("a name")
                .to_owned();
            (
                name,
                ending.termination,
                ending.winner == Some(client.opponent()),
            )
        })
        .collect();
    let expected = [
        ("illegal", Termination::Illegal),
        ("resigning", Termination::Resign),
        ("gone", Termination::Crash),
        ("wild", Termination::Protocol),
    ];
    let expected = expected.map(|(name, termination)| (name.to_owned(), termination, true));
    assert_eq!(endings, expected, "{errors}");
    assert!(errors.contains("illegal loses: ply "), "{errors}");
    assert!(!errors.contains('\u{1b}'), "{errors:?}");
}

#[test]
fn late_move_loses_on_time() {
    let server = KgpServerProcess::start(&args("--time 1s --wait 50ms --games 2 --opponent first"));
    let mut late = server.connect();
    late.join("late");
    let state = late.receive_state();
    late.receive_until(|message| *message == Message::Stop);
    late.send(format!("5@{state} move 1"));
    late.send("7 ping");
    // A move after the end of its time is not an error.
    assert_eq!(late.receive_until(|_| true).message, Message::Pong);
    late.send("9 goodbye");
    assert!(late.receive_goodbye());

    // The server ends after the next game.
    let mut resigning = server.connect();
    resigning.join("resigning");
    resigning.receive_state();
    resigning.send("goodbye");
    assert!(resigning.receive_goodbye());

    let (errors, records) = server.wait();
    assert_eq!(
        records[0].ending().termination,
        Termination::Time,
        "{errors}"
    );
}

#[test]
fn faulty_clients_do_not_disturb_other_games() {
    let server = KgpServerProcess::start(&args(
        "--board 4x3 --time 10m --wait 50ms --games 3 --opponent first",
    ));
    // This client never reads responses.
    let mut silent = server.connect();
    let flood = "ping\r\n".repeat(10_000);
    let mut half = server.connect();
    half.send("set info:name \"hal");
    half.stream.write_all(b"3 mo").expect("a connection");
    let mut garbage = server.connect();
    garbage.send(vec![b'x'; 200_000]);
    garbage.send(b"\xff\xfe\x00");
    garbage.send("1@2 solution <3,0,0,1> maybe");
    garbage.send("1 mode dance");
    let line = garbage.receive_until(|message| matches!(message, Message::Error(_)));
    assert!(line.id.is_some());
    silent
        .stream
        .set_write_timeout(Some(Duration::from_millis(100)))
        .expect("a socket");
    // The server stops reading from this client.
    let _ = silent.stream.write_all(flood.as_bytes());

    let good = start_client(&server.tcp, &["--name", "good", "--player", "first"]);
    wait_until("a game is finished", || {
        records(server.out.path()).iter().any(|record| {
            record.ending().termination == Termination::Normal
                || record.ending().termination == Termination::Adjudicated
        })
    });
    let (errors, _) = server.wait();
    assert!(good.finish().status.success(), "{errors}");
}

#[test]
fn client_beyond_the_limit_is_refused() {
    let server = KgpServerProcess::start(&["--clients", "1"]);
    let mut first = server.connect();
    first.receive_until(|message| matches!(message, Message::Kgp(_)));
    assert!(server.connect().receive_goodbye());
    first.send("goodbye");
    assert!(first.receive_goodbye());
    wait_until("the server accepts another client", || {
        let next = server.connect().receive().expect("a line");
        matches!(next.message, Message::Kgp(_))
    });
}

#[test]
fn mode_that_is_not_offered_is_refused() {
    let server = KgpServerProcess::verify();
    let mut player = server.connect();
    player.send("1 mode freeplay");
    let line = player.receive_until(|message| matches!(message, Message::Error(_)));
    assert_eq!(
        line.message,
        Message::error("this server does not offer `mode freeplay`")
    );
    let mut solver = player;
    solver.send("1 mode verify");
    let problem = solver.receive_until(|message| matches!(message, Message::Problem { .. }));
    let id = problem.id.expect("an id");
    // Another problem follows a malformed solution, and a wrong one.
    solver.send(format!("3@{id} solution nonsense"));
    let error = solver.receive_until(|message| matches!(message, Message::Error(_)));
    assert_eq!(error.reference, Some(3));
    let next = solver.receive_until(|message| matches!(message, Message::Problem { .. }));
    let id = next.id.expect("an id");
    solver.send(format!(
        "5@{id} solution <6,0,0,0,0,0,0,0,0,0,0,0,0,0,0> true"
    ));
    solver.receive_until(|message| matches!(message, Message::Error(_)));
    let next = solver.receive_until(|message| matches!(message, Message::Problem { .. }));
    assert_ne!(next.id, Some(id));
}

#[test]
fn yield_without_a_move_plays_a_random_move() {
    let server = KgpServerProcess::start(&args(
        "--board 3x2 --time 10m --wait 50ms --games 1 --opponent first",
    ));
    let mut peer = server.connect();
    peer.join("unaware");
    let mut states = 0;
    while let Some(line) = peer.receive() {
        if let (Some(state), Message::State(_)) = (line.id, line.message) {
            states += 1;
            // Some clients quote all words.
            peer.send(format!("5 set \"info:comment\" \"\"\r\n7@{state} yield"));
        }
    }
    let (errors, records) = server.wait();
    assert!(states > 0);
    let is_decided = [Termination::Normal, Termination::Adjudicated];
    assert!(
        is_decided.contains(&records[0].ending().termination),
        "{errors}"
    );
}

#[cfg(unix)]
#[test]
fn signals_send_goodbye_and_record_the_games() {
    for signal in ["INT", "TERM", "HUP"] {
        let server =
            KgpServerProcess::start(&["--time", "10m", "--wait", "50ms", "--opponent", "first"]);
        let mut peer = server.connect();
        peer.join("patient");
        let state = peer.receive_state();
        peer.send(format!("5@{state} move 1"));
        peer.send(format!("7@{state} yield"));
        peer.receive_state();
        server.process.signal(signal);
        let stop = peer.receive_until(|message| *message == Message::Stop);
        assert!(stop.reference.is_some());
        assert!(peer.receive_goodbye());
        let (errors, records) = server.wait();
        assert_eq!(records.len(), 1, "{errors}");
        assert_eq!(records[0].ending().termination, Termination::Unfinished);
        assert_eq!(records[0].ending().winner, None);
        assert!(!records[0].game().plies().is_empty());
        let lines: Vec<&str> = errors.lines().collect();
        assert!(
            lines.iter().any(|line| line.contains("shutting down: ")),
            "{errors}"
        );
        let last = lines.last().expect("a line");
        assert!(last.ends_with("stopped"), "{errors}");
    }
}

#[test]
fn invalid_arguments_are_refused() {
    let server = KgpServerProcess::start(&[]);
    let address = server.tcp.strip_prefix("tcp://").expect("an address");
    let folder = temp_dir();
    let file = folder.path().join("file");
    std::fs::write(&file, "text").expect("a file");
    let file = file.to_str().expect("UTF-8");
    for (arguments, code, message) in [
        (["--addr", address], 1, "is already in use"),
        (["--rules", "mankalah"], 2, "the protocol has no swap"),
        (["--board", "6x0"], 2, "over before the first move"),
        (["--board", "1x1"], 2, "only forced moves"),
        (["--time", "0s"], 2, "the time for a state is 0s"),
        (["--play", "verify"], 2, "--games has no effect"),
        (["--opponent", "human"], 2, "expected a program"),
        (["--host", "kalah.example"], 2, "--page <HOST:PORT>"),
        (["--page", address], 1, "is already in use"),
        (["--out", file], 1, "cannot use the folder"),
        (["--data", file], 1, "is not a folder"),
    ] {
        let mut command = kalah(["kgp", "serve", "--games", "1"]);
        command.args(arguments);
        if arguments[0] != "--addr" {
            command.args(["--addr", "127.0.0.1:0"]);
        }
        let errors = run(&mut command).failure(code);
        assert!(errors.contains(message), "{errors}");
    }
}

#[test]
fn pause_of_the_server_is_no_fault_of_a_client() {
    let server = KgpServerProcess::start(&args("--time 4s --wait 50ms --games 1 --opponent first"));
    let mut peer = server.connect();
    peer.join("paused");
    peer.receive_state();
    server.process.signal("STOP");
    // Longer than the time for a move.
    thread::sleep(Duration::from_secs(6));
    server.process.signal("CONT");
    let state = peer.receive_state();
    peer.send(format!("5@{state} move 26"));
    peer.send(format!("7@{state} yield"));
    let (errors, records) = server.wait();
    assert!(
        errors.contains("begins again, because the server has paused"),
        "{errors}"
    );
    assert_eq!(
        records[0].ending().termination,
        Termination::Illegal,
        "{errors}"
    );
}
