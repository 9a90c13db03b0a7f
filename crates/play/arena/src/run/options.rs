//! The options of a tournament, and the text forms of their values.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use kalah::{Position, Rules, Setup};
use kalah_players::{ContestantSpec, MemorySize, TimeControl};

use super::error::{ConfigError, ParseArenaOptionError};
use super::play::{Adjudication, ResignRule};
use crate::schedule::TournamentFormat;
use crate::stats::{Elo, Sprt};

/// The options of a tournament, of which any can be missing.
///
/// [`ArenaConfig::new`](crate::ArenaConfig::new) gives a new tournament the defaults of
/// `kalah arena` for missing ones. Those of an existing tournament must be equal to the given ones
/// ([`RunDir::open_or_create`](crate::RunDir::open_or_create)).
#[derive(Clone, Debug, Default)]
pub struct ArenaOptions {
    /// The contestants, which only an existing tournament can lack.
    pub contestants: Option<Vec<ContestantSpec>>,
    /// The format, by default a round robin.
    pub format: Option<TournamentFormat>,
    /// The number of rounds, by default 10, or 5000 with a sequential test.
    pub rounds: Option<usize>,
    /// The seed of all random decisions, by default 1.
    pub seed: Option<u64>,
    /// The position before any opening, by default 6x4, or the one that a protocol requires.
    pub start: Option<Setup>,
    /// The rules, by default `cs32`, or those that a protocol requires.
    pub rules: Option<Rules>,
    /// The openings. By default they are balanced if the board has an opening list, else all
    /// openings of two plies, or of one ply under rules with a swap; the start position if the
    /// protocol of a contestant has no openings.
    pub openings: Option<OpeningsOption>,
    /// The time control of contestants without one of their own, by default a second for each move.
    pub time_control: Option<TimeControl>,
    /// The tolerated delay of an answer, by default 50 ms.
    pub grace: Option<Duration>,
    /// The positions whose games are adjudicated, by default [`AdjudicationOption::Default`].
    pub adjudication: Option<AdjudicationOption>,
    /// The estimates of both players after which one of them resigns, by default none.
    pub resign: Option<ResignRule>,
    /// The parameters of a sequential test.
    pub sprt: Option<Vec<SprtParam>>,
    /// The memory of each built-in player that searches, by default 64 MiB.
    pub memory: Option<MemorySize>,
    /// The folder in which a new tournament is started, in which its relative commands mean their
    /// programs. It is not compared with that of an existing tournament.
    pub started_in: Option<String>,
}

/// The way in which the games of a tournament begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningsOption {
    /// At the start position.
    Start,
    /// With all openings of this number of plies.
    Plies(usize),
    /// With openings of this number of random plies, as many as there are rounds up to a maximum.
    Random(usize),
    /// With this number of openings from the list of the board, those with margins nearest to zero;
    /// by default as many as there are rounds.
    Balanced(Option<NonZeroUsize>),
    /// With the openings of a file.
    File(PathBuf),
}

/// The maximum number of plies of [`OpeningsOption::Plies`]: openings of more plies would fill the
/// memory.
const MAX_OPENING_PLIES: usize = 6;

/// The maximum number of plies of [`OpeningsOption::Random`]. Longer openings would decide most
/// games.
const MAX_RANDOM_PLIES: usize = 40;

/// The maximum number of openings of [`OpeningsOption::Balanced`]. No list is longer.
const MAX_OPENINGS: usize = 1_000_000;

impl FromStr for OpeningsOption {
    type Err = ParseArenaOptionError;

    fn from_str(text: &str) -> Result<Self, ParseArenaOptionError> {
        let parse_count = |digits: &str, max: usize| {
            let count: Option<NonZeroUsize> = digits.parse().ok();
            let count = count.filter(|count| count.get() <= max);
            count.ok_or_else(|| ParseArenaOptionError::InvalidCount {
                text: text.to_owned(),
                max,
            })
        };
        Ok(match text.split_once(':') {
            Some(("balanced", digits)) => Self::Balanced(Some(parse_count(digits, MAX_OPENINGS)?)),
            Some(("plies", digits)) => Self::Plies(parse_count(digits, MAX_OPENING_PLIES)?.get()),
            Some(("random", digits)) => Self::Random(parse_count(digits, MAX_RANDOM_PLIES)?.get()),
            _ => match text {
                "" => return Err(ParseArenaOptionError::MissingOpenings),
                "start" => Self::Start,
                "balanced" => Self::Balanced(None),
                file => Self::File(file.into()),
            },
        })
    }
}

