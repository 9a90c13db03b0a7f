//! The Kalah Game Protocol (KGP), version 1.0.1, between a server and its clients.
//!
//! A [`Line`] parses everything that existing programs are known to send. It is written strictly by
//! the grammar, because the strictest client disconnects at a line that deviates from it. Lines end
//! with CR LF on the wire; the caller adds the line end. [`Client`] and [`Session`] are the two
//! ends of a connection, and [`SessionObserver`] follows the games of a client from its lines.
//! [`ChildStateParser`] and [`ChildMove`] implement the simpler dialect between a client and its
//! child process, and [`run_child`] is the loop of such a process. [`KGP_LOG`] imports the logs of
//! clients and servers. All of these work on text from their caller: they open no files or sockets
//! and read no clock.
//!
//! With the feature `client`, [`client::run_client`] plays on a server. With the feature `server`,
//! [`server::KgpServer`] pairs clients with each other and with built-in players. Both use
//! [`KgpConnection`], which has a feature of its own, `connection`. The features `client` and
//! `server` are on by default. With the feature `process`, `KGP_CHILD` is the protocol of programs
//! that play as child processes of a client.
//!
//! ```
//! use kalah::Rules;
//! use kalah_kgp::{Line, Message};
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

#![forbid(unsafe_code)]

mod child;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "connection")]
mod connection;
mod import;
mod message;
#[cfg(feature = "process")]
mod program;
mod run_child;
#[cfg(feature = "server")]
pub mod server;
mod session;

pub use child::{ChildMove, ChildStateParser, ParseChildError, format_child_state};
#[cfg(feature = "connection")]
pub use connection::{
    DEFAULT_PORT, IncomingLine, KeepAlive, KeepAliveAction, KgpAddress, KgpConnection,
    ParseKgpAddressError, TransportKind, TrySendLineError, WEB_SOCKET_PATH,
};
pub use import::KGP_LOG;
pub use message::{
    Argument, Decimal, KgpBoard, Line, MAX_LINE_CHARS, Message, Mode, ParseLineError,
    ParseLineReason, Solution, Text, UnknownCommand, Version, Word,
};
#[cfg(feature = "process")]
pub use program::KGP_CHILD;
pub use run_child::{ChildPlayer, RunChildError, run_child};
pub use session::{
    Client, ClientAction, DisconnectReason, ObservedResult, Session, SessionAction, SessionEvent,
    SessionObserver, StateReply,
};
