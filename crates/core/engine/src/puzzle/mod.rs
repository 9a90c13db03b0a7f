//! Puzzles from games between computer players.

mod rating;

use kalah::{Move, Player as _, Position, Side};
use kalah_book::BookSet;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use std::collections::HashSet;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::analysis::Engine;
use crate::analysis::report::{MoveReport, Report};
use crate::analysis::{AnalysisGoal, Limits};
use crate::players::{LevelNumber, LevelPlayer, minimax_move};
use crate::review::GameValue;

pub use rating::{PuzzleFeatures, PuzzleRating};

/// A position with exactly one winning move or, where no move wins, exactly one that keeps the tie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The position.
    pub position: Position,
    /// The only solution.
    pub solution: Move,
    /// The result that the solution leads to, a win or a tie; all other moves lead to a worse one.
    pub value: GameValue,
    /// The search depth of [`MinimaxPlayer`](crate::MinimaxPlayer), in turns, from which on it
    /// plays the solution at every depth up to [`PuzzleGenerator::MAX_DEPTH`].
    pub depth: NonZeroU32,
    /// The computed difficulty.
    pub rating: PuzzleRating,
    /// The analysis with the proven bounds of all moves. Its line begins with the solution and
    /// continues with best play, to the end of the game if the proofs reach it.
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
    ratings: RangeInclusive<PuzzleRating>,
    engine: Engine,
    /// The work that is left before the generator gives up.
    work: Work,
    /// Positions of earlier puzzles.
    used_positions: HashSet<Position>,
}

/// The level of the players: strong enough for sensible positions and weak enough for varied ones.
const PLAYER_LEVEL: u8 = 5;

/// Node limit of the proof of a puzzle; positions that take more are too hard for humans.
const MAX_NODES: u64 = 100_000;

/// Node limit of minimax for each depth; solutions that take more are too hard for humans.
const MAX_MINIMAX_NODES: u64 = 500_000;

/// The least number of legal moves in a puzzle.
const MIN_MOVES: usize = 3;

/// Memory limit of the engine in bytes.
const MEMORY_BYTES: usize = 32 << 20;

/// An amount of work: nodes times the square of the houses a side, because the number of moves and
/// the time of a node both grow with them.
#[derive(Debug)]
struct Work {
    left: u64,
    /// The work of a node.
    per_node: u64,
    /// Whether the rest of the work is given up.
    stop_flag: Arc<AtomicBool>,
}

impl Work {
    fn is_left(&self) -> bool {
        self.left > 0 && !self.stop_flag.load(Ordering::Relaxed)
    }

    fn use_nodes(&mut self, nodes: u64) {
        self.left = self
            .left
            .saturating_sub(nodes.saturating_mul(self.per_node));
    }

    fn nodes_left(&self) -> u64 {
        if self.is_left() {
            self.left / self.per_node
        } else {
            0
        }
    }
}

impl PuzzleGenerator {
    /// The greatest depth of a puzzle in turns; deeper ones are too hard for humans.
    pub const MAX_DEPTH: u32 = 6;

    /// The generator ends after this number of games in a row without a puzzle.
    pub const MAX_GAMES_WITHOUT_PUZZLE: u32 = 500;

    /// Creates a generator of puzzles from games that begin with `start`. Equal seeds and settings
    /// give equal puzzles. It ends after [`Self::MAX_GAMES_WITHOUT_PUZZLE`] games in a row without
    /// a puzzle.
    pub fn new(start: Position, seed: u64) -> Self {
        let work = Work {
            left: u64::MAX,
            per_node: u64::from(start.houses()).pow(2),
            stop_flag: Arc::default(),
        };
        Self {
            start,
            rng: Pcg64Mcg::seed_from_u64(seed),
            min_depth: 1,
            ratings: PuzzleRating::MIN..=PuzzleRating::MAX,
            work,
            engine: Engine::new()
                .with_memory(MEMORY_BYTES)
                .with_books(BookSet::embedded()),
            used_positions: HashSet::new(),
        }
    }

    /// Sets the least depth of a puzzle in turns.
    #[must_use]
    pub fn with_min_depth(self, min_depth: u32) -> Self {
        Self { min_depth, ..self }
    }

    /// Sets the range of ratings.
    #[must_use]
    pub fn with_ratings(self, ratings: RangeInclusive<PuzzleRating>) -> Self {
        Self { ratings, ..self }
    }

    /// Sets the maximum work for all puzzles together, in nodes times the square of the houses a
    /// side. The generator ends soon after this work.
    #[must_use]
    pub fn with_max_work(self, work: u64) -> Self {
        let work = Work {
            left: work,
            ..self.work
        };
        Self { work, ..self }
    }

