use std::time::Duration;

use crate::{Choice, Game, Position};

/// Somebody who plays: a program, or a person at a terminal.
///
/// ```
/// use std::time::Duration;
/// use kalah::{Choice, Player, Position, Rules};
///
/// /// Sows the house next to its store that it may.
/// struct Nearest;
///
/// impl Player for Nearest {
///     fn name(&self) -> &str {
///         "Nearest"
///     }
///
///     fn choose(&mut self, position: &Position, _limit: Duration) -> Option<Choice> {
///         position.legal_houses().next_back().map(Choice::Sow)
///     }
/// }
///
/// let start = Position::start(6, 4, Rules::CS32)?;
/// let choice = Nearest.choose(&start, Duration::from_secs(5)).expect("there are seeds");
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
    fn choose(&mut self, position: &Position, limit: Duration) -> Option<Choice>;

    /// What the [`Referee`](crate::Referee) asks: a choice for the game's position, and from a
    /// person also one of the other [`Answer`]s. Programs have no need to write their own.
    fn answer(&mut self, game: &Game, limit: Duration) -> Answer {
        match self.choose(game.position(), limit) {
            Some(choice) => Answer::Choice(choice),
            None => Answer::None,
        }
    }
}

/// What a player says when it is asked to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Do this.
    Choice(Choice),
    /// It claims that it cannot move.
    None,
    /// Take back to where a person was to move last. From people only.
    Undo,
    /// Make again what was taken back. From people only.
    Redo,
    /// Give the game up.
    Resign,
    /// Go away and leave the game unfinished.
    Leave,
}
