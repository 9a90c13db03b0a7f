//! Tests of the binary `kalah`: each runs it as a process.

mod analysis;
#[cfg(unix)]
mod arena;
mod batch;
mod bot;
mod completions;
mod configuration;
mod engine;
mod engine_client;
mod examples;
#[cfg(target_os = "linux")]
mod file_systems;
mod harness;
mod kgp;
#[cfg(unix)]
mod mankalah;
mod page;
mod proofs;
mod record_files;
mod recording;
mod robustness;
mod search_limits;
mod serve;
mod stored_games;
mod tables;
#[cfg(unix)]
mod terminal;
mod transcripts;
