use kalah::{Margin, ParseRulesError, ParseSetupError, SeedCount, SetupError};
use thiserror::Error;

use crate::PliesError;

/// Why a text is no [`Openings`](super::Openings).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct OpeningsError {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: OpeningsProblem,
}

/// What is wrong with openings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningsProblem {
    /// A line that has to be there.
    #[error("expected the line `{name} ...`, found `{}`", .found.escape_debug())]
    MissingLine {
        /// How the line begins.
        name: &'static str,
        /// What is there instead.
        found: String,
    },
    /// No rules.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// No setup.
    #[error(transparent)]
    Setup(#[from] ParseSetupError),
    /// No position.
    #[error("the board cannot be played: {0}")]
    Position(#[from] SetupError),
    /// A first word that is no margin.
    #[error("`{}` is no margin in seeds, such as +2, 0 or -1, nor ? for one that is not proven", .0.escape_debug())]
    InvalidMargin(String),
    /// A margin that no game can have.
    #[error("no game of {seeds} seeds ends with a margin of {margin}")]
    Margin {
        /// The margin.
        margin: Margin,
        /// Seeds in the game.
        seeds: SeedCount,
    },
    /// Plies that cannot be made.
    #[error(transparent)]
    Plies(#[from] PliesError),
    /// Nothing is left to play.
    #[error("the game is over after the opening")]
    GameOver,
    /// A position that is there already.
    #[error("this leads to the position of line {before}")]
    DuplicatePosition {
        /// The line that leads there too.
        before: usize,
    },
    /// Nothing at all.
    #[error("there are no openings")]
    Empty,
}