/// The positions whose games are adjudicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdjudicationOption {
    /// Those of [`Adjudication::default_for`].
    Default,
    /// Those of this adjudication.
    Custom(Adjudication),
    /// None: all games are played to their end.
    Never,
}

impl AdjudicationOption {
    /// Returns the adjudication of games that begin at `start`.
    pub(super) fn resolve(self, start: &Position) -> Result<Option<Adjudication>, ConfigError> {
        Ok(match self {
            Self::Default => Adjudication::default_for(start.total()),
            Self::Custom(adjudication) => {
                adjudication.check_board(start)?;
                Some(adjudication)
            }
            Self::Never => None,
        })
    }
}

/// A parameter of a sequential test, such as `elo1=10`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SprtParam {
    /// The difference in Elo under H0.
    Elo0(f64),
    /// The difference in Elo under H1.
    Elo1(f64),
    /// The probability of accepting H1 although H0 is true.
    Alpha(f64),
    /// The probability of accepting H0 although H1 is true.
    Beta(f64),
}

impl FromStr for SprtParam {
    type Err = ParseArenaOptionError;

    fn from_str(text: &str) -> Result<Self, ParseArenaOptionError> {
        let invalid = || ParseArenaOptionError::InvalidSprt(text.to_owned());
        let (key, number) = text.split_once('=').ok_or_else(invalid)?;
        let param = match key {
            "elo0" => Self::Elo0,
            "elo1" => Self::Elo1,
            "alpha" => Self::Alpha,
            "beta" => Self::Beta,
            _ => return Err(invalid()),
        };
        if number.contains('=') && number.contains(SPRT_SEPARATORS) {
            return Err(Self::error_of_several(text));
        }
        let number = (number.parse())
            .map_err(|_| ParseArenaOptionError::InvalidSprtNumber(number.to_owned()))?;
        Ok(param(number))
    }
}

/// The characters between parameters that are written as one word by mistake.
const SPRT_SEPARATORS: [char; 3] = [' ', ',', ';'];

/// The parameters of a test by default, those that the documents give as an example.
const DEFAULT_ELO0: f64 = 0.0;
const DEFAULT_ELO1: f64 = 10.0;
const DEFAULT_ERROR_RATE: f64 = 0.05;

impl SprtParam {
    /// Creates the test with these parameters, of which the last one of each kind counts. Missing
    /// ones are `elo0=0 elo1=10 alpha=0.05 beta=0.05`.
    ///
    /// # Errors
    /// If a difference is not a number, or if the parameters contradict each other.
    pub fn build_test(params: &[Self]) -> Result<Sprt, ConfigError> {
        let (mut elo0, mut elo1) = (DEFAULT_ELO0, DEFAULT_ELO1);
        let (mut alpha, mut beta) = (DEFAULT_ERROR_RATE, DEFAULT_ERROR_RATE);
        for param in params {
            match *param {
                Self::Elo0(points) => elo0 = points,
                Self::Elo1(points) => elo1 = points,
                Self::Alpha(rate) => alpha = rate,
                Self::Beta(rate) => beta = rate,
            }
        }
        build_sprt(elo0, elo1, alpha, beta)
    }

    /// Returns the error about a text with several parameters, which also names what else is wrong
    /// with them, so that it does not have to be corrected twice.
    fn error_of_several(text: &str) -> ParseArenaOptionError {
        let words = text.split(SPRT_SEPARATORS);
        let words = words.filter(|word| !word.is_empty());
        let params: Result<Vec<Self>, _> = words.map(str::parse).collect();
        ParseArenaOptionError::SeveralSprt {
            text: text.to_owned(),
            next: match params {
                Err(reason) => Some(reason.to_string()),
                Ok(params) => (Self::build_test(&params).err()).map(|reason| reason.to_string()),
            },
        }
    }
}

