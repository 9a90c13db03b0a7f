//! Games between friends: their state, the registry and the connections of players.

pub(crate) mod background;
pub(crate) mod command_error;
mod engine_help;
pub(crate) mod friend_game;
mod game_handle;
mod live_game;
pub(crate) mod messages;
pub(crate) mod new_game;
mod offer;
pub(crate) mod registry;
pub(crate) mod routes;
pub(crate) mod seats;
pub(crate) mod summaries;
mod time;
pub(crate) mod websocket;
