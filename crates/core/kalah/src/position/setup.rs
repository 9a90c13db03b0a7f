//! Setups, which are positions that may be invalid, and their text.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::message_text::{Quoted, format_count};
use crate::rules::FirstPlies;
use crate::side::{BySide, Side};
use crate::types::House;

/// The parts of a position, not validated.
///
/// [`Setup::position`] validates them and returns a playable [`Position`](crate::Position).
///
/// The text is `<m,south store,north store,south houses 1..m,north houses 1..m> s|n`, both rows in
/// sowing order. `MxN` is the start with M houses a side and N seeds in each:
///
/// ```
/// use kalah::{Rules, Setup};
/// let setup: Setup = "<3,1,0, 2,2,0, 2,2,3> n".parse()?;
/// assert_eq!(setup.to_string(), "<3,1,0,2,2,0,2,2,3> n");
/// let start = "6x4".parse::<Setup>()?.position(Rules::CS32)?;
/// assert_eq!(start.to_string(), "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// Seeds in each store.
    pub stores: BySide<u64>,
    /// Seeds in each house, in the owner's sowing order.
    pub rows: BySide<Vec<u64>>,
    /// The side to move.
    pub to_move: Side,
    /// The phase of the game, for rules that depend on it.
    pub first_plies: FirstPlies,
}

/// A reason why a [`Setup`] is not a valid position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SetupProblem {
    /// A row has no houses.
    #[error("a row has no houses: it must have from 1 to 26")]
    NoHouses,
    /// A row has more houses than the alphabet has letters.
    #[error("{0} houses a side are too many: at most 26 can be played")]
    TooManyHouses(usize),
    /// The rows differ in length.
    #[error("South has {south} houses and North {north}: both rows must be of one length")]
    UnequalRows {
        /// South's number of houses.
        south: usize,
        /// North's number of houses.
        north: usize,
    },
    /// There are more seeds, stores included, than a position holds.
    #[error("{0} seeds are too many: at most 65535 can be played, stores included")]
    TooManySeeds(u128),
}

/// All reasons why a [`Setup`] is not a valid position, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupError(pub(crate) Vec<SetupProblem>);

impl SetupError {
    /// Returns the reasons, in the order in which they are checked.
    pub fn problems(&self) -> &[SetupProblem] {
        &self.0
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for SetupError {}

impl Setup {
    /// Creates the start of a game: `houses` a side, `seeds` in each, empty stores, South to move,
    /// ply 1.
    pub fn start(houses: u8, seeds: u64) -> Self {
        let row = vec![seeds; houses.into()];
        Self {
            stores: BySide::new(0, 0),
            rows: BySide::new(row.clone(), row),
            to_move: Side::South,
            first_plies: FirstPlies::PlyOne,
        }
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<{},{},{}",
            self.rows.south.len(),
            self.stores.south,
            self.stores.north
        )?;
        for seeds in self.rows.south.iter().chain(&self.rows.north) {
            write!(f, ",{seeds}")?;
        }
        f.write_str(match self.to_move {
            Side::South => "> s",
            Side::North => "> n",
        })?;
        f.write_str(match self.first_plies {
            FirstPlies::PlyOne => " ply=1",
            FirstPlies::PlyTwo => " ply=2",
            FirstPlies::Later => "",
        })
    }
}

/// The maximum number of characters of a text that its error quotes: more than any valid position
/// takes.
const MAX_QUOTED_CHARS: usize = 400;

/// An error in the text of a [`Setup`], with its location.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "position {}, character {character}: {reason}",
    Quoted::with_max_chars(text, MAX_QUOTED_CHARS)
)]
pub struct ParseSetupError {
    /// The whole text.
    pub text: String,
    /// The location in the text, in characters from 1.
    pub character: usize,
    /// The error at that location.
    pub reason: ParseSetupReason,
}

/// The kinds of errors in the text of a [`Setup`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseSetupReason {
    /// The text has neither of the two forms.
    #[error(
        "expected a start such as 6x4, or '<m,south store,north store,south houses,north houses> s|n'"
    )]
    UnknownFormat,
    /// A word that should be a number has other characters than digits.
    #[error("{0} is not a number of houses or seeds")]
    NotANumber(Quoted),
    /// There is no character where a number should be.
    #[error("a number of houses or seeds is missing")]
    MissingNumber,
    /// A number needs more than 64 bits.
    #[error("{0} is too large")]
    TooLarge(Quoted),
    /// The closing `>` is missing.
    #[error("the closing > is missing")]
    Unclosed,
    /// The number of houses does not fit the number of counts that follow it.
    #[error(
        "expected {expected} numbers after the first for {} a side, found {found}",
        format_count(*houses, "house")
    )]
    WrongLength {
        /// Houses a side, the first number.
        houses: u64,
        /// The number of counts that should follow it.
        expected: u128,
        /// The number of counts that follow it.
        found: usize,
    },
    /// The number of houses of a start is invalid.
    #[error(transparent)]
    InvalidStart(SetupProblem),
    /// A word other than a side and a ply follows the houses.
    #[error("{0} is neither a side (s or n) nor ply=1 or ply=2, in this order")]
    Trailing(Quoted),
}

