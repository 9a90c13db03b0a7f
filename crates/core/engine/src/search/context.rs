//! Data that the threads of a search share, and the table of nodes under search.

use std::sync::atomic::{AtomicU64, Ordering};

use kalah::Move;

use super::node::{Child, Node, RootChild, ScoreTransform};
use super::proof_cost::ProofCostModel;
use super::proof_numbers::ProofTableRef;
use crate::board::key::PositionKey;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::evaluation::Evaluator;
use crate::tt::TranspositionTableRef;

/// References to the data that all threads of a search share.
pub(crate) struct SearchContext<'a, H: SearchBoard, E: EndgameTable> {
    pub(crate) move_tables: &'a H::MoveTables,
    pub(crate) transpositions: TranspositionTableRef<'a>,
    pub(crate) proof_table: ProofTableRef<'a>,
    pub(crate) endgames: &'a E,
    pub(crate) evaluator: &'a Evaluator<'a>,
    pub(crate) cost_model: &'a ProofCostModel,
    /// The nodes that the threads are searching; `None` with a single thread.
    pub(crate) currently_searching: Option<&'a CurrentlySearching>,
}

/// Positions with at most this many seeds more than the endgame table are not stored in the
/// transposition table.
const UNCACHED_SEEDS_ABOVE_TABLE: i32 = 3;

/// Children with at most this many seeds more than the endgame table are not looked up in the
/// transposition table before they are searched: waiting for memory costs more than the nodes that
/// a hit saves.
const NEAR_TABLE_SEEDS: i32 = 8;

/// The greatest distance from the root in plies. Nodes beyond it get the static evaluation, so that
/// the stack cannot overflow.
pub(super) const MAX_PLY: u32 = 1000;

impl<H: SearchBoard, E: EndgameTable> Clone for SearchContext<'_, H, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: SearchBoard, E: EndgameTable> Copy for SearchContext<'_, H, E> {}

impl<H: SearchBoard, E: EndgameTable> SearchContext<'_, H, E> {
    /// Returns the endgame table's slot for a position and prefetches it.
    #[inline]
    pub(super) fn table_slot(&self, board: &H) -> Option<E::ValueSlot> {
        let [own, other] = board.packed_rows()?;
        self.endgames.slot(own, other)
    }

    /// Returns the key of a node that is worth storing in the transposition table.
    ///
    /// Close above the endgame table a probe costs more than the search below the node.
    #[inline]
    pub(super) fn tt_key(&self, node: &Node<H>) -> Option<PositionKey> {
        let is_close_to_table =
            node.in_play <= self.endgames.max_seeds() + UNCACHED_SEEDS_ABOVE_TABLE;
        if is_close_to_table || !node.board.is_cacheable() {
            return None;
        }
        Some(node.board.key(self.move_tables))
    }

    /// Returns whether a node has more than `NEAR_TABLE_SEEDS` seeds more than the endgame table,
    /// so that probing all children first, and deferring those under search, pays off.
    #[inline]
    pub(super) fn is_far_above_table(&self, node: &Node<H>) -> bool {
        node.in_play > self.endgames.max_seeds() + NEAR_TABLE_SEEDS
    }

    /// Returns the proven bounds of a node's gain that the transposition table has.
    pub(crate) fn proven_bounds(&self, node: &Node<H>) -> Option<(i32, i32)> {
        let key = (node.board.is_cacheable()).then(|| node.board.key(self.move_tables))?;
        let entry = self.transpositions.get(key, node.in_play)?;
        (entry.depth.is_proven()).then_some((entry.lower, entry.upper))
    }

    /// Returns the best move of a position if the gains of all its moves need no search.
    pub(crate) fn best_known_move(&self, board: &H, in_play: i32) -> Option<Move> {
        let mut best = None;
        for (mv, child) in self.root_children(board, in_play) {
            let RootChild::Known(gain) = child else {
                return None;
            };
            if best.is_none_or(|(best_gain, _)| gain > best_gain) {
                best = Some((gain, mv));
            }
        }
        best.map(|(_, mv)| mv)
    }

    /// Returns every root move with its gain if that needs no search, or else with its child.
    pub(crate) fn root_children(&self, board: &H, in_play: i32) -> Vec<(Move, RootChild<H>)> {
        let mut children = Vec::new();
        board.for_each_move(self.move_tables, |mv, successor| {
            let transform = ScoreTransform {
                banked: successor.banked,
                same_player: successor.same_player,
            };
            let in_play = transform.child_in_play(mv, in_play);
            let child = if successor.is_over {
                RootChild::Known(successor.banked)
            } else if in_play <= self.endgames.max_seeds()
                && let Some(slot) = self.table_slot(&successor.board)
            {
                RootChild::Known(transform.parent_gain(self.endgames.gain(slot).into()))
            } else {
                let mut child = Child {
                    mv,
                    transform,
                    node: Node {
                        board: successor.board,
                        in_play,
                    },
                    order_score: 0,
                };
                child.order_score = child.compute_order_score();
                RootChild::Open(child)
            };
            children.push((mv, child));
        });
        children
    }
}

/// The nodes that the threads are searching, so that each thread can defer a child that another one
/// has begun: the simplified form of ABDADA (J.-C. Weill, "The ABDADA distributed minimax-search
/// algorithm", 1996) that T. Kerrigan has described.
///
/// The table only guides the order of work. Two nodes may share a slot, and an entry may be
/// overwritten.
pub(crate) struct CurrentlySearching {
    /// Heads of position keys; 0 is an empty slot.
    slots: Box<[AtomicU64]>,
}

/// Far more slots than all threads have nodes on their way from the root; the table fits the cache
/// of a core.
const SLOT_COUNT: u64 = 1 << 12;

impl CurrentlySearching {
    pub(crate) fn new() -> Self {
        Self {
            slots: (0..SLOT_COUNT).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn slot(&self, key: PositionKey) -> &AtomicU64 {
        &self.slots[(key.head % SLOT_COUNT) as usize]
    }

    /// Returns whether a thread is searching the node with this key.
    pub(crate) fn contains(&self, key: PositionKey) -> bool {
        self.slot(key).load(Ordering::Relaxed) == key.head
    }

    /// Marks a node as under search.
    pub(crate) fn begin(&self, key: PositionKey) {
        self.slot(key).store(key.head, Ordering::Relaxed);
    }

    /// Clears the mark of a node.
    pub(crate) fn end(&self, key: PositionKey) {
        self.slot(key).store(0, Ordering::Relaxed);
    }
}
