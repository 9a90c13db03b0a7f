//! Lines of play: the moves that an analysis expects, and those that it has proven.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use kalah::{Margin, Move, Position, Side};
use kalah_book::BookSet;

use super::request::gain_range;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::search::context::SearchContext;
use crate::search::control::{SearchLimits, SharedControl};
use crate::search::root::RootSearch;

/// Plies with their sides.
pub(crate) type MoveLine = Vec<(Side, Move)>;

/// The greatest number of plies in a reported line.
const MAX_LINE_PLIES: usize = 200;

/// Finds lines from a position with the tables of its analysis.
pub(crate) struct LineFinder<'a, H: SearchBoard, E: EndgameTable> {
    /// The tables of the search that proves.
    proof: SearchContext<'a, H, E>,
    /// The tables of the search that estimates, which may be the same.
    estimates: SearchContext<'a, H, E>,
    start: LineStart<'a>,
}

/// The position of an analysis, from which its lines begin.
#[derive(Clone, Copy)]
pub(crate) struct LineStart<'a> {
    pub(crate) position: &'a Position,
    /// Books whose best moves a line follows.
    pub(crate) books: &'a BookSet,
    /// Flags that stop the searches for a line.
    pub(crate) stop_flags: &'a [&'a AtomicBool],
}

/// The end of a line, and the margin that best play makes there for the side to move.
struct LineEnd {
    position: Position,
    margin: Margin,
}

impl LineEnd {
    /// Plays a move; `None` if it is not legal.
    fn play(&mut self, mv: Move) -> Option<Side> {
        let side = self.position.to_move();
        self.position.play(mv).ok()?;
        // After a swap the same side moves, but the other player.
        if self.position.to_move() != side || mv == Move::Swap {
            self.margin = -self.margin;
        }
        Some(side)
    }
}

impl<'a, H: SearchBoard, E: EndgameTable> LineFinder<'a, H, E> {
    /// Creates a finder from the tables of the searches that prove and estimate.
    pub(crate) fn new(
        [proof, estimates]: [SearchContext<'a, H, E>; 2],
        start: LineStart<'a>,
    ) -> Self {
        Self {
            proof,
            estimates,
            start,
        }
    }

    /// Returns the part of the proving search's transposition table that is in use, in thousandths.
    pub(crate) fn hash_fullness(&self) -> Option<u16> {
        self.proof.transpositions.fullness()
    }

    /// Returns the expected line that begins with `first`: the best moves of the books, of the
    /// transposition table, and of the endgame table.
    pub(crate) fn expected_line(&self, first: Move) -> MoveLine {
        let mut position = self.start.position.clone();
        let mut line = MoveLine::new();
        let mut next = Some(first);
        while let Some(mv) = next {
            let side = position.to_move();
            if line.len() == MAX_LINE_PLIES || position.play(mv).is_err() {
                break;
            }
            line.push((side, mv));
            next = self.expected_move(&position);
        }
        line
    }

    fn expected_move(&self, position: &Position) -> Option<Move> {
        if let Some(mv) = self.start.books.best_move(position) {
            return Some(mv);
        }
        let board = H::from_position(position).filter(|_| !position.is_over())?;
        let in_play = position.seeds_in_play().into();
        if in_play <= self.estimates.endgames.max_seeds() {
            return self.estimates.best_known_move(&board, in_play);
        }
        let key = board
            .is_cacheable()
            .then(|| board.key(self.estimates.move_tables))?;
        let entry = self.estimates.transpositions.get(key, in_play)?;
        entry.best_house.map(Move::Sow)
    }

    /// Extends a line on which both sides keep `margin`, the proven margin of its first position,
    /// as far as the limits allow, and returns whether it reaches the end of the game. An empty
    /// line begins with `first`.
    ///
    /// Every added move keeps the margin: a book or the tables know it, or a search proves it.
    pub(crate) fn extend_proven_line(
        &self,
        line: &mut MoveLine,
        (first, margin): (Move, Margin),
        limits: SearchLimits<'_>,
    ) -> bool {
        let limits = SearchLimits {
            stop_flags: self.start.stop_flags,
            ..limits
        };
        let mut end = LineEnd {
            position: self.start.position.clone(),
            margin,
        };
        if line.is_empty() {
            let side = end.position.to_move();
            line.push((side, first));
        }
        for &(_, mv) in line.iter() {
            if end.play(mv).is_none() {
                return false;
            }
        }
        let control = SharedControl::default();
        while line.len() < MAX_LINE_PLIES
            && let Some(mv) = self.proven_move(&end, limits, &control)
        {
            let Some(side) = end.play(mv) else { break };
            line.push((side, mv));
        }
        end.position.is_over()
    }

    /// Returns a move that is proven to keep the margin.
    fn proven_move(
        &self,
        end: &LineEnd,
        limits: SearchLimits<'_>,
        control: &SharedControl,
    ) -> Option<Move> {
        let LineEnd { position, margin } = end;
        if let Some(mv) = self.start.books.best_move(position) {
            return Some(mv);
        }
        let board = H::from_position(position).filter(|_| !position.is_over())?;
        let in_play = position.seeds_in_play().into();
        let root = (&board, in_play, gain_range(position));
        let mut search = RootSearch::new(self.proof, root, limits, control, NonZeroUsize::MIN);
        let target = margin.seeds() - position.lead().seeds();
        search.find_move_gaining(target).ok().flatten()
    }
}
