//! `ManKalah`: every line of a text goes to an agent and to a host. Each message that is parsed
//! must round-trip.

#![no_main]

use kalah::Move;
use kalah_mankalah::{Agent, AgentAction, AgentMessage, Host, MankalahEngineMessage};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut agent = Agent::default();
    let mut host = Host::default();
    for text in text.lines() {
        if let Ok(message) = text.parse::<MankalahEngineMessage>() {
            assert_eq!(message.to_string().parse(), Ok(message.clone()));
            if let Ok(AgentAction::ChooseMove(position)) = agent.handle_message(&message) {
                assert!(!position.is_over());
                if position.can_swap() {
                    agent.play(Move::Swap);
                }
            }
        }
        if let Ok(message) = text.parse::<AgentMessage>() {
            assert_eq!(message.to_string().parse(), Ok(message));
            let is_open = host.agent_to_move().is_some();
            let result = host.handle_message(message);
            assert!(if is_open {
                result.is_ok() || host.ending().is_some()
            } else {
                result.is_err()
            });
        }
    }
});
