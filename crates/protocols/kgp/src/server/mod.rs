//! A server, which pairs clients with each other and with built-in players, runs their games and
//! stores them. Its page shows agents and games.

mod agent;
mod client;
mod config;
mod first_warnings;
mod game;
mod kgp_server;
mod matchmaker;
mod page;
mod result_log;
mod scoreboard;

pub use config::{KgpServerConfig, KgpServerConfigError};
pub use kgp_server::{KgpServer, KgpServerError};
