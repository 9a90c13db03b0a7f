//! Puzzles from games between computer players.

use kalah::{Move, Player as _, Position};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use std::collections::HashSet;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::analysis::{Bounds, Report};
use crate::engine::Engine;
use crate::limits::{Goal, Limits};
use crate::players::{LevelNumber, LevelPlayer, MinimaxPlayer};
use crate::review::GameValue;

/// A position with exactly one winning move or, where no move wins, exactly one that keeps the tie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The position.
    pub position: Position,
    /// The only solution.
    pub solution: Move,
    /// The result that the solution leads to, a win or a tie; all other moves lead to a worse one.
    pub value: GameValue,
    /// The search depth of [`MinimaxPlayer`], in turns, from which on it plays the solution at
    /// every depth up to [`PuzzleGenerator::MAX_DEPTH`].
    pub depth: NonZeroU32,
    /// The analysis with the proven bounds of all moves.
    pub report: Report,
}

/// An iterator over puzzles from games between players of medium strength: at most one from each
/// game, and no position twice.
///
/// ```
/// use kalah::{Position, Rules};
/// use kalah_engine::{PuzzleGenerator, GameValue};
///
/// let start = Position::start(4, 3, Rules::CS32)?;
/// let puzzle = PuzzleGenerator::new(start, 1).next().expect("this board has puzzles");
/// assert!(puzzle.value >= GameValue::Tie);
/// assert!(puzzle.position.legal_moves().any(|mv| mv == puzzle.solution));
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub struct PuzzleGenerator {
    start: Position,
    rng: Pcg64Mcg,
    min_depth: u32,
    engine: Engine,
    /// Positions of earlier puzzles.
    used_positions: HashSet<Position>,
}

/// The level of the players: strong enough for sensible positions and weak enough for varied ones.
const PLAYER_LEVEL: u8 = 5;

/// Node limit of the proof of a puzzle; positions that take more are too hard for humans.
const MAX_NODES: u64 = 100_000;

/// The least number of legal moves in a puzzle.
const MIN_MOVES: usize = 3;

/// Memory limit of the engine in bytes.
const MEMORY_BYTES: usize = 32 << 20;

impl PuzzleGenerator {
    /// The greatest depth of a puzzle in turns; deeper ones are too hard for humans.
    pub const MAX_DEPTH: u32 = 6;

    /// The generator ends after this number of games in a row without a puzzle.
    pub const MAX_GAMES_WITHOUT_PUZZLE: u32 = 500;

    /// Creates a generator of puzzles from games that begin with `start`. Equal seeds give equal
    /// puzzles. It ends after [`Self::MAX_GAMES_WITHOUT_PUZZLE`] games in a row without a puzzle.
    pub fn new(start: Position, seed: u64) -> Self {
        Self {
            start,
            rng: Pcg64Mcg::seed_from_u64(seed),
            min_depth: 1,
            engine: Engine::new().with_memory(MEMORY_BYTES),
            used_positions: HashSet::new(),
        }
    }

    /// Sets the least depth of a puzzle in turns.
    #[must_use]
    pub fn with_min_depth(self, min_depth: u32) -> Self {
        Self { min_depth, ..self }
    }

    /// Plays a game and returns its puzzle, if it has one.
    fn puzzle_from_game(&mut self) -> Option<Puzzle> {
        let mut candidates = Vec::new();
        for position in self.play_game().into_iter().rev() {
            if self.used_positions.contains(&position) {
                continue;
            }
            // Earlier positions are harder, so an unproven position ends the search of the game.
            let Some(report) = self.prove(&position) else {
                break;
            };
            if report.moves.len() >= MIN_MOVES
                && let Some((solution, value)) = unique_solution(&report)
            {
                candidates.push((position, solution, value, report));
            }
        }
        candidates.shuffle(&mut self.rng);
        candidates
            .into_iter()
            .find_map(|(position, solution, value, report)| {
                let depth = solution_depth(&position, solution)?;
                (depth.get() >= self.min_depth).then_some(Puzzle {
                    position,
                    solution,
                    value,
                    depth,
                    report,
                })
            })
    }

    /// Plays a game and returns its positions without the last one.
    fn play_game(&mut self) -> Vec<Position> {
        let mut positions = Vec::new();
        let Some(number) = LevelNumber::new(PLAYER_LEVEL) else {
            unreachable!("levels are 1 to 10");
        };
        let mut player = LevelPlayer::new("", number, self.rng.random(), || Duration::ZERO);
        let mut position = self.start.clone();
        while let Some(mv) = player.choose_move(&position, Duration::ZERO) {
            positions.push(position.clone());
            if position.play(mv).is_err() {
                break;
            }
        }
        positions
    }

    /// Analyzes a position; `None` if the result of some move is not proven within the limits.
    fn prove(&mut self, position: &Position) -> Option<Report> {
        let limits = Limits {
            nodes: Some(MAX_NODES),
            goal: Goal::AllMargins,
            ..Limits::default()
        };
        let report = self.engine.analyze(position, limits, &|| Duration::ZERO);
        let known = |&(_, bounds): &(Move, Bounds)| GameValue::from_bounds(bounds).is_some();
        report.moves.iter().all(known).then_some(report)
    }
}

impl Iterator for PuzzleGenerator {
    type Item = Puzzle;

    fn next(&mut self) -> Option<Puzzle> {
        let puzzle = (0..Self::MAX_GAMES_WITHOUT_PUZZLE).find_map(|_| self.puzzle_from_game())?;
        self.used_positions.insert(puzzle.position.clone());
        Some(puzzle)
    }
}

/// Returns the only move that wins or, if none does, the only one that keeps the tie, with its
/// result.
fn unique_solution(report: &Report) -> Option<(Move, GameValue)> {
    let mut values = Vec::with_capacity(report.moves.len());
    for &(mv, bounds) in &report.moves {
        values.push((GameValue::from_bounds(bounds)?, mv));
    }
    let &(best, solution) = values.iter().max_by_key(|(value, _)| value)?;
    let is_unique = values.iter().filter(|(value, _)| *value == best).count() == 1;
    (is_unique && best > GameValue::Loss).then_some((solution, best))
}

/// Returns the depth from which on minimax plays `answer`; `None` if it does not at the greatest
/// depth.
fn solution_depth(position: &Position, solution: Move) -> Option<NonZeroU32> {
    let finds = |turns: &u32| {
        let mv = MinimaxPlayer::new("", *turns).choose_move(position, Duration::ZERO);
        mv == Some(solution)
    };
    // A depth counts only if all greater depths up to the maximum find the solution too.
    let depth = (1..=PuzzleGenerator::MAX_DEPTH)
        .rev()
        .take_while(finds)
        .last()?;
    NonZeroU32::new(depth)
}
