use std::fmt;
use std::str::FromStr;

use kalah::Game;

use super::words::{Tokens, unexpected};
use super::{Expected, Go, OneLine, OptionName, ParseUkiError, game};

/// What a host writes and an engine reads.
///
/// In text it is a line; `docs/engine-protocol.md` has the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostMessage {
    /// `uki`: who are you, and what can be set?
    Uki,
    /// `isready`: are you there?
    IsReady,
    /// `newgame`: what comes has nothing to do with what was.
    NewGame,
    /// `setoption`: an option is to have a value, or a button is pressed.
    SetOption {
        /// Which option.
        name: OptionName,
        /// Its value, if one is given.
        value: Option<OneLine>,
    },
    /// `position`: the game as far as it has come. Plies that were taken back are not written.
    Position(Box<Game>),
    /// `go`: search.
    Go(Go),
    /// `stop`: answer now.
    Stop,
    /// `quit`: end.
    Quit,
}

impl FromStr for HostMessage {
    type Err = ParseUkiError;

    fn from_str(line: &str) -> Result<Self, ParseUkiError> {
        let awaited = Expected::HostMessage;
        let mut words = Tokens::new(line);
        let word = words.next_token().ok_or(ParseUkiError::Empty(awaited))?;
        let message = match word {
            "uki" => Self::Uki,
            "isready" => Self::IsReady,
            "newgame" => Self::NewGame,
            "stop" => Self::Stop,
            "quit" => Self::Quit,
            "setoption" => return parse_set_option(words),
            "position" => return game::parse(words).map(Box::new).map(Self::Position),
            "go" => return Go::parse(words).map(Self::Go),
            _ => return Err(unexpected(word, awaited)),
        };
        words.expect_end()?;
        Ok(message)
    }
}

fn parse_set_option(mut words: Tokens) -> Result<HostMessage, ParseUkiError> {
    words.require_keyword("name", Expected::Name)?;
    let name = OptionName::parse(&mut words)?;
    let value = match words.next_token() {
        None => None,
        Some("value") => Some(OneLine::new(words.rest())),
        Some(word) => return Err(unexpected(word, Expected::Value)),
    };
    Ok(HostMessage::SetOption { name, value })
}

impl fmt::Display for HostMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uki => f.write_str("uki"),
            Self::IsReady => f.write_str("isready"),
            Self::NewGame => f.write_str("newgame"),
            Self::SetOption { name, value } => {
                write!(f, "setoption name {name}")?;
                match value {
                    None => Ok(()),
                    Some(value) if value.as_str().is_empty() => f.write_str(" value"),
                    Some(value) => write!(f, " value {value}"),
                }
            }
            Self::Position(game) => {
                f.write_str("position ")?;
                game::write(game, f)
            }
            Self::Go(go) => go.fmt(f),
            Self::Stop => f.write_str("stop"),
            Self::Quit => f.write_str("quit"),
        }
    }
}
