//! Entries of the hash tables that searches on other machines can use.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kalah::SeedCount;

use super::context::SearchContext;
use super::proof_numbers::{PACKED_NUMBERS_BITS, ProofKey, ProofNumbers};
use crate::board::key::PositionKey;
use crate::board::search_board::SearchBoard;
use crate::endgame_tables::EndgameTable;
use crate::tt::{TtEntry, effort_from_nodes, nodes_from_effort, unpack_effort};

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

/// The reason why a message has no valid entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedEntryError {
    /// Its length is not a multiple of [`SharedEntry::BYTES`].
    Length(usize),
    /// The entry with this index, from 0, cannot come from a search.
    Entry(usize),
}

impl fmt::Display for SharedEntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(length) => write!(
                f,
                "{length} bytes of shared entries, expected a multiple of {}",
                SharedEntry::BYTES
            ),
            Self::Entry(index) => write!(f, "shared entry {} is invalid", index + 1),
        }
    }
}

impl Error for SharedEntryError {}

/// The first byte of an entry in a message.
const SOLVED: u8 = 0;
const OPEN: u8 = 1;

impl SharedEntry {
    /// The size of an entry in a message: the kind has 1 byte, the key 20, the seeds in play or the
    /// target 2, and the bounds or the numbers 4.
    pub const BYTES: usize = 27;

    /// Returns a message with these entries, whose numbers are little-endian.
    pub fn encode(entries: &[Self]) -> Vec<u8> {
        entries.iter().flat_map(|entry| entry.to_bytes()).collect()
    }

    /// Returns the entries of a message.
    ///
    /// # Errors
    ///
    /// Fails if these bytes are not a message of [`SharedEntry::encode`].
    pub fn decode(message: &[u8]) -> Result<Vec<Self>, SharedEntryError> {
        let (entries, rest) = message.as_chunks();
        if !rest.is_empty() {
            return Err(SharedEntryError::Length(message.len()));
        }
        let entries = entries.iter().enumerate();
        let entries = entries
            .map(|(index, bytes)| Self::from_bytes(bytes).ok_or(SharedEntryError::Entry(index)));
        entries.collect()
    }

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let (kind, key, seeds, bits) = match self.content {
            SharedContent::Solved(solved) => (
                SOLVED,
                solved.key,
                u16::try_from(solved.in_play).unwrap_or(u16::MAX),
                (solved.entry).pack(solved.in_play, effort_from_nodes(solved.nodes)),
            ),
            SharedContent::Open(goal, numbers) => {
                (OPEN, goal.key, goal.target_seeds.into(), numbers.pack())
            }
        };
        let mut bytes = [kind; Self::BYTES];
        bytes[1..9].copy_from_slice(&key.cluster_hash.to_le_bytes());
        bytes[9..17].copy_from_slice(&key.head.to_le_bytes());
        bytes[17..21].copy_from_slice(&key.tail.to_le_bytes());
        bytes[21..23].copy_from_slice(&seeds.to_le_bytes());
        bytes[23..27].copy_from_slice(&bits.to_le_bytes());
        bytes
    }

    /// Returns `None` if the entry cannot come from a search.
    fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let key = PositionKey {
            cluster_hash: u64::from_le_bytes(*bytes[1..].first_chunk()?),
            head: u64::from_le_bytes(*bytes[9..].first_chunk()?),
            tail: u32::from_le_bytes(*bytes[17..].first_chunk()?),
        };
        let seeds = u16::from_le_bytes(*bytes[21..].first_chunk()?);
        let bits = u32::from_le_bytes(*bytes[23..].first_chunk()?);
        let content = match bytes[0] {
            SOLVED => {
                let in_play = i32::from(seeds);
                let entry = TtEntry::unpack(bits, in_play);
                let is_possible = seeds <= SeedCount::MAX.get()
                    && entry.depth.is_proven()
                    && entry.lower <= entry.upper
                    && entry.upper <= in_play;
                SharedContent::Solved(is_possible.then_some(SolvedEntry {
                    key,
                    in_play,
                    entry,
                    nodes: nodes_from_effort(unpack_effort(bits)),
                })?)
            }
            OPEN => {
                let goal = ProofKey {
                    key,
                    target_seeds: seeds.try_into().ok()?,
                };
                let has_range = bits >> PACKED_NUMBERS_BITS == 0;
                let numbers = has_range.then(|| ProofNumbers::unpack(bits))?;
                SharedContent::Open(goal, numbers?)
            }
            _ => return None,
        };
        Some(Self { content })
    }
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
