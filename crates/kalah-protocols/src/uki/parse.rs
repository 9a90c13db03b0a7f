//! Errors and tokens of a line.

use std::fmt;
use std::str::FromStr;

use kalah::{IllegalMove, ParseRulesError, ParseSetupReason, SetupError, Side};
use thiserror::Error;

use super::UkiMove;
use crate::Quoted;

/// Why a line is no message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseUkiError {
    /// There is nothing on it.
    #[error("the line is empty: {0} is awaited")]
    Empty(Expected),
    /// Something else than what can stand there.
    #[error("{found}: {expected} is awaited here")]
    Unexpected {
        /// What stands there.
        found: Quoted,
        /// What can.
        expected: Expected,
    },
    /// The line ends too soon.
    #[error("the line ends where {0} is awaited")]
    Missing(Expected),
    /// Something is said more than once.
    #[error("{0} is given twice")]
    Duplicate(Quoted),
    /// What should be a position is none.
    #[error("position {text}: {reason}")]
    Position {
        /// What stands there.
        text: Quoted,
        /// What is wrong with it.
        reason: ParseSetupReason,
    },
    /// A position that cannot be played.
    #[error("position {text}: {reason}")]
    Unplayable {
        /// What stands there.
        text: Quoted,
        /// Why it cannot.
        reason: SetupError,
    },
    /// What should be rules is none.
    #[error(transparent)]
    Rules(ParseRulesError),
    /// A sowing of the side that is not to move.
    #[error("ply {ply}, `{mv}`: {to_move} is to move")]
    WrongSide {
        /// The number of the ply in the line, from 1.
        ply: usize,
        /// What was chosen.
        mv: UkiMove,
        /// Who was to choose.
        to_move: Side,
    },
    /// A choice that is against the rules.
    #[error("ply {ply}, `{mv}`: {reason}")]
    Illegal {
        /// The number of the ply in the line, from 1.
        ply: usize,
        /// What was chosen.
        mv: UkiMove,
        /// Why it cannot be.
        reason: IllegalMove,
    },
}

/// What can stand at some place of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// A message of a host.
    HostMessage,
    /// A message of an engine.
    EngineMessage,
    /// Nothing more.
    EndOfLine,
    /// The name of an option.
    OptionName,
    /// The word `name`.
    Name,
    /// The word `name` or the word `author`.
    NameOrAuthor,
    /// The word `value`, or the end of the line.
    Value,
    /// The word `type`.
    Type,
    /// A type of options.
    OptionType,
    /// The default value of an option and, for some types, what else it can be.
    OptionValues,
    /// `true` or `false`.
    Bool,
    /// One of the values that were offered.
    ComboValue,
    /// The least value, the default and the most, in order of size.
    Range,
    /// A position.
    Position,
    /// A start, such as `6x4`.
    Start,
    /// Rules.
    Rules,
    /// The words `rules` or `moves`, or the end of the line.
    RulesOrMoves,
    /// A choice.
    Move,
    /// A choice, or `none`.
    MoveOrNone,
    /// A limit of a search.
    Limit,
    /// The other side's time.
    BothTimes,
    /// Times, as there is an increment.
    Times,
    /// A whole number.
    Number,
    /// A number of milliseconds.
    Milliseconds,
    /// `gain` or `exact`.
    GainOrExact,
    /// A gain in seeds.
    Gain,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::HostMessage => "uki, isready, newgame, setoption, position, go, stop or quit",
            Self::EngineMessage => "id, option, ukiok, readyok, info, bestmove or error",
            Self::EndOfLine => "the end of the line",
            Self::OptionName => "the name of an option, one word",
            Self::Name => "the word name",
            Self::NameOrAuthor => "name or author",
            Self::Value => "the word value, or the end of the line,",
            Self::Type => "the word type",
            Self::OptionType => "spin, check, combo, string or button",
            Self::OptionValues => "default, min, max or var, as the type has them,",
            Self::Bool => "true or false",
            Self::ComboValue => "a default that is among the values offered",
            Self::Range => "a default between min and max",
            Self::Position => "a position such as <3,0,0,2,2,2,2,2,2> s, or startpos MxN,",
            Self::Start => "a start such as 6x4",
            Self::Rules => "a rule set",
            Self::RulesOrMoves => "rules, moves or the end of the line",
            Self::Move => "a sowing such as C or b, or swap,",
            Self::MoveOrNone => "a sowing such as C or b, swap or none",
            Self::Limit => "movetime, nodes, depth, stime, ntime, sinc, ninc or infinite",
            Self::BothTimes => "the time of both sides, stime and ntime,",
            Self::Times => "stime and ntime, as there is an increment,",
            Self::Number => "a whole number",
            Self::Milliseconds => "a whole number of milliseconds",
            Self::GainOrExact => "gain or exact",
            Self::Gain => "a number of seeds such as +8",
        })
    }
}