    /// Sets the flag that makes the generator end soon after it becomes `true`.
    #[must_use]
    pub fn with_stop_flag(self, stop_flag: Arc<AtomicBool>) -> Self {
        Self {
            engine: self.engine.with_stop_flag(Arc::clone(&stop_flag)),
            work: Work {
                stop_flag,
                ..self.work
            },
            ..self
        }
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
        for (position, solution, value, report) in candidates {
            let Some(depth) = self.solution_depth(&position, solution) else {
                continue;
            };
            let features = PuzzleFeatures::new(&position, solution, depth, &report);
            let rating = PuzzleRating::from_features(features);
            if depth.get() >= self.min_depth && self.ratings.contains(&rating) {
                let line = self.play_out(&position, &report);
                return Some(Puzzle {
                    position,
                    solution,
                    value,
                    depth,
                    rating,
                    report: Report { line, ..report },
                });
            }
        }
        None
    }

    /// Plays a game and returns its positions without the last one; none if the work ends first.
    fn play_game(&mut self) -> Vec<Position> {
        if !self.work.is_left() {
            return Vec::new();
        }
        let mut positions = Vec::new();
        let Some(number) = LevelNumber::new(PLAYER_LEVEL) else {
            unreachable!("levels are 1 to 10");
        };
        let mut player = LevelPlayer::new("", number, self.rng.random(), || Duration::ZERO);
        let mut position = self.start.clone();
        while let Some(mv) = player.choose_move(&position, Duration::ZERO) {
            // A forced move searches nothing, but takes time too.
            self.work.use_nodes(player.take_nodes() + 1);
            if !self.work.is_left() {
                return Vec::new();
            }
            positions.push(position.clone());
            if position.play(mv).is_err() {
                break;
            }
        }
        positions
    }

    /// Analyzes a position; `None` if the result of some move is not proven within the limits, or
    /// if the work ends.
    fn prove(&mut self, position: &Position) -> Option<Report> {
        let limits = Limits {
            nodes: Some(MAX_NODES),
            goal: AnalysisGoal::AllMargins,
            ..Limits::default()
        };
        if !self.work.is_left() {
            return None;
        }
        let report = self.engine.analyze(position, limits, &|| Duration::ZERO);
        self.work.use_nodes(report.nodes);
        let known = |candidate: &MoveReport| GameValue::from_bounds(candidate.bounds).is_some();
        report.moves.iter().all(known).then_some(report)
    }

    /// Returns the depth from which on minimax plays the solution; `None` if it does not at the
    /// greatest depth, or takes too many nodes.
    fn solution_depth(&mut self, position: &Position, solution: Move) -> Option<NonZeroU32> {
        let mut least = None;
        // A depth counts only if all greater depths up to the maximum find the solution too.
        for depth in (1..=Self::MAX_DEPTH).rev() {
            let max_nodes = MAX_MINIMAX_NODES.min(self.work.nodes_left());
            let (mv, nodes) = minimax_move(position, depth, max_nodes);
            self.work.use_nodes(nodes);
            match mv {
                None => return None,
                Some(mv) if mv == solution => least = NonZeroU32::new(depth),
                Some(_) => break,
            }
        }
        least
    }

    /// Returns the line of `report`, continued with best play as far as margins are proven within
    /// the node limit.
    fn play_out(&mut self, position: &Position, report: &Report) -> Vec<(Side, Move)> {
        let mut line = report.line.clone();
        let mut position = position.clone();
        let mut played = 0;
        loop {
            for &(_, mv) in &line[played..] {
                if position.play(mv).is_err() {
                    return line;
                }
            }
            played = line.len();
            if position.is_over() || !self.work.is_left() {
                return line;
            }
            let limits = Limits {
                nodes: Some(MAX_NODES),
                ..Limits::default()
            };
            let report = self.engine.analyze(&position, limits, &|| Duration::ZERO);
            self.work.use_nodes(report.nodes);
            if report.line.is_empty() || !report.bounds.is_exact() {
                return line;
            }
            line.extend(report.line);
        }
    }
}

impl Iterator for PuzzleGenerator {
    type Item = Puzzle;

    fn next(&mut self) -> Option<Puzzle> {
        // Without work left, a game has no positions.
        let puzzle = (0..Self::MAX_GAMES_WITHOUT_PUZZLE).find_map(|_| self.puzzle_from_game())?;
        self.used_positions.insert(puzzle.position.clone());
        Some(puzzle)
    }
}

/// Returns the only move that wins or, if none does, the only one that keeps the tie, with its
/// result.
fn unique_solution(report: &Report) -> Option<(Move, GameValue)> {
    let mut values = Vec::with_capacity(report.moves.len());
    for candidate in &report.moves {
        values.push((GameValue::from_bounds(candidate.bounds)?, candidate.mv));
    }
    let &(best, solution) = values.iter().max_by_key(|(value, _)| value)?;
    let is_unique = values.iter().filter(|(value, _)| *value == best).count() == 1;
    (is_unique && best > GameValue::Loss).then_some((solution, best))
}
