//! A server that listens, tested over real connections. Every API response is checked against
//! the description of the API.

mod analyses;
mod api;
mod common;
mod engine_pool;
mod fuzz_bodies;
mod games;
mod hosts;
mod limits;
mod openapi;
mod problems;
mod schemathesis;
mod shutdown;
mod static_files;
