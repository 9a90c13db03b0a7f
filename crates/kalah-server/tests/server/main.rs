//! A server that listens, tested over real connections. Every API response is checked against
//! `openapi.json`.

mod api;
mod common;
mod engine_pool;
mod fuzz_bodies;
mod games;
mod limits;
mod openapi;
mod problems;
mod schemathesis;
mod shutdown;
mod static_files;
mod time;
