//! What the options of `kalah arena` have for values, beside times and contestants.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use kalah::SeedCount;
use kalah_arena::{Elo, PairingSystem, Sprt};
use kalah_players::escape_truncated;
use thiserror::Error;

/// Who plays whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TournamentFormat {
    /// In every round everybody plays a pair of games against everybody
    #[default]
    RoundRobin,
    /// In every round the first engine plays a pair of games against each of the others
    Gauntlet,
    /// In every round everybody plays a pair of games against somebody with about as many points
    Swiss,
}

/// How games begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningsOption {
    /// At the start itself.
    Start,
    /// With any so many plies.
    Plies(usize),
    /// With one of so many from the list of the board, as even as can be; as many as there are rounds, if it is not
    /// said.
    Balanced(Option<NonZeroUsize>),
    /// With one of the openings of a file.
    File(PathBuf),
}

/// Which positions are not played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjudication {
    /// Those with at most so many seeds in the houses.
    pub max_seeds: u8,
}

/// A part of a sequential test, such as `elo1=10`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SprtParam {
    /// What H0 claims.
    Elo0(f64),
    /// What H1 claims.
    Elo1(f64),
    /// How often H1 may be accepted wrongly.
    Alpha(f64),
    /// How often H0 may be accepted wrongly.
    Beta(f64),
}

/// Why a text is no value of such an option.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseArenaOptionError {
    /// No number of openings or plies.
    #[error("`{}`: expected a whole number from 1 to {max} behind the colon", escape_truncated(.text))]
    InvalidCount {
        /// The text.
        text: String,
        /// The most there can be.
        max: usize,
    },
    /// No name of a file.
    #[error("expected a file, balanced, balanced:K, plies:N or start")]
    MissingOpenings,
    /// No number of seeds.
    #[error("`{}`: expected seeds=N, N from 1 to {}", escape_truncated(.0), Adjudication::MAX_SEEDS)]
    InvalidSeeds(String),
    /// No part of a test.
    #[error("`{}`: expected elo0=, elo1=, alpha= or beta= and a number", escape_truncated(.0))]
    InvalidSprt(String),
}

/// All openings of more plies would fill the memory.
const MAX_OPENING_PLIES: usize = 6;

/// There are no longer lists.
const MAX_OPENINGS: usize = 1_000_000;

impl From<TournamentFormat> for PairingSystem {
    fn from(format: TournamentFormat) -> Self {
        match format {
            TournamentFormat::RoundRobin => Self::RoundRobin,
            TournamentFormat::Gauntlet => Self::Gauntlet,
            TournamentFormat::Swiss => Self::Swiss,
        }
    }
}

impl FromStr for OpeningsOption {
    type Err = ParseArenaOptionError;

    fn from_str(text: &str) -> Result<Self, ParseArenaOptionError> {
        let number = |digits: &str, most: usize| {
            let number: Option<NonZeroUsize> = digits.parse().ok();
            let number = number.filter(|number| number.get() <= most);
            number.ok_or_else(|| ParseArenaOptionError::InvalidCount {
                text: text.to_owned(),
                max: most,
            })
        };
        Ok(match text.split_once(':') {
            Some(("balanced", digits)) => Self::Balanced(Some(number(digits, MAX_OPENINGS)?)),
            Some(("plies", digits)) => Self::Plies(number(digits, MAX_OPENING_PLIES)?.get()),
            _ => match text {
                "" => return Err(ParseArenaOptionError::MissingOpenings),
                "start" => Self::Start,
                "balanced" => Self::Balanced(None),
                file => Self::File(file.into()),
            },
        })
    }
}

impl Adjudication {
    /// What is not played on in games of so many seeds, where nobody says otherwise: positions with a quarter of
    /// them, and no more than a table holds that takes a moment. There is nothing like that in the smallest games.
    pub fn default_for(seeds: SeedCount) -> Option<Self> {
        let seeds = (seeds.get() / 4).min(Self::MAX_DEFAULT_SEEDS.into());
        let seeds = u8::try_from(seeds).ok().filter(|&seeds| seeds > 0);
        seeds.map(|seeds| Self { max_seeds: seeds })
    }

    const MAX_DEFAULT_SEEDS: u8 = 12;

    /// A table with more takes long to build.
    pub const MAX_SEEDS: u8 = 20;
}

