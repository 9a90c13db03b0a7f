//! KGP: every line of a text goes to a client, to a server and to both ends of the child dialect.
//! Each value that is parsed or sent must round-trip.

#![no_main]

use std::time::Duration;

use kalah::{House, Position, Rules};
use kalah_kgp::{
    ChildMove, ChildStateParser, Client, ClientAction, Line, Message, Mode, Session, SessionAction,
    format_child_state,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut parser = ChildStateParser::default();
    let mut client = Client::new(Mode::Verify, Vec::new());
    let mut session = Session::new(None);
    let mut now = Duration::ZERO;
    let start = Position::start(3, 2, Rules::STANDARD).expect("a start");
    for text in text.lines() {
        let (state, _) = session.request_move(&start);
        session.send_problem(&start, start.legal_houses().next().expect("it has seeds"));
        for action in session.handle_line(text) {
            match action {
                SessionAction::Send(line) => assert_eq!(line.to_string().parse(), Ok(line)),
                SessionAction::FinishState(state) => assert!(session.take_reply(state).is_some()),
                _ => {}
            }
        }
        if text.len() % 2 == 0 {
            session.take_reply(state);
        }
        if let Ok(line) = text.parse::<Line>() {
            assert_eq!(line.to_string().parse(), Ok(line.clone()));
            now += Duration::from_millis(1);
            for action in client.handle_line(&line, now) {
                match action {
                    ClientAction::Send(line) => assert_eq!(line.to_string().parse(), Ok(line)),
                    ClientAction::Search { state, board } if state % 2 == 0 => {
                        // Any house, which need not be legal or on the board.
                        let house = House::all(26).nth(board.to_string().len() % 26);
                        client.set_move(state, house.expect("26 houses"), None);
                        client.finish(state);
                    }
                    _ => {}
                }
            }
            for line in client.take_due_lines(now) {
                assert_eq!(line.to_string().parse(), Ok(line));
            }
            assert!(client.next_deadline().is_none_or(|deadline| deadline > now));
            if let Message::Problem { board, house } = line.message
                && let Some(solution) = board.solve(house)
            {
                assert!(solution.board.position().is_ok());
            }
        }
        for board in parser.push_line(text).unwrap_or_default() {
            let again = ChildStateParser::default().push_line(&format_child_state(&board));
            assert_eq!(again, Ok(vec![board]));
        }
        if let Ok(mv) = text.parse::<ChildMove>() {
            assert_eq!(mv.to_string().parse(), Ok(mv));
        }
    }
});
