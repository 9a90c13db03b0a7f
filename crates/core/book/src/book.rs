//! Books and the gains that they know.

use std::collections::HashMap;

use kalah::{FirstPlies, Gain, Margin, Move, MoveResult, Position, Variant};

use crate::error::BookError;
use crate::positions::{BookBoard, BookPositions, BookStart};

/// The exact gains of all positions within some plies of a start.
pub struct Book {
    start: BookStart,
    variant: Variant,
    pub(crate) leaf_shares: Vec<u8>,
    /// The numbers of the positions, which are those of their gains.
    numbers: HashMap<BookBoard, u32>,
    gains: Vec<i16>,
}

impl Book {
    /// Creates a book from the gains of the leaves, in the order of [`BookPositions::leaves`].
    ///
    /// # Errors
    /// If there are more or fewer gains than leaves, or if a leaf cannot have its gain: it is
    /// greater than the seeds in play allow, or has another parity.
    pub fn new(positions: BookPositions, leaf_gains: &[Gain]) -> Result<Self, BookError> {
        let (found, expected) = (leaf_gains.len(), positions.leaf_count());
        if found != expected {
            return Err(BookError::LeafCount { found, expected });
        }
        let shares = positions.leaf_seeds().zip(leaf_gains).enumerate();
        let leaf_shares: Result<_, _> = shares
            .map(|(leaf, (seeds, gain))| {
                let gain = gain.seeds();
                share(gain, seeds).ok_or(BookError::LeafGain { leaf, gain, seeds })
            })
            .collect();
        Ok(Self::from_shares(positions, leaf_shares?))
    }

    /// Creates a book from the mover's share of the seeds in play of each leaf, which is at most
    /// all of them.
    pub(crate) fn from_shares(positions: BookPositions, leaf_shares: Vec<u8>) -> Self {
        let (start, variant) = (positions.start(), positions.variant());
        let gains: Vec<i16> = (positions.leaf_seeds().zip(&leaf_shares))
            .map(|(seeds, &share)| 2 * i16::from(share) - i16::from(seeds))
            .collect();
        Self {
            start,
            variant,
            leaf_shares,
            gains: positions.gains(&gains),
            numbers: positions.into_numbers(),
        }
    }

    /// The start of the book and the plies to its leaves.
    pub fn start(&self) -> BookStart {
        self.start
    }

    /// Returns the number of positions.
    pub fn position_count(&self) -> usize {
        self.gains.len()
    }

    /// Returns the number of leaves.
    pub fn leaf_count(&self) -> usize {
        self.leaf_shares.len()
    }

    /// Returns the margin of the start for the side to move.
    ///
    /// # Panics
    /// Never: a book has its start.
    pub fn start_margin(&self) -> Margin {
        let start = self.start.position().expect("the start is valid");
        start.margin(self.gain(&start).expect("a book has its start"))
    }

    /// Returns the gain of the side to move, or `None` if the book does not have the position. A
    /// position that is over gains nothing.
    ///
    /// A position whose next ply has rules of its own has the gain that follows from its moves.
    pub fn gain(&self, position: &Position) -> Option<Gain> {
        if Variant::from_position(position) != self.variant {
            return None;
        }
        if position.is_over() {
            return Some(Gain::new(0));
        }
        if position.first_plies() != FirstPlies::Later {
            let mut best = None;
            for mv in position.legal_moves() {
                best = best.max(Some(self.move_gain(position, mv)?.seeds()));
            }
            return best.map(Gain::new);
        }
        let number = *self.numbers.get(&BookBoard::from_position(position)?)?;
        Some(Gain::new(self.gains[number as usize].into()))
    }

    /// Returns the gain of a move for its player, or `None` if the book does not have the position
    /// after it, or if the move is not legal.
    pub fn move_gain(&self, position: &Position, mv: Move) -> Option<Gain> {
        let mut next = position.clone();
        let result = next.play(mv).ok()?;
        let margin = next.margin(self.gain(&next)?);
        // After a swap the side to move is that of the other player.
        let is_same_player = next.to_move() == position.to_move() && result != MoveResult::Swapped;
        Some(position.gain(if is_same_player { margin } else { -margin }))
    }
}

/// Returns the seeds that the side to move gets of `seeds` in play if it gains `gain`.
pub(crate) fn share(gain: i32, seeds: u8) -> Option<u8> {
    let doubled = gain + i32::from(seeds);
    (doubled % 2 == 0 && doubled >= 0)
        .then(|| u8::try_from(doubled / 2).ok())?
        .filter(|&share| share <= seeds)
}
