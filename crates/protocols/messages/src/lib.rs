//! The protocols of Kalah programs as values: every message parses from text and formats to text.
//!
//! The crate does no input or output. It opens no socket, starts no process, reads no clock and
//! prints nothing: callers pass lines in and send the lines that come out.

#![forbid(unsafe_code)]

pub mod export;
pub mod import;
pub mod kgp;
pub mod mankalah;
mod open_spiel;
pub mod uki;
