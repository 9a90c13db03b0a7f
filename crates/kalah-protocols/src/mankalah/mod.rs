//! `ManKalah`, the protocol of Manchester's course COMP34120: an engine runs a game between two
//! agents, its child processes, and exchanges lines with them.
//!
//! [`MankalahEngineMessage`] and [`AgentMessage`] are the lines. They are parsed strictly, as the
//! engine of that course does. [`Agent`] follows a game for an agent and reports when it has to
//! move; [`Host`] runs a game and returns the messages for both agents. The rules are
//! [`Rules::MANKALAH`](kalah::Rules::MANKALAH).
//!
//! ```
//! use kalah::{House, Move};
//! use kalah_protocols::mankalah::{Agent, AgentAction};
//!
//! let mut agent = Agent::default();
//! let AgentAction::ChooseMove(start) = agent.handle_message(&"START;South".parse()?)? else {
//!     panic!("South starts")
//! };
//! assert_eq!(start.legal_houses().count(), 7);
//! let answer = agent.play(Move::Sow(House::new(2).expect("from 1 to 26")));
//! assert_eq!(answer.to_string(), "MOVE;2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent;
mod host;
mod message;

pub use agent::{Agent, AgentAction, AgentError};
pub use host::{Host, HostError};
pub use message::{
    AgentMessage, HOUSES, MAX_LINE_CHARS, MankalahBoard, MankalahEngineMessage, NextTurn,
    ParseMankalahError, SEEDS,
};
