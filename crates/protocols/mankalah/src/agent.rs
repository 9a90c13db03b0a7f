//! An agent: the state that it keeps in a game.

use kalah::{FirstPlies, Move, Position, SetupError, Side};
use thiserror::Error;

use crate::message::{AgentMessage, MankalahEngineMessage, NextTurn, start_position};

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
