//! What the threads of a search share.

use std::sync::atomic::{AtomicU64, Ordering};

use kalah::Move;

use super::node::{Child, Node, RootChild, ScoreTransform};
use crate::board::key::PositionKey;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::tt::proof::ProofTableRef;
use crate::tt::transposition::TranspositionTableRef;

/// What all threads of a search look into.
pub(crate) struct SearchContext<'a, H: SearchBoard, E: EndgameTable> {
    pub(crate) move_tables: &'a H::MoveTables,
    pub(crate) transpositions: TranspositionTableRef<'a>,
    pub(crate) proof_table: ProofTableRef<'a>,
    pub(crate) endgames: &'a E,
    /// What the threads are at work on, if there are several.
    pub(crate) currently_searching: Option<&'a CurrentlySearching>,
}

/// So many seeds more than in a table, and fewer, are not remembered.
const UNCACHED_SEEDS_ABOVE_TABLE: i32 = 3;

/// Up to so many seeds more than in a table, children are not looked up in memory before they are
/// searched: what that saves in positions it loses waiting for memory.
const NEAR_TABLE_SEEDS: i32 = 8;

/// Plies from the root below which everything is estimated, so that the stack cannot overflow.
pub(super) const MAX_PLY: u32 = 1000;

impl<H: SearchBoard, E: EndgameTable> Clone for SearchContext<'_, H, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H: SearchBoard, E: EndgameTable> Copy for SearchContext<'_, H, E> {}

impl<H: SearchBoard, E: EndgameTable> SearchContext<'_, H, E> {
    /// Where an endgame table keeps the gain of these houses, which will be asked for soon.
    #[inline]
    pub(super) fn table_slot(&self, houses: &H) -> Option<E::ValueSlot> {
        let [own, other] = houses.packed_rows()?;
        self.endgames.slot(own, other)
    }

    /// What a position is remembered by, where that is worth its while.
    ///
    /// Hardly above the seeds of a table a look into memory costs more than what follows without it.
    #[inline]
    pub(super) fn tt_key(&self, spot: &Node<H>) -> Option<PositionKey> {
        let forgets = spot.in_play <= self.endgames.max_seeds() + UNCACHED_SEEDS_ABOVE_TABLE;
        if forgets || !spot.board.is_cacheable() {
            return None;
        }
        Some(spot.board.key(self.move_tables))
    }

    /// Whether a position is so far above the table that its search is worth some pains.
    #[inline]
    pub(super) fn is_far_above_table(&self, spot: &Node<H>) -> bool {
        spot.in_play > self.endgames.max_seeds() + NEAR_TABLE_SEEDS
    }

    /// Every choice at the root and what it leads to: a gain for certain, or a position to search.
    pub(crate) fn root_children(&self, houses: &H, in_play: i32) -> Vec<(Move, RootChild<H>)> {
        let mut children = Vec::new();
        houses.for_each_move(self.move_tables, |choice, sown| {
            let change = ScoreTransform {
                banked: sown.banked,
                same_player: sown.same_player,
            };
            let in_play = change.child_in_play(choice, in_play);
            let child = if sown.is_over {
                Ok(sown.banked)
            } else if in_play <= self.endgames.max_seeds()
                && let Some(slot) = self.table_slot(&sown.board)
            {
                Ok(change.parent_gain(self.endgames.gain(slot).into()))
            } else {
                let mut child = Child {
                    mv: choice,
                    transform: change,
                    node: Node {
                        board: sown.board,
                        in_play,
                    },
                    order_score: 0,
                };
                child.order_score = child.ordering_score();
                Err(child)
            };
            children.push((choice, child));
        });
        children
    }
}

/// The positions that the threads of a search are at work on, so that each can leave what another one
/// has begun for later: the simple form of ABDADA (J.-C. Weill, "The ABDADA distributed minimax-search
/// algorithm", 1996) that T. Kerrigan has described.
///
/// It only says what is worth doing next. Two positions may share a place, and one may be forgotten.
pub(crate) struct CurrentlySearching {
    /// The heads of keys; 0 where there is none.
    slots: Box<[AtomicU64]>,
}

/// Far more than threads have positions on the way from a root; they fit the cache of a core.
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

    /// Whether a thread is at work on the position with this key.
    pub(crate) fn contains(&self, key: PositionKey) -> bool {
        self.slot(key).load(Ordering::Relaxed) == key.head
    }

    /// A thread begins with it.
    pub(crate) fn begin(&self, key: PositionKey) {
        self.slot(key).store(key.head, Ordering::Relaxed);
    }

    /// A thread has ended with it.
    pub(crate) fn end(&self, key: PositionKey) {
        self.slot(key).store(0, Ordering::Relaxed);
    }
}
