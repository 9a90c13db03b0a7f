//! The pairing of clients by `kalah kgp serve`. No test waits for the pairing timeout.

use std::fs;
use std::process::Command;
use std::thread::{self, JoinHandle};

use kalah::{Side, Termination};
use kalah_kgp::Message;

use test_tools::Tool;

use super::server::{KgpServerProcess, Peer, records};
use crate::harness::{args_with, run, temp_dir, wait_until};

/// Starts a server of short games that ends after `games` games.
fn start(games: &str) -> KgpServerProcess {
    let arguments = "--board 3x1 --time 10m --wait 10m --opponent first --games {}";
    KgpServerProcess::start(&args_with(arguments, &[games]))
}

/// Joins with a client that leaves each move to the server, which plays a random one.
fn join(server: &KgpServerProcess, name: &'static str) -> JoinHandle<()> {
    let mut peer: Peer = server.connect();
    peer.join(name);
    thread::spawn(move || {
        while let Some(line) = peer.receive() {
            if let (Some(state), Message::State(_)) = (line.id, line.message) {
                peer.send(format!("5@{state} yield"));
            }
        }
    })
}

/// Waits for the end of server and clients. Returns the sorted names of the players of each game.
fn players(server: KgpServerProcess, clients: Vec<JoinHandle<()>>) -> Vec<Vec<String>> {
    let (_, records) = server.wait();
    for client in clients {
        client.join().expect("a client");
    }
    let games = records.iter().map(|record| {
        let name = |side: Side| record.tags().get(&side.to_string()).map(str::to_owned);
        let mut names: Vec<String> = Side::ALL.into_iter().filter_map(name).collect();
        names.sort();
        names
    });
    games.collect()
}

#[test]
fn client_that_left_while_it_waited_gets_no_game() {
    let server = start("1");
    let mut gone = server.connect();
    gone.join("gone");
    gone.send("goodbye");
    assert!(gone.receive_goodbye());
    let clients = ["one", "other"].map(|name| join(&server, name));
    assert_eq!(players(server, clients.into()), [["one", "other"]]);
}

#[test]
fn clients_that_have_just_played_each_other_wait_for_a_third() {
    let server = start("2");
    let mut clients: Vec<_> = ["one", "other"].map(|name| join(&server, name)).into();
    wait_until("the first game is over", || {
        records(server.out.path()).len() == 1
    });
    clients.push(join(&server, "third"));
    let games = players(server, clients);
    assert_eq!(games[0], ["one", "other"]);
    assert!(games[1].contains(&"third".to_owned()), "{games:?}");
}

#[test]
#[cfg_attr(not(has_python), ignore = "python3 not found")]
fn client_of_the_documents_plays_whole_games() {
    let document = include_str!("../../../../../../docs/protocols.md");
    let (_, program) = document.split_once("import socket\n").expect("a program");
    let (program, _) = program.split_once("```").expect("its end");
    let directory = temp_dir();
    let path = directory.path().join("client.py");
    fs::write(&path, format!("import socket\n{program}")).expect("a writable file");
    let server = KgpServerProcess::start(&args_with(
        "--board 3x2 --time 10m --wait 0s --opponent first --games {}",
        &["3"],
    ));
    let address = server
        .tcp
        .rsplit('/')
        .next()
        .expect("an address")
        .to_owned();
    let (host, port) = address.rsplit_once(':').expect("a port");
    run(Command::new(Tool::Python.require())
        .arg(&path)
        .args([host, port]))
    .success();
    let (_, records) = server.wait();
    assert_eq!(records.len(), 3);
    for record in records {
        let termination = record.ending().termination;
        let is_played = [Termination::Normal, Termination::Adjudicated].contains(&termination);
        assert!(is_played, "{termination}");
        let names = Side::ALL.map(|side| record.tags().get(&side.to_string()));
        assert!(names.contains(&Some("Fullest")), "{names:?}");
    }
}
