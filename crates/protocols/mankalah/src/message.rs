//! The messages of the engine and of agents, and the boards that they carry.

use std::fmt;
use std::str::FromStr;

use kalah::{BySide, FirstPlies, House, Move, Position, Quoted, Rules, Setup, SetupError, Side};
use thiserror::Error;

/// The number of houses a side in the course's games.
pub const HOUSES: u8 = 7;

/// The number of seeds in each house at the start of the course's games.
pub const SEEDS: u64 = 7;

/// The maximum number of characters of a line, without its end.
pub const MAX_LINE_CHARS: usize = 16_384;

/// A message from the engine to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MankalahEngineMessage {
    /// `START;South`: a game begins, and the agent plays this side. South moves first.
    Start(Side),
    /// `CHANGE;3;…;YOU`: a move of either agent.
    Change {
        /// The move.
        mv: Move,
        /// The board after the move.
        board: MankalahBoard,
        /// The agent that moves next.
        next: NextTurn,
    },
    /// `END`: the game is over, and the agent can exit.
    End,
}

/// The agent that moves next, as the recipient of a message sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NextTurn {
    /// `YOU`: the recipient.
    You,
    /// `OPP`: the other agent.
    Opponent,
    /// `END`: neither, because the game is over.
    End,
}

/// A message from an agent to the engine: `MOVE;3` or `SWAP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AgentMessage(pub Move);

/// An error of parsing a message. Each variant keeps the text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseMankalahError {
    /// The line is not a message of an engine.
    #[error(
        "{} is not an engine message: expected START;South, START;North, \
         CHANGE;<1..n|SWAP>;<board>;<YOU|OPP|END> or END",
        Quoted::new(.0)
    )]
    Engine(String),
    /// The line is not a message of an agent.
    #[error("{} is not an agent message: expected MOVE;<1..n> or SWAP", Quoted::new(.0))]
    Agent(String),
    /// The board in a message of an engine is malformed.
    #[error(
        "{} is not a board: expected North's houses and store, then South's, \
         with commas between the numbers",
        Quoted::new(.0)
    )]
    Board(String),
    /// The line has more than [`MAX_LINE_CHARS`] characters.
    #[error("{}: a line has {MAX_LINE_CHARS} characters at most", Quoted::new(.0))]
    TooLong(String),
}

const SWAP: &str = "SWAP";

/// The number of fields of the longest message, `CHANGE`.
const CHANGE_FIELDS: usize = 4;

impl FromStr for MankalahEngineMessage {
    type Err = ParseMankalahError;

    fn from_str(text: &str) -> Result<Self, ParseMankalahError> {
        let text = text.strip_suffix('\n').unwrap_or(text);
        // The course's engine sends LF alone; others may end their lines as Windows does.
        let text = text.strip_suffix('\r').unwrap_or(text);
        check_length(text)?;
        let error = || ParseMankalahError::Engine(text.to_owned());
        let fields: Vec<&str> = text.splitn(CHANGE_FIELDS + 1, ';').collect();
        Ok(match *fields {
            ["START", "South"] => Self::Start(Side::South),
            ["START", "North"] => Self::Start(Side::North),
            ["END"] => Self::End,
            ["CHANGE", mv, board, next] => Self::Change {
                mv: parse_move(mv).ok_or_else(error)?,
                board: board.parse()?,
                next: match next {
                    "YOU" => NextTurn::You,
                    "OPP" => NextTurn::Opponent,
                    "END" => NextTurn::End,
                    _ => return Err(error()),
                },
            },
            _ => return Err(error()),
        })
    }
}

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

    /// Parses a line with or without its LF, as the engine of the course does: it reads numbers by
    /// Java's `Integer.parseInt`, so that `MOVE;+6` is a message. A CR before the LF is part of the
    /// line, so that neither `MOVE;6` nor `SWAP` with CR LF is a message.
    fn from_str(text: &str) -> Result<Self, ParseMankalahError> {
        let text = text.strip_suffix('\n').unwrap_or(text);
        check_length(text)?;
        let mv = match text.strip_prefix("MOVE;") {
            Some(number) => parse_house(number.strip_prefix('+').unwrap_or(number)).map(Move::Sow),
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

/// A board of a message: the stores and the houses of both sides. The message around it tells which
/// side is to move.
///
/// The text form is North's houses and store, then South's, each row in its own sowing order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MankalahBoard {
    stores: BySide<u64>,
    rows: BySide<Vec<u64>>,
}

impl MankalahBoard {
    /// Returns the position in which `to_move` is to move.
    ///
    /// # Errors
    /// If the board cannot be played, for example because it has too many seeds.
    pub fn position(&self, to_move: Side, first_plies: FirstPlies) -> Result<Position, SetupError> {
        let setup = Setup {
            stores: self.stores,
            rows: self.rows.clone(),
            to_move,
            first_plies,
        };
        setup.position(Rules::MANKALAH)
    }

    /// Returns the number of houses a side and the number of all seeds, stores included.
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

/// The order of the sides in the text form.
const SIDE_ORDER: [Side; 2] = [Side::North, Side::South];

/// The length of the shortest board: a house and a store for each side.
const MIN_NUMBERS: usize = 4;

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
        let error = || ParseMankalahError::Board(text.to_owned());
        let numbers: Vec<u64> = text
            .split(',')
            .map(|word| parse_number(word).ok_or_else(error))
            .collect::<Result<_, _>>()?;
        if !numbers.len().is_multiple_of(SIDE_ORDER.len()) || numbers.len() < MIN_NUMBERS {
            return Err(error());
        }
        let mut halves = numbers.chunks(numbers.len() / SIDE_ORDER.len());
        let mut next_half = || {
            let half = halves.next().and_then(<[u64]>::split_last);
            half.map_or((0, Vec::new()), |(&store, row)| (store, row.to_vec()))
        };
        let (north, south) = (next_half(), next_half());
        Ok(Self {
            stores: BySide::new(south.0, north.0),
            rows: BySide::new(south.1, north.1),
        })
    }
}

/// Returns the start of the course's games.
pub(crate) fn start_position() -> Position {
    Position::start(HOUSES, SEEDS, Rules::MANKALAH).expect("98 seeds can be played")
}

/// Checks the length of a line without its end.
fn check_length(text: &str) -> Result<(), ParseMankalahError> {
    if text.chars().nth(MAX_LINE_CHARS).is_some() {
        return Err(ParseMankalahError::TooLong(text.to_owned()));
    }
    Ok(())
}

/// Parses the number of a house, from 1, or the swap.
fn parse_move(text: &str) -> Option<Move> {
    if text == SWAP {
        return Some(Move::Swap);
    }
    parse_house(text).map(Move::Sow)
}

/// Parses the number of a house, from 1.
fn parse_house(text: &str) -> Option<House> {
    House::new(parse_number(text)?.try_into().ok()?)
}

/// Parses a number without a sign.
fn parse_number(word: &str) -> Option<u64> {
    let is_digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| word.parse().ok()).flatten()
}
