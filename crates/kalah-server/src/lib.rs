//! The Kalah server: the page, a stateless JSON API for positions and games, and games between
//! friends over HTTP and WebSocket.
//!
//! [`serve`] runs a complete server: it binds the address of a [`ServerConfig`] and serves until
//! the process receives a termination signal. Requests and responses of the stateless API are types
//! of `kalah-api`. `openapi.json` describes the API; tests check every response against it.

#![forbid(unsafe_code)]

mod app;
mod config;
mod engine_pool;
pub mod games;
mod http;
mod metrics;
mod net;
mod page_path;
mod server;
mod state;
mod table_caches;

pub use app::routes;
pub use config::{ListenAddress, PageSource, ParseListenAddressError, ServerConfig, ServerLimits};
pub use http::rate_limit::ClientIpSource;
pub use server::{Server, serve};
pub use state::ServeError;
pub use table_caches::TableCaches;
