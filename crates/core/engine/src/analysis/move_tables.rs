//! The tables of the moves of a game, which the engine keeps between analyses.

use std::any::Any;
use std::sync::Arc;

use kalah::{Position, SeedCount, Variant};

use crate::board::search_board::SearchBoard;

/// The tables of the last position that was analyzed: building them takes as long as a search of
/// hundreds of nodes.
#[derive(Default)]
pub(super) struct MoveTableCache {
    last: Option<CachedTables>,
}

/// Tables for all positions of a board and of rules with at most this number of seeds.
struct CachedTables {
    variant: Variant,
    seeds: SeedCount,
    /// The tables of a board type.
    tables: Arc<dyn Any + Send + Sync>,
}

impl MoveTableCache {
    /// Returns the tables for the game of `position`, which the board type can represent.
    pub(super) fn tables_for<H: SearchBoard>(&mut self, position: &Position) -> Arc<H::MoveTables> {
        let variant = Variant::from_position(position);
        let seeds = position.seeds_in_play();
        let known = self.last.as_ref();
        let known = known.filter(|known| known.variant == variant && known.seeds >= seeds);
        if let Some(tables) = known.and_then(|known| Arc::clone(&known.tables).downcast().ok()) {
            return tables;
        }
        let Some(tables) = H::move_tables(position).map(Arc::new) else {
            unreachable!("the caller selects a board type that can represent the position");
        };
        self.last = Some(CachedTables {
            variant,
            seeds,
            tables: Arc::<H::MoveTables>::clone(&tables),
        });
        tables
    }
}
