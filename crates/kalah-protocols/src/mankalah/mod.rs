//! `ManKalah`, the protocol of Manchester's COMP34120: an engine leads two agents, its child processes, a line
//! at a time.
//!
//! [`EngineMessage`] and [`AgentMessage`] are the lines, read to the letter, as the engine at home there
//! does. An [`Agent`] follows a game from an agent's side and says when it has to answer; a [`Host`] leads
//! one and says what the agents are told. The rules are [`Rules::MANKALAH`](kalah::Rules::MANKALAH).
//!
//! ```
//! use kalah::{Move, House};
//! use kalah_protocols::mankalah::{Agent, Heard};
//!
//! let mut agent = Agent::default();
//! let Heard::Asked(start) = agent.hear(&"START;South".parse()?)? else { panic!("South starts") };
//! assert_eq!(start.legal_houses().count(), 7);
//! let answer = agent.answer(Move::Sow(House::new(2).expect("from 1 to 26")));
//! assert_eq!(answer.to_string(), "MOVE;2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent;
mod host;
mod message;

pub use agent::{Agent, AgentAction, AgentError};
pub use host::{Host, HostError};
pub use message::{
    AgentMessage, MankalahBoard, MankalahEngineMessage, NextTurn, ParseMankalahError,
};

/// Houses a side at home in Manchester.
pub const HOUSES: u8 = 7;

/// Seeds in each house at the start.
pub const SEEDS: u64 = 7;

/// The most characters of a line.
pub const MAX_LINE_CHARS: usize = 16_384;

/// The start of every game there.
fn start_position() -> kalah::Position {
    kalah::Position::start(HOUSES, SEEDS, kalah::Rules::MANKALAH).expect("it fits a position")
}
