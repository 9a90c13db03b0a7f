//! `ManKalah`, the protocol of Manchester's course COMP34120: an engine runs a game between two
//! agents, its child processes, and exchanges lines with them.
//!
//! [`MankalahEngineMessage`] and [`AgentMessage`] are the lines. Messages of agents are parsed
//! exactly as the engine of that course does. [`Agent`] follows a game for an agent and reports
//! when it has to move, and [`run_agent`] passes it lines and writes its moves. [`Host`] runs a
//! game and returns the messages for both agents. [`MANKALAH_LOG`] is the format of their logs. The
//! rules are [`Rules::MANKALAH`](kalah::Rules::MANKALAH).
//!
//! With the feature `process`, `HostedGame` starts the programs of two agents and runs their game,
//! and `MANKALAH` is the protocol of agents that play in tournaments.
//!
//! ```
//! use kalah::{House, Move};
//! use kalah_mankalah::{Agent, AgentAction};
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

#![forbid(unsafe_code)]

mod agent;
mod host;
#[cfg(feature = "process")]
mod hosted_game;
mod import;
mod message;
#[cfg(feature = "process")]
mod program;
mod run_agent;

pub use agent::{Agent, AgentAction, AgentError};
pub use host::{Host, HostError};
#[cfg(feature = "process")]
pub use hosted_game::{
    AgentLoss, HostedGame, HostedGameError, HostedGameObserver, LossReason, StartAgentError,
};
pub use import::MANKALAH_LOG;
pub use message::{
    AgentMessage, HOUSES, MAX_LINE_CHARS, MankalahBoard, MankalahEngineMessage, NextTurn,
    ParseMankalahError, SEEDS,
};
#[cfg(feature = "process")]
pub use program::MANKALAH;
pub use run_agent::{AgentPlayer, AgentTime, RunAgentError, run_agent};
