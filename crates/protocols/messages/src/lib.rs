//! The lists of the protocols of programs that play and of the formats of imports.

#![forbid(unsafe_code)]

pub mod import;
#[cfg(feature = "process")]
pub mod programs;
