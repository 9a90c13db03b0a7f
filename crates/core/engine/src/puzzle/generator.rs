//! Puzzles from games between computer players.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kalah::{Player as _, Position};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;

use super::check::{
    MAX_NODES, MIN_LEGAL_MOVES, analyze, check_within, new_engine, solution_depth, unique_solution,
};
use super::work::Work;
use super::{Puzzle, PuzzleFeatures, PuzzleRating, PuzzleTheme};
use crate::analysis::report::{MoveReport, Report};
use crate::analysis::{AnalysisGoal, Engine};
use crate::players::{LevelNumber, LevelPlayer};
use crate::review::GameValue;

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
    min_moves: usize,
    max_nodes: u64,
    ratings: RangeInclusive<PuzzleRating>,
    theme: Option<PuzzleTheme>,
    engine: Engine,
    /// The work that is left before the generator gives up.
    work: Work,
    /// Positions of earlier puzzles.
    used_positions: HashSet<Position>,
}

/// The level of the players: strong enough for sensible positions and weak enough for varied ones.
const PLAYER_LEVEL: u8 = 5;

impl PuzzleGenerator {
    /// The greatest depth of a puzzle in turns; deeper ones are too hard for humans.
    pub const MAX_DEPTH: u32 = 6;

    /// The generator ends after this number of games in a row without a puzzle.
    pub const MAX_GAMES_WITHOUT_PUZZLE: u32 = 500;

    /// The maximum nodes of the proof of a position by default, which [`Puzzle::check`] has, too.
    pub const DEFAULT_MAX_NODES: u64 = MAX_NODES;

    /// Creates a generator of puzzles from games that begin with `start`. Equal seeds and settings
    /// give equal puzzles. It ends after [`Self::MAX_GAMES_WITHOUT_PUZZLE`] games in a row without
    /// a puzzle.
    pub fn new(start: Position, seed: u64) -> Self {
        let work = Work::new(u64::MAX, &start);
        Self {
            start,
            rng: Pcg64Mcg::seed_from_u64(seed),
            min_depth: 1,
            min_moves: 1,
            max_nodes: Self::DEFAULT_MAX_NODES,
            ratings: PuzzleRating::MIN..=PuzzleRating::MAX,
            theme: None,
            work,
            engine: new_engine(),
            used_positions: HashSet::new(),
        }
    }

    /// Sets the least depth of a puzzle in turns.
    #[must_use]
    pub fn with_min_depth(self, min_depth: u32) -> Self {
        Self { min_depth, ..self }
    }

    /// Sets the least number of [moves to find](Puzzle::moves_to_find).
    #[must_use]
    pub fn with_min_moves(self, min_moves: usize) -> Self {
        Self { min_moves, ..self }
    }

    /// Sets a theme that each puzzle has.
    #[must_use]
    pub fn with_theme(self, theme: PuzzleTheme) -> Self {
        Self {
            theme: Some(theme),
            ..self
        }
    }

    /// Sets the maximum nodes of the proof of a position. With others than
    /// [`Self::DEFAULT_MAX_NODES`] a seed gives other puzzles, and with more of them the proofs of
    /// [`Puzzle::check`] can be too short for a puzzle.
    #[must_use]
    pub fn with_max_nodes(self, max_nodes: u64) -> Self {
        Self { max_nodes, ..self }
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
        Self {
            work: self.work.with_left(work),
            ..self
        }
    }

    /// Sets the flag that makes the generator end soon after it becomes `true`.
    #[must_use]
    pub fn with_stop_flag(self, stop_flag: Arc<AtomicBool>) -> Self {
        Self {
            engine: self.engine.with_stop_flag(Arc::clone(&stop_flag)),
            work: self.work.with_stop_flag(stop_flag),
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
            if report.moves.len() >= MIN_LEGAL_MOVES
                && let Ok((solution, _)) = unique_solution(&report)
            {
                candidates.push((position, solution, report));
            }
        }
        candidates.shuffle(&mut self.rng);
        candidates
            .into_iter()
            .find_map(|(position, solution, report)| {
                let depth = solution_depth(&position, solution, &mut self.work).ok()?;
                let features = PuzzleFeatures::new(&position, solution, depth, &report);
                if !self.fits_rating(depth, PuzzleRating::from_features(features)) {
                    return None;
                }
                let puzzle =
                    check_within(&position, Some(depth), self.max_nodes, &mut self.work).ok()?;
                self.fits(&puzzle).then_some(puzzle)
            })
    }

    /// Returns whether a puzzle of a depth and a rating fits the settings.
    fn fits_rating(&self, depth: NonZeroU32, rating: PuzzleRating) -> bool {
        depth.get() >= self.min_depth && self.ratings.contains(&rating)
    }

    /// Returns whether a puzzle fits the settings.
    fn fits(&self, puzzle: &Puzzle) -> bool {
        self.fits_rating(puzzle.depth, puzzle.rating)
            && puzzle.moves_to_find() >= self.min_moves
            && self.theme.is_none_or(|theme| theme.is_of(puzzle))
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
        if !self.work.is_left() {
            return None;
        }
        let goal = AnalysisGoal::AllMargins;
        let report = analyze(&mut self.engine, position, goal, self.max_nodes);
        self.work.use_nodes(report.nodes);
        let known = |candidate: &MoveReport| GameValue::from_bounds(candidate.bounds).is_some();
        report.moves.iter().all(known).then_some(report)
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
