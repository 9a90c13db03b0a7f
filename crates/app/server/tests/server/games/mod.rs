//! Games between friends over HTTP and WebSocket.

mod clocks;
mod close;
mod fuzz;
mod names;
mod offers;
mod openapi;
mod openings;
mod permissions;
mod pings;
mod play;
mod seats;
mod slow_client;
