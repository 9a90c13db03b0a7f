//! Built-in players by name, such as `level:3`.

use std::fmt;
use std::str::FromStr;
use std::time::Instant;

use kalah::{ParseTimeLimitError, Player, Quoted, TimeLimit};
use kalah_engine::{
    FirstMovePlayer, LevelNumber, LevelPlayer, MinimaxPlayer, RandomPlayer, SmartPlayer,
};
use thiserror::Error;

use crate::engine_factory::EngineFactory;
use crate::untrusted_text::is_terminal_control;

/// A player by name: `human`, `first`, `random`, `minimax:DEPTH`, `level:1` to `level:10`, or
/// `smart`, optionally with a time of its own: `smart:100ms`.
///
/// ```
/// use kalah_players::{PlayerKind, PlayerSpec};
/// let spec: PlayerSpec = "minimax:4".parse()?;
/// assert_eq!(spec.kind, PlayerKind::Minimax { depth: 4 });
/// assert_eq!(spec.time_limit, None);
/// # Ok::<(), kalah_players::ParsePlayerSpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayerSpec {
    /// The player without its time.
    pub kind: PlayerKind,
    /// The player's own time for each move. Only [`PlayerKind::Smart`] has one.
    pub time_limit: Option<TimeLimit>,
}

/// The kinds of built-in players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerKind {
    /// A person at the terminal.
    Human,
    /// The player that always makes its first legal move: [`FirstMovePlayer`].
    First,
    /// The player of random moves: [`RandomPlayer`].
    Random,
    /// The player that searches to a fixed depth: [`MinimaxPlayer`].
    Minimax {
        /// The depth of the search in turns, `1..=`[`PlayerSpec::MAX_MINIMAX_DEPTH`].
        depth: u32,
    },
    /// One of ten strengths: [`LevelPlayer`], or [`SmartPlayer`] at [`LevelNumber::MAX`].
    Level {
        /// The strength.
        number: LevelNumber,
    },
    /// The strongest player: [`SmartPlayer`].
    Smart,
}

/// The reason why a text is not a [`PlayerSpec`].
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParsePlayerSpecError {
    /// The word before the first colon is unknown.
    #[error(
        "{} is not a player: expected human, {}, with an optional time such as smart:100ms",
        Quoted::new(.0),
        PlayerSpec::PROGRAMS
    )]
    Unknown(String),
    /// The word before the first colon is unknown where a person is not allowed.
    #[error(
        "{} is not a player: expected {}, with an optional time such as smart:100ms",
        Quoted::new(.0),
        PlayerSpec::PROGRAMS
    )]
    UnknownProgram(String),
    /// The player is a person where only a program is allowed.
    #[error("expected a program such as smart or level:3, not human")]
    Person,
    /// The depth of minimax is missing, not a number or out of range.
    #[error(
        "{}: expected a depth from 1 to {max}, such as minimax:4",
        Quoted::new(.0),
        max = PlayerSpec::MAX_MINIMAX_DEPTH
    )]
    MinimaxDepth(String),
    /// The number of a level is missing, not a number or out of range.
    #[error(
        "{}: expected a level from {min} to {max}, such as level:3",
        Quoted::new(.0),
        min = LevelNumber::MIN,
        max = LevelNumber::MAX
    )]
    Level(String),
    /// A time follows a player other than `smart`.
    #[error("{}: only smart takes a time, such as smart:100ms", Quoted::new(.0))]
    UnexpectedTimeLimit(String),
    /// The time of `smart` is zero.
    #[error("{}: smart needs a time of more than zero, such as smart:100ms", Quoted::new(.0))]
    NoTime(String),
    /// The time of `smart` is invalid.
    #[error("{}: {reason}", Quoted::new(text))]
    TimeLimit {
        /// The whole text.
        text: String,
        /// The error of the time.
        reason: ParseTimeLimitError,
    },
}

impl PlayerSpec {
    /// The maximum depth of minimax in turns. Each further turn takes several times as long as the
    /// one before, and minimax uses no clock.
    pub const MAX_MINIMAX_DEPTH: u32 = 12;

    /// The players other than a person, in the words of error messages.
    pub const PROGRAMS: &str = "first, random, minimax:DEPTH, level:1 to level:10, or smart";

    /// A person at the terminal.
    pub const HUMAN: Self = Self {
        kind: PlayerKind::Human,
        time_limit: None,
    };
    /// The strongest player, without a time of its own.
    pub const SMART: Self = Self {
        kind: PlayerKind::Smart,
        time_limit: None,
    };

