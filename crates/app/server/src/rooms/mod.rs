//! Rooms, in which people meet under a code and play games in rounds, on a ladder or as they like.

pub(crate) mod background;
pub(crate) mod commands;
pub(crate) mod guess_limiter;
mod live_room;
pub(crate) mod messages;
pub(crate) mod new_room;
mod pairing;
pub(crate) mod registry;
mod report;
pub(crate) mod results;
pub(crate) mod room;
mod room_error;
pub(crate) mod routes;
pub(crate) mod standings;
mod websocket;
