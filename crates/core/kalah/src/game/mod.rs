//! A game: its start, its plies, undo and redo.

pub(crate) mod clock;
pub(crate) mod move_time;
pub(crate) mod pauses;
pub(crate) mod referee;
pub(crate) mod time_limit;

use thiserror::Error;

use crate::position::Position;
use crate::side::{PlayerId, Side};
use crate::types::{IllegalMove, Move, MoveResult, Outcome};

/// A game: its start, the plies made, and the plies undone that can be redone.
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
    /// The plies made, then the plies undone in the order in which they are redone.
    plies: Vec<Ply>,
    ply_count: usize,
}

/// A ply of a game with its result and the position after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The side that made the move.
    pub side: Side,
    /// The move.
    pub mv: Move,
    /// The result of the move.
    pub result: MoveResult,
    /// The position after the move.
    pub after: Position,
}

/// An illegal move in a sequence of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("ply {ply}, `{}`: {reason}", mv.text(*side))]
pub struct ReplayError {
    /// The number of the ply in the sequence, from 1.
    pub ply: usize,
    /// The side to move.
    pub side: Side,
    /// The illegal move.
    pub mv: Move,
    /// The reason why it is illegal.
    pub reason: IllegalMove,
}

impl Game {
    /// Creates a game that starts from `start`, without plies.
    pub fn new(start: Position) -> Self {
        Self {
            start,
            plies: Vec::new(),
            ply_count: 0,
        }
    }

    /// Creates the game in which `moves` are made one after another from `start`.
    ///
    /// # Errors
    /// The first illegal move.
    pub fn replay(
        start: Position,
        moves: impl IntoIterator<Item = Move>,
    ) -> Result<Self, ReplayError> {
        let mut game = Self::new(start);
        for (ply, mv) in (1..).zip(moves) {
            let side = game.position().to_move();
            if let Err(reason) = game.play(mv) {
                return Err(ReplayError {
                    ply,
                    side,
                    mv,
                    reason,
                });
            }
        }
        Ok(game)
    }

    /// Returns the position before the first ply.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        self.plies().last().map_or(&self.start, |ply| &ply.after)
    }

    /// Returns the plies made, in order.
    pub fn plies(&self) -> &[Ply] {
        &self.plies[..self.ply_count]
    }

    /// Returns the final stores once the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.position().outcome()
    }

    /// Returns whether the two players have exchanged sides.
    pub fn is_swapped(&self) -> bool {
        // A swap is legal as ply 2 only, so there is at most one.
        self.plies()
            .iter()
            .any(|ply| ply.result == MoveResult::Swapped)
    }

    /// Returns the player that sits on `side` now.
    ///
    /// ```
    /// use kalah::{Game, House, Move, PlayerId, Position, Rules, Side};
    /// let mut game = Game::new(Position::start(6, 4, Rules::MANKALAH)?);
    /// assert_eq!(game.player_on(Side::South), PlayerId::new(Side::South));
    /// game.play(Move::Sow(House::new(1).expect("from 1 to 26")))?;
    /// game.play(Move::Swap)?;
    /// assert_eq!(game.player_on(Side::South), PlayerId::new(Side::North));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn player_on(&self, side: Side) -> PlayerId {
        PlayerId::at_side(side, self.is_swapped())
    }

    /// Makes a move of the side to move and discards the plies undone.
    ///
    /// # Errors
    /// The reason why the move is illegal; the game is unchanged then.
    pub fn play(&mut self, mv: Move) -> Result<&Ply, IllegalMove> {
        let mut after = self.position().clone();
        let side = after.to_move();
        let result = after.play(mv)?;
        self.plies.truncate(self.ply_count);
        self.ply_count += 1;
        Ok(self.plies.push_mut(Ply {
            side,
            mv,
            result,
            after,
        }))
    }

    /// Undoes the last ply and returns it, `None` at the start.
    pub fn undo(&mut self) -> Option<&Ply> {
        self.ply_count = self.ply_count.checked_sub(1)?;
        self.plies.get(self.ply_count)
    }

    /// Redoes the ply that was undone last and returns it, `None` if there is none.
    pub fn redo(&mut self) -> Option<&Ply> {
        let ply = self.plies.get(self.ply_count)?;
        self.ply_count += 1;
        Some(ply)
    }
}
