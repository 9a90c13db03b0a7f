//! Built-in players by name, such as `level:3`.

use std::fmt;
use std::str::FromStr;
use std::time::Instant;

use kalah::Player;
use kalah_engine::{
    FirstMovePlayer, LevelNumber, LevelPlayer, MinimaxPlayer, RandomPlayer, SmartPlayer,
};
use thiserror::Error;

use crate::{EngineFactory, ParseTimeLimitError, TimeLimit};

/// A player as it is asked for: `human`, `first`, `random`, `minimax:DEPTH`, `level:1` to `level:10`, or
/// `smart`, which may have its own time: `smart:100ms`.
///
/// ```
/// use kalah_players::{PlayerKind, PlayerSpec};
/// let spec: PlayerSpec = "minimax:4".parse()?;
/// assert_eq!(spec.kind, PlayerKind::Minimax { levels: 4 });
/// assert_eq!(spec.limit, None);
/// # Ok::<(), kalah_players::ParsePlayerSpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerSpec {
    /// Who it is.
    pub kind: PlayerKind,
    /// Its own time for each answer, which only [`Smart`] keeps.
    pub time_limit: Option<TimeLimit>,
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
        depth: u32,
    },
    /// [`Level`].
    Level {
        /// Which of the ten.
        number: LevelNumber,
    },
    /// [`Smart`].
    Smart,
}

/// Why a text names no [`PlayerSpec`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParsePlayerSpecError {
    /// The word before the first colon is unknown.
    #[error(
        "`{0}` is no player: there are human, first, random, minimax:DEPTH, level:1 to level:10, \
         and smart, which may have its own time, such as smart:100ms"
    )]
    Unknown(String),
    /// Minimax without its depth, or with one that is no number in the range.
    #[error(
        "`{0}`: minimax needs its depth, from 1 to {max}, such as minimax:4",
        max = PlayerSpec::MAX_MINIMAX_DEPTH
    )]
    MinimaxDepth(String),
    /// A level without its number, or with one that is no number in the range.
    #[error(
        "`{0}`: a level needs its number, from {min} to {max}, such as level:3",
        min = LevelNumber::MIN,
        max = LevelNumber::MAX
    )]
    Level(String),
    /// Time for somebody who keeps no clock.
    #[error("`{0}`: only smart keeps a time, such as smart:100ms")]
    UnexpectedTimeLimit(String),
    /// What should be a time is none.
    #[error("`{text}`: {reason}")]
    TimeLimit {
        /// The whole text.
        text: String,
        /// What is wrong with the time.
        reason: ParseTimeLimitError,
    },
}

impl PlayerSpec {
    /// The most turns that minimax looks ahead: each takes several times longer than the one before,
    /// and minimax keeps no clock.
    pub const MAX_MINIMAX_DEPTH: u32 = 12;

    /// A person.
    pub const HUMAN: Self = Self {
        kind: PlayerKind::Human,
        time_limit: None,
    };
    /// The engine.
    pub const SMART: Self = Self {
        kind: PlayerKind::Smart,
        time_limit: None,
    };

    /// What the player is called where nobody gives it a name.
    pub fn default_name(self) -> String {
        match self.kind {
            PlayerKind::Human => "Human".to_owned(),
            PlayerKind::First => "First".to_owned(),
            PlayerKind::Random => "Random".to_owned(),
            PlayerKind::Minimax { .. } => "Minimax".to_owned(),
            PlayerKind::Level { number } => format!("Level {number}"),
            PlayerKind::Smart => "Smart".to_owned(),
        }
    }

