//! The choice of a game of a file.

use std::fmt;
use std::str::FromStr;

use kalah::record::{Record, Tags};
use thiserror::Error;

/// A game of a file: by its number, or by its round.
///
/// ```
/// use kalah_record_files::GameSelector;
/// assert_eq!("3".parse(), Ok(GameSelector::Number(3)));
/// assert_eq!("1.10.2".parse(), Ok(GameSelector::Round("1.10.2".to_owned())));
/// assert_eq!(GameSelector::Number(3).text(), "3");
/// assert!("0".parse::<GameSelector>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameSelector {
    /// The number of the game in the file, from 1.
    Number(usize),
    /// The first game with this tag `Round`: numbers with dots between them.
    Round(String),
}

/// The first game of a file.
impl Default for GameSelector {
    fn default() -> Self {
        Self::Number(1)
    }
}

impl GameSelector {
    /// Returns the text that [`FromStr`] parses.
    pub fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Round(round) => round.clone(),
        }
    }

    /// Returns whether this is the game, which has this number in its file.
    pub fn selects(&self, record: &Record, number: usize) -> bool {
        match self {
            Self::Number(selected) => *selected == number,
            Self::Round(round) => record.tags().get(Tags::ROUND) == Some(round),
        }
    }
}

impl fmt::Display for GameSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "game {number}"),
            Self::Round(round) => write!(f, "round {round}"),
        }
    }
}

/// The reason why a text selects no game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected the number of a game, from 1, or a round such as 1.10.2")]
pub struct ParseGameSelectorError;

impl FromStr for GameSelector {
    type Err = ParseGameSelectorError;

    fn from_str(text: &str) -> Result<Self, ParseGameSelectorError> {
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !text.split('.').all(is_number) {
            return Err(ParseGameSelectorError);
        }
        match text.parse() {
            _ if text.contains('.') => Ok(Self::Round(text.to_owned())),
            Ok(number) if number > 0 => Ok(Self::Number(number)),
            _ => Err(ParseGameSelectorError),
        }
    }
}
