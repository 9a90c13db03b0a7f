//! Puzzles from games between computer players.

use kalah::{Move, Player as _, Position};
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_pcg::Pcg64Mcg;
use std::collections::HashSet;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::engine::Engine;
use crate::limits::{Goal, Limits};
use crate::players::{LevelNumber, LevelPlayer, MinimaxPlayer};
use crate::report::{Bounds, Report};
use crate::review::GameValue;

/// A position with exactly one choice that wins, or, where none does, exactly one that saves a tie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The position.
    pub position: Position,
    /// The one choice.
    pub solution: Move,
    /// What it makes of the game, a win or a tie; all others make less of it.
    pub value: GameValue,
    /// The turns that [`MinimaxPlayer`] has to look ahead to find it: so many, and any more up to [`PuzzleGenerator::MAX_DEPTH`],
    /// show it as the best choice.
    pub depth: NonZeroU32,
    /// What is proven of every choice.
    pub report: Report,
}

/// Puzzles that come up in games between middling players, one from each game at most, and no position twice.
///
/// ```
/// use kalah::{Position, Rules};
/// use kalah_engine::{PuzzleGenerator, GameValue};
///
/// let start = Position::start(4, 3, Rules::CS32)?;
/// let puzzle = PuzzleGenerator::new(start, 1).next().expect("there are puzzles on this board");
/// assert!(puzzle.value >= GameValue::Tie);
/// assert!(puzzle.position.legal_moves().any(|choice| choice == puzzle.solution));
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub struct PuzzleGenerator {
    start: Position,
    rng: Pcg64Mcg,
    min_depth: u32,
    engine: Engine,
    /// Positions of the puzzles so far: none comes twice.
    used_positions: HashSet<Position>,
}

/// Who plays the games: well enough for sensible positions, and not too well for different ones.
const PLAYER_LEVEL: u8 = 5;

/// Games without a puzzle after which there seem to be none.
const MAX_GAMES_WITHOUT_PUZZLE: u32 = 500;

/// Positions that are searched to prove what every choice makes of a game; what takes more is no puzzle for people.
const MAX_NODES: u64 = 100_000;

/// Choices without which there is nothing to puzzle over.
const MIN_MOVES: usize = 3;

/// Bytes in which positions are remembered.
const MEMORY_BYTES: usize = 32 << 20;

impl PuzzleGenerator {
    /// The most turns that one has to look ahead for a puzzle: what takes more is none for people.
    pub const MAX_DEPTH: u32 = 6;

    /// Puzzles from games that begin with `start`; equal seeds give equal puzzles. They end where many games in a row
    /// have none.
    pub fn new(start: Position, seed: u64) -> Self {
        Self {
            start,
            rng: Pcg64Mcg::seed_from_u64(seed),
            min_depth: 1,
            engine: Engine::new().with_memory(MEMORY_BYTES),
            used_positions: HashSet::new(),
        }
    }

    /// The same, and one has to look so many turns ahead for each, at least.
    #[must_use]
    pub fn with_min_depth(self, least_depth: u32) -> Self {
        Self {
            min_depth: least_depth,
            ..self
        }
    }

    /// The puzzle of a game, if it has one.
    fn puzzle_from_game(&mut self) -> Option<Puzzle> {
        let mut found = Vec::new();
        for position in self.play_game().into_iter().rev() {
            if self.used_positions.contains(&position) {
                continue;
            }
            // Going back, the game grows harder: what is before a position that is not proven would take too long.
            let Some(report) = self.prove(&position) else {
                break;
            };
            if report.moves.len() >= MIN_MOVES
                && let Some((answer, verdict)) = unique_solution(&report)
            {
                found.push((position, answer, verdict, report));
            }
        }
        found.shuffle(&mut self.rng);
        found
            .into_iter()
            .find_map(|(position, answer, verdict, report)| {
                let depth = solution_depth(&position, answer)?;
                (depth.get() >= self.min_depth).then_some(Puzzle {
                    position,
                    solution: answer,
                    value: verdict,
                    depth,
                    report,
                })
            })
    }

    /// The positions of a game, without its end.
    fn play_game(&mut self) -> Vec<Position> {
        let mut positions = Vec::new();
        let Some(number) = LevelNumber::new(PLAYER_LEVEL) else {
            unreachable!("there are ten levels");
        };
        let mut player = LevelPlayer::new("", number, self.rng.random(), || Duration::ZERO);
        let mut position = self.start.clone();
        while let Some(choice) = player.choose_move(&position, Duration::ZERO) {
            positions.push(position.clone());
            if position.play(choice).is_err() {
                break;
            }
        }
        positions
    }

    /// What every choice makes of the game, if that is soon proven.
    fn prove(&mut self, position: &Position) -> Option<Report> {
        let limits = Limits {
            nodes: Some(MAX_NODES),
            goal: Goal::AllMargins,
            ..Limits::default()
        };
        let report = self.engine.analyse(position, limits, &|| Duration::ZERO);
        let known = |&(_, bounds): &(Move, Bounds)| GameValue::from_bounds(bounds).is_some();
        report.moves.iter().all(known).then_some(report)
    }
}

impl Iterator for PuzzleGenerator {
    type Item = Puzzle;

    fn next(&mut self) -> Option<Puzzle> {
        let puzzle = (0..MAX_GAMES_WITHOUT_PUZZLE).find_map(|_| self.puzzle_from_game())?;
        self.used_positions.insert(puzzle.position.clone());
        Some(puzzle)
    }
}

/// The one choice that wins, or else the one that saves a tie, if it is proven that there is one and no other.
fn unique_solution(report: &Report) -> Option<(Move, GameValue)> {
    let mut verdicts = Vec::with_capacity(report.moves.len());
    for &(choice, bounds) in &report.moves {
        verdicts.push((GameValue::from_bounds(bounds)?, choice));
    }
    let &(best, answer) = verdicts.iter().max_by_key(|(verdict, _)| verdict)?;
    let alone = verdicts
        .iter()
        .filter(|(verdict, _)| *verdict == best)
        .count()
        == 1;
    (alone && best > GameValue::Loss).then_some((answer, best))
}

/// The turns that minimax has to look ahead to find a choice; `None` if it does not as far as people might look.
fn solution_depth(position: &Position, answer: Move) -> Option<NonZeroU32> {
    let finds = |turns: &u32| {
        let choice = MinimaxPlayer::new("", *turns).choose_move(position, Duration::ZERO);
        choice == Some(answer)
    };
    // What is found by chance, and lost again by looking further, is not found.
    let found = (1..=PuzzleGenerator::MAX_DEPTH)
        .rev()
        .take_while(finds)
        .last()?;
    NonZeroU32::new(found)
}
