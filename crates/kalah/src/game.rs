use thiserror::Error;

use crate::moves::{IllegalMove, Move, MoveResult};
use crate::position::Position;
use crate::side::Side;
use crate::types::Outcome;

/// A game: where it started, the plies made, and the plies taken back that can be made again.
///
/// ```
/// use kalah::{Move, Game, House, Position, Rules};
/// let mut game = Game::new(Position::start(6, 4, Rules::CS32)?);
/// let house = House::new(3).expect("from 1 to 26");
/// game.play(Move::Sow(house))?;
/// assert_eq!(game.plies().len(), 1);
/// game.undo();
/// assert_eq!(game.position(), game.start());
/// assert!(game.redo().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    start: Position,
    /// Plies made, then plies taken back, the next one to make again first.
    plies: Vec<Ply>,
    ply_count: usize,
}

/// A ply of a game: who chose what, what it did, and the position after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// Who chose.
    pub side: Side,
    /// What was chosen.
    pub mv: Move,
    /// What it did.
    pub result: MoveResult,
    /// The position after it.
    pub after: Position,
}

/// A choice in a sequence that is against the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("ply {ply}, `{}`: {reason}", mv.text(*side))]
pub struct ReplayError {
    /// The number of the ply in the sequence, from 1.
    pub ply: usize,
    /// Who was to move.
    pub side: Side,
    /// The choice.
    pub mv: Move,
    /// Why it cannot be made.
    pub reason: IllegalMove,
}

impl Game {
    /// A game that starts from `start`, no ply made.
    pub fn new(start: Position) -> Self {
        Self {
            start,
            plies: Vec::new(),
            ply_count: 0,
        }
    }

    /// The game in which `legal_moves` are made one after another from `start`.
    ///
    /// # Errors
    /// The first choice that is against the rules.
    pub fn replay(
        start: Position,
        choices: impl IntoIterator<Item = Move>,
    ) -> Result<Self, ReplayError> {
        let mut game = Self::new(start);
        for (ply, choice) in (1..).zip(choices) {
            let side = game.position().to_move();
            if let Err(reason) = game.play(choice) {
                return Err(ReplayError {
                    ply,
                    side,
                    mv: choice,
                    reason,
                });
            }
        }
        Ok(game)
    }

    /// The position before the first ply.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        self.plies().last().map_or(&self.start, |ply| &ply.after)
    }

    /// The plies made, the first one first.
    pub fn plies(&self) -> &[Ply] {
        &self.plies[..self.ply_count]
    }

    /// The plies taken back, the next one to make again first.
    pub fn undone_plies(&self) -> &[Ply] {
        &self.plies[self.ply_count..]
    }

    /// The final stores, once the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.position().outcome()
    }

    /// Whether the two players have exchanged sides: who began as South now sits North.
    pub fn is_swapped(&self) -> bool {
        // Legal as ply 2 only, so once at most.
        self.plies()
            .iter()
            .any(|ply| ply.result == MoveResult::Swapped)
    }

    /// Makes a choice of the side to move. Plies taken back are forgotten.
    ///
    /// # Errors
    /// Why it is against the rules; the game is unchanged then.
    pub fn play(&mut self, choice: Move) -> Result<&Ply, IllegalMove> {
        let mut after = self.position().clone();
        let side = after.to_move();
        let played = after.play(choice)?;
        self.plies.truncate(self.ply_count);
        self.ply_count += 1;
        Ok(self.plies.push_mut(Ply {
            side,
            mv: choice,
            result: played,
            after,
        }))
    }

    /// Takes the last ply back, `None` at the start.
    pub fn undo(&mut self) -> Option<&Ply> {
        self.ply_count = self.ply_count.checked_sub(1)?;
        self.plies.get(self.ply_count)
    }

    /// Makes the ply that was taken back last again, `None` if there is none.
    pub fn redo(&mut self) -> Option<&Ply> {
        let ply = self.plies.get(self.ply_count)?;
        self.ply_count += 1;
        Some(ply)
    }
}
