//! The server's end of a connection.

use std::time::Duration;

use kalah_kgp::{
    Client, ClientAction, DisconnectReason, Message, Mode, Session, SessionAction, StateReply,
};
use proptest::prelude::*;

use super::{house, start};

/// Returns the line of a single `Send` action.
fn sent_line(actions: &[SessionAction]) -> String {
    match actions {
        [SessionAction::Send(line)] => line.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_session_and_a_client_play_a_state() {
    let mut session = Session::new(None);
    let mut client = Client::new(Mode::Freeplay, Vec::new());
    let now = Duration::ZERO;
    let actions = client.handle_line(&session.greet(), now);
    let [ClientAction::Send(mode)] = actions.as_slice() else {
        panic!("{actions:?}")
    };
    let actions = session.handle_line(&mode.to_string());
    let [
        SessionAction::Send(ok),
        SessionAction::Start(Mode::Freeplay),
    ] = actions.as_slice()
    else {
        panic!("{actions:?}")
    };
    assert_eq!(client.handle_line(ok, now), []);
    let (state, line) = session.request_move(&start(6, 4));
    assert!(matches!(
        client.handle_line(&line, now).as_slice(),
        [ClientAction::Search { .. }]
    ));
    client.set_move(state, house(3), None);
    client.finish(state);
    let lines = client.take_due_lines(now + Client::ANSWER_DELAY);
    let [reply, last] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    assert_eq!(session.handle_line(&reply.to_string()), []);
    assert_eq!(
        session.handle_line(&last.to_string()),
        [SessionAction::FinishState(state)]
    );
    assert_eq!(session.take_reply(state), Some(StateReply::House(house(3))));
    assert_eq!(session.take_reply(state), None);
    assert_eq!(client.handle_line(&session.stop(state), now), []);
}

#[test]
fn the_last_move_counts_and_late_moves_are_ignored() {
    let mut session = Session::new(None);
    let (one, _) = session.request_move(&start(6, 4));
    let (two, _) = session.request_move(&start(6, 4));
    assert_eq!(session.handle_line(&format!("1@{one} move 1\r\n")), []);
    assert_eq!(session.handle_line(&format!("@{two} move 4")), []);
    assert_eq!(session.handle_line(&format!("3@{one} move 2")), []);
    assert_eq!(session.take_reply(one), Some(StateReply::House(house(2))));
    // A `stop` and a reply can cross on the wire.
    assert_eq!(session.handle_line(&format!("5@{one} move 3")), []);
    assert_eq!(session.handle_line(&format!("7@{one} yield")), []);
    assert_eq!(session.take_reply(two), Some(StateReply::House(house(4))));
    for (line, reason) in [
        ("9@1000 move 1", "there is no state 1000"),
        ("9@3 yield", "there is no state 3"),
        (
            "9 move 1",
            "`move 1` lacks the reference to a state, such as `@6 move 1`",
        ),
        (
            "9 yield",
            "`yield` lacks the reference to a state, such as `@6 yield`",
        ),
    ] {
        assert!(
            sent_line(&session.handle_line(line)).ends_with(&format!("@9 error \"{reason}\"")),
            "{line}"
        );
    }
}

#[test]
fn bad_lines_are_refused_and_disconnect_after_too_many() {
    let mut session = Session::new(None);
    for line in [
        "",
        "  \r\n",
        "pong",
        "1 ok",
        "error \"x\" \"y\"",
        "kgp 1 0 1",
        "stop",
        "set info:authors \"x\"",
    ] {
        let actions = session.handle_line(line);
        assert!(
            matches!(actions.as_slice(), [] | [SessionAction::ReportError(_)]),
            "{line}: {actions:?}"
        );
    }
    assert_eq!(sent_line(&session.handle_line("5 ping")), "2@5 pong");
    assert_eq!(
        sent_line(&session.handle_line("1 mode eval")),
        "4@1 error \"this server does not offer `mode eval`\""
    );
    assert_eq!(
        sent_line(&session.handle_line("3 dance")),
        "6@3 error \"unknown command `dance`\""
    );
    assert_eq!(
        sent_line(&session.handle_line("5 move 27")),
        "8@5 error \"`5 move 27`: expected the number of a house, from 1 to 26\""
    );
    assert_eq!(
        session.handle_line("goodbye"),
        [SessionAction::Disconnect(DisconnectReason::Goodbye)]
    );
    let mut lines = 0;
    while session.handle_line("<<<").last()
        != Some(&SessionAction::Disconnect(DisconnectReason::Protocol))
    {
        lines += 1;
        assert!(lines < 1000);
    }
    let mut session = Session::new(None);
    session.handle_line("mode freeplay");
    assert!(
        session
            .handle_line("mode freeplay")
            .contains(&SessionAction::Disconnect(DisconnectReason::Protocol))
    );
}

#[test]
fn name_and_token_of_the_client_are_kept() {
    let mut session = Session::new(None);
    assert_eq!((session.name(), session.token()), (None, None));
    for line in [
        "set \"info:name\" \"Li\\\"sa\"",
        "set auth:token 123",
        "set info:other 4",
    ] {
        assert_eq!(session.handle_line(line), []);
    }
    assert_eq!(
        (session.name(), session.token()),
        (Some("Li\"sa"), Some("123"))
    );
}

#[test]
fn solutions_are_checked() {
    let position = start(3, 2);
    for (solution, is_correct, reply) in [
        ("<3,1,0,2,0,3,2,2,2> true", true, "ok"),
        (
            "<3,1,0,2,0,3,2,2,2> false",
            false,
            "error \"the sowing gives a bonus turn\"",
        ),
        (
            "<3,0,0,2,0,3,2,2,2> true",
            false,
            "error \"expected <3,1,0,2,0,3,2,2,2>\"",
        ),
    ] {
        let mut session = Session::new(None);
        let line = session.send_problem(&position, house(2));
        assert_eq!(line.to_string(), "2 problem <3,0,0,2,2,2,2,2,2> 1");
        let actions = session.handle_line(&format!("1@2 solution {solution}"));
        match actions.as_slice() {
            [
                SessionAction::Send(line),
                SessionAction::ProblemAnswered { correct },
            ] => {
                assert_eq!(line.to_string(), format!("4@1 {reply}"));
                assert_eq!(*correct, is_correct);
            }
            other => panic!("{other:?}"),
        }
        let again = session.handle_line("3@2 solution <3,1,0,2,0,3,2,2,2> true");
        assert_eq!(
            sent_line(&again),
            "6@3 error \"there is no open problem 2\""
        );
        let without_reference = session.handle_line("5 solution <3,1,0,2,0,3,2,2,2> true");
        assert!(
            sent_line(&without_reference).contains("`solution` lacks the reference"),
            "{without_reference:?}"
        );
    }
}

#[test]
fn a_malformed_solution_is_a_wrong_one() {
    for solution in [
        "solution <9,1,0> true",
        "solution maybe",
        "solution",
        "solution <3,0",
    ] {
        let mut session = Session::new(None);
        session.send_problem(&start(6, 4), house(2));
        let actions = session.handle_line(&format!("1@2 {solution}"));
        let [
            SessionAction::Send(line),
            SessionAction::ProblemAnswered { correct: false },
        ] = actions.as_slice()
        else {
            panic!("{solution}: {actions:?}")
        };
        assert_eq!(line.reference, Some(1), "{line}");
        assert!(matches!(line.message, Message::Error(_)), "{line}");
        let again = session.handle_line("3@2 solution maybe");
        assert!(
            matches!(again.as_slice(), [SessionAction::Send(_)]),
            "{again:?}"
        );
    }
}

#[test]
fn a_malformed_move_is_the_last_reply() {
    for number in [
        "0",
        "27",
        "99",
        "-3",
        "1.5",
        "9999999999999999999999",
        "x",
        "",
    ] {
        let mut session = Session::new(None);
        let (state, _) = session.request_move(&start(6, 4));
        assert_eq!(session.handle_line(&format!("1@{state} move 3")), []);
        let error = sent_line(&session.handle_line(&format!("3@{state} move {number}")));
        assert!(error.contains("@3 error "), "{error}");
        assert_eq!(
            session.clone().take_reply(state),
            Some(StateReply::InvalidHouse)
        );
        // A later move replaces it.
        assert_eq!(session.handle_line(&format!("5@{state} move 2")), []);
        assert_eq!(session.take_reply(state), Some(StateReply::House(house(2))));
    }
}

#[test]
fn overlong_lines_are_refused_and_counted() {
    let mut session = Session::new(None);
    assert_eq!(
        sent_line(&session.handle_overlong_line()),
        "2 error \"a line has 16384 characters at most\""
    );
    let mut lines = 1;
    while session.handle_overlong_line().last()
        != Some(&SessionAction::Disconnect(DisconnectReason::Protocol))
    {
        lines += 1;
        assert!(lines < 1000);
    }
}

proptest! {
    #[test]
    fn arbitrary_lines_get_well_formed_replies(
        lines in prop::collection::vec(prop_oneof![
            "\\PC{0,60}",
            "[0-9]{0,3}(@[0-9]{1,2})? ?(mode|move|yield|set|solution|ping|pong|goodbye|error|x) \
             ?[a-z0-9:\"<>, -]{0,20}",
        ], 0..60),
    ) {
        let mut session = Session::new(None);
        let (state, _) = session.request_move(&start(6, 4));
        session.send_problem(&start(6, 4), house(1));
        for line in lines {
            for action in session.handle_line(&line) {
                if let SessionAction::Send(line) = action {
                    prop_assert_eq!(line.to_string().parse(), Ok(line));
                }
            }
        }
        prop_assert!(session.take_reply(state).is_some());
    }
}

#[test]
fn each_game_is_announced_once() {
    let mut session = Session::new(None);
    let announced = |session: &mut Session, game, opponent: &str| {
        let lines = session.announce_game(game, opponent);
        lines.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let expected = [
        r#"2 set game:id "7""#,
        r#"4 set game:opponent "The \"Bart\"""#,
    ];
    assert_eq!(announced(&mut session, 7, "The \"Bart\""), expected);
    assert_eq!(announced(&mut session, 7, "The \"Bart\""), [""; 0]);
    let expected = [r#"6 set game:id "8""#, r#"8 set game:opponent "Lisa""#];
    assert_eq!(announced(&mut session, 8, "Lisa"), expected);
}