impl FromStr for Setup {
    type Err = ParseSetupError;

    fn from_str(text: &str) -> Result<Self, ParseSetupError> {
        let fail = |at: &str, reason| {
            // `at` is a part of `text`: the difference of their addresses is its offset.
            let offset = (at.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
            ParseSetupError {
                text: text.to_owned(),
                character: text
                    .char_indices()
                    .take_while(|&(index, _)| index < offset)
                    .count()
                    + 1,
                reason,
            }
        };
        let trimmed = text.trim();
        let (mut setup, tail) = if let Some(inner) = trimmed.strip_prefix('<') {
            let (numbers, tail) = inner
                .split_once('>')
                .ok_or_else(|| fail(&trimmed[trimmed.len()..], ParseSetupReason::Unclosed))?;
            let setup = parse_literal(numbers).map_err(|(at, reason)| fail(at, reason))?;
            (setup, tail)
        } else {
            let (start, tail) = match trimmed.split_once(char::is_whitespace) {
                Some((start, tail)) => (start, tail),
                None => (trimmed, &trimmed[trimmed.len()..]),
            };
            let setup = parse_start(start).map_err(|(at, reason)| fail(at, reason))?;
            (setup, tail)
        };

        let mut words = tail.split_whitespace().peekable();
        if let Some(side) = words.peek().and_then(|word| match *word {
            "s" => Some(Side::South),
            "n" => Some(Side::North),
            _ => None,
        }) {
            setup.to_move = side;
            words.next();
        }
        if let Some(first_plies) = words.peek().and_then(|word| match *word {
            "ply=1" => Some(FirstPlies::PlyOne),
            "ply=2" => Some(FirstPlies::PlyTwo),
            _ => None,
        }) {
            setup.first_plies = first_plies;
            words.next();
        }
        match words.next() {
            Some(word) => Err(fail(word, ParseSetupReason::Trailing(Quoted::new(word)))),
            None => Ok(setup),
        }
    }
}

type LocatedReason<'a> = (&'a str, ParseSetupReason);

fn parse_number(word: &str) -> Result<u64, LocatedReason<'_>> {
    // `u64::from_str` accepts a plus sign, which a position may not have.
    let reason = if word.is_empty() {
        ParseSetupReason::MissingNumber
    } else if !word.bytes().all(|byte| byte.is_ascii_digit()) {
        ParseSetupReason::NotANumber(Quoted::new(word))
    } else if let Ok(number) = word.parse() {
        return Ok(number);
    } else {
        ParseSetupReason::TooLarge(Quoted::new(word))
    };
    Err((word, reason))
}

/// Parses the `m,S,N,s1..sm,n1..nm` between the brackets. South is to move, at a later ply.
fn parse_literal(inner: &str) -> Result<Setup, LocatedReason<'_>> {
    let numbers = inner
        .split(',')
        .map(|word| parse_number(word.trim()))
        .collect::<Result<Vec<u64>, _>>()?;
    let (houses, rest) = (numbers[0], &numbers[1..]);
    let expected = u128::from(houses) * 2 + 2;
    if rest.len() as u128 != expected {
        let reason = ParseSetupReason::WrongLength {
            houses,
            expected,
            found: rest.len(),
        };
        return Err((inner, reason));
    }
    let (stores, rows) = rest.split_at(2);
    let (south, north) = rows.split_at(rows.len() / 2);
    Ok(Setup {
        stores: BySide::new(stores[0], stores[1]),
        rows: BySide::new(south.to_vec(), north.to_vec()),
        to_move: Side::South,
        first_plies: FirstPlies::Later,
    })
}

/// Parses `MxN`.
fn parse_start(start: &str) -> Result<Setup, LocatedReason<'_>> {
    let (houses, seeds) = start
        .split_once('x')
        .ok_or((start, ParseSetupReason::UnknownFormat))?;
    if houses.is_empty() || seeds.is_empty() {
        return Err((start, ParseSetupReason::UnknownFormat));
    }
    let seeds = parse_number(seeds)?;
    let number = parse_number(houses)?;
    match u8::try_from(number) {
        Ok(0) => Err((
            houses,
            ParseSetupReason::InvalidStart(SetupProblem::NoHouses),
        )),
        Ok(number) if number <= House::MAX => Ok(Setup::start(number, seeds)),
        _ => {
            let number = usize::try_from(number).unwrap_or(usize::MAX);
            let problem = SetupProblem::TooManyHouses(number);
            Err((houses, ParseSetupReason::InvalidStart(problem)))
        }
    }
}
