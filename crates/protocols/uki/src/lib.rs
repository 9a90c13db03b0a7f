//! UKI, the engine protocol between a host, which runs games, and an engine, which chooses moves.
//! It is modelled on the UCI of chess.
//!
//! [`run_engine`] is an engine with the built-in players. With the feature `process`, `UKI` is the
//! protocol of engines that play in tournaments.
//!
//! Every message is one line. [`HostMessage`] is written by hosts and read by engines,
//! [`EngineMessage`] is written by engines and read by hosts. Reading tolerates additional blanks,
//! tabs and a carriage return at the end; writing is strict. `docs/engine-protocol.md` describes
//! the protocol and contains its grammar.
//!
//! ```
//! use kalah::Gain;
//! use kalah_uki::{EngineMessage, HostMessage, Info, Score};
//!
//! let message: HostMessage = " position  startpos 6x4\trules standard moves CF b\r".parse()?;
//! assert_eq!(message.to_string(), "position startpos 6x4 rules standard moves C F b");
//! let HostMessage::Position(game) = message else { panic!("expected a position") };
//! assert_eq!(game.plies().len(), 3);
//!
//! let info = EngineMessage::Info(Info {
//!     depth: Some(4),
//!     score: Some(Score::Estimate(Gain::new(6))),
//!     ..Info::default()
//! });
//! assert_eq!(info.to_string(), "info depth 4 score gain +6");
//! assert_eq!(info.to_string().parse(), Ok(info));
//! # Ok::<(), kalah_uki::ParseUkiError>(())
//! ```

#![forbid(unsafe_code)]

mod engine;
mod message;
mod option;
mod parse;
#[cfg(feature = "process")]
mod ponder;
mod position_form;
#[cfg(feature = "process")]
mod program;
mod search;

pub use engine::{
    EngineIdentity, EngineResources, EngineSettings, RunEngineError, TablesSetting, run_engine,
};
pub use message::{EngineMessage, HostMessage};
pub use option::{EngineOption, OptionKind, OptionName};
pub use parse::{Expected, Milliseconds, OneLine, ParseUkiError, UkiMove};
#[cfg(feature = "process")]
pub use ponder::is_ponder_option;
pub use position_form::{PositionForm, is_position_option};
#[cfg(feature = "process")]
pub use program::UKI;
pub use search::{Clocks, Go, Info, Score};
