//! `kalah engine`: UKI over pipes.

mod documents;
mod hostile_input;
mod limits;

use std::time::Instant;

use kalah_uki::EngineMessage;

use crate::harness::{Process, TIMEOUT, kalah};

/// Starts `kalah engine` with further arguments and without tables.
fn start_engine(arguments: &[&str]) -> Process {
    Process::spawn(kalah(["engine", "--tables", "none"]).args(arguments))
}

/// Reads messages up to the next `bestmove`.
#[track_caller]
fn read_to_bestmove(engine: &mut Process) -> Vec<EngineMessage> {
    let start = Instant::now();
    let mut messages = Vec::new();
    loop {
        assert!(start.elapsed() < TIMEOUT, "no bestmove: {messages:?}");
        let line = engine.read_line();
        let message = line
            .parse()
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        let is_last = matches!(message, EngineMessage::BestMove(_));
        messages.push(message);
        if is_last {
            return messages;
        }
    }
}