/// What is left of a line, taken word by word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self {
            rest: line.trim_matches(is_blank),
        }
    }

    /// The next word, which stays there.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.rest.split(is_blank).find(|word| !word.is_empty())
    }

    /// The next word.
    pub(super) fn next_token(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        self.rest = self.rest[word.len()..].trim_start_matches(is_blank);
        Some(word)
    }

    /// The next word, where there must be one.
    pub(super) fn require(&mut self, awaited: Expected) -> Result<&'a str, ParseUkiError> {
        self.next_token().ok_or(ParseUkiError::Missing(awaited))
    }

    /// Goes past a word that must be there.
    pub(super) fn require_keyword(
        &mut self,
        word: &str,
        awaited: Expected,
    ) -> Result<(), ParseUkiError> {
        match self.require(awaited)? {
            found if found == word => Ok(()),
            found => Err(unexpected(found, awaited)),
        }
    }

    /// The next word as a number.
    pub(super) fn parse_number<N: FromStr>(
        &mut self,
        awaited: Expected,
    ) -> Result<N, ParseUkiError> {
        let word = self.require(awaited)?;
        word.parse().map_err(|_| unexpected(word, awaited))
    }

    /// The next word as a number without a sign.
    pub(super) fn parse_unsigned<N: FromStr>(
        &mut self,
        awaited: Expected,
    ) -> Result<N, ParseUkiError> {
        let word = self.require(awaited)?;
        parse_unsigned(word).ok_or_else(|| unexpected(word, awaited))
    }

    /// All that is left, without blanks at its ends.
    pub(super) fn rest(self) -> &'a str {
        self.rest
    }

    /// What is left up to the first of these words, or to the end of the line, without blanks at its ends.
    pub(super) fn take_until(&mut self, ends: &[&str]) -> &'a str {
        let start = self.rest;
        while self.peek().is_some_and(|word| !ends.contains(&word)) {
            self.next_token();
        }
        start[..start.len() - self.rest.len()].trim_end_matches(is_blank)
    }

    /// That nothing is left.
    pub(super) fn expect_end(self) -> Result<(), ParseUkiError> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(unexpected(word, Expected::EndOfLine)),
        }
    }
}

/// What parts words: blanks, tabs, and a carriage return before the end of the line.
fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

/// Digits as a number.
pub(super) fn parse_unsigned<N: FromStr>(word: &str) -> Option<N> {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| digits)
}

pub(super) fn unexpected(found: &str, awaited: Expected) -> ParseUkiError {
    ParseUkiError::Unexpected {
        found: Quoted::new(found),
        expected: awaited,
    }
}

/// Puts a value where there was none.
pub(super) fn set_once<T>(
    place: &mut Option<T>,
    value: T,
    word: &str,
) -> Result<(), ParseUkiError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(ParseUkiError::Duplicate(Quoted::new(word))),
    }
}
