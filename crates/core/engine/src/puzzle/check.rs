//! The check whether a position is a puzzle.
//!
//! Each check begins with an engine without results of other positions and counts nodes, so that
//! its result depends on the position alone.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use kalah::{Move, Position, Side};
use kalah_book::BookSet;
use thiserror::Error;

use super::work::Work;
use super::{Puzzle, PuzzleFeatures, PuzzleGenerator, PuzzleRating, is_same_player};
use crate::analysis::report::{MoveReport, Report};
use crate::analysis::{AnalysisGoal, Engine, Limits};
use crate::players::minimax_move;
use crate::review::GameValue;

/// Node limit of the proof of a position; positions that take more are too hard for humans.
pub(super) const MAX_NODES: u64 = 100_000;

/// Node limit of minimax for each depth; solutions that take more are too hard for humans.
const MAX_MINIMAX_NODES: u64 = 500_000;

/// The work of all proofs of a check, and that of minimax. They have limits of their own, so that
/// the result does not depend on which of them is first.
const MAX_PROOF_WORK: u64 = 40_000_000;
const MAX_MINIMAX_WORK: u64 = 40_000_000;

/// The least number of legal moves in the position of a puzzle.
pub(super) const MIN_LEGAL_MOVES: usize = 3;

/// Memory limit of the engine in bytes.
const MEMORY_BYTES: usize = 32 << 20;

/// The reason why a position is no puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoPuzzle {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// There are fewer legal moves than a puzzle has.
    #[error("there are {0} legal moves, and a puzzle has at least {MIN_LEGAL_MOVES}")]
    TooFewMoves(usize),
    /// The results of all moves are not proven within the limits of a check.
    #[error("the results of all moves are not proven within the limits of a check")]
    NotProven,
    /// Every move loses.
    #[error("every move loses")]
    Lost,
    /// Several moves lead to the best result.
    #[error("{moves} moves lead to the best result")]
    NoUniqueMove {
        /// The number of these moves, at least two.
        moves: usize,
    },
    /// A search of [`PuzzleGenerator::MAX_DEPTH`] turns does not find the solution, or takes too
    /// many nodes.
    #[error(
        "a search of {} turns does not find the solution",
        PuzzleGenerator::MAX_DEPTH
    )]
    TooDeep,
}

impl Puzzle {
    /// The maximum work of a check: nodes times the square of the houses a side.
    /// `docs/analysis.md` has the time that it takes.
    pub const MAX_CHECK_WORK: u64 = MAX_PROOF_WORK + MAX_MINIMAX_WORK;

    /// Returns the puzzle that a position is. The result depends on the position and its rules
    /// alone, and equals that of a [`PuzzleGenerator`] that finds the position in a game.
    ///
    /// ```
    /// use kalah::{Position, Rules};
    /// use kalah_engine::{NoPuzzle, Puzzle, PuzzleGenerator};
    ///
    /// let start = Position::start(4, 3, Rules::CS32)?;
    /// let puzzle = PuzzleGenerator::new(start.clone(), 1).next().expect("a puzzle");
    /// assert_eq!(Puzzle::check(&puzzle.position), Ok(puzzle));
    /// let one_move = Position::start(1, 4, Rules::CS32)?;
    /// assert_eq!(Puzzle::check(&one_move), Err(NoPuzzle::TooFewMoves(1)));
    /// # Ok::<(), kalah::SetupError>(())
    /// ```
    ///
    /// # Errors
    /// The reason why the position is no puzzle.
    pub fn check(position: &Position) -> Result<Self, NoPuzzle> {
        check_within(
            position,
            None,
            MAX_NODES,
            &mut Work::new(Self::MAX_CHECK_WORK, position),
        )
    }
}

