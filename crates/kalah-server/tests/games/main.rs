//! Games between friends, as those see them who play over HTTP and live connections.

mod clocks;
mod closing;
mod frames;
mod playing;
mod rights;
mod slow;
mod visit;

#[path = "../time/mod.rs"]
mod time;
