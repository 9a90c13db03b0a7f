//! The protocols of Kalah programs as values: every message parses from text and formats to text.
//!
//! The messages do no input or output: callers pass lines in and send the lines that come out. Only
//! `programs`, behind the feature `process`, starts processes and reads a clock.

#![forbid(unsafe_code)]

pub mod import;
pub mod kgp;
#[cfg(feature = "process")]
pub mod programs;
