//! A text, line by line: an agent hears the lines of an engine, and a host those of agents. What is read is
//! written and read back the same.

#![no_main]

use kalah::Choice;
use kalah_protocols::mankalah::{Agent, AgentMessage, EngineMessage, Heard, Host};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut agent = Agent::default();
    let mut host = Host::default();
    for text in text.lines() {
        if let Ok(message) = text.parse::<EngineMessage>() {
            assert_eq!(message.to_string().parse(), Ok(message.clone()));
            if let Ok(Heard::Asked(position)) = agent.hear(&message) {
                assert!(!position.is_over());
                if position.can_swap() {
                    agent.answer(Choice::Swap);
                }
            }
        }
        if let Ok(message) = text.parse::<AgentMessage>() {
            assert_eq!(message.to_string().parse(), Ok(message));
            let is_open = host.to_answer().is_some();
            assert!(is_open || host.hear(message).is_err());
            if is_open {
                let told = host.hear(message);
                assert!(told.is_ok() || host.ending().is_some());
            }
        }
    }
});
