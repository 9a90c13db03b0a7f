//! Rooms, in which people meet under a code and play games in rounds, on a ladder or as they like.

pub(crate) mod background;
pub(crate) mod commands;
mod execution;
pub(crate) mod guess_limiter;
pub(crate) mod leader_device;
mod live_room;
mod lobby;
pub(crate) mod messages;
pub(crate) mod new_room;
pub(crate) mod registry;
pub(crate) mod results;
pub(crate) mod routes;
pub(crate) mod state;
mod websocket;
