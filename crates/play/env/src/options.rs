//! The options of an environment and their validation.

use std::num::NonZeroUsize;

use kalah::{Position, Rules, format_count};
use thiserror::Error;

use crate::observations::CountType;

/// The options of a [`VectorEnv`](crate::VectorEnv).
#[derive(Clone, Debug)]
pub struct VectorEnvOptions {
    /// The start of a game, which also gives the houses a side and the rules. The game must not be
    /// over in it.
    pub start: Position,
    /// How each game begins.
    pub game_start: GameStart,
    /// The number of games.
    pub games: NonZeroUsize,
    /// The seed of all random numbers: of sampled actions and of the starts of games.
    pub seed: u64,
    /// The number of threads, which changes no result. With one thread the calling thread does all
    /// the work.
    pub threads: NonZeroUsize,
    /// Whether the ply that ends a game also begins the next one.
    pub auto_reset: bool,
}

impl VectorEnvOptions {
    /// Returns options for `games` games from `start`: seed 0, one thread, games that begin anew at
    /// their end.
    pub fn new(start: Position, games: NonZeroUsize) -> Self {
        Self {
            start,
            game_start: GameStart::Fixed,
            games,
            seed: 0,
            threads: NonZeroUsize::MIN,
            auto_reset: true,
        }
    }

    /// Checks the options and returns the type of counts that fits all starts.
    pub(crate) fn check(&self) -> Result<CountType, OptionsError> {
        if self.start.is_over() {
            return Err(OptionsError::StartIsOver);
        }
        let mut max_seeds = self.start.total().get();
        if let GameStart::Drawn(positions) = &self.game_start {
            if positions.is_empty() {
                return Err(OptionsError::NoPositions);
            }
            for (index, position) in positions.iter().enumerate() {
                check_variant(&self.start, position)
                    .and_then(|()| {
                        let is_over = position.is_over();
                        if is_over {
                            Err(PositionProblem::GameOver)
                        } else {
                            Ok(())
                        }
                    })
                    .map_err(|problem| OptionsError::InvalidPosition { index, problem })?;
                max_seeds = max_seeds.max(position.total().get());
            }
        }
        Ok(CountType::for_seeds(max_seeds))
    }
}

/// How each game of an environment begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameStart {
    /// With [`VectorEnvOptions::start`].
    Fixed,
    /// After this number of random plies from [`VectorEnvOptions::start`], each drawn uniformly
    /// from the legal moves, a swap included.
    ///
    /// If the game ends before, the plies are drawn again. After 16 draws that all end the game, it
    /// begins with [`VectorEnvOptions::start`] itself.
    RandomPlies(u32),
    /// With one of these positions, drawn uniformly. They have the houses and rules of
    /// [`VectorEnvOptions::start`], and no game is over in them. Their numbers of seeds can differ.
    Drawn(Vec<Position>),
}

/// The reason why an environment cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// The game is over in the start.
    #[error("the game is over in the start")]
    StartIsOver,
    /// [`GameStart::Drawn`] has no positions.
    #[error("there are no positions to draw a start from")]
    NoPositions,
    /// A position of [`GameStart::Drawn`] cannot be a start.
    #[error("position {index} cannot be a start: {problem}")]
    InvalidPosition {
        /// The index of the position, from 0.
        index: usize,
        /// The reason.
        problem: PositionProblem,
    },
    /// The games do not fit into memory.
    #[error("{0} games do not fit into memory")]
    TooManyGames(NonZeroUsize),
    /// The system does not start the threads.
    #[error("cannot start {}", format_count(.0.get() as u64, "thread"))]
    ThreadPool(NonZeroUsize),
}

/// The reason why a position cannot be that of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PositionProblem {
    /// The board has another size.
    #[error(
        "it has {} a side, and the games have {expected}",
        format_count((*.actual).into(), "house")
    )]
    OtherHouses {
        /// The number of houses a side of the position.
        actual: u8,
        /// That of the games.
        expected: u8,
    },
    /// The rules differ.
    #[error("it has the rules {actual}, and the games have {expected}")]
    OtherRules {
        /// The rules of the position.
        actual: Rules,
        /// Those of the games.
        expected: Rules,
    },
    /// There are more seeds than observations can count.
    #[error("it has {actual} seeds, and the observations count at most {max}")]
    TooManySeeds {
        /// The number of seeds of the position, stores included.
        actual: u16,
        /// The largest number that fits the observations.
        max: u16,
    },
    /// The game is over.
    #[error("the game is over in it")]
    GameOver,
}

/// Checks that a position has the houses and the rules of the games.
pub(crate) fn check_variant(start: &Position, position: &Position) -> Result<(), PositionProblem> {
    if position.houses() != start.houses() {
        return Err(PositionProblem::OtherHouses {
            actual: position.houses(),
            expected: start.houses(),
        });
    }
    if position.rules() != start.rules() {
        return Err(PositionProblem::OtherRules {
            actual: position.rules(),
            expected: start.rules(),
        });
    }
    Ok(())
}
