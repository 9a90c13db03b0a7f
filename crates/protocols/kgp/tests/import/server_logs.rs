//! Logs of go-kgp, the server of FAU, with `-debug`: its own messages stand between the lines of
//! the protocol, and the name of a connection changes.

use std::fmt::Write as _;

use kalah::record::Record;
use kalah::{BySide, Game, Move, Rules, Side};
use kalah_import::{ImportFormat, ImportedGames};
use kalah_kgp::{KGP_LOG, KgpBoard};
use proptest::prelude::*;

use super::{moves, random_game};

/// A log of the server.
#[derive(Default)]
struct ServerLog {
    text: String,
    /// The number of messages, which gives each its time.
    messages: u32,
    /// The number of the current game in the server's database.
    game: u32,
}

/// A client of the server.
struct LoggedClient {
    /// The name of the connection in the log.
    connection: String,
    /// The last id of the server and that of the client.
    last_sent: u64,
    last_received: u64,
}

impl ServerLog {
    /// Logs a message that a function in this file of the server has printed.
    fn message(&mut self, place: &str, text: &str) {
        self.messages += 1;
        let (minute, second) = (self.messages / 60, self.messages % 60);
        writeln!(
            self.text,
            "[debug] 15:{minute:02}:{second:02}.000123 {place}: {text}"
        )
        .expect("text");
    }

    /// Logs a line to a client.
    fn send(&mut self, client: &mut LoggedClient, reference: Option<u64>, text: &str) -> u64 {
        client.last_sent += 2;
        let id = client.last_sent;
        let reference = reference.map_or_else(String::new, |id| format!("@{id}"));
        self.message(
            "client.go:205",
            &format!("{} > {id}{reference} {text}", client.connection),
        );
        id
    }

    /// Logs a line of a client, and for a command of a game the message that the server repeats it
    /// in.
    fn receive(&mut self, client: &mut LoggedClient, reference: Option<u64>, text: &str) -> u64 {
        client.last_received += 2;
        let id = client.last_received;
        let reference = reference.map_or_else(String::new, |id| format!("@{id}"));
        let line = format!("{id}{reference} {text}");
        self.message("client.go:270", &format!("{} < {line}", client.connection));
        if !reference.is_empty() {
            self.message("proto.go:201", &format!("Invalid command {line:?}"));
        }
        id
    }

    /// Logs the connection of a client, which introduces itself with options.
    fn connect(&mut self, address: u32, options: &[(&str, &str)]) -> LoggedClient {
        let mut client = LoggedClient {
            connection: format!("0xc{address:09x}"),
            last_sent: 0,
            last_received: 0,
        };
        writeln!(
            self.text,
            "2023/11/05 15:00:00 tcp.go:61: New connection from 127.0.0.1:{address}"
        )
        .expect("text");
        self.send(&mut client, None, "kgp 1 0 1");
        for (number, (option, value)) in options.iter().enumerate() {
            self.receive(&mut client, None, &format!("set {option} {value:?}"));
            if number == 0 || *option == "auth:token" {
                (*value).clone_into(&mut client.connection);
            }
        }
        let id = self.receive(&mut client, None, "mode freeplay");
        self.message(
            "fifo.go:89",
            &format!("Adding {} to the queue", client.connection),
        );
        self.send(&mut client, Some(id), "ok");
        client
    }

    /// Logs a game. A side without a client is a bot of the server.
    fn play(&mut self, game: &Game, mut clients: BySide<Option<&mut LoggedClient>>) {
        self.game += 1;
        let number = self.game;
        let mut position = game.start().clone();
        for ply in game.plies() {
            let Move::Sow(house) = ply.mv else {
                panic!("the rules have no swap")
            };
            let count = position.legal_moves().count();
            self.message("game.go:62", &format!("Game {number}: o has {count} moves"));
            let mut comment = "[Auto-move]";
            if count > 1 {
                comment = "Evaluation: -3";
                if let Some(client) = &mut clients[ply.side] {
                    comment = "";
                    let state = format!("state {}", KgpBoard::from(&position));
                    let id = self.send(client, None, &state);
                    let ping = self.send(client, None, "ping");
                    self.receive(client, Some(ping), "pong");
                    let first = position.legal_houses().next().expect("it has two");
                    for house in [first, house] {
                        self.receive(client, Some(id), &format!("move {house}"));
                    }
                    if count.is_multiple_of(2) {
                        let id = self.receive(client, Some(2), "move 1");
                        self.send(client, Some(id), "error \"No state associated with id\"");
                        self.receive(client, Some(id), "yield");
                    }
                    self.send(client, Some(id), "stop");
                }
            }
            // The server counts houses from 0.
            let house = house.number() - 1;
            self.message(
                "game.go:97",
                &format!("Game {number}: o made the move {house} ({comment})"),
            );
            self.message("game.go:112", &format!("Game {number}: o"));
            position = ply.after.clone();
        }
        self.message("game.go:128", &format!("Game {number} finished (nw)"));
        self.message("db.go:214", "Saving game with SID 1 and NID 7");
    }
}

/// Returns whether the plies of one game begin with those of the other. A server sends no states
/// for the forced moves at the end, and it ends a game that is decided.
fn is_same_game(imported: &Record, game: &Game) -> bool {
    let (imported, game) = (moves(&imported.game()), moves(game));
    imported.starts_with(&game) || game.starts_with(&imported)
}

