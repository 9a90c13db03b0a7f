//! Logs of KGP: of a client, of a server, or of both.
//!
//! `log_line` finds the lines of the protocol, `connections` tells the connections apart,
//! `transcript` assigns their states to games, and `gap` searches for the plies between two states.

mod connections;
mod gap;
mod log_line;
mod transcript;

pub use transcript::KGP_LOG;
