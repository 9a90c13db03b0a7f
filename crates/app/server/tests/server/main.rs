//! A server that listens, tested over real connections. Every API response is checked against
//! the description of the API.

mod analyses;
mod api;
mod common;
mod description;
mod engine_pool;
mod games;
mod hosts;
mod limits;
mod problems;
mod rooms;
mod sharing;
mod shutdown;
mod static_files;