/// Creates a test from plain numbers.
pub(super) fn build_sprt(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Sprt, ConfigError> {
    let elo = |points| Elo::new(points).ok_or(ConfigError::InvalidElo(points));
    Ok(Sprt::new(elo(elo0)?, elo(elo1)?, alpha, beta)?)
}

impl TournamentFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::RoundRobin, Self::Gauntlet, Self::Swiss];

    /// Returns the name, which is also the JSON form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Gauntlet => "gauntlet",
            Self::Swiss => "swiss",
        }
    }
}

impl FromStr for TournamentFormat {
    type Err = ParseArenaOptionError;

    fn from_str(text: &str) -> Result<Self, ParseArenaOptionError> {
        let format = Self::ALL.into_iter().find(|format| format.as_str() == text);
        format.ok_or_else(|| ParseArenaOptionError::InvalidFormat(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_a_word_or_a_file() {
        let some = NonZeroUsize::new;
        for (text, openings) in [
            ("start", OpeningsOption::Start),
            ("plies:2", OpeningsOption::Plies(2)),
            ("random:6", OpeningsOption::Random(6)),
            ("balanced", OpeningsOption::Balanced(None)),
            ("balanced:50", OpeningsOption::Balanced(some(50))),
            (
                "my:openings.txt",
                OpeningsOption::File("my:openings.txt".into()),
            ),
        ] {
            assert_eq!(text.parse(), Ok(openings));
        }
        for text in [
            "",
            "balanced:",
            "balanced:0",
            "balanced:x",
            "plies:0",
            "plies:7",
            "random:0",
            "random:41",
        ] {
            assert!(text.parse::<OpeningsOption>().is_err(), "{text}");
        }
    }

    #[test]
    fn missing_parameters_of_a_test_have_defaults() {
        let params: Vec<SprtParam> = ["elo1=20", "beta=0.1"]
            .map(|text| text.parse().expect(text))
            .into();
        let test = SprtParam::build_test(&params).expect("a test");
        assert_eq!(test.elo1().to_string(), "+20.0");
        for text in ["", "elo1", "elo1=", "elo2=3", "alpha=x"] {
            assert!(text.parse::<SprtParam>().is_err(), "{text}");
        }
        let invalid: Vec<SprtParam> =
            vec!["elo1=nan".parse().expect("a float"), SprtParam::Elo0(0.0)];
        assert!(SprtParam::build_test(&invalid).is_err());
        assert!(SprtParam::build_test(&[SprtParam::Elo1(-5.0)]).is_err());
    }

    #[test]
    fn errors_of_test_parameters_say_what_is_wrong() {
        let several =
            "several parameters in one word: each needs a word of its own, as in elo0=0 elo1=10";
        let order = "elo1 must be greater than elo0, but +1.0 is not greater than +5.0";
        for (text, message) in [
            (
                "elo0=5 elo1=1",
                format!("`elo0=5 elo1=1`: {several}; and {order}"),
            ),
            (
                "elo0=5,elo1=1",
                format!("`elo0=5,elo1=1`: {several}; and {order}"),
            ),
            ("elo0=0 elo1=5", format!("`elo0=0 elo1=5`: {several}")),
            (
                "elo0=0 elo1=",
                format!("`elo0=0 elo1=`: {several}; and `` is no number"),
            ),
            ("elo0=0elo1=5", "`0elo1=5` is no number".to_owned()),
            ("elo1=ten", "`ten` is no number".to_owned()),
            (
                "elo2=3",
                "`elo2=3`: expected elo0=, elo1=, alpha= or beta= and a number".to_owned(),
            ),
        ] {
            let reason = text.parse::<SprtParam>().expect_err(text);
            assert_eq!(reason.to_string(), message);
        }
    }

    #[test]
    fn names_of_formats_are_their_json_form() {
        for format in TournamentFormat::ALL {
            assert_eq!(format.as_str().parse(), Ok(format));
            let json = serde_json::to_value(format).expect("a word");
            assert_eq!(json, format.as_str());
        }
        assert!("knockout".parse::<TournamentFormat>().is_err());
    }
}
