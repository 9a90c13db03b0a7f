//! A client of the rooms of a Kalah server, with which a program plays against people.
//!
//! [`run_client`] enters the room at a [`RoomAddress`] under a name, marked as a bot, follows the
//! room over its WebSocket, and plays the games that the room gives it, one at a time, with a
//! [`Participant`](kalah_players::Participant): a built-in player, or a program of any protocol.
//! The protocol of rooms is in `docs/rooms.md`, and that of games in `docs/friends.md`.

#![forbid(unsafe_code)]

mod address;
mod client;
mod error;
mod game;
mod messages;
mod server;

pub use address::{ParseRoomAddressError, RoomAddress};
pub use client::{GameTally, RoomClientSettings, run_client};
pub use error::RoomClientError;
