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

mod engine_message;
mod error;
mod game;
mod go;
mod host_message;
mod info;
mod milliseconds;
mod named_choice;
mod option_name;
mod option_offer;
mod remark;
mod words;

pub use engine_message::EngineMessage;
pub use error::{Expected, ParseUkiError};
pub use go::{Clocks, Go};
pub use host_message::HostMessage;
pub use info::{Info, Score};
pub use milliseconds::Milliseconds;
pub use named_choice::UkiMove;
pub use option_name::OptionName;
pub use option_offer::{EngineOption, OptionKind};
pub use remark::OneLine;