/// Returns the puzzle that a position is. With less work than [`Puzzle::MAX_CHECK_WORK`] the result
/// is the same, or an error. The caller may know the depth of the solution. `max_nodes` limits each
/// proof, and the work of all proofs grows with it.
pub(super) fn check_within(
    position: &Position,
    known_depth: Option<NonZeroU32>,
    max_nodes: u64,
    work: &mut Work,
) -> Result<Puzzle, NoPuzzle> {
    if position.is_over() {
        return Err(NoPuzzle::GameOver);
    }
    let moves = position.legal_moves().count();
    if moves < MIN_LEGAL_MOVES {
        return Err(NoPuzzle::TooFewMoves(moves));
    }
    let max_work = (MAX_PROOF_WORK / MAX_NODES).saturating_mul(max_nodes);
    let proofs = work.use_part(max_work, |work| {
        PuzzleProofs::new(position, &mut Prover::new(max_nodes, work))
    })?;
    let PuzzleProofs {
        solution,
        value,
        report,
        plies,
    } = proofs;
    let depth = match known_depth {
        Some(depth) => depth,
        None => solution_depth(position, solution, work)?,
    };
    let features = PuzzleFeatures::new(position, solution, depth, &report);
    Ok(Puzzle {
        position: position.clone(),
        solution,
        value,
        depth,
        rating: PuzzleRating::from_features(features),
        report,
        plies,
    })
}

/// The parts of a puzzle that are proven.
struct PuzzleProofs {
    solution: Move,
    value: GameValue,
    /// The analysis, with the line of the puzzle.
    report: Report,
    plies: NonZeroU32,
}

impl PuzzleProofs {
    fn new(position: &Position, prover: &mut Prover<'_>) -> Result<Self, NoPuzzle> {
        let report = prover.prove(position, AnalysisGoal::AllMargins)?;
        let (solution, value) = unique_solution(&report)?;
        let SolutionLine { mut line, plies } = prover.solution_line(position, solution, value)?;
        prover.play_out(position, &mut line)?;
        Ok(Self {
            solution,
            value,
            report: Report { line, ..report },
            plies,
        })
    }
}

/// The line of the moves that are to be found.
struct SolutionLine {
    /// The moves that are to be found, the replies between them, and the replies after the last
    /// one.
    line: Vec<(Side, Move)>,
    /// The number of plies to the last move that is to be found.
    plies: NonZeroU32,
}

/// An engine that proves within an amount of work.
struct Prover<'a> {
    engine: Engine,
    /// The node limit of a proof.
    max_nodes: u64,
    work: &'a mut Work,
}

impl<'a> Prover<'a> {
    fn new(max_nodes: u64, work: &'a mut Work) -> Self {
        let engine = new_engine().with_stop_flag(Arc::clone(work.stop_flag()));
        Self {
            engine,
            max_nodes,
            work,
        }
    }

    /// Analyzes a position within the node limit.
    ///
    /// # Errors
    /// [`NoPuzzle::NotProven`] if too little work is left for the node limit, so that the report
    /// never depends on the work.
    fn prove(&mut self, position: &Position, goal: AnalysisGoal) -> Result<Report, NoPuzzle> {
        if self.work.nodes_left() < self.max_nodes {
            return Err(NoPuzzle::NotProven);
        }
        let report = analyze(&mut self.engine, position, goal, self.max_nodes);
        self.work.use_nodes(report.nodes);
        if self.work.is_left() {
            Ok(report)
        } else {
            Err(NoPuzzle::NotProven)
        }
    }

    /// Returns the line of the moves that are to be found and of the best replies.
    fn solution_line(
        &mut self,
        start: &Position,
        solution: Move,
        value: GameValue,
    ) -> Result<SolutionLine, NoPuzzle> {
        let mut line = Vec::new();
        let mut plies = NonZeroU32::MIN;
        let mut position = start.clone();
        let mut is_own = true;
        let mut next = Some(solution);
        while let Some(mv) = next {
            let side = position.to_move();
            if position.play(mv).is_err() {
                break;
            }
            line.push((side, mv));
            if is_own {
                let played = u32::try_from(line.len()).ok();
                plies = played.and_then(NonZeroU32::new).unwrap_or(plies);
            }
            is_own = is_own == is_same_player(side, mv, &position);
            next = if position.is_over() {
                None
            } else if is_own {
                self.only_move(&position, value)?
            } else {
                let report = self.prove(&position, AnalysisGoal::BestMargin)?;
                report.best_move.filter(|_| report.is_best_move_proven())
            };
        }
        Ok(SolutionLine { line, plies })
    }

