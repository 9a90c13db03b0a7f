//! Kalah over HTTP: the page, what it asks about positions and games, and games between friends.
//!
//! [`serve`] is all of it: it listens where [`ServerConfig`] say, until the process is asked to end. The questions and
//! their answers are those of `kalah-api`; `openapi.json` describes them, and the tests hold this crate to it.

#![forbid(unsafe_code)]

mod address;
mod analysts;
mod answer;
mod asked;
pub mod games;
mod host;
mod limits;
mod lingering;
mod metrics;
mod page;
mod page_path;
mod patient;
mod problem;
mod questions;
mod rates;
mod routes;
mod segment;
mod server;
mod service;
mod settings;
mod shelves;
mod visitor;
mod watch;

pub use address::{ListenAddress, ParseListenAddressError};
pub use limits::ServerLimits;
pub use page::PageSource;
pub use routes::routes;
pub use server::{ServeError, Server, serve};
pub use settings::ServerConfig;
pub use shelves::TableCaches;
pub use visitor::ClientIpSource;
