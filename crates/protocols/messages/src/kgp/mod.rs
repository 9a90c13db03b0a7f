//! The Kalah Game Protocol (KGP), version 1.0.1, between a server and its clients.
//!
//! A [`Line`] parses everything that existing programs are known to send. It is written strictly by
//! the grammar, because the strictest client disconnects at a line that deviates from it. Lines end
//! with CR LF on the wire; the caller adds the line end. [`Client`] and [`Session`] are the two
//! ends of a connection, and [`SessionObserver`] follows the games of a client from its lines. [`ChildStateParser`] and [`ChildMove`] implement the simpler dialect
//! between a client and its child process.
//!
//! ```
//! use kalah::Rules;
//! use kalah_protocols::kgp::{Line, Message};
//!
//! let line: Line = "8 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>".parse()?;
//! let Message::State(board) = &line.message else { panic!("expected a state") };
//! // The client that receives a state always plays South on its board.
//! let position = board.position()?;
//! assert_eq!(position.rules(), Rules::STANDARD);
//! let house = position.legal_houses().next().expect("the game is not over");
//! let reply = Line { id: Some(9), reference: line.id, message: Message::Move(house) };
//! assert_eq!(reply.to_string(), "9@8 move 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod argument;
mod child;
mod client;
mod message;
mod observer;
mod possible_ends;
mod session;

pub use argument::{
    Argument, Decimal, KgpBoard, MAX_LINE_CHARS, ParseLineReason, Solution, Text, Word,
};
pub use child::{ChildMove, ChildStateParser, ParseChildError, format_child_state};
pub use client::{Client, ClientAction};
pub use message::{Line, Message, Mode, ParseLineError, UnknownCommand, Version};
pub use observer::{ObservedResult, SessionEvent, SessionObserver};
pub(crate) use possible_ends::{PossibleEnds, result_at_end};
pub use session::{DisconnectReason, Session, SessionAction, StateReply};

/// The default TCP port of a server.
pub const DEFAULT_PORT: u16 = 2671;

/// The path at which a server accepts WebSocket connections.
pub const WEB_SOCKET_PATH: &str = "/socket";
