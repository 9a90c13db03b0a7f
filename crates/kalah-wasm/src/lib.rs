//! Kalah's rules and engine in a browser's worker: the requests of [`kalah_api`] for a page on any
//! file host.
//!
//! JavaScript calls one function, [`handle_request`], as `handleRequest`. A worker has one thread
//! and one engine for its whole life, so that later requests use the transposition table and the
//! endgame tables of earlier ones.
//!
//! A panic in WebAssembly leaves the module unusable. It is thrown as an `Error`, whereas a refused
//! request is thrown as a string. After an `Error` the page terminates the worker and starts
//! another.

mod javascript;
mod request_handler;

pub use javascript::handle_request;
pub use request_handler::RequestHandler;