    /// Parses a player other than a person.
    ///
    /// ```
    /// use kalah_players::{ParsePlayerSpecError, PlayerSpec};
    /// assert_eq!(PlayerSpec::parse_program("smart"), Ok(PlayerSpec::SMART));
    /// assert_eq!(PlayerSpec::parse_program("human"), Err(ParsePlayerSpecError::Person));
    /// ```
    ///
    /// # Errors
    /// [`ParsePlayerSpecError::Person`] for `human`, and the errors of [`str::parse`]. They do not
    /// offer a person.
    pub fn parse_program(text: &str) -> Result<Self, ParsePlayerSpecError> {
        match text.parse::<Self>() {
            Ok(spec) if spec.kind == PlayerKind::Human => Err(ParsePlayerSpecError::Person),
            Err(ParsePlayerSpecError::Unknown(text)) => {
                Err(ParsePlayerSpecError::UnknownProgram(text))
            }
            result => result,
        }
    }

    /// Returns the name of the player in games that give it no other name.
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

    /// Returns whether the player searches under a clock: `smart`, or the highest level, which
    /// plays like it. Such a player uses the time that it is given and obeys limits of nodes and
    /// depth.
    pub fn uses_clock(self) -> bool {
        match self.kind {
            PlayerKind::Smart => true,
            PlayerKind::Level { number } => number == LevelNumber::MAX,
            PlayerKind::Human
            | PlayerKind::First
            | PlayerKind::Random
            | PlayerKind::Minimax { .. } => false,
        }
    }

    /// Builds the player; `None` for a person. `seed` determines the random choices of the players
    /// that make any, and `engines` builds the engines of the players that search with one.
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
            PlayerKind::Minimax { depth } => {
                Box::new(MinimaxPlayer::new(name, depth).with_stop_flag(engines.stop_flag()))
            }
            PlayerKind::Level { number } if !self.uses_clock() => {
                let origin = Instant::now();
                let level = LevelPlayer::new(name, number, seed, move || origin.elapsed());
                Box::new(level.with_stop_flag(engines.stop_flag()))
            }
            PlayerKind::Level { .. } | PlayerKind::Smart => {
                let origin = Instant::now();
                let clock = move || origin.elapsed();
                Box::new(SmartPlayer::with_engine(name, engines.build(), clock))
            }
        })
    }
}

/// The text that parses to the same player.
impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            PlayerKind::Human => f.write_str("human")?,
            PlayerKind::First => f.write_str("first")?,
            PlayerKind::Random => f.write_str("random")?,
            PlayerKind::Minimax { depth } => write!(f, "minimax:{depth}")?,
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
                Some(depth) if (1..=Self::MAX_MINIMAX_DEPTH).contains(&depth) => {
                    PlayerKind::Minimax { depth }
                }
                _ => return Err(ParsePlayerSpecError::MinimaxDepth(text.to_owned())),
            },
            "level" => match take_number(&mut rest).and_then(LevelNumber::new) {
                Some(number) => PlayerKind::Level { number },
                None => return Err(ParsePlayerSpecError::Level(text.to_owned())),
            },
            _ => return Err(ParsePlayerSpecError::Unknown(text.to_owned())),
        };
        let time_limit = match rest {
            Some(_) if kind != PlayerKind::Smart => {
                return Err(ParsePlayerSpecError::UnexpectedTimeLimit(text.to_owned()));
            }
            Some(limit) => match limit.parse::<TimeLimit>() {
                Ok(limit) if limit.get().is_zero() => {
                    return Err(ParsePlayerSpecError::NoTime(text.to_owned()));
                }
                Ok(limit) => Some(limit),
                Err(reason) => {
                    let text = text.to_owned();
                    return Err(ParsePlayerSpecError::TimeLimit { text, reason });
                }
            },
            None => None,
        };
        Ok(Self { kind, time_limit })
    }
}

/// Parses the number up to the next colon of `rest`, and removes both from `rest`.
fn take_number<T: FromStr>(rest: &mut Option<&str>) -> Option<T> {
    let (digits, after) = split_at_colon(rest.take()?);
    *rest = after;
    digits.parse().ok().filter(|_| !digits.starts_with('+'))
}

/// Splits `text` at its first colon.
fn split_at_colon(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((word, rest)) => (word, Some(rest)),
        None => (text, None),
    }
}

/// The maximum number of characters of a name, so that tables stay narrow.
pub(crate) const MAX_NAME_CHARS: usize = 40;

/// Returns the name of a player without the whitespace around it.
///
/// # Errors
/// Returns a message if the name is empty, too long, or has control characters.
pub fn parse_player_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() {
        Err("a name needs at least one character".to_owned())
    } else if name.chars().any(is_terminal_control) {
        Err("a name cannot have control characters or invisible ones".to_owned())
    } else if name.chars().count() > MAX_NAME_CHARS {
        Err(format!("a name has at most {MAX_NAME_CHARS} characters"))
    } else {
        Ok(name.to_owned())
    }
}

