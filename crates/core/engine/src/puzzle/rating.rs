//! The computed difficulty of a puzzle.

use std::fmt;
use std::num::NonZeroU32;

use kalah::{Move, MoveResult, Position, SowEffect};

use crate::analysis::report::{Bounds, Report};

/// The difficulty of a puzzle, from 800 to 2400, on the scale of ratings that players know.
///
/// The rating is computed from the puzzle alone by [`Self::from_features`]. It orders puzzles by
/// the work that they take, and it is not measured with people: a player of this rating need not
/// solve half of the puzzles that have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PuzzleRating(u16);

/// The properties of a puzzle that its rating depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PuzzleFeatures {
    /// The turns that a search has to look ahead to find the solution.
    pub depth: NonZeroU32,
    /// The number of legal moves.
    pub moves: usize,
    /// The least number of seeds by which the solution is proven to be better than the second best
    /// move.
    pub gap: u32,
    /// Whether some move looks good at once, and the solution does not: it gives no bonus turn, and
    /// another move captures more.
    pub greedy_fails: bool,
}

/// Points for each turn of depth after the first. The depth has most of the range, because a player
/// has to see this far.
const TURN_POINTS: u32 = 160;

/// Points for each legal move over [`EASY_MOVES`], of which at most [`MAX_EXTRA_MOVES`] count.
const MOVE_POINTS: u32 = 25;
const EASY_MOVES: usize = 3;
const MAX_EXTRA_MOVES: usize = 8;

/// Points for each seed by which the gap is less than [`WIDE_GAP`], because close margins have to
/// be counted exactly.
const GAP_POINTS: u32 = 25;
const WIDE_GAP: u32 = 9;

/// Points if the greedy move fails.
const GREEDY_POINTS: u32 = 400;

impl PuzzleRating {
    /// The rating of the easiest puzzle.
    pub const MIN: Self = Self(800);

    /// The greatest rating.
    pub const MAX: Self = Self(2400);

    /// Returns the rating of this number; `None` unless it is from [`Self::MIN`] to [`Self::MAX`].
    pub fn new(number: u16) -> Option<Self> {
        Some(Self(number)).filter(|rating| (Self::MIN..=Self::MAX).contains(rating))
    }

    /// Returns the number.
    pub fn get(self) -> u16 {
        self.0
    }

    /// Computes the rating: 800 points; 160 for each turn of depth after the first; 25 for each
    /// legal move after the third, up to the eleventh; 25 for each seed by which the gap is less
    /// than 9; and 400 if the greedy move fails. A sum of more than 2400 counts as 2400.
    ///
    /// ```
    /// use std::num::NonZeroU32;
    /// use kalah_engine::{PuzzleFeatures, PuzzleRating};
    ///
    /// let depth = NonZeroU32::new(3).expect("not zero");
    /// let features = PuzzleFeatures { depth, moves: 5, gap: 6, greedy_fails: true };
    /// let rating = PuzzleRating::from_features(features);
    /// assert_eq!(rating.get(), 800 + 2 * 160 + 2 * 25 + 3 * 25 + 400);
    /// ```
    pub fn from_features(features: PuzzleFeatures) -> Self {
        let extra_moves = features
            .moves
            .saturating_sub(EASY_MOVES)
            .min(MAX_EXTRA_MOVES);
        let points = [
            u32::from(Self::MIN.0),
            TURN_POINTS.saturating_mul(features.depth.get() - 1),
            MOVE_POINTS.saturating_mul(u32::try_from(extra_moves).unwrap_or(u32::MAX)),
            GAP_POINTS * WIDE_GAP.saturating_sub(features.gap),
            if features.greedy_fails {
                GREEDY_POINTS
            } else {
                0
            },
        ];
        let sum = points.into_iter().fold(0, u32::saturating_add);
        Self(u16::try_from(sum).unwrap_or(u16::MAX).min(Self::MAX.0))
    }
}

impl fmt::Display for PuzzleRating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PuzzleFeatures {
    /// Returns the features of a puzzle. `report` proves that `solution` is better than all other
    /// moves.
    pub fn new(position: &Position, solution: Move, depth: NonZeroU32, report: &Report) -> Self {
        Self {
            depth,
            moves: report.moves.len(),
            gap: gap(solution, &report.move_bounds()),
            greedy_fails: greedy_fails(position, solution),
        }
    }
}

fn gap(solution: Move, moves: &[(Move, Bounds)]) -> u32 {
    let own = moves.iter().find(|&&(mv, _)| mv == solution);
    let others = moves.iter().filter(|&&(mv, _)| mv != solution);
    let second = others.map(|(_, bounds)| bounds.upper).max();
    own.zip(second).map_or(0, |((_, own), second)| {
        let gap = own.lower.seeds() - second.seeds();
        gap.max(0).unsigned_abs()
    })
}

/// Returns whether some moves give a bonus turn or capture, and the solution neither gives a bonus
/// turn nor is among the greatest captures.
fn greedy_fails(position: &Position, solution: Move) -> bool {
    let effects: Vec<(Move, SowEffect)> = (position.legal_moves())
        .filter_map(|mv| match position.clone().play(mv) {
            Ok(MoveResult::Sown(result)) => Some((mv, result.effect)),
            Ok(MoveResult::Swapped) | Err(_) => None,
        })
        .collect();
    let captured = |effect: &SowEffect| match effect {
        SowEffect::Capture(capture) => Some(capture.seeds),
        SowEffect::TurnPasses | SowEffect::BonusTurn => None,
    };
    let most = effects
        .iter()
        .filter_map(|(_, effect)| captured(effect))
        .max();
    let is_greedy = |effect: &SowEffect| {
        *effect == SowEffect::BonusTurn || (most.is_some() && captured(effect) == most)
    };
    let mut greedy = effects
        .iter()
        .filter(|(_, effect)| is_greedy(effect))
        .peekable();
    greedy.peek().is_some() && greedy.all(|&(mv, _)| mv != solution)
}
