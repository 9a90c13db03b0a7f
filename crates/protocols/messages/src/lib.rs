//! The protocols of Kalah programs as values: every message parses from text and formats to text.
//!
//! The messages do no input or output: callers pass lines in and send the lines that come out. Only
//! `programs`, behind the feature `process`, starts processes and reads a clock.

#![forbid(unsafe_code)]

pub mod export;
pub mod import;
pub mod kgp;
pub mod mankalah;
mod open_spiel;
#[cfg(feature = "process")]
pub mod programs;
