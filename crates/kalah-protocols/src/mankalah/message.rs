//! Messages and boards of ManKalah.

use std::fmt;
use std::str::FromStr;

use kalah::{BySide, FirstPlies, House, Move, Position, Rules, Setup, SetupError, Side};
use thiserror::Error;

use super::MAX_LINE_CHARS;
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

/// A board as it is sent: North's houses and store, then South's, each row in its own sowing order. Whose turn
/// it is the line around it tells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MankalahBoard {
    stores: BySide<u64>,
    rows: BySide<Vec<u64>>,
}

impl MankalahBoard {
    /// The position that it means when `to_move` is to answer.
    ///
    /// # Errors
    /// Why it cannot be played.
    pub fn position(&self, to_move: Side, opening: FirstPlies) -> Result<Position, SetupError> {
        let setup = Setup {
            stores: self.stores,
            rows: self.rows.clone(),
            to_move,
            first_plies: opening,
        };
        setup.position(Rules::MANKALAH)
    }
}

impl MankalahBoard {
    /// Houses a side, and all seeds.
    pub(crate) fn houses_and_seeds(&self) -> [u64; 2] {
        let row = |side| self.rows[side].iter().copied();
        let seeds = Side::ALL.into_iter().flat_map(row);
        let seeds = seeds.chain(Side::ALL.map(|side| self.stores[side]));
        [
            self.rows.south.len() as u64,
            seeds.fold(0, u64::saturating_add),
        ]
    }
}

impl From<&Position> for MankalahBoard {
    fn from(position: &Position) -> Self {
        let Setup { stores, rows, .. } = Setup::from(position);
        Self { stores, rows }
    }
}

/// The order of the sides on the board.
const SIDE_ORDER: [Side; 2] = [Side::North, Side::South];

impl fmt::Display for MankalahBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, side) in SIDE_ORDER.into_iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}")?;
            for seeds in &self.rows[side] {
                write!(f, "{seeds},")?;
            }
            self.stores[side].fmt(f)?;
        }
        Ok(())
    }
}

impl FromStr for MankalahBoard {
    type Err = ParseMankalahError;

    fn from_str(text: &str) -> Result<Self, ParseMankalahError> {
        let wrong = || ParseMankalahError::Board(text.to_owned());
        let numbers: Vec<u64> = text
            .split(',')
            .map(|word| parse_number(word).ok_or_else(wrong))
            .collect::<Result<_, _>>()?;
        if !numbers.len().is_multiple_of(SIDE_ORDER.len()) || numbers.len() < MIN_NUMBERS {
            return Err(wrong());
        }
        let mut halves = numbers.chunks(numbers.len() / SIDE_ORDER.len());
        let mut half = || {
            let half = halves.next().and_then(<[u64]>::split_last);
            half.map_or((0, Vec::new()), |(&store, row)| (store, row.to_vec()))
        };
        let (north, south) = (half(), half());
        Ok(Self {
            stores: BySide::new(south.0, north.0),
            rows: BySide::new(south.1, north.1),
        })
    }
}

/// A house and a store a side.
const MIN_NUMBERS: usize = 4;

/// A number of seeds or of a house, without a sign.
fn parse_number(word: &str) -> Option<u64> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| word.parse().ok()).flatten()
}
