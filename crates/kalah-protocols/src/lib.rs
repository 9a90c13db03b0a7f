//! The protocols that Kalah programs speak, as text and values: what is read becomes a value or is refused in
//! words, and what is written reads back the same.
//!
//! Nothing here opens a socket, starts a process, reads a clock or prints: that is for those who speak.

#![forbid(unsafe_code)]

pub mod import;
pub mod kgp;
pub mod mankalah;
pub mod uki;

pub use kalah::Quoted;
