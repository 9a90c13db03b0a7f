use std::fmt;
use std::str::FromStr;
use std::time::Instant;

use kalah::Player;
use kalah_engine::{First, Minimax, Random, Smart};
use thiserror::Error;

use crate::{Engines, ParseTimeLimitError, TimeLimit};

/// A player as it is asked for: `human`, `first`, `random`, `minimax:DEPTH` or `smart`, which may
/// have its own time: `smart:100ms`.
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
    /// Its own time for each answer, which only [`Smart`] keeps.
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
         which may have its own time, such as smart:100ms"
    )]
    Unknown(String),
    /// Minimax without its depth, or with one that is no number in the range.
    #[error(
        "`{0}`: minimax needs its depth, from 1 to {max}, such as minimax:4",
        max = PlayerSpec::MAX_LEVELS
    )]
    Levels(String),
    /// Time for somebody who keeps no clock.
    #[error("`{0}`: only smart keeps a time, such as smart:100ms")]
    NoClock(String),
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
    /// The most turns that minimax looks ahead: each takes several times longer than the one before,
    /// and minimax keeps no clock.
    pub const MAX_LEVELS: u32 = 12;

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

    /// The player, if it is a program; `seed` is for those who leave anything to chance, and `engines`
    /// for those who search.
    pub fn computer(self, name: &str, seed: u64, engines: &Engines) -> Option<Box<dyn Player>> {
        Some(match self.kind {
            PlayerKind::Human => return None,
            PlayerKind::First => Box::new(First::new(name)),
            PlayerKind::Random => Box::new(Random::new(name, seed)),
            PlayerKind::Minimax { levels } => Box::new(Minimax::new(name, levels)),
            PlayerKind::Smart => {
                let origin = Instant::now();
                Box::new(Smart::with_engine(name, engines.engine(), move || {
                    origin.elapsed()
                }))
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
        let limit = match rest {
            Some(_) if kind != PlayerKind::Smart => {
                return Err(ParsePlayerSpecError::NoClock(text.to_owned()));
            }
            Some(limit) => match limit.parse() {
                Ok(limit) => Some(limit),
                Err(reason) => {
                    let text = text.to_owned();
                    return Err(ParsePlayerSpecError::Limit { text, reason });
                }
            },
            None => None,
        };
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
            ("random", PlayerKind::Random, None),
            ("minimax:1", PlayerKind::Minimax { levels: 1 }, None),
            ("minimax:12", PlayerKind::Minimax { levels: 12 }, None),
            ("smart", PlayerKind::Smart, None),
            ("smart:100ms", PlayerKind::Smart, seconds("100ms")),
            ("smart:1m 30s", PlayerKind::Smart, seconds("90s")),
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
            let player = spec
                .computer("Homer", 1, &Engines::default())
                .expect("a program");
            assert_eq!(player.name(), "Homer");
            assert!(!player.is_interactive());
        }
        assert!(
            PlayerSpec::HUMAN
                .computer("Marge", 1, &Engines::default())
                .is_none()
        );
    }

    #[test]
    fn only_smart_keeps_a_time() {
        for text in ["human:5s", "first:1s", "random:1s", "minimax:4:1s"] {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            let expected = format!("`{text}`: only smart keeps a time, such as smart:100ms");
            assert_eq!(error, expected);
        }
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
            "minimax:13",
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
