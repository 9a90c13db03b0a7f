//! Estimates of all moves, which an analysis refines while it proves.

use std::cell::{Cell, RefCell};
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::search::control::{SearchLimits, Stopped};
use crate::search::root::{RootResults, RootSearch};

/// The search that estimates all moves. Its hash table is not that of the proof, so that estimates
/// do not change the course of the proof.
pub(crate) struct MoveEstimates<'a, H: SearchBoard, E: EndgameTable> {
    search: RefCell<RootSearch<'a, H, E>>,
    /// The limits of the analysis.
    limits: SearchLimits<'a>,
    /// The next refinement.
    next: Cell<Refinement>,
}

/// A short search beside a proof: its nodes, and the work after which it is due.
#[derive(Clone, Copy)]
struct Refinement {
    nodes: u64,
    due_at: u64,
}

/// The depth in turns of the first estimates of all moves, which precede the building of an endgame
/// table. On 6x4 it takes 30 thousand nodes, about 10 milliseconds.
const FIRST_ESTIMATE_TURNS: u32 = 8;

/// The greatest number of nodes of the first estimates.
const MAX_FIRST_ESTIMATE_NODES: u64 = 200_000;

/// The first estimates may use the limits of the analysis divided by this number.
const FIRST_ESTIMATE_LIMIT_DIVISOR: u32 = 16;

/// The share of the work that estimates beside a proof take, as a divisor. With it the best move of
/// 6x4 is proven two percent later.
const WORK_PER_REFINEMENT_NODE: u64 = 64;

/// The nodes of a refinement. One that does not complete the search of a move is followed by one of
/// twice as many nodes.
const MIN_REFINEMENT_NODES: u64 = 8_000;

impl<'a, H: SearchBoard, E: EndgameTable> MoveEstimates<'a, H, E> {
    /// Creates the estimates of `search`. `limits` are those of the analysis, and `work` the nodes
    /// that it has searched so far.
    pub(crate) fn new(search: RootSearch<'a, H, E>, limits: SearchLimits<'a>, work: u64) -> Self {
        Self {
            search: RefCell::new(search),
            limits,
            next: Cell::new(Refinement::after(work, MIN_REFINEMENT_NODES)),
        }
    }

    /// The search with the estimates so far.
    pub(crate) fn search(&self) -> &RefCell<RootSearch<'a, H, E>> {
        &self.search
    }

    /// Turns of the last completed iteration.
    pub(crate) fn depth(&self) -> u32 {
        self.search.borrow().depth()
    }

    pub(crate) fn is_every_move_proven(&self) -> bool {
        self.search.borrow().is_every_move_proven()
    }

    pub(crate) fn results(&self) -> RootResults {
        self.search.borrow().results()
    }

    /// Makes the first estimates, which precede the building of an endgame table. `now` is the time
    /// of the clock.
    pub(crate) fn run_first(&self, now: Duration, observer: &dyn Fn(&mut RootSearch<'a, H, E>)) {
        observer(&mut self.search.borrow_mut());
        let limits = self.limits.fraction(now, FIRST_ESTIMATE_LIMIT_DIVISOR);
        let end = limits.deadline.map(|(end, _)| end);
        let limits = (end, limits.max_nodes.min(MAX_FIRST_ESTIMATE_NODES));
        while self.depth() < FIRST_ESTIMATE_TURNS
            && !self.is_every_move_proven()
            && self.deepen(limits, observer).is_ok()
        {}
    }

    /// Deepens by one turn, and calls `observer` after every move. It stops at a time of the clock,
    /// if the analysis has a time limit, and at a number of nodes of the whole analysis.
    pub(crate) fn deepen(
        &self,
        (end, max_nodes): (Option<Duration>, u64),
        observer: &dyn Fn(&mut RootSearch<'a, H, E>),
    ) -> Result<(), Stopped> {
        let limits = SearchLimits {
            deadline: (self.limits.deadline).map(|(last, clock)| (end.unwrap_or(last), clock)),
            max_nodes: self.limits.max_nodes.min(max_nodes),
            ..self.limits
        };
        let mut search = self.search.borrow_mut();
        search.control().flush_counters();
        search.control().set_limits(limits);
        let turns = search.depth() + 1;
        search.deepen_all_moves(turns, &mut |search| observer(search))?;
        observer(&mut search);
        Ok(())
    }

    /// Deepens for a short time if the share of the estimates in `work`, the nodes of the analysis
    /// so far, allows it. It is called during a search for a proof.
    pub(crate) fn refine_if_due(&self, work: u64, observer: &dyn Fn(&mut RootSearch<'a, H, E>)) {
        let refinement = self.next.get();
        if work < refinement.due_at {
            return;
        }
        // The threads of the proof are at work, and a stop of other threads would stop them too.
        let (total, threads) = {
            let mut search = self.search.borrow_mut();
            search.control().flush_counters();
            let threads = search.replace_threads(NonZeroUsize::MIN);
            (search.control().total_nodes(), threads)
        };
        let limits = (None, total + refinement.nodes);
        let has_progress = Cell::new(false);
        let observe = |search: &mut RootSearch<'a, H, E>| {
            has_progress.set(true);
            observer(search);
        };
        while !self.is_every_move_proven() && self.deepen(limits, &observe).is_ok() {}
        self.search.borrow_mut().replace_threads(threads);
        self.next.set(if has_progress.get() {
            Refinement::after(work, MIN_REFINEMENT_NODES)
        } else {
            Refinement::after(work, refinement.nodes.saturating_mul(2))
        });
    }
}

impl Refinement {
    /// Returns a refinement of `nodes` nodes. It is due when [`WORK_PER_REFINEMENT_NODE`] times as
    /// much work has been done after `work`.
    fn after(work: u64, nodes: u64) -> Self {
        Self {
            nodes,
            due_at: work.saturating_add(nodes.saturating_mul(WORK_PER_REFINEMENT_NODE)),
        }
    }
}
