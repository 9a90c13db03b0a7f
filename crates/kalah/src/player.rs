use std::time::Duration;

use crate::{Game, Move, Position};

/// Somebody who plays: a program, or a person at a terminal.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Move, Player, Position, Rules};
///
/// /// Sows the house next to its store that it may.
/// struct Nearest;
///
/// impl Player for Nearest {
///     fn name(&self) -> &str {
///         "Nearest"
///     }
///
///     fn choose_move(&mut self, position: &Position, _limit: Duration) -> Option<Move> {
///         position.legal_houses().next_back().map(Move::Sow)
///     }
/// }
///
/// let start = Position::start(6, 4, Rules::CS32)?;
/// let choice = Nearest.choose_move(&start, Duration::from_secs(5)).expect("there are seeds");
/// assert_eq!(choice.text(start.to_move()), "F");
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub trait Player {
    /// What others call it.
    fn name(&self) -> &str;

    /// Whether a person answers, who is asked again after a mistake and may take plies back.
    fn is_interactive(&self) -> bool {
        false
    }

    /// What the side to move should do, to be answered within `limit`; `None` if it cannot move.
    fn choose_move(&mut self, position: &Position, limit: Duration) -> Option<Move>;

    /// What the [`Referee`](crate::Referee) asks: a choice for the game's position, and from a
    /// person also one of the other [`PlayerAction`]s. Programs have no need to write their own.
    fn next_action(&mut self, game: &Game, limit: Duration) -> PlayerAction {
        match self.choose_move(game.position(), limit) {
            Some(choice) => PlayerAction::Move(choice),
            None => PlayerAction::NoMove,
        }
    }
}

/// What a player says when it is asked to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerAction {
    /// Do this.
    Move(Move),
    /// It claims that it cannot move.
    NoMove,
    /// Take back to where a person was to move last. From people only.
    Undo,
    /// Make again what was taken back. From people only.
    Redo,
    /// Give the game up.
    Resign,
    /// Go away and leave the game unfinished.
    Quit,
}