/// Returns the name of a player as [`parse_player_name`] does, and shortens a name that is too
/// long.
///
/// # Errors
/// Returns a message if the name is empty or has control characters.
///
/// # Examples
/// ```
/// use kalah_players::parse_and_shorten_player_name;
///
/// let name = parse_and_shorten_player_name(&"Bart ".repeat(20)).expect("a name");
/// assert_eq!(name, "Bart Bart Bart Bart Bart Bart Bart Bart…");
/// ```
pub fn parse_and_shorten_player_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.chars().count() <= MAX_NAME_CHARS {
        return parse_player_name(name);
    }
    let beginning: String = name.chars().take(MAX_NAME_CHARS - 1).collect();
    parse_player_name(&format!("{}…", beginning.trim_end()))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use kalah_engine::TableCache;

    use super::*;
    use crate::engine_factory::MemorySize;

    fn level(number: u8) -> PlayerKind {
        let number = LevelNumber::new(number).expect("a level from 1 to 10");
        PlayerKind::Level { number }
    }

    #[test]
    fn players_round_trip_through_text() {
        let limit = |text: &str| Some(text.parse().expect("a time limit"));
        for (text, kind, time_limit) in [
            ("human", PlayerKind::Human, None),
            ("first", PlayerKind::First, None),
            ("random", PlayerKind::Random, None),
            ("minimax:1", PlayerKind::Minimax { depth: 1 }, None),
            ("minimax:12", PlayerKind::Minimax { depth: 12 }, None),
            ("level:1", level(1), None),
            ("level:10", level(10), None),
            ("smart", PlayerKind::Smart, None),
            ("smart:100ms", PlayerKind::Smart, limit("100ms")),
            ("smart:1m 30s", PlayerKind::Smart, limit("90s")),
        ] {
            let spec = PlayerSpec { kind, time_limit };
            assert_eq!(text.parse(), Ok(spec), "{text}");
            assert_eq!(spec.to_string(), text);
        }
    }

    #[test]
    fn names_have_up_to_40_characters() {
        let longest = "é".repeat(MAX_NAME_CHARS);
        assert_eq!(
            parse_player_name(&format!(" {longest}\t")),
            Ok(longest.clone())
        );
        for (name, reason) in [
            (&*format!("{longest}x"), "a name has at most 40 characters"),
            (" ", "a name needs at least one character"),
            (
                "a\u{1b}b",
                "a name cannot have control characters or invisible ones",
            ),
            (
                "a\u{200b}b",
                "a name cannot have control characters or invisible ones",
            ),
        ] {
            assert_eq!(parse_player_name(name), Err(reason.to_owned()), "{name:?}");
        }
    }

    #[test]
    fn built_players_have_the_given_name() {
        let engines = EngineFactory::new(NonZeroUsize::MIN, MemorySize::MIN, TableCache::new());
        for text in [
            "first",
            "random",
            "minimax:2",
            "level:4",
            "level:10",
            "smart",
        ] {
            let spec: PlayerSpec = text.parse().unwrap();
            let player = spec.build_player("Homer", 1, &engines).expect(text);
            assert_eq!(player.name(), "Homer");
            assert!(!player.is_interactive());
        }
        assert!(
            PlayerSpec::HUMAN
                .build_player("Marge", 1, &engines)
                .is_none()
        );
    }

    #[test]
    fn smart_and_the_highest_level_use_a_clock() {
        for (text, uses_clock) in [
            ("human", false),
            ("first", false),
            ("random", false),
            ("minimax:12", false),
            ("level:1", false),
            ("level:9", false),
            ("level:10", true),
            ("smart", true),
            ("smart:1ms", true),
        ] {
            let spec: PlayerSpec = text.parse().expect(text);
            assert_eq!(spec.uses_clock(), uses_clock, "{text}");
        }
    }

    #[test]
    fn only_smart_takes_a_time() {
        for text in [
            "human:5s",
            "first:1s",
            "random:1s",
            "minimax:4:1s",
            "level:10:1s",
        ] {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            let expected = format!("`{text}`: only smart takes a time, such as smart:100ms");
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn invalid_players_have_a_message_that_says_what_is_expected() {
        let depth = "expected a depth from 1 to 12, such as minimax:4";
        let level = "expected a level from 1 to 10, such as level:3";
        for (text, reason) in [
            ("minimax", depth),
            ("minimax:13", depth),
            ("level", level),
            ("level:11", level),
            (
                "smart:0s",
                "smart needs a time of more than zero, such as smart:100ms",
            ),
            (
                "smart:5",
                "`5` is not a duration: expected numbers with units, such as 50ms, 5s or 1m 30s",
            ),
        ] {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert_eq!(error, format!("`{text}`: {reason}"));
        }
    }

    #[test]
    fn invalid_players_are_quoted() {
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
