//! Entries of the hash tables that searches on other machines can use.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::context::SearchContext;
use super::proof_numbers::{ProofKey, ProofNumbers};
use crate::board::key::PositionKey;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::tt::TtEntry;

/// An entry of the hash tables of an engine, for those of other engines of the same board and
/// rules: the bounds of a solved position, or the proof numbers of an open goal.
///
/// It has the key of its position, which does not depend on the size of a table. An engine that
/// inserts it depends on the search that has found it, as the coordinator of a proof depends on the
/// results of jobs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedEntry {
    content: SharedContent,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum SharedContent {
    Solved(SolvedEntry),
    Open(ProofKey, ProofNumbers),
}

/// A proven entry of the transposition table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SolvedEntry {
    pub(super) key: PositionKey,
    pub(super) in_play: i32,
    pub(super) entry: TtEntry,
    /// The nodes of the search.
    pub(super) nodes: u64,
}

/// The entries that an engine has found since they were taken.
pub(crate) struct SharedEntries {
    /// The nodes from which on a search has an entry that is worth a message.
    min_nodes: u64,
    entries: Mutex<VecDeque<SharedEntry>>,
}

/// The greatest number of entries that wait. The oldest ones are dropped.
const MAX_ENTRIES: usize = 1 << 12;

impl SharedEntry {
    /// The size of an entry in a message: the key has 20 bytes, the content 5, and the kind 1.
    pub const BYTES: usize = 26;
}

impl SharedEntries {
    pub(crate) fn new(min_nodes: u64) -> Self {
        Self {
            min_nodes,
            entries: Mutex::default(),
        }
    }

    /// Adds a solved position.
    pub(super) fn add_solved(&self, solved: SolvedEntry) {
        self.add(SharedContent::Solved(solved), solved.nodes);
    }

    /// Adds the numbers of an open goal after a search of `nodes` nodes.
    pub(super) fn add_open(&self, goal: ProofKey, numbers: ProofNumbers, nodes: u64) {
        self.add(SharedContent::Open(goal, numbers), nodes);
    }

    fn add(&self, content: SharedContent, nodes: u64) {
        if nodes < self.min_nodes {
            return;
        }
        let mut entries = self.lock();
        if entries.len() == MAX_ENTRIES {
            entries.pop_front();
        }
        entries.push_back(SharedEntry { content });
    }

    /// Takes all entries, the oldest first.
    pub(crate) fn take(&self) -> Vec<SharedEntry> {
        std::mem::take(&mut *self.lock()).into()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<SharedEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<H: SearchBoard, E: EndgameTable> SearchContext<'_, H, E> {
    /// Inserts an entry of another engine into the hash tables.
    pub(crate) fn insert_shared(&self, entry: SharedEntry) {
        match entry.content {
            SharedContent::Solved(SolvedEntry {
                key,
                in_play,
                entry,
                nodes,
            }) => self.transpositions.put(key, in_play, entry, nodes),
            SharedContent::Open(goal, numbers) => self.proof_table.put(goal, numbers),
        }
    }
}
