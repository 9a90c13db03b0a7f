//! The HTTP server of Kalah.
//!
//! [`serve`] runs the HTTP server: the page, a stateless JSON API for positions and games, and
//! games between friends over HTTP and WebSocket. Requests and responses of the stateless API are
//! types of `kalah-api`; `kalah-store` is the database of games. [`openapi`] generates the
//! description of the API from these types; tests check every response against it.

#![forbid(unsafe_code)]

mod config;
mod connection_peak;
mod device_codes;
mod engine_pool;
mod games;
mod http;
mod metrics;
mod open_connections;
mod openapi;
mod openings;
mod page_path;
mod rooms;
mod server;
mod sharing;
mod state;

pub use config::{PageSource, ServerConfig, ServerLimits, TableCaches};
pub use http::rate_limit::ClientIpSource;
pub use http::routes::routes;
pub use openapi::openapi;
pub use server::{Server, serve};
pub use state::ServeError;
