//! The client's end of a connection.

use std::time::Duration;

use kalah_kgp::{Argument, Client, ClientAction, Message, Mode, Text, Version, Word};

use super::{board, house, line};

const START: Duration = Duration::ZERO;

/// Passes lines to a client at the time [`START`] and returns all actions.
fn actions(client: &mut Client, lines: &[&str]) -> Vec<ClientAction> {
    lines
        .iter()
        .flat_map(|text| client.handle_line(&line(text), START))
        .collect()
}

/// Returns the lines that a client sends at the time `now`.
fn due(client: &mut Client, now: Duration) -> Vec<String> {
    let lines = client.take_due_lines(now);
    lines.iter().map(ToString::to_string).collect()
}

/// Creates a client that has received the first lines of a server.
fn greeted(mode: Mode) -> Client {
    let mut client = Client::new(mode, Vec::new());
    let mode = client.handle_line(&line("kgp 1 0 1"), START);
    assert!(matches!(mode.as_slice(), [ClientAction::Send(_)]));
    client
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
    client.set_move(8, house(1), None);
    client.finish(8);
    client.set_move(10, house(1), None);
    assert_eq!(due(&mut client, Client::ANSWER_DELAY), ["7@10 move 1"]);
    assert!(client.has_open_states());
    client.finish(10);
    client.set_move(10, house(2), None);
    assert_eq!(due(&mut client, Client::ANSWER_DELAY), ["9@10 yield"]);
    assert_eq!(client.next_deadline(), None);
    assert!(!client.has_open_states());
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
    let client = greeted(Mode::Verify);
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

#[test]
fn answers_wait_until_the_server_is_ready_for_them() {
    let mut client = greeted(Mode::Freeplay);
    let received_at = Duration::from_secs(7);
    client.handle_line(&line("8 state <3,0,0,2,2,2,2,2,2>"), received_at);
    client.set_move(8, house(1), None);
    let comment = Text::new("+4 \"proven\"");
    client.set_move(8, house(2), comment);
    client.finish(8);
    let ready_at = received_at + Client::ANSWER_DELAY;
    assert_eq!(client.next_deadline(), Some(ready_at));
    let nearly = ready_at.saturating_sub(Duration::from_nanos(1));
    assert_eq!(due(&mut client, nearly), [""; 0]);
    assert!(client.has_open_states());
    let lines = [
        r#"3 set info:comment "+4 \"proven\"""#,
        "5@8 move 2",
        "7@8 yield",
    ];
    assert_eq!(due(&mut client, ready_at), lines);
    assert_eq!(client.next_deadline(), None);
    // Better moves are sent at once when the server is ready.
    client.handle_line(&line("10 state <3,0,0,2,2,2,2,2,2>"), received_at);
    assert_eq!(due(&mut client, ready_at), [""; 0]);
    client.set_move(10, house(1), None);
    assert_eq!(due(&mut client, ready_at), ["9@10 move 1"]);
    client.set_move(10, house(2), None);
    assert_eq!(due(&mut client, ready_at), ["11@10 move 2"]);
}

/// FAU's practice server refuses answers to a state that it has not registered yet.
#[test]
fn answer_that_came_too_early_is_sent_again() {
    let mut client = greeted(Mode::Freeplay);
    actions(&mut client, &["8 state <3,0,0,2,2,2,2,2,2>"]);
    client.set_move(8, house(2), None);
    client.finish(8);
    let mut now = Client::ANSWER_DELAY;
    assert_eq!(due(&mut client, now), ["3@8 move 2", "5@8 yield"]);
    let refusal = |id: u64| line(&format!("10@{id} error \"No state associated with id\""));
    let mut id = 3;
    for _ in 0..3 {
        assert_eq!(client.handle_line(&refusal(id), now), []);
        assert_eq!(client.handle_line(&refusal(id + 2), now), []);
        assert!(client.has_open_states());
        now += Client::ANSWER_DELAY;
        id += 4;
        let again = [format!("{id}@8 move 2"), format!("{}@8 yield", id + 2)];
        assert_eq!(due(&mut client, now), again);
    }
    // The server will not take it, so the client gives up, still without a warning.
    assert_eq!(client.handle_line(&refusal(id), now), []);
    assert_eq!(client.next_deadline(), None);
    // A refusal after `stop` needs no warning either.
    client.handle_line(&line("12@8 stop"), now);
    assert_eq!(client.handle_line(&refusal(id), now), []);
    // Other errors do, and those about lines that the client has not sent.
    for text in [
        "14@3 error \"illegal move\"",
        "14 error \"No state associated with id\"",
        "14@999 error \"No state associated with id\"",
    ] {
        let actions = client.handle_line(&line(text), now);
        assert!(
            matches!(actions.as_slice(), [ClientAction::ReportError(_)]),
            "{actions:?}"
        );
    }
}

#[test]
fn server_that_does_not_know_ping_gets_no_more_of_them() {
    let mut client = greeted(Mode::Freeplay);
    let unknown = "10@3 error \"Unknown command\"";
    let report = ClientAction::ReportError("Unknown command".to_owned());
    assert_eq!(actions(&mut client, &[unknown]), [report]);
    assert_eq!(client.ping(), line("3 ping"));
    assert_eq!(
        actions(&mut client, &[unknown]),
        [ClientAction::StopPinging]
    );
}

#[test]
fn answers_that_a_server_never_stops_are_forgotten() {
    let mut client = greeted(Mode::Freeplay);
    for number in 0..1000 {
        let state = 8 + 2 * number;
        actions(
            &mut client,
            &[&format!("{state} state <3,0,0,2,2,2,2,2,2>")],
        );
        client.set_move(state, house(1), None);
        client.finish(state);
        assert_eq!(due(&mut client, Client::ANSWER_DELAY).len(), 2);
    }
    let is_resent = |client: &mut Client, id: u64| {
        let refusal = format!("2@{id} error \"No state associated with id\"");
        client.handle_line(&line(&refusal), START);
        client.next_deadline().is_some()
    };
    assert!(!is_resent(&mut client, 3));
    assert!(is_resent(&mut client, 3999));
}
