//! A variation: moves that the user tries from a position of the game.

use kalah::{Game, IllegalMove, Move, Ply};

/// The plies of the game up to a position, and the moves that the user tries from there.
#[derive(Clone, Debug)]
pub(crate) struct Variation {
    /// The number of plies that the variation shares with the game.
    branch: usize,
    game: Game,
}

impl Variation {
    /// Creates a variation that leaves `game` after this number of plies with a move.
    ///
    /// # Errors
    /// If the move is illegal.
    pub(crate) fn new(game: &Game, branch: usize, mv: Move) -> Result<Self, IllegalMove> {
        let mut variation = Self {
            branch,
            game: game.clone(),
        };
        variation.play_after(branch, mv)?;
        Ok(variation)
    }

    /// Returns the game with the moves of the variation instead of its own.
    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the number of plies that the variation shares with the game.
    pub(crate) fn branch(&self) -> usize {
        self.branch
    }

    /// Makes a move after the first `plies` plies, and drops the later ones. Returns its ply.
    ///
    /// # Errors
    /// If the move is illegal. The variation is unchanged then.
    pub(crate) fn play_after(&mut self, plies: usize, mv: Move) -> Result<&Ply, IllegalMove> {
        let mut game = self.game.clone();
        while game.plies().len() > plies {
            game.undo();
        }
        game.play(mv)?;
        self.game = game;
        self.branch = self.branch.min(plies);
        Ok(self.game.plies().last().expect("a ply was made"))
    }

    /// Undoes the last move of the variation. Returns whether a move of the variation remains.
    pub(crate) fn undo(&mut self) -> bool {
        self.game.undo();
        self.game.plies().len() > self.branch
    }
}
