//! Themes of puzzles.

use std::fmt;
use std::str::FromStr;

use kalah::{House, MoveResult, Position, Quoted, SowEffect};
use thiserror::Error;

use super::{PlayedPly, Puzzle, played_plies};
use crate::analysis::report::MoveReport;
use crate::review::GameValue;

/// A property of a puzzle that the solver finds. A puzzle can have several themes, or none.
///
/// The *solution* below is the plies of [`Puzzle::solution_plies`] and the plies of the line that
/// end the turn of the last of them. *Own* plies are those of the player to move in the puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PuzzleTheme {
    /// An own ply of the solution captures.
    Capture,
    /// Own plies of the solution give two or more bonus turns in one turn.
    BonusChain,
    /// An own ply of the solution ends the game because the opponent's row is empty, while the own
    /// row still has seeds.
    Starve,
    /// The solution's first turn prevents a capture. The best other move, by its least margin and
    /// the first one of several, passes the turn. One sowing of the opponent can then capture at
    /// least [`Self::MIN_SAVED_SEEDS`] more seeds from an own house than one can after the first
    /// turn of the solution.
    SaveSeeds,
    /// The houses of both sides hold at most one seed each on average.
    LastSeeds,
    /// All other moves lose.
    OnlyMove,
}

impl PuzzleTheme {
    /// All themes.
    pub const ALL: [Self; 6] = [
        Self::Capture,
        Self::BonusChain,
        Self::Starve,
        Self::SaveSeeds,
        Self::LastSeeds,
        Self::OnlyMove,
    ];

    /// The least number of own seeds that a puzzle of [`Self::SaveSeeds`] saves.
    pub const MIN_SAVED_SEEDS: u16 = 3;

    /// Returns the name, such as `bonus-chain`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Capture => "capture",
            Self::BonusChain => "bonus-chain",
            Self::Starve => "starve",
            Self::SaveSeeds => "save-seeds",
            Self::LastSeeds => "last-seeds",
            Self::OnlyMove => "only-move",
        }
    }

    /// Returns whether a puzzle has the theme.
    pub fn is_of(self, puzzle: &Puzzle) -> bool {
        match self {
            Self::Capture => (own_plies(&solution(puzzle)))
                .any(|ply| matches!(effect(ply), Some(SowEffect::Capture(_)))),
            Self::BonusChain => has_bonus_chain(puzzle),
            Self::Starve => own_plies(&solution(puzzle)).any(starves),
            Self::SaveSeeds => saves_seeds(puzzle),
            Self::LastSeeds => {
                let houses = 2 * u16::from(puzzle.position.houses());
                puzzle.position.seeds_in_play().get() <= houses
            }
            Self::OnlyMove => (other_moves(puzzle))
                .all(|other| GameValue::from_bounds(other.bounds) == Some(GameValue::Loss)),
        }
    }
}

impl fmt::Display for PuzzleTheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text is no theme.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{} is no theme: expected {}",
    Quoted::new(.0),
    PuzzleTheme::ALL.map(PuzzleTheme::name).join(", ")
)]
pub struct ParsePuzzleThemeError(String);

/// Parses the name.
///
/// ```
/// use kalah_engine::PuzzleTheme;
///
/// assert_eq!("bonus-chain".parse(), Ok(PuzzleTheme::BonusChain));
/// assert!("fork".parse::<PuzzleTheme>().is_err());
/// ```
impl FromStr for PuzzleTheme {
    type Err = ParsePuzzleThemeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let theme = Self::ALL.into_iter().find(|theme| theme.name() == text);
        theme.ok_or_else(|| ParsePuzzleThemeError(text.to_owned()))
    }
}

impl Puzzle {
    /// Returns the themes, in the order of [`PuzzleTheme::ALL`].
    pub fn themes(&self) -> Vec<PuzzleTheme> {
        let themes = PuzzleTheme::ALL.into_iter();
        themes.filter(|theme| theme.is_of(self)).collect()
    }
}

/// Returns the plies to find, the replies between them, and the rest of the last turn.
fn solution(puzzle: &Puzzle) -> Vec<PlayedPly> {
    let mut plies = played_plies(&puzzle.position, &puzzle.report.line);
    let is_last = |(index, ply): (usize, &PlayedPly)| {
        index + 1 >= puzzle.solution_plies().len() && !ply.is_own_turn_after
    };
    if let Some(last) = plies.iter().enumerate().position(is_last) {
        plies.truncate(last + 1);
    }
    plies
}

fn own_plies(plies: &[PlayedPly]) -> impl Iterator<Item = &PlayedPly> {
    plies.iter().filter(|ply| ply.is_own)
}

/// Returns the effect of a sowing; `None` for a swap.
fn effect(ply: &PlayedPly) -> Option<SowEffect> {
    match ply.result {
        MoveResult::Sown(result) => Some(result.effect),
        MoveResult::Swapped => None,
    }
}

fn has_bonus_chain(puzzle: &Puzzle) -> bool {
    let plies = solution(puzzle);
    let turns = plies.split(|ply| !ply.is_own);
    let bonus_turns = |turn: &[PlayedPly]| {
        let bonus = |ply: &&PlayedPly| effect(ply) == Some(SowEffect::BonusTurn);
        turn.iter().filter(bonus).count()
    };
    turns.into_iter().any(|turn| bonus_turns(turn) > 1)
}

/// Returns whether a sowing ends the game because the opponent's row is empty and the own is not.
fn starves(ply: &PlayedPly) -> bool {
    match ply.result {
        MoveResult::Sown(result) => result.swept.is_some_and(|swept| {
            swept[result.side.opponent()].get() == 0 && swept[result.side].get() > 0
        }),
        MoveResult::Swapped => false,
    }
}

fn saves_seeds(puzzle: &Puzzle) -> bool {
    let first_turn = played_plies(&puzzle.position, &puzzle.report.line)
        .into_iter()
        .find(|ply| !ply.is_own_turn_after);
    let best_margin = other_moves(puzzle).map(|other| other.bounds.lower).max();
    let best_other = other_moves(puzzle).find(|other| Some(other.bounds.lower) == best_margin);
    let (Some(first_turn), Some(best_other)) = (first_turn, best_other) else {
        return false;
    };
    let side = puzzle.position.to_move();
    let other = played_plies(&puzzle.position, &[(side, best_other.mv)]);
    let safe = threatened_seeds(&first_turn.after);
    other.first().is_some_and(|other| {
        !other.is_own_turn_after
            && threatened_seeds(&other.after) >= safe + PuzzleTheme::MIN_SAVED_SEEDS
    })
}

/// Returns the most seeds that one sowing of the side to move captures from a house of the other
/// side; 0 if none captures.
fn threatened_seeds(position: &Position) -> u16 {
    let captured = |house: House| {
        let mut after = position.clone();
        match after.sow(house).map(|result| result.effect) {
            // The last seed is the capturer's.
            Ok(SowEffect::Capture(capture)) => capture.seeds.get().saturating_sub(1),
            Ok(SowEffect::TurnPasses | SowEffect::BonusTurn) | Err(_) => 0,
        }
    };
    position.legal_houses().map(captured).max().unwrap_or(0)
}

/// Returns the moves other than the solution.
fn other_moves(puzzle: &Puzzle) -> impl Iterator<Item = &MoveReport> {
    let moves = puzzle.report.moves.iter();
    moves.filter(|candidate| candidate.mv != puzzle.solution)
}
