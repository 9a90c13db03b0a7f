//! The hash tables that an engine keeps between analyses, and the positions for which their entries
//! are valid.

use kalah::{Position, Variant};

use super::request::AnalysisRequest;
use crate::board::key::KeyKind;
use crate::search::proof_numbers::ProofTable;
use crate::tt::TranspositionTable;

/// The hash tables of an engine.
#[derive(Default)]
pub(super) struct EngineHashTables {
    search: Option<SearchHashTables>,
    /// The transposition table of the estimates of all moves.
    estimates: Option<(KeyScope, TranspositionTable)>,
}

/// The hash tables of a search.
pub(super) struct SearchHashTables {
    scope: KeyScope,
    /// Size of the transposition table.
    tt_bytes: usize,
    /// Size of the table of proof numbers.
    proof_bytes: usize,
    pub(super) transpositions: TranspositionTable,
    pub(super) proof_table: ProofTable,
}

/// The properties of a position that its keys do not cover: entries are valid within one scope
/// only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyScope {
    variant: Variant,
    key_kind: KeyKind,
}

/// The size of the transposition table divided by that of the table of proof numbers: 6x4 takes as
/// many nodes with 1 MiB of proof numbers as with 8 or 32.
pub(crate) const TT_TO_PROOF_BYTES_RATIO: usize = 4;

/// The transposition table for estimates of all moves has at most this size in bytes, and takes at
/// most one of this many parts of the memory.
const MAX_ESTIMATE_TT_BYTES: usize = 16 << 20;
const MIN_MEMORY_TO_ESTIMATE_TT_RATIO: usize = 16;

impl KeyScope {
    pub(super) fn new(position: &Position, key_kind: KeyKind) -> Self {
        Self {
            variant: Variant::from_position(position),
            key_kind,
        }
    }

    fn new_tt(self, bytes: usize) -> TranspositionTable {
        TranspositionTable::new(bytes, self.variant.houses().into())
    }
}

impl EngineHashTables {
    /// Returns the transposition table of the estimates of all moves, an empty one if the scope of
    /// its keys changes. `memory_bytes` is the memory limit of the engine.
    pub(super) fn take_estimate_tt(
        &mut self,
        request: AnalysisRequest,
        scope: KeyScope,
        memory_bytes: usize,
    ) -> TranspositionTable {
        let known = self.estimates.take().filter(|(known, _)| *known == scope);
        known.map_or_else(
            || {
                let bytes = MAX_ESTIMATE_TT_BYTES
                    .min(memory_bytes / MIN_MEMORY_TO_ESTIMATE_TT_RATIO)
                    .min(request.useful_tt_bytes());
                scope.new_tt(bytes)
            },
            |(_, tt)| tt,
        )
    }

    /// Keeps the transposition table of the estimates for the next analysis.
    pub(super) fn keep_estimate_tt(&mut self, scope: KeyScope, tt: Option<TranspositionTable>) {
        self.estimates = tt.map(|tt| (scope, tt));
    }

    /// Returns the hash tables of a search, which take at most `memory_bytes`. They are cleared if
    /// the scope of their keys changes.
    pub(super) fn search_tables(
        &mut self,
        request: AnalysisRequest,
        scope: KeyScope,
        memory_bytes: usize,
        is_stopped: bool,
    ) -> &mut SearchHashTables {
        // With little memory all of it goes to the transposition table.
        let proof_bytes = memory_bytes / (TT_TO_PROOF_BYTES_RATIO + 1);
        let has_proof_table = proof_bytes >= ProofTable::MIN_BYTES;
        let max_tt_bytes = memory_bytes - if has_proof_table { proof_bytes } else { 0 };
        // After a stop any tables will do, because fresh large ones take tens of milliseconds for
        // the first nodes.
        let bytes = if is_stopped {
            0
        } else {
            request.useful_tt_bytes().min(max_tt_bytes)
        };
        let proof_bytes = if has_proof_table {
            bytes / TT_TO_PROOF_BYTES_RATIO
        } else {
            0
        };
        let is_enough = |tables: &SearchHashTables| {
            tables.scope == scope && (bytes..=max_tt_bytes).contains(&tables.tt_bytes)
        };
        if !self.search.as_ref().is_some_and(is_enough) {
            // Free the old tables before allocating new ones.
            self.search = None;
        }
        self.search.get_or_insert_with(|| SearchHashTables {
            scope,
            tt_bytes: bytes,
            proof_bytes,
            transpositions: scope.new_tt(bytes),
            proof_table: ProofTable::new(proof_bytes),
        })
    }

    /// Frees the tables of the search if they exceed `memory_bytes`.
    pub(super) fn make_room(&mut self, memory_bytes: usize) {
        (self.search).take_if(|tables| tables.tt_bytes + tables.proof_bytes > memory_bytes);
    }

    /// Returns the size of the transposition table of the search in bytes.
    #[cfg(test)]
    pub(super) fn search_tt_bytes(&self) -> Option<usize> {
        self.search.as_ref().map(|tables| tables.tt_bytes)
    }
}