    /// The player, if it is a program; `seed` is for those who leave anything to chance, and `engines`
    /// for those who search.
    pub fn build_player(
        self,
        name: &str,
        seed: u64,
        engines: &EngineFactory,
    ) -> Option<Box<dyn Player + Send>> {
        Some(match self.kind {
            PlayerKind::Human => return None,
            PlayerKind::First => Box::new(FirstMovePlayer::new(name)),
            PlayerKind::Random => Box::new(RandomPlayer::new(name, seed)),
            PlayerKind::Minimax { depth: levels } => {
                Box::new(MinimaxPlayer::new(name, levels).with_stop_flag(engines.stop_flag()))
            }
            PlayerKind::Level { number } if number < LevelNumber::MAX => {
                let origin = Instant::now();
                Box::new(LevelPlayer::new(name, number, seed, move || {
                    origin.elapsed()
                }))
            }
            // The highest level is smart.
            PlayerKind::Level { .. } | PlayerKind::Smart => {
                let origin = Instant::now();
                let clock = move || origin.elapsed();
                Box::new(SmartPlayer::with_engine(name, engines.build(), clock))
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
            PlayerKind::Minimax { depth: levels } => write!(f, "minimax:{levels}")?,
            PlayerKind::Level { number } => write!(f, "level:{number}")?,
            PlayerKind::Smart => f.write_str("smart")?,
        }
        match self.time_limit {
            Some(limit) => write!(f, ":{limit}"),
            None => Ok(()),
        }
    }
}

impl FromStr for PlayerSpec {
    type Err = ParsePlayerSpecError;

    fn from_str(text: &str) -> Result<Self, ParsePlayerSpecError> {
        let (word, mut rest) = split_at_colon(text);
        let kind = match word {
            "human" => PlayerKind::Human,
            "first" => PlayerKind::First,
            "random" => PlayerKind::Random,
            "smart" => PlayerKind::Smart,
            "minimax" => match take_number(&mut rest) {
                Some(levels) if (1..=Self::MAX_MINIMAX_DEPTH).contains(&levels) => {
                    PlayerKind::Minimax { depth: levels }
                }
                _ => return Err(ParsePlayerSpecError::MinimaxDepth(text.to_owned())),
            },
            "level" => match take_number(&mut rest).and_then(LevelNumber::new) {
                Some(number) => PlayerKind::Level { number },
                None => return Err(ParsePlayerSpecError::Level(text.to_owned())),
            },
            _ => return Err(ParsePlayerSpecError::Unknown(text.to_owned())),
        };
        let limit = match rest {
            Some(_) if kind != PlayerKind::Smart => {
                return Err(ParsePlayerSpecError::UnexpectedTimeLimit(text.to_owned()));
            }
            Some(limit) => match limit.parse() {
                Ok(limit) => Some(limit),
                Err(reason) => {
                    let text = text.to_owned();
                    return Err(ParsePlayerSpecError::TimeLimit { text, reason });
                }
            },
            None => None,
        };
        Ok(Self {
            kind,
            time_limit: limit,
        })
    }
}

/// The number up to the next colon, which is taken off `rest`.
fn take_number<T: FromStr>(rest: &mut Option<&str>) -> Option<T> {
    let (digits, after) = split_at_colon(rest.take()?);
    *rest = after;
    digits.parse().ok().filter(|_| !digits.starts_with('+'))
}

/// What stands before the first colon, and what follows it.
fn split_at_colon(text: &str) -> (&str, Option<&str>) {
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
        let level = |number| PlayerKind::Level {
            number: LevelNumber::new(number).expect("there are ten"),
        };
        for (text, kind, limit) in [
            ("human", PlayerKind::Human, None),
            ("first", PlayerKind::First, None),
            ("random", PlayerKind::Random, None),
            ("minimax:1", PlayerKind::Minimax { depth: 1 }, None),
            ("minimax:12", PlayerKind::Minimax { depth: 12 }, None),
            ("level:1", level(1), None),
            ("level:10", level(10), None),
            ("smart", PlayerKind::Smart, None),
            ("smart:100ms", PlayerKind::Smart, seconds("100ms")),
            ("smart:1m 30s", PlayerKind::Smart, seconds("90s")),
        ] {
            let spec = PlayerSpec {
                kind,
                time_limit: limit,
            };
            assert_eq!(text.parse(), Ok(spec), "{text}");
            assert_eq!(spec.to_string(), text);
        }
    }

    #[test]
    fn programs_bear_the_name_they_are_given() {
        for text in [
            "first",
            "random",
            "minimax:2",
            "level:4",
            "level:10",
            "smart",
        ] {
            let spec: PlayerSpec = text.parse().unwrap();
            let player = spec
                .build_player("Homer", 1, &EngineFactory::default())
                .expect("a program");
            assert_eq!(player.name(), "Homer");
            assert!(!player.is_interactive());
        }
        assert!(
            PlayerSpec::HUMAN
                .build_player("Marge", 1, &EngineFactory::default())
                .is_none()
        );
    }

    #[test]
    fn only_smart_keeps_a_time() {
        for text in [
            "human:5s",
            "first:1s",
            "random:1s",
            "minimax:4:1s",
            "level:10:1s",
        ] {
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
            "level",
            "level:",
            "level:0",
            "level:+3",
            "level:11",
            "level:256",
            "level:3:",
            "level:three",
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