impl FromStr for Adjudication {
    type Err = ParseArenaOptionError;

    fn from_str(text: &str) -> Result<Self, ParseArenaOptionError> {
        let seeds = text
            .strip_prefix("seeds=")
            .and_then(|seeds| seeds.parse().ok());
        let possible = seeds.filter(|seeds| (1..=Self::MAX_SEEDS).contains(seeds));
        let wrong = || ParseArenaOptionError::InvalidSeeds(text.to_owned());
        possible
            .map(|seeds| Self { max_seeds: seeds })
            .ok_or_else(wrong)
    }
}

impl FromStr for SprtParam {
    type Err = ParseArenaOptionError;

    fn from_str(text: &str) -> Result<Self, ParseArenaOptionError> {
        let wrong = || ParseArenaOptionError::InvalidSprt(text.to_owned());
        let (key, number) = text.split_once('=').ok_or_else(wrong)?;
        let number: f64 = number.parse().map_err(|_| wrong())?;
        match key {
            "elo0" => Ok(Self::Elo0(number)),
            "elo1" => Ok(Self::Elo1(number)),
            "alpha" => Ok(Self::Alpha(number)),
            "beta" => Ok(Self::Beta(number)),
            _ => Err(wrong()),
        }
    }
}

impl SprtParam {
    /// The test of these parts, of which the last of a kind counts. What is not said is `elo0=0 elo1=10 alpha=0.05
    /// beta=0.05`.
    ///
    /// # Errors
    /// Why there is no such test.
    pub fn build_test(parts: &[Self]) -> Result<Sprt, String> {
        let (mut elo0, mut elo1, mut alpha, mut beta) = (0.0, 10.0, 0.05, 0.05);
        for part in parts {
            match *part {
                Self::Elo0(points) => elo0 = points,
                Self::Elo1(points) => elo1 = points,
                Self::Alpha(rate) => alpha = rate,
                Self::Beta(rate) => beta = rate,
            }
        }
        let elo = |points| Elo::new(points).ok_or_else(|| format!("{points} is no number of Elo"));
        Sprt::new(elo(elo0)?, elo(elo1)?, alpha, beta).map_err(|reason| reason.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_a_word_or_a_file() {
        let some = NonZeroUsize::new;
        for (text, mv) in [
            ("start", OpeningsOption::Start),
            ("plies:2", OpeningsOption::Plies(2)),
            ("balanced", OpeningsOption::Balanced(None)),
            ("balanced:50", OpeningsOption::Balanced(some(50))),
            (
                "my:openings.txt",
                OpeningsOption::File("my:openings.txt".into()),
            ),
        ] {
            assert_eq!(text.parse(), Ok(mv));
        }
        for text in [
            "",
            "balanced:",
            "balanced:0",
            "balanced:x",
            "plies:0",
            "plies:7",
        ] {
            assert!(text.parse::<OpeningsOption>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_test_has_what_is_not_said() {
        let parts: Vec<SprtParam> = ["elo1=20", "beta=0.1"]
            .map(|text| text.parse().expect(text))
            .into();
        let test = SprtParam::build_test(&parts).expect("a test");
        assert_eq!(test.elo1().to_string(), "+20.0");
        for text in ["", "elo1", "elo1=", "elo2=3", "alpha=x"] {
            assert!(text.parse::<SprtParam>().is_err(), "{text}");
        }
        let wrong: Vec<SprtParam> =
            vec!["elo1=nan".parse().expect("a float"), SprtParam::Elo0(0.0)];
        assert!(SprtParam::build_test(&wrong).is_err());
        assert!(SprtParam::build_test(&[SprtParam::Elo1(-5.0)]).is_err());
    }

    #[test]
    fn adjudication_has_its_bounds() {
        for (seeds, most) in [(48, Some(12)), (98, Some(12)), (24, Some(6)), (3, None)] {
            let of_game = Adjudication::default_for(SeedCount::new(seeds).expect("few"));
            assert_eq!(of_game.map(|of_game| of_game.max_seeds), most);
        }
        assert_eq!("seeds=12".parse(), Ok(Adjudication { max_seeds: 12 }));
        for text in ["", "12", "seeds=", "seeds=0", "seeds=21", "seeds=999"] {
            assert!(text.parse::<Adjudication>().is_err(), "{text}");
        }
    }
}
