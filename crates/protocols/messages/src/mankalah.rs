//! `ManKalah`, the protocol of Manchester's course COMP34120: an engine runs a game between two
//! agents, its child processes, and exchanges lines with them.
//!
//! [`MankalahEngineMessage`] and [`AgentMessage`] are the lines. Messages of agents are parsed
//! exactly as the engine of that course does. [`Agent`] follows a game for an agent and reports when it has to
//! move; [`Host`] runs a game and returns the messages for both agents. The rules are
//! [`Rules::MANKALAH`].
//!
//! ```
//! use kalah::{House, Move};
//! use kalah_protocols::mankalah::{Agent, AgentAction};
//!
//! let mut agent = Agent::default();
//! let AgentAction::ChooseMove(start) = agent.handle_message(&"START;South".parse()?)? else {
//!     panic!("South starts")
//! };
//! assert_eq!(start.legal_houses().count(), 7);
//! let answer = agent.play(Move::Sow(House::new(2).expect("from 1 to 26")));
//! assert_eq!(answer.to_string(), "MOVE;2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::str::FromStr;

use kalah::{
    BySide, Ending, FirstPlies, Game, House, IllegalMove, Move, Position, Quoted, Rules, Setup,
    SetupError, Side, Termination,
};
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

/// The state of an agent in a game. It takes the messages of the engine and returns the positions
/// in which the agent has to move.
///
/// It trusts the boards of the engine, which may have any size.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The position in which South begins. The engine does not send it.
    start: Position,
    /// The side that the agent plays now, once a game has begun.
    side: Option<Side>,
    /// The rules for plies 1 and 2 that apply to the next ply.
    first_plies: FirstPlies,
}

/// The action that a message requires from an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentAction {
    /// Choose a move in this position and pass it to [`Agent::play`].
    ChooseMove(Position),
    /// Wait for the next message.
    Wait,
    /// Exit: the game is over.
    Exit,
}

/// An error of an agent. A message with an error leaves the agent unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AgentError {
    /// A `CHANGE` came before `START`.
    #[error("a change came before the start of a game")]
    NotStarted,
    /// The board cannot be played.
    #[error("the board cannot be played: {0}")]
    Board(#[from] SetupError),
}

impl Agent {
    /// Creates an agent for games that begin with `start`.
    pub fn new(start: Position) -> Self {
        Self {
            start,
            side: None,
            first_plies: FirstPlies::PlyOne,
        }
    }

    /// Returns the side that the agent plays now, or `None` before the start. A swap changes it.
    pub fn side(&self) -> Option<Side> {
        self.side
    }

    /// Handles a message of the engine.
    ///
    /// # Errors
    /// If the game has not started, or the board of the message cannot be played.
    pub fn handle_message(
        &mut self,
        message: &MankalahEngineMessage,
    ) -> Result<AgentAction, AgentError> {
        match message {
            MankalahEngineMessage::Start(side) => {
                self.side = Some(*side);
                self.first_plies = FirstPlies::PlyOne;
                Ok(match side {
                    Side::South if !self.start.is_over() => {
                        AgentAction::ChooseMove(self.start.clone())
                    }
                    _ => AgentAction::Wait,
                })
            }
            MankalahEngineMessage::Change { mv, board, next } => {
                let side = self.side.ok_or(AgentError::NotStarted)?;
                let (side, first_plies) = match (mv, self.first_plies) {
                    (Move::Swap, _) => (side.opponent(), FirstPlies::Later),
                    (Move::Sow(_), FirstPlies::PlyOne) => (side, FirstPlies::PlyTwo),
                    (Move::Sow(_), _) => (side, FirstPlies::Later),
                };
                let action = if *next == NextTurn::You {
                    let position = board.position(side, first_plies)?;
                    if position.is_over() {
                        AgentAction::Wait
                    } else {
                        AgentAction::ChooseMove(position)
                    }
                } else {
                    AgentAction::Wait
                };
                self.side = Some(side);
                self.first_plies = first_plies;
                Ok(action)
            }
            MankalahEngineMessage::End => Ok(AgentAction::Exit),
        }
    }

    /// Makes the agent's own move and returns the message to send. A swap takes effect at once,
    /// because the engine does not report it to the agent that swaps.
    pub fn play(&mut self, mv: Move) -> AgentMessage {
        if mv == Move::Swap {
            self.side = self.side.map(Side::opponent);
            self.first_plies = FirstPlies::Later;
        }
        AgentMessage(mv)
    }
}

