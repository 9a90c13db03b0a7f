use std::fmt;
use std::str::FromStr;
use std::time::Instant;

use kalah::Player;
use kalah_engine::{First, Minimax, Random, Smart};
use thiserror::Error;

use crate::{ParseTimeLimitError, TimeLimit};

/// A player as it is asked for: `human`, `first`, `random`, `minimax:DEPTH` or `smart`, a computer
/// player optionally with its own time: `smart:100ms`, `minimax:4:1s`.
///
/// ```
/// use kalah_cli::{PlayerKind, PlayerSpec};
/// let spec: PlayerSpec = "minimax:4".parse()?;
/// assert_eq!(spec.kind, PlayerKind::Minimax { levels: 4 });
/// assert_eq!(spec.limit, None);
/// # Ok::<(), kalah_cli::ParsePlayerSpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerSpec {
    /// Who it is.
    pub kind: PlayerKind,
    /// Its own time for each answer.
    pub limit: Option<TimeLimit>,
}

/// Who can be asked to play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerKind {
    /// A person at the terminal.
    Human,
    /// [`First`].
    First,
    /// [`Random`].
    Random,
    /// [`Minimax`].
    Minimax {
        /// How many turns it looks ahead, `1..=`[`PlayerSpec::MAX_LEVELS`].
        levels: u32,
    },
    /// [`Smart`].
    Smart,
}

/// Why a text names no [`PlayerSpec`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParsePlayerSpecError {
    /// The word before the first colon is unknown.
    #[error(
        "`{0}` is no player: there are human, first, random, minimax:DEPTH and smart, \
         a computer player optionally with its own time, such as smart:100ms"
    )]
    Unknown(String),
    /// Minimax without its depth, or with one that is no number in the range.
    #[error(
        "`{0}`: minimax needs its depth, from 1 to {max}, such as minimax:4",
        max = PlayerSpec::MAX_LEVELS
    )]
    Levels(String),
    /// Time for a person.
    #[error("`{0}`: a human takes all the time it likes")]
    HumanLimit(String),
    /// What should be a time is none.
    #[error("`{text}`: {reason}")]
    Limit {
        /// The whole text.
        text: String,
        /// What is wrong with the time.
        reason: ParseTimeLimitError,
    },
}

impl PlayerSpec {
    /// The most turns that minimax looks ahead. It would be at a fraction of them for ages.
    pub const MAX_LEVELS: u32 = 32;

    /// A person.
    pub const HUMAN: Self = Self {
        kind: PlayerKind::Human,
        limit: None,
    };
    /// The engine.
    pub const SMART: Self = Self {
        kind: PlayerKind::Smart,
        limit: None,
    };

    /// What the player is called where nobody gives it a name.
    pub fn default_name(self) -> &'static str {
        match self.kind {
            PlayerKind::Human => "Human",
            PlayerKind::First => "First",
            PlayerKind::Random => "Random",
            PlayerKind::Minimax { .. } => "Minimax",
            PlayerKind::Smart => "Smart",
        }
    }

    /// The player, if it is a program; `seed` is for those who leave anything to chance.
    pub fn computer(self, name: &str, seed: u64) -> Option<Box<dyn Player>> {
        Some(match self.kind {
            PlayerKind::Human => return None,
            PlayerKind::First => Box::new(First::new(name)),
            PlayerKind::Random => Box::new(Random::new(name, seed)),
            PlayerKind::Minimax { levels } => Box::new(Minimax::new(name, levels)),
            PlayerKind::Smart => {
                let origin = Instant::now();
                Box::new(Smart::new(name, move || origin.elapsed()))
            }
        })
    }
}

/// As it is asked for.
impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            PlayerKind::Human => f.write_str("human")?,
            PlayerKind::First => f.write_str("first")?,
            PlayerKind::Random => f.write_str("random")?,
            PlayerKind::Minimax { levels } => write!(f, "minimax:{levels}")?,
            PlayerKind::Smart => f.write_str("smart")?,
        }
        match self.limit {
            Some(limit) => write!(f, ":{limit}"),
            None => Ok(()),
        }
    }
}

impl FromStr for PlayerSpec {
    type Err = ParsePlayerSpecError;

    fn from_str(text: &str) -> Result<Self, ParsePlayerSpecError> {
        let (word, mut rest) = split(text);
        let kind = match word {
            "human" => PlayerKind::Human,
            "first" => PlayerKind::First,
            "random" => PlayerKind::Random,
            "smart" => PlayerKind::Smart,
            "minimax" => {
                let (levels, after) = rest.map_or(("", None), split);
                rest = after;
                let number = levels.parse().ok();
                let in_range = number.filter(|number| (1..=Self::MAX_LEVELS).contains(number));
                match in_range.filter(|_| !levels.starts_with('+')) {
                    Some(levels) => PlayerKind::Minimax { levels },
                    None => return Err(ParsePlayerSpecError::Levels(text.to_owned())),
                }
            }
            _ => return Err(ParsePlayerSpecError::Unknown(text.to_owned())),
        };
        let limit =
            rest.map(str::parse)
                .transpose()
                .map_err(|reason| ParsePlayerSpecError::Limit {
                    text: text.to_owned(),
                    reason,
                })?;
        if kind == PlayerKind::Human && limit.is_some() {
            return Err(ParsePlayerSpecError::HumanLimit(text.to_owned()));
        }
        Ok(Self { kind, limit })
    }
}

/// What stands before the first colon, and what follows it.
fn split(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((word, rest)) => (word, Some(rest)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_player_can_be_asked_for() {
        let seconds = |text: &str| Some(text.parse().expect("a duration"));
        for (text, kind, limit) in [
            ("human", PlayerKind::Human, None),
            ("first", PlayerKind::First, None),
            ("random:1s", PlayerKind::Random, seconds("1s")),
            ("minimax:1", PlayerKind::Minimax { levels: 1 }, None),
            (
                "minimax:32:2m",
                PlayerKind::Minimax { levels: 32 },
                seconds("2m"),
            ),
            ("smart", PlayerKind::Smart, None),
            ("smart:100ms", PlayerKind::Smart, seconds("100ms")),
        ] {
            let spec = PlayerSpec { kind, limit };
            assert_eq!(text.parse(), Ok(spec), "{text}");
            assert_eq!(spec.to_string(), text);
        }
    }

    #[test]
    fn programs_bear_the_name_they_are_given() {
        for text in ["first", "random", "minimax:2", "smart"] {
            let spec: PlayerSpec = text.parse().unwrap();
            let player = spec.computer("Homer", 1).expect("a program");
            assert_eq!(player.name(), "Homer");
            assert!(!player.is_interactive());
        }
        assert!(PlayerSpec::HUMAN.computer("Marge", 1).is_none());
    }

    #[test]
    fn what_is_no_player_is_quoted() {
        for text in [
            "",
            "smrt",
            "Smart",
            "minimax",
            "minimax:",
            "minimax:0",
            "minimax:+3",
            "minimax:33",
            "minimax:-1",
            "minimax:99999999999",
            "minimax:2:",
            "minimax:2:soon",
            "smart:",
            "smart:1s:1s",
            "human:5s",
            "first:5",
        ] {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }
}
