//! The client's end of a connection.

use kalah_protocols::kgp::{Argument, Client, ClientAction, Message, Mode, Text, Version, Word};

use super::{board, house, line};

/// Passes lines to a client and returns all actions.
fn actions(client: &mut Client, lines: &[&str]) -> Vec<ClientAction> {
    lines
        .iter()
        .flat_map(|text| client.handle_line(&line(text)))
        .collect()
}

#[test]
fn a_client_plays_several_states_at_once() {
    let name = Message::Set {
        option: Word::new("info:name").expect("a word"),
        value: Argument::Text(Text::new("Lisa").expect("not empty")),
    };
    let mut client = Client::new(Mode::Freeplay, vec![name]);
    assert_eq!(
        actions(&mut client, &["8 state <1,0,0,1,1>", "set x 1"]),
        []
    );
    assert!(!client.is_greeted());
    let actions_of_greeting = actions(&mut client, &["2 kgp 1 0 1", "kgp 1 0 1", "4@3 ok"]);
    let name = ClientAction::Send(line("1 set info:name \"Lisa\""));
    assert_eq!(
        actions_of_greeting,
        [name, ClientAction::Send(line("3 mode freeplay"))]
    );
    assert_eq!(
        actions(&mut client, &["6 ping"]),
        [ClientAction::Send(line("5@6 pong"))]
    );
    let search = |state| ClientAction::Search {
        state,
        board: board("3x2"),
    };
    let received = actions(
        &mut client,
        &[
            "8 state <3,0,0,2,2,2,2,2,2>",
            "10 state <3,0,0,2,2,2,2,2,2>",
            "12@8 stop",
            "14@8 stop",
            "16@99 stop",
            "stop",
            "state <3,0,0,2,2,2,2,2,2>",
            "10 state <3,0,0,2,2,2,2,2,2>",
        ],
    );
    assert_eq!(
        received,
        [
            search(8),
            search(10),
            ClientAction::StopSearch(8),
            ClientAction::StopSearch(10),
            search(10)
        ]
    );
    assert_eq!(client.send_move(8, house(1)), None);
    assert_eq!(client.send_move(10, house(1)), Some(line("7@10 move 1")));
    assert_eq!(client.send_yield(10), Some(line("9@10 yield")));
    assert_eq!(client.send_yield(10), None);
    assert_eq!(client.ping(), line("11 ping"));
    let received = actions(&mut client, &["dance", "error \"no\" \"way\"", "goodbye"]);
    assert_eq!(
        received,
        [
            ClientAction::ReportError("no way".to_owned()),
            ClientAction::Disconnect
        ]
    );
}

#[test]
fn a_client_solves_only_legal_problems() {
    let mut client = Client::new(Mode::Verify, Vec::new());
    actions(&mut client, &["kgp 1 0 1"]);
    for (problem, solution) in [
        (
            "8 problem <3,0,0,2,2,2,2,2,2> 1",
            Some("<3,1,0,2,0,3,2,2,2> true"),
        ),
        (
            "8 problem <3,0,0,2,2,2,2,2,2> 2",
            Some("<3,1,0,2,2,0,3,2,2> false"),
        ),
        // South's row is empty after the sowing, so North's seeds are swept.
        ("8 problem <2,3,0,0,1,2,2> 1", Some("<2,4,4,0,0,0,0> true")),
        ("8 problem <3,0,0,2,2,0,2,2,2> 2", None),
        ("8 problem <3,0,0,2,2,2,2,2,2> 3", None),
        ("8 problem <2,0,0,0,0,2,2> 1", None),
        ("problem <3,0,0,2,2,2,2,2,2> 1", None),
    ] {
        let mut client = client.clone();
        let expected =
            solution.map(|solution| ClientAction::Send(line(&format!("3@8 solution {solution}"))));
        assert_eq!(
            actions(&mut client, &[problem]),
            Vec::from_iter(expected),
            "{problem}"
        );
    }
}

#[test]
fn a_client_refuses_another_major_version() {
    let mut client = Client::new(Mode::Freeplay, Vec::new());
    let version = Version {
        major: 2,
        minor: 0,
        patch: 0,
    };
    assert_eq!(
        actions(&mut client, &["kgp 2 0 0"]),
        [ClientAction::UnsupportedVersion(version)]
    );
    assert!(!client.is_greeted());
}
