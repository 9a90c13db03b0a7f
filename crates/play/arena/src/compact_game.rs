//! Games in a form that takes little memory: the start and the moves.

use kalah::{Game, Move, Position};

const _: () = assert!(size_of::<Move>() == 1);

/// A game as its start and its legal moves, one byte each. A [`Game`] also has the position after
/// each ply, which takes more than a hundred bytes.
///
/// ```
/// use kalah::{Game, House, Move, Position, Rules};
/// use kalah_arena::CompactGame;
/// let mut game = Game::new(Position::start(6, 4, Rules::CS32)?);
/// game.play(Move::Sow(House::new(3).expect("from 1 to 26")))?;
/// let compact = CompactGame::from(&game);
/// assert_eq!(compact.moves().len(), 1);
/// assert_eq!(compact.replay(), game);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactGame {
    start: Position,
    /// Legal moves, one after another from the start.
    moves: Box<[Move]>,
}

impl CompactGame {
    /// Returns the position before the first ply.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the move of each ply.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns whether the two players have exchanged sides.
    pub fn is_swapped(&self) -> bool {
        self.moves.contains(&Move::Swap)
    }

    /// Makes the moves from the start, and returns the game with its positions.
    pub fn replay(&self) -> Game {
        Game::replay(self.start.clone(), self.moves.iter().copied())
            .unwrap_or_else(|error| unreachable!("the moves were legal in a game: {error}"))
    }
}

/// Takes the plies made. Those undone are left out.
impl From<&Game> for CompactGame {
    fn from(game: &Game) -> Self {
        Self {
            start: game.start().clone(),
            moves: game.plies().iter().map(|ply| ply.mv).collect(),
        }
    }
}