/// Creates an agent for the course's games, with seven houses a side and seven seeds in each.
impl Default for Agent {
    fn default() -> Self {
        Self::new(start_position())
    }
}

/// A game between two agents. An agent is identified by the side on which it began, even after a
/// swap.
///
/// ```
/// use kalah::Side;
/// use kalah_protocols::mankalah::Host;
///
/// let mut host = Host::default();
/// assert_eq!(host.start_messages().north.to_string(), "START;North");
/// assert_eq!(host.agent_to_move(), Some(Side::South));
/// let messages = host.handle_message("MOVE;1".parse()?)?;
/// let north = messages.north.expect("both agents get the move").to_string();
/// assert_eq!(north, "CHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;YOU");
///
/// // The agent that swaps gets no message and plays the other side from now on.
/// let messages = host.handle_message("SWAP".parse()?)?;
/// assert_eq!(messages.north, None);
/// let south = messages.south.expect("the other agent gets the swap").to_string();
/// assert_eq!(south, "CHANGE;SWAP;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;YOU");
/// assert_eq!(host.agent_to_move(), Some(Side::South));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Host {
    game: Game,
    ending: Option<Ending>,
}

/// The reason why a host refuses a message of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HostError {
    /// The game has ended.
    #[error("the game has ended")]
    GameOver,
    /// The move breaks the rules. The agent has lost the game.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

impl Host {
    /// Creates a game that begins with `start`.
    pub fn new(start: Position) -> Self {
        let mut host = Self {
            game: Game::new(start),
            ending: None,
        };
        host.update_ending();
        host
    }

    /// Returns the game up to now.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the ending, once the game has ended.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// Returns the first message for each agent.
    pub fn start_messages(&self) -> BySide<MankalahEngineMessage> {
        BySide::from_fn(MankalahEngineMessage::Start)
    }

    /// Returns the agent that has to move, or `None` once the game has ended.
    pub fn agent_to_move(&self) -> Option<Side> {
        match self.ending {
            Some(_) => None,
            None => Some(self.exchange_if_swapped(self.game.position().to_move())),
        }
    }

    /// Plays the move of the agent that has to move and returns the message for each agent.
    ///
    /// # Errors
    /// If the game has ended, or the move is illegal; an illegal move ends the game with a loss.
    pub fn handle_message(
        &mut self,
        message: AgentMessage,
    ) -> Result<BySide<Option<MankalahEngineMessage>>, HostError> {
        let mover = self.agent_to_move().ok_or(HostError::GameOver)?;
        let AgentMessage(mv) = message;
        if let Err(reason) = self.game.play(mv) {
            self.forfeit(mover, Termination::Illegal);
            return Err(HostError::Illegal(reason));
        }
        self.update_ending();
        let board = MankalahBoard::from(self.game.position());
        Ok(BySide::from_fn(|agent| {
            if mv == Move::Swap && agent == mover {
                return None;
            }
            let next = match self.agent_to_move() {
                Some(next) if next == agent => NextTurn::You,
                Some(_) => NextTurn::Opponent,
                None => NextTurn::End,
            };
            let board = board.clone();
            Some(MankalahEngineMessage::Change { mv, board, next })
        }))
    }

    /// Ends the game with a loss of `agent` for a reason such as a timeout, and returns the ending.
    /// A game that has ended already keeps its ending.
    pub fn forfeit(&mut self, agent: Side, reason: Termination) -> Ending {
        let ending = Ending {
            termination: reason,
            winner: Some(self.exchange_if_swapped(agent.opponent())),
            outcome: self.game.outcome(),
        };
        *self.ending.get_or_insert(ending)
    }

    /// Returns the agent that has won, or `None` while the game goes on and after a tie.
    pub fn winner(&self) -> Option<Side> {
        self.ending?
            .winner
            .map(|side| self.exchange_if_swapped(side))
    }

    /// Maps an agent to the side that it plays now, and a side to its agent.
    fn exchange_if_swapped(&self, side: Side) -> Side {
        if self.game.is_swapped() {
            side.opponent()
        } else {
            side
        }
    }

    /// Sets the ending if the game is over by the rules.
    fn update_ending(&mut self) {
        if let Some(outcome) = self.game.outcome() {
            self.ending = Some(Ending {
                termination: Termination::Normal,
                winner: outcome.winner(),
                outcome: Some(outcome),
            });
        }
    }
}

/// Creates a game of the course, with seven houses a side and seven seeds in each.
impl Default for Host {
    fn default() -> Self {
        Self::new(start_position())
    }
}

/// Returns the start of the course's games.
fn start_position() -> Position {
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
