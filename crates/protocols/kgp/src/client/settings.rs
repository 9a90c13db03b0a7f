//! The settings of a client, and what it takes from its caller.

use std::io;
use std::time::Duration;

use kalah::Position;
use kalah_players::{EngineFactory, PlayerSpec};

use crate::connection::KgpAddress;
use crate::message::{Argument, Message, Mode, Text, Word};

/// The settings of a client.
pub struct ClientSettings<'a> {
    /// The server.
    pub server: KgpAddress,
    /// Whether to play, or to solve problems.
    pub mode: Mode,
    /// The texts by which the server knows the player.
    pub introduction: Introduction,
    /// The player that chooses the moves.
    pub player: PlayerSpec,
    /// The maximum time of the player for each move.
    pub move_time: Duration,
    /// The time without a game after which the client connects again, if any.
    pub idle_limit: Option<Duration>,
    /// Whether the client connects again after the server has said goodbye, and also if it cannot
    /// be reached.
    pub is_persistent: bool,
    /// Returns engines for games that go on from a position, or the reason why there are none.
    pub engines: &'a dyn Fn(&Position) -> Result<EngineFactory, String>,
    /// Returns the seed of the random choices during a connection.
    pub seed: &'a dyn Fn() -> u64,
}

/// The texts by which the server knows the player of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Introduction {
    /// The name that the server shows.
    pub name: Option<Text>,
    /// The authors that the server shows.
    pub authors: Option<Text>,
    /// The description that the server shows.
    pub description: Option<Text>,
    /// The secret by which the server recognizes the player.
    pub token: Option<Text>,
}

/// The option whose value is a secret.
pub(super) const TOKEN_OPTION: &str = "auth:token";

impl Introduction {
    /// Returns the messages that a client sends first.
    pub(super) fn messages(&self) -> Vec<Message> {
        // The server identifies a client by its token, or else by the first of the other options.
        let options = [
            ("info:name", &self.name),
            ("info:authors", &self.authors),
            ("info:description", &self.description),
            (TOKEN_OPTION, &self.token),
        ];
        let messages = options.into_iter().filter_map(|(option, value)| {
            let value = Argument::Text(value.clone()?);
            let option = Word::new(option)?;
            Some(Message::Set { option, value })
        });
        messages.collect()
    }
}

/// The output of a client: a report for programs and persons, and messages for the person that has
/// started it.
pub trait ClientOutput {
    /// Writes a line of the report: about a game, a problem, or the number of both.
    ///
    /// # Errors
    /// If the line cannot be written. The client ends then.
    fn report(&mut self, line: &str) -> io::Result<()>;

    /// Shows a message, such as the loss of the connection that the client opens again.
    fn notify(&mut self, message: &str);

    /// Shows a message about an error of the server, after which the client goes on.
    fn warn(&mut self, message: &str);
}
