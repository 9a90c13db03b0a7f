//! The hash tables of an engine, and the positions for which their entries are valid.

use kalah::{Position, Variant};

use crate::board::key::KeyKind;
use crate::search::proof_numbers::ProofTable;
use crate::tt::TranspositionTable;

/// The hash tables of a search.
pub(super) struct HashTables {
    pub(super) scope: KeyScope,
    /// Size of the transposition table.
    pub(super) tt_bytes: usize,
    /// Size of the table of proof numbers.
    pub(super) proof_bytes: usize,
    pub(super) transpositions: TranspositionTable,
    pub(super) proof_table: ProofTable,
}

/// The properties of a position that its keys do not cover: entries are valid within one scope
/// only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyScope {
    pub(super) variant: Variant,
    key_kind: KeyKind,
}

impl KeyScope {
    pub(super) fn new(position: &Position, key_kind: KeyKind) -> Self {
        Self {
            variant: Variant::from_position(position),
            key_kind,
        }
    }
}
