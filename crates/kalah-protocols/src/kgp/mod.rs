//! The Kalah Game Protocol, 1.0.1: how a server and its clients speak, a line at a time.
//!
//! A [`Line`] is read with all that its programs are known to send, and written strictly: the strictest
//! client leaves at a line that is not exactly of the grammar. Lines end with CR LF, which is for whoever
//! sends them. [`ChildStates`] and [`ChildAnswer`] are the plainer dialect of a client's child process.
//!
//! ```
//! use kalah::{House, Rules};
//! use kalah_protocols::kgp::{Line, Message};
//!
//! let line: Line = "8 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>".parse()?;
//! let Message::State(board) = &line.message else { panic!("a state") };
//! // Whoever is asked is South.
//! let position = board.position()?;
//! assert_eq!(position.rules(), Rules::STANDARD);
//! let house = position.legal_houses().next().expect("it is not over");
//! let answer = Line { id: Some(9), reference: line.id, message: Message::Move(house) };
//! assert_eq!(answer.to_string(), "9@8 move 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod argument;
mod board;
mod child;
mod client;
mod line;
mod message;
mod session;

pub use argument::{Argument, Decimal, ParseLineReason, Text, Word};
pub use board::{KgpBoard, Solution};
pub use child::{ChildMove, ChildStateParser, ParseChildError, format_child_state};
pub use client::{Client, ClientAction};
pub use line::{Line, ParseLineError};
pub use message::{Message, Mode, UnknownCommand, Version};
pub use session::{DisconnectReason, Session, SessionAction, StateReply};

/// The most characters of a line, its end not counted.
pub const MAX_LINE_CHARS: usize = 16_384;

/// The port at which servers listen where nobody says otherwise.
pub const DEFAULT_PORT: u16 = 2671;

/// Where servers take WebSocket connections.
pub const WEB_SOCKET_PATH: &str = "/socket";
