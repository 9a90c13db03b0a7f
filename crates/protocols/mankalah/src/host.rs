//! The host of a game: the engine, as Manchester calls it.

use kalah::{BySide, Ending, Game, IllegalMove, Move, Position, Side, Termination};
use thiserror::Error;

use crate::message::{
    AgentMessage, MankalahBoard, MankalahEngineMessage, NextTurn, start_position,
};

/// A game between two agents. An agent is identified by the side on which it began, even after a
/// swap.
///
/// ```
/// use kalah::Side;
/// use kalah_mankalah::Host;
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
