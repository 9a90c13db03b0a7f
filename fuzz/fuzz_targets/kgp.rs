//! A text, line by line: as lines of KGP, also to a client and to a server, as the states of a child process, and as its answers. What is read
//! is written and read back the same.

#![no_main]

use kalah::{Position, Rules};
use kalah_protocols::kgp::{
    ChildAnswer, ChildStates, Client, Deed, Line, Message, Mode, Session, Task, child_state,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut states = ChildStates::default();
    let mut client = Client::new(Mode::Verify, Vec::new());
    let mut session = Session::new(None);
    let start = Position::start(3, 2, Rules::STANDARD).expect("a start");
    for text in text.lines() {
        let (state, _) = session.ask(&start);
        session.pose(&start, start.legal_houses().next().expect("it has seeds"));
        for deed in session.hear(text) {
            match deed {
                Deed::Say(said) => assert_eq!(said.to_string().parse(), Ok(said)),
                Deed::Settle(state) => assert!(session.settle(state).is_some()),
                _ => {}
            }
        }
        if text.len() % 2 == 0 {
            session.settle(state);
        }
        if let Ok(line) = text.parse::<Line>() {
            assert_eq!(line.to_string().parse(), Ok(line.clone()));
            for task in client.hear(&line) {
                match task {
                    Task::Say(said) => assert_eq!(said.to_string().parse(), Ok(said)),
                    Task::Think { state, .. } if state % 2 == 0 => {
                        assert!(client.finish(state).is_some());
                        assert_eq!(client.finish(state), None);
                    }
                    _ => {}
                }
            }
            if let Message::Problem { board, house } = line.message
                && let Some(solved) = board.solve(house)
            {
                assert!(solved.board.position().is_ok());
            }
        }
        for board in states.hear(text).unwrap_or_default() {
            let again = ChildStates::default().hear(&child_state(&board));
            assert_eq!(again, Ok(vec![board]));
        }
        if let Ok(answer) = text.parse::<ChildAnswer>() {
            assert_eq!(answer.to_string().parse(), Ok(answer));
        }
    }
});
