use std::fmt;
use std::str::FromStr;

use kalah::{House, Move, Side};
use thiserror::Error;

use super::board::parse_number;
use super::{MAX_LINE_CHARS, MankalahBoard};
use crate::Quoted;

/// What an engine says to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MankalahEngineMessage {
    /// `START;South`: a game begins, and the agent sits on this side. South begins.
    Start(Side),
    /// `CHANGE;3;…;YOU`: something was done, by the agent itself or by the other one.
    Change {
        /// What was done.
        mv: Move,
        /// The board after it.
        board: MankalahBoard,
        /// What follows.
        next: NextTurn,
    },
    /// `END`: the game is over, and the agent may go.
    End,
}

/// What follows a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NextTurn {
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
pub enum ParseMankalahError {
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
    #[error("{}: a line has {MAX_LINE_CHARS} characters at most", Quoted::new(.0))]
    TooLong(String),
}

const SWAP: &str = "SWAP";

/// A line without its end, if it is no longer than lines may be.
fn strip_line_end(text: &str) -> Result<&str, ParseMankalahError> {
    let text = text.strip_suffix('\n').unwrap_or(text);
    // Programs on Windows end their lines so.
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.chars().nth(MAX_LINE_CHARS).is_some() {
        return Err(ParseMankalahError::TooLong(text.to_owned()));
    }
    Ok(text)
}

/// A house by its number from 1, or the swap.
fn parse_move(text: &str) -> Option<Move> {
    if text == SWAP {
        return Some(Move::Swap);
    }
    let house = House::new(parse_number(text)?.try_into().ok()?)?;
    Some(Move::Sow(house))
}

impl FromStr for MankalahEngineMessage {
    type Err = ParseMankalahError;

    fn from_str(text: &str) -> Result<Self, ParseMankalahError> {
        let text = strip_line_end(text)?;
        let wrong = || ParseMankalahError::Engine(text.to_owned());
        let parts: Vec<&str> = text.splitn(CHANGE_PARTS + 1, ';').collect();
        Ok(match *parts {
            ["START", "South"] => Self::Start(Side::South),
            ["START", "North"] => Self::Start(Side::North),
            ["END"] => Self::End,
            ["CHANGE", made, board, next] => Self::Change {
                mv: parse_move(made).ok_or_else(wrong)?,
                board: board.parse()?,
                next: match next {
                    "YOU" => NextTurn::You,
                    "OPP" => NextTurn::Opponent,
                    "END" => NextTurn::End,
                    _ => return Err(wrong()),
                },
            },
            _ => return Err(wrong()),
        })
    }
}

/// Parts of the longest message.
const CHANGE_PARTS: usize = 4;

impl fmt::Display for MankalahEngineMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(side) => write!(f, "START;{side}"),
            Self::Change { mv, board, next } => {
                f.write_str("CHANGE;")?;
                match mv {
                    Move::Sow(house) => house.fmt(f)?,
                    Move::Swap => f.write_str(SWAP)?,
                }
                let next = match next {
                    NextTurn::You => "YOU",
                    NextTurn::Opponent => "OPP",
                    NextTurn::End => "END",
                };
                write!(f, ";{board};{next}")
            }
            Self::End => f.write_str("END"),
        }
    }
}

impl FromStr for AgentMessage {
    type Err = ParseMankalahError;

    fn from_str(text: &str) -> Result<Self, ParseMankalahError> {
        let text = strip_line_end(text)?;
        let mv = match text.strip_prefix("MOVE;") {
            Some(SWAP) => None,
            Some(house) => parse_move(house),
            None => (text == SWAP).then_some(Move::Swap),
        };
        mv.map(Self)
            .ok_or_else(|| ParseMankalahError::Agent(text.to_owned()))
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