    /// Returns the only one of several moves that leads to a result; `None` if there is none, or if
    /// that is not proven.
    fn only_move(
        &mut self,
        position: &Position,
        value: GameValue,
    ) -> Result<Option<Move>, NoPuzzle> {
        if position.only_move().is_some() {
            return Ok(None);
        }
        let report = self.prove(position, AnalysisGoal::AllMargins)?;
        let only = unique_solution(&report).ok();
        Ok(only.and_then(|(mv, found)| (found == value).then_some(mv)))
    }

    /// Continues a line with best play from its end, as far as margins are proven within the node
    /// limit.
    fn play_out(&mut self, start: &Position, line: &mut Vec<(Side, Move)>) -> Result<(), NoPuzzle> {
        let mut position = start.clone();
        if line.iter().any(|&(_, mv)| position.play(mv).is_err()) {
            return Ok(());
        }
        while !position.is_over() {
            let report = self.prove(&position, AnalysisGoal::BestMargin)?;
            if report.line.is_empty() || !report.bounds.is_exact() {
                break;
            }
            for (side, mv) in report.line {
                if position.play(mv).is_err() {
                    return Ok(());
                }
                line.push((side, mv));
            }
        }
        Ok(())
    }
}

/// Returns an engine without results of other positions.
pub(super) fn new_engine() -> Engine {
    Engine::new()
        .with_memory(MEMORY_BYTES)
        .with_books(BookSet::embedded())
}

/// Analyzes a position within the node limit of a proof.
pub(super) fn analyze(
    engine: &mut Engine,
    position: &Position,
    goal: AnalysisGoal,
    max_nodes: u64,
) -> Report {
    let limits = Limits {
        nodes: Some(max_nodes),
        goal,
        ..Limits::default()
    };
    engine.analyze(position, limits, &|| Duration::ZERO)
}

/// Returns the only move that wins or, if none does, the only one that keeps the tie, with its
/// result.
pub(super) fn unique_solution(report: &Report) -> Result<(Move, GameValue), NoPuzzle> {
    let value_of = |candidate: &MoveReport| {
        GameValue::from_bounds(candidate.bounds).map(|value| (value, candidate.mv))
    };
    let values: Option<Vec<(GameValue, Move)>> = report.moves.iter().map(value_of).collect();
    let values = values.ok_or(NoPuzzle::NotProven)?;
    let best = values.iter().max_by_key(|(value, _)| *value);
    let &(best, solution) = best.ok_or(NoPuzzle::GameOver)?;
    if best == GameValue::Loss {
        return Err(NoPuzzle::Lost);
    }
    match values.iter().filter(|(value, _)| *value == best).count() {
        1 => Ok((solution, best)),
        moves => Err(NoPuzzle::NoUniqueMove { moves }),
    }
}

/// Returns the depth from which on minimax plays the solution, within a part of the work.
///
/// # Errors
/// [`NoPuzzle::TooDeep`] if it does not at the greatest depth, or takes too many nodes.
pub(super) fn solution_depth(
    position: &Position,
    solution: Move,
    work: &mut Work,
) -> Result<NonZeroU32, NoPuzzle> {
    work.use_part(MAX_MINIMAX_WORK, |work| {
        let mut least = None;
        // A depth counts only if all greater depths up to the maximum find the solution too.
        for depth in (1..=PuzzleGenerator::MAX_DEPTH).rev() {
            let max_nodes = MAX_MINIMAX_NODES.min(work.nodes_left());
            let (mv, nodes) = minimax_move(position, depth, max_nodes);
            work.use_nodes(nodes);
            match mv {
                None => return Err(NoPuzzle::TooDeep),
                Some(mv) if mv == solution => least = NonZeroU32::new(depth),
                Some(_) => break,
            }
        }
        least.ok_or(NoPuzzle::TooDeep)
    })
}
