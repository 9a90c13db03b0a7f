//! The pairing of clients by `kalah kgp serve`. No test waits for the pairing timeout.

use std::thread::{self, JoinHandle};

use kalah::Side;
use kalah_kgp::Message;

use super::server::{KgpServerProcess, Peer, records};
use crate::harness::{args_with, wait_until};

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
