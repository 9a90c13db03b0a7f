//! What an analysis reports.

use kalah::{Margin, Move, Side};
use std::time::Duration;

/// What an analysis found: plain data for whoever shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The best choice found; `None` if the game is over.
    pub best_move: Option<Move>,
    /// The margin at the end for the player to move, if both play as the analysis expects.
    pub margin: Margin,
    /// Whether the margin is more than an expectation.
    pub certainty: Certainty,
    /// What is proven about the margin: the least and the most that it can be.
    pub bounds: Bounds,
    /// Every choice and what is proven about it, in the order of
    /// [`Position::legal_moves`](kalah::Position::choices).
    pub moves: Vec<(Move, Bounds)>,
    /// The depth of the last iteration that was finished, in turns; 0 if none was.
    pub depth: u32,
    /// Positions searched: those that neither the end of the game nor a table answered.
    pub nodes: u64,
    /// Gains read from endgame tables.
    pub table_hits: u64,
    /// Time used, by the clock that was handed in.
    pub time: Duration,
    /// The plies expected from here on, the best choice first; may be cut short.
    pub line: Vec<(Side, Move)>,
}

impl Report {
    /// Whether it is proven that no other choice gains more than [`Self::choice`], whose margin may be open yet.
    pub fn is_best_move_proven(&self) -> bool {
        let choice = self.best_move;
        choice.is_none_or(|choice| is_proven_best(&self.moves, choice))
    }

    /// What is proven of a choice; `None` if the position does not leave it.
    pub fn bounds_of(&self, choice: Move) -> Option<Bounds> {
        let mut choices = self.moves.iter();
        choices.find_map(|&(other, bounds)| (other == choice).then_some(bounds))
    }

    /// The margin to tell of. An estimate may lie between two margins that there can be, as these are all odd or
    /// all even, and the bounds are like them: then it is the one nearer to a tie.
    pub fn expected_margin(&self) -> Margin {
        let (margin, lower) = (self.margin.seeds(), self.bounds.lower.seeds());
        if (margin - lower) % 2 == 0 {
            self.margin
        } else if margin > 0 {
            Margin::new(margin - 1)
        } else {
            Margin::new(margin + 1)
        }
    }
}

/// Whether it is proven, by what is proven of every choice, that none gains more than this one.
pub(crate) fn is_proven_best(choices: &[(Move, Bounds)], choice: Move) -> bool {
    let own = choices.iter().find(|&&(other, _)| other == choice);
    own.is_some_and(|&(_, own)| {
        let mut others = choices.iter().filter(|&&(other, _)| other != choice);
        others.all(|(_, other)| other.upper <= own.lower)
    })
}

/// How far a margin can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Some lines were cut off before the end and estimated.
    Estimate,
    /// Every line that matters was followed to the end of the game: this is the margin.
    Exact,
}

/// The least and the most that a margin can be with best play, both for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// No less.
    pub lower: Margin,
    /// No more.
    pub upper: Margin,
}

impl Bounds {
    /// Whether the margin is known.
    pub fn is_exact(self) -> bool {
        self.lower == self.upper
    }
}
