use kalah::{FirstPlies, Move, Position, SetupError, Side};
use thiserror::Error;

use super::{AgentMessage, MankalahEngineMessage, NextTurn, start_position};

/// A game as an agent follows it: what it is told comes in, and positions to answer come out.
///
/// The boards that it is told are believed; they may be of any size.
#[derive(Clone, Debug)]
pub struct Agent {
    /// What South begins with: the engine does not tell.
    start: Position,
    /// Where it sits now, once a game has begun.
    side: Option<Side>,
    /// How far the game has come.
    first_plies: FirstPlies,
}

/// What comes of a message for an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentAction {
    /// It has to answer this position, in which it is to move: see [`Agent::answer`].
    ChooseMove(Position),
    /// It has to wait.
    Wait,
    /// It may go.
    Exit,
}

/// Why a message makes no sense to an agent, which is as before then.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AgentError {
    /// A change before any start.
    #[error("a change came before the start of a game")]
    NotStarted,
    /// A board that nobody can play on.
    #[error("the board cannot be played: {0}")]
    Board(#[from] SetupError),
}

impl Agent {
    /// An agent for games that begin with `start`.
    pub fn new(start: Position) -> Self {
        Self {
            start,
            side: None,
            first_plies: FirstPlies::PlyOne,
        }
    }

    /// The side on which it sits now, once a game has begun; a swap changes it.
    pub fn side(&self) -> Option<Side> {
        self.side
    }

    /// Takes a message of the engine.
    ///
    /// # Errors
    /// Why it makes no sense.
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
                let (side, opening) = match (mv, self.first_plies) {
                    (Move::Swap, _) => (side.opponent(), FirstPlies::Later),
                    (Move::Sow(_), FirstPlies::PlyOne) => (side, FirstPlies::PlyTwo),
                    (Move::Sow(_), _) => (side, FirstPlies::Later),
                };
                let heard = if *next == NextTurn::You {
                    let position = board.position(side, opening)?;
                    if position.is_over() {
                        AgentAction::Wait
                    } else {
                        AgentAction::ChooseMove(position)
                    }
                } else {
                    AgentAction::Wait
                };
                self.side = Some(side);
                self.first_plies = opening;
                Ok(heard)
            }
            MankalahEngineMessage::End => Ok(AgentAction::Exit),
        }
    }

    /// Its answer to the position that it was asked about. A swap takes place at once: the engine says
    /// nothing of it to the one who swaps.
    pub fn play(&mut self, mv: Move) -> AgentMessage {
        if mv == Move::Swap {
            self.side = self.side.map(Side::opponent);
            self.first_plies = FirstPlies::Later;
        }
        AgentMessage(mv)
    }
}

/// For games as they are played in Manchester, with seven houses a side and seven seeds in each.
impl Default for Agent {
    fn default() -> Self {
        Self::new(start_position())
    }
}
