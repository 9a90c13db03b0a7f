use kalah::{BySide, Ending, Game, IllegalMove, Move, Position, Side, Termination};
use thiserror::Error;

use super::{AgentMessage, MankalahBoard, MankalahEngineMessage, NextTurn, start_position};

/// Leads a game of two agents, who are told apart by the sides on which they began.
///
/// ```
/// use kalah::Side;
/// use kalah_protocols::mankalah::Host;
///
/// let mut host = Host::default();
/// assert_eq!(host.starts().north.to_string(), "START;North");
/// assert_eq!(host.to_answer(), Some(Side::South));
/// let told = host.hear("MOVE;1".parse()?)?;
/// let north = told.north.expect("it is told").to_string();
/// assert_eq!(north, "CHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;YOU");
///
/// // Who swaps is told nothing, and sits on the other side from now on.
/// let told = host.hear("SWAP".parse()?)?;
/// assert_eq!(told.north, None);
/// assert!(told.south.is_some_and(|told| told.to_string().starts_with("CHANGE;SWAP;7,7,")));
/// assert_eq!(host.to_answer(), Some(Side::South));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Host {
    game: Game,
    ending: Option<Ending>,
}

/// Why an answer of an agent loses its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HostError {
    /// Nobody is to answer.
    #[error("the game has ended")]
    GameOver,
    /// It is against the rules.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

impl Host {
    /// A game that begins with `start`.
    pub fn new(start: Position) -> Self {
        let mut host = Self {
            game: Game::new(start),
            ending: None,
        };
        host.update_ending();
        host
    }

    /// The game so far.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// How it ended, once it has.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// What the agents are told first.
    pub fn start_messages(&self) -> BySide<MankalahEngineMessage> {
        BySide::from_fn(MankalahEngineMessage::Start)
    }

    /// The agent whose answer is awaited, `None` once the game has ended.
    pub fn agent_to_move(&self) -> Option<Side> {
        match self.ending {
            Some(_) => None,
            None => Some(self.exchange_if_swapped(self.game.position().to_move())),
        }
    }

    /// Takes the answer of the agent whose answer is awaited, and gives what each of them is told of it.
    ///
    /// # Errors
    /// Why it loses the game, which is over with that.
    pub fn handle_message(
        &mut self,
        message: AgentMessage,
    ) -> Result<BySide<Option<MankalahEngineMessage>>, HostError> {
        let speaker = self.agent_to_move().ok_or(HostError::GameOver)?;
        let AgentMessage(mv) = message;
        if let Err(reason) = self.game.play(mv) {
            self.forfeit(speaker, Termination::Illegal);
            return Err(HostError::Illegal(reason));
        }
        self.update_ending();
        let board = MankalahBoard::from(self.game.position());
        Ok(BySide::from_fn(|agent| {
            if mv == Move::Swap && agent == speaker {
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

    /// Ends the game, if it has not ended yet, with the loss of an agent for a reason that lies outside the rules.
    pub fn forfeit(&mut self, agent: Side, reason: Termination) -> Ending {
        let ending = Ending {
            termination: reason,
            winner: Some(self.exchange_if_swapped(agent.opponent())),
            outcome: self.game.outcome(),
        };
        *self.ending.get_or_insert(ending)
    }

    /// The agent that won, once the game has ended; `None` for a tie too.
    pub fn winner(&self) -> Option<Side> {
        self.ending?
            .winner
            .map(|side| self.exchange_if_swapped(side))
    }

    /// The agent who sits on a side now, and as well the side on which an agent sits now.
    fn exchange_if_swapped(&self, side: Side) -> Side {
        if self.game.is_swapped() {
            side.opponent()
        } else {
            side
        }
    }

    /// Ends the game if the rules say so.
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

/// A game as it is played in Manchester, with seven houses a side and seven seeds in each.
impl Default for Host {
    fn default() -> Self {
        Self::new(start_position())
    }
}
