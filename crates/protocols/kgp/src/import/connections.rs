//! The connections of a log, under all names that the log gives them.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use super::log_line::{LoggedLine, is_address};
use crate::message::Message;

/// The options with which a client introduces itself. go-kgp takes the value of the first one for
/// the token of a client that has sent none.
const INTRODUCTIONS: [&str; 5] = [
    NAME_OPTION,
    TOKEN_OPTION,
    "info:author",
    "info:authors",
    "info:description",
];

/// The option with the name of a player.
const NAME_OPTION: &str = "info:name";

/// The option with the token of a client, under which go-kgp logs the connection from then on.
const TOKEN_OPTION: &str = "auth:token";

/// The options that a server sets before the states of a game.
const GAME_ID_OPTION: &str = "game:id";
const OPPONENT_OPTION: &str = "game:opponent";

/// The number of a connection, in the order in which a log has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ConnectionId(usize);

/// A connection of the log.
#[derive(Default)]
pub(super) struct LoggedConnection {
    /// The name of the player.
    pub(super) name: Option<String>,
    /// The server's name of the game to which the next states belong, and that of the opponent, if
    /// the server has sent them.
    pub(super) game_id: Option<String>,
    pub(super) opponent: Option<String>,
    /// Whether several games of the connection had open states at a time.
    pub(super) is_concurrent: bool,
    /// The index of the game of each open state.
    pub(super) open_states: BTreeMap<u64, usize>,
    /// Whether the log may name the connection by the values of its options: its first name is an
    /// address in memory.
    is_renamed: bool,
    /// Whether the client has introduced itself.
    is_introduced: bool,
}

/// The connections of a log.
#[derive(Default)]
pub(super) struct Connections {
    connections: Vec<LoggedConnection>,
    /// The connection that the log means by a name.
    by_name: BTreeMap<String, ConnectionId>,
}

impl Connections {
    /// Returns the connection of a line.
    pub(super) fn find(&mut self, logged: &LoggedLine<'_>) -> ConnectionId {
        // A server greets each connection once. The name of one that was closed may be in use
        // again.
        let is_new = matches!(logged.line.message, Message::Kgp(_));
        match self.by_name.get(logged.connection) {
            Some(&id) if !is_new => id,
            _ => {
                let id = ConnectionId(self.connections.len());
                self.connections.push(LoggedConnection {
                    is_renamed: is_address(logged.connection),
                    ..LoggedConnection::default()
                });
                self.by_name.insert(logged.connection.to_owned(), id);
                id
            }
        }
    }

    /// Sets an option of a client or of a server.
    pub(super) fn set_option(&mut self, id: ConnectionId, option: &str, value: &str) {
        let connection = &mut self[id];
        // The empty text resets an option.
        let text = (!value.is_empty()).then(|| value.to_owned());
        match option {
            NAME_OPTION => connection.name = Some(value.to_owned()),
            GAME_ID_OPTION => connection.game_id = text,
            OPPONENT_OPTION => connection.opponent = text,
            _ => {}
        }
        if !connection.is_renamed || !INTRODUCTIONS.contains(&option) {
            return;
        }
        let is_first = !std::mem::replace(&mut connection.is_introduced, true);
        if (is_first || option == TOKEN_OPTION)
            && let Some(word) = value.split_whitespace().next_back()
        {
            // Two clients with the same token cannot be told apart.
            self.by_name.entry(word.to_owned()).or_insert(id);
        }
    }
}

impl Index<ConnectionId> for Connections {
    type Output = LoggedConnection;

    fn index(&self, id: ConnectionId) -> &LoggedConnection {
        &self.connections[id.0]
    }
}

impl IndexMut<ConnectionId> for Connections {
    fn index_mut(&mut self, id: ConnectionId) -> &mut LoggedConnection {
        &mut self.connections[id.0]
    }
}
