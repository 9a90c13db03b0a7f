//! The parts that the searches of an analysis have in common, and what books prove of its moves.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use kalah::{Gain, Move, Position};
use kalah_book::BookSet;

use super::hash_tables::KeyScope;
use super::lines::LineStart;
use super::report::Bounds;
use super::reporter::Reporter;
use super::request::{AnalysisRequest, gain_range};
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::search::context::SearchContext;
use crate::search::control::{SearchLimits, SharedControl};
use crate::search::root::{RootResults, RootSearch};

/// Moves with their proven bounds.
pub(crate) type MoveBounds = Vec<(Move, Bounds)>;

/// The parts that all searches of an analysis have in common.
pub(crate) struct SearchParts<'a> {
    pub(crate) request: AnalysisRequest<'a>,
    pub(crate) reporter: &'a Reporter<'a>,
    pub(crate) shared_control: &'a SharedControl,
    pub(crate) scope: KeyScope,
    pub(crate) known_bounds: MoveBounds,
    /// Whether the books have the margins of all moves.
    pub(crate) is_in_book: bool,
    pub(crate) books: &'a BookSet,
    /// The results of the first estimates of all moves.
    pub(crate) earlier_results: Option<RootResults>,
    pub(crate) stop_flags: &'a [&'a AtomicBool],
}

impl<'a> SearchParts<'a> {
    /// Returns the position from which lines begin.
    pub(crate) fn line_start(&self) -> LineStart<'a> {
        LineStart {
            position: self.request.position,
            books: self.books,
            stop_flags: self.stop_flags,
        }
    }

    /// Returns the limits of a search.
    pub(crate) fn limits<'h>(&self, heartbeat: Option<&'h dyn Fn()>) -> SearchLimits<'h>
    where
        'a: 'h,
    {
        let AnalysisRequest {
            limits,
            started_at,
            clock,
            ..
        } = self.request;
        SearchLimits {
            deadline: (limits.time)
                .and_then(|time| started_at.checked_add(time))
                .map(|deadline| (deadline, clock)),
            stop_flags: self.stop_flags,
            max_nodes: limits.nodes.unwrap_or(u64::MAX),
            heartbeat,
        }
    }

    /// Returns a search that starts with the known bounds and the earlier results.
    pub(crate) fn new_search<'s, H: SearchBoard, E: EndgameTable>(
        &self,
        context: SearchContext<'s, H, E>,
        board: &H,
        limits: SearchLimits<'s>,
        threads: NonZeroUsize,
    ) -> RootSearch<'s, H, E>
    where
        'a: 's,
    {
        let position = self.request.position;
        let root = (board, position.seeds_in_play().into(), gain_range(position));
        let mut search = RootSearch::new(context, root, limits, self.shared_control, threads);
        if !self.request.root_moves.is_empty() {
            search.retain_moves(self.request.root_moves);
        }
        for &(mv, bounds) in &self.known_bounds {
            let gain = |margin| position.gain(margin).seeds();
            search.set_known_bounds(mv, gain(bounds.lower), gain(bounds.upper));
        }
        if let Some(results) = &self.earlier_results {
            search.resume(results);
        }
        search
    }
}

/// Returns the bounds of moves that books prove. Where they have the position and not the positions
/// after its moves, no move gains more than the position.
pub(crate) fn book_bounds(books: &BookSet, position: &Position) -> MoveBounds {
    let (min_gain, _) = gain_range(position);
    let position_gain = books.gain(position).map(Gain::seeds);
    let bounds = position.legal_moves().filter_map(|mv| {
        let move_gain = books.move_gain(position, mv).map(Gain::seeds);
        let upper = move_gain.or(position_gain)?;
        let margin = |gain| position.margin(Gain::new(gain));
        let bounds = Bounds {
            lower: margin(move_gain.unwrap_or(min_gain)),
            upper: margin(upper),
        };
        Some((mv, bounds))
    });
    bounds.collect()
}
