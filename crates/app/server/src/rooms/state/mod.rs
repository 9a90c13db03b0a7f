//! A room as a value without clock, files or network: its members, games and challenges, pairings
//! and standings.

mod challenges;
pub(crate) mod pairing;
pub(crate) mod room;
pub(crate) mod room_error;
pub(crate) mod room_game;
pub(crate) mod standings;
