//! `kalah kgp`: a child of another program, a client, and a server.

mod child;
mod connect;
mod pairing;
mod serve;
mod serve_limits;
#[cfg(unix)]
mod serve_restart;
mod server;
