use std::fmt;
use std::str::FromStr;

use kalah::{House, Move, Side};
use thiserror::Error;

use super::board::number;
use super::{Board, MOST_CHARACTERS};
use crate::Quoted;

/// What an engine says to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EngineMessage {
    /// `START;South`: a game begins, and the agent sits on this side. South begins.
    Start(Side),
    /// `CHANGE;3;…;YOU`: something was done, by the agent itself or by the other one.
    Change {
        /// What was done.
        choice: Move,
        /// The board after it.
        board: Board,
        /// What follows.
        next: Next,
    },
    /// `END`: the game is over, and the agent may go.
    End,
}

/// What follows a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// `YOU`: the agent that is told of it has to answer.
    You,
    /// `OPP`: the other one has.
    Opponent,
    /// `END`: nobody has, the game is over.
    End,
}

/// What an agent says: `MOVE;3`, or `SWAP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AgentMessage(pub Move);

/// Why a line says nothing that is understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseMessageError {
    /// No line of an engine.
    #[error(
        "{} is no message of an engine: expected START;South, START;North, CHANGE;<1..n|SWAP>;<board>;<YOU|OPP|END> or END",
        Quoted::new(.0)
    )]
    Engine(String),
    /// No line of an agent.
    #[error("{} is no message of an agent: expected MOVE;<1..n> or SWAP", Quoted::new(.0))]
    Agent(String),
    /// No board in a line of an engine.
    #[error(
        "{} is no board: expected North's houses and store, then South's, with commas between the numbers",
        Quoted::new(.0)
    )]
    Board(String),
    /// Longer than any line.
    #[error("{}: a line has {MOST_CHARACTERS} characters at most", Quoted::new(.0))]
    TooLong(String),
}

const SWAP: &str = "SWAP";

/// A line without its end, if it is no longer than lines may be.
fn line(text: &str) -> Result<&str, ParseMessageError> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    // Programs on Windows end their lines so.
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.chars().nth(MOST_CHARACTERS).is_some() {
        return Err(ParseMessageError::TooLong(text.to_owned()));
    }
    Ok(text)
}

/// A house by its number from 1, or the swap.
fn choice(text: &str) -> Option<Move> {
    if text == SWAP {
        return Some(Move::Swap);
    }
    let house = House::new(number(text)?.try_into().ok()?)?;
    Some(Move::Sow(house))
}

impl FromStr for EngineMessage {
    type Err = ParseMessageError;

    fn from_str(text: &str) -> Result<Self, ParseMessageError> {
        let text = line(text)?;
        let wrong = || ParseMessageError::Engine(text.to_owned());
        let parts: Vec<&str> = text.splitn(CHANGE_PARTS + 1, ';').collect();
        Ok(match *parts {
            ["START", "South"] => Self::Start(Side::South),
            ["START", "North"] => Self::Start(Side::North),
            ["END"] => Self::End,
            ["CHANGE", made, board, next] => Self::Change {
                choice: choice(made).ok_or_else(wrong)?,
                board: board.parse()?,
                next: match next {
                    "YOU" => Next::You,
                    "OPP" => Next::Opponent,
                    "END" => Next::End,
                    _ => return Err(wrong()),
                },
            },
            _ => return Err(wrong()),
        })
    }
}

/// Parts of the longest message.
const CHANGE_PARTS: usize = 4;

impl fmt::Display for EngineMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(side) => write!(f, "START;{side}"),
            Self::Change {
                choice,
                board,
                next,
            } => {
                f.write_str("CHANGE;")?;
                match choice {
                    Move::Sow(house) => house.fmt(f)?,
                    Move::Swap => f.write_str(SWAP)?,
                }
                let next = match next {
                    Next::You => "YOU",
                    Next::Opponent => "OPP",
                    Next::End => "END",
                };
                write!(f, ";{board};{next}")
            }
            Self::End => f.write_str("END"),
        }
    }
}

impl FromStr for AgentMessage {
    type Err = ParseMessageError;

    fn from_str(text: &str) -> Result<Self, ParseMessageError> {
        let text = line(text)?;
        let choice = match text.strip_prefix("MOVE;") {
            Some(SWAP) => None,
            Some(house) => choice(house),
            None => (text == SWAP).then_some(Move::Swap),
        };
        choice
            .map(Self)
            .ok_or_else(|| ParseMessageError::Agent(text.to_owned()))
    }
}

impl fmt::Display for AgentMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Move::Sow(house) => write!(f, "MOVE;{house}"),
            Move::Swap => f.write_str(SWAP),
        }
    }
}
