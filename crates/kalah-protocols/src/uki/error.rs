use std::fmt;

use kalah::{IllegalMove, ParseRulesError, ParseSetupReason, SetupError, Side};
use thiserror::Error;

use super::NamedChoice;
use crate::Quoted;

/// Why a line is no message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    /// There is nothing on it.
    #[error("the line is empty: {0} is awaited")]
    Empty(Awaited),
    /// Something else than what can stand there.
    #[error("{found}: {awaited} is awaited here")]
    Unexpected {
        /// What stands there.
        found: Quoted,
        /// What can.
        awaited: Awaited,
    },
    /// The line ends too soon.
    #[error("the line ends where {0} is awaited")]
    Missing(Awaited),
    /// Something is said more than once.
    #[error("{0} is given twice")]
    Twice(Quoted),
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
    #[error("ply {ply}, `{choice}`: {to_move} is to move")]
    WrongSide {
        /// The number of the ply in the line, from 1.
        ply: usize,
        /// What was chosen.
        choice: NamedChoice,
        /// Who was to choose.
        to_move: Side,
    },
    /// A choice that is against the rules.
    #[error("ply {ply}, `{choice}`: {reason}")]
    Illegal {
        /// The number of the ply in the line, from 1.
        ply: usize,
        /// What was chosen.
        choice: NamedChoice,
        /// Why it cannot be.
        reason: IllegalMove,
    },
}

/// What can stand at some place of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Awaited {
    /// A message of a host.
    HostMessage,
    /// A message of an engine.
    EngineMessage,
    /// Nothing more.
    End,
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
    Truth,
    /// One of the values that were offered.
    OfferedValue,
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
    Choice,
    /// A choice, or `none`.
    ChoiceOrNone,
    /// A limit of a search.
    Limit,
    /// The other side's time.
    OtherTime,
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

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::HostMessage => "uki, isready, newgame, setoption, position, go, stop or quit",
            Self::EngineMessage => "id, option, ukiok, readyok, info, bestmove or error",
            Self::End => "the end of the line",
            Self::OptionName => "the name of an option, one word",
            Self::Name => "the word name",
            Self::NameOrAuthor => "name or author",
            Self::Value => "the word value, or the end of the line,",
            Self::Type => "the word type",
            Self::OptionType => "spin, check, combo, string or button",
            Self::OptionValues => "default, min, max or var, as the type has them,",
            Self::Truth => "true or false",
            Self::OfferedValue => "a default that is among the values offered",
            Self::Range => "a default between min and max",
            Self::Position => "a position such as <3,0,0,2,2,2,2,2,2> s, or startpos MxN,",
            Self::Start => "a start such as 6x4",
            Self::Rules => "a rule set",
            Self::RulesOrMoves => "rules, moves or the end of the line",
            Self::Choice => "a sowing such as C or b, or swap,",
            Self::ChoiceOrNone => "a sowing such as C or b, swap or none",
            Self::Limit => "movetime, nodes, depth, stime, ntime, sinc, ninc or infinite",
            Self::OtherTime => "the time of both sides, stime and ntime,",
            Self::Times => "stime and ntime, as there is an increment,",
            Self::Number => "a whole number",
            Self::Milliseconds => "a whole number of milliseconds",
            Self::GainOrExact => "gain or exact",
            Self::Gain => "a number of seeds such as +8",
        })
    }
}
