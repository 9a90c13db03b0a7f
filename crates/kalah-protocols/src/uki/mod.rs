//! The engine protocol: how a host that leads games talks to an engine that thinks, in the manner of chess's UCI.
//!
//! A message is a line. [`HostMessage`] is what a host writes and an engine reads, [`EngineMessage`] the other way.
//! Both read tolerantly, blanks, tabs and a carriage return at the end, and write strictly.
//! `docs/engine-protocol.md` describes the protocol with its grammar.
//!
//! ```
//! use kalah::Gain;
//! use kalah_protocols::uki::{EngineMessage, HostMessage, Info, Score};
//!
//! let asked: HostMessage = " position  startpos 6x4\trules standard moves CF b\r".parse()?;
//! assert_eq!(asked.to_string(), "position startpos 6x4 rules standard moves C F b");
//! let HostMessage::Position(game) = asked else { panic!("it is a position") };
//! assert_eq!(game.plies().len(), 3);
//!
//! let told = EngineMessage::Info(Info {
//!     depth: Some(4),
//!     score: Some(Score::Estimate(Gain::new(6))),
//!     ..Info::default()
//! });
//! assert_eq!(told.to_string(), "info depth 4 score gain +6");
//! assert_eq!(told.to_string().parse(), Ok(told));
//! # Ok::<(), kalah_protocols::uki::MessageError>(())
//! ```

mod message;
mod option;
mod parse;
mod search;
mod value;

pub use message::{EngineMessage, HostMessage};
pub use option::{EngineOption, OptionKind, OptionName};
pub use parse::{Expected, ParseUkiError};
pub use search::{Clocks, Go, Info, Score};
pub use value::{Milliseconds, OneLine, UkiMove};