fn import_log(log: &ServerLog) -> ImportedGames {
    assert_eq!(ImportFormat::detect(&[&KGP_LOG], &log.text), Some(&KGP_LOG));
    KGP_LOG.import(&log.text, None)
}

fn names(record: &Record) -> [Option<&str>; 2] {
    ["South", "North"].map(|tag| record.tags().get(tag))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn messages_of_the_server_are_skipped(
        picks in prop::collection::vec(prop::collection::vec(0_usize..8, 8..60), 1..4),
    ) {
        let mut log = ServerLog::default();
        let mut lisa = log.connect(0x9a_3040, &[
            ("info:name", "Lisa"),
            ("info:author", "stop"),
            ("auth:token", "7f3a9c0d11"),
        ]);
        let mut bart = log.connect(0x9b_8000, &[("auth:token", "stop"), ("info:name", "Bart")]);
        let games: Vec<Game> =
            picks.iter().map(|picks| random_game(6, 4, Rules::STANDARD, picks)).collect();
        for game in &games {
            log.play(game, BySide::new(Some(&mut lisa), Some(&mut bart)));
        }
        let imported = import_log(&log);
        prop_assert_eq!(&imported.errors, &[]);
        prop_assert_eq!(imported.records.len(), games.len());
        for (imported, game) in imported.records.iter().zip(&games) {
            prop_assert!(is_same_game(imported, game));
            prop_assert!(moves(&imported.game()).len() >= 6);
            prop_assert_eq!(names(imported), [Some("Lisa"), Some("Bart")]);
        }
    }
}

#[test]
fn games_against_bots_are_imported() {
    for side in Side::ALL {
        let mut log = ServerLog::default();
        let mut client = log.connect(0x9a_3040, &[("info:name", "Lisa")]);
        let picks: Vec<usize> = (0..16).map(|ply| ply * 7 + 3).collect();
        let game = random_game(6, 4, Rules::STANDARD, &picks);
        let clients = match side {
            Side::South => BySide::new(Some(&mut client), None),
            Side::North => BySide::new(None, Some(&mut client)),
        };
        log.play(&game, clients);
        let imported = import_log(&log);
        assert_eq!(imported.errors, []);
        assert_eq!(imported.records.len(), 1);
        let name = match side {
            Side::South => [Some("Lisa"), None],
            Side::North => [None, Some("Lisa")],
        };
        assert_eq!(names(&imported.records[0]), name);
    }
}

#[test]
fn an_address_in_memory_can_be_used_again() {
    let mut log = ServerLog::default();
    let game = random_game(6, 4, Rules::STANDARD, &[2, 5, 1, 4, 0, 3, 2, 2]);
    for name in ["Lisa", "Bart"] {
        let mut client = log.connect(0x9a_3040, &[("info:name", name)]);
        log.play(&game, BySide::new(Some(&mut client), None));
        log.message(
            "client.go:291",
            &format!("Received shutdown signal for {}", client.connection),
        );
        log.message(
            "client.go:330",
            &format!("Closed connection to {}", client.connection),
        );
    }
    let imported = import_log(&log);
    assert_eq!(imported.errors, []);
    let names: Vec<_> = imported.records.iter().map(names).collect();
    assert_eq!(names, [[Some("Lisa"), None], [Some("Bart"), None]]);
}

/// Lines in which a program says something, and none of which is a line of the protocol.
const OTHER_LINES: [&str; 10] = [
    "[debug]12:00:00.5 proto.go:201: Invalid command \"5@8 move 3\"",
    "[debug] 12:00:00.5 proto.go:101: Malformed input: move <<<",
    "2023/11/05 12:00:00 client.go:275: Parse error (lisa): argument mismatch on input \"9@8 move x\"",
    "[debug] 12:00:00.5 game.go:97: Game 1: <6,0,0,4,4 made the move 0 ([random move])",
    "2023/11/05 12:00:00 db.go:90: Illegal move 0 on <6,0,0,4",
    "[debug] 12:00:00.5 client.go:270: lisa < 5 shout <3",
    "[debug] 12:00:00.5 client.go:270: lisa < hello <3",
    "[debug] 12:00:00.5 client.go:270: lisa < 7@6 solution <6,0,0,4 true",
    "[debug] 12:00:00.5 client.go:270: lisa < ",
    "the state of the game: move 99 is the last one",
];

#[test]
fn lines_of_other_kinds_are_skipped() {
    let state = "(lisa) > 8 state <2,0,0,1,1,1,1>";
    for line in OTHER_LINES {
        let imported = KGP_LOG.import(&format!("{line}\n{state}\n{line}\n"), None);
        assert_eq!(imported.errors, [], "{line}");
        assert_eq!(imported.records.len(), 1, "{line}");
        assert_eq!(ImportFormat::detect(&[&KGP_LOG], line), None, "{line}");
    }
}

#[test]
fn malformed_lines_of_a_game_are_errors() {
    for line in [
        "[debug] 12:00:00.5 client.go:270: lisa < 9@8 move 27",
        "9@8 move x",
        "server: 10 state <2,0,0,1,1,1>",
        "lisa > 10 state <2,0,0,1,1,1",
        "stop > 10 state",
    ] {
        let imported = KGP_LOG.import(line, None);
        assert_eq!(imported.errors.len(), 1, "{line}");
    }
}
