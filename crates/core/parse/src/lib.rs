//! JSON and TOML of files, requests and messages, with errors in words.
//!
//! The libraries that parse them report types of Rust (`invalid type: map, expected u64`). The
//! errors of this crate say the same about the text, and quote it. [`parse_json`] parses JSON, and
//! [`JsonError`] and [`describe_value_error`] translate errors of `serde`. With the feature `toml`,
//! `TomlSyntaxError` translates those of TOML.

#![forbid(unsafe_code)]

mod json;
#[cfg(feature = "toml")]
mod toml;

pub use json::{JsonError, JsonProblem, describe_value_error, parse_json};

#[cfg(feature = "toml")]
pub use toml::{TomlProblem, TomlSyntaxError};
