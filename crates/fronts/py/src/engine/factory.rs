//! The engines of calls that search.

use std::num::NonZeroUsize;
use std::sync::Arc;

use kalah_engine::TableCache;
use kalah_players::EngineFactory;
use pyo3::prelude::*;

use crate::table::PyTable;
use crate::{arguments, resources};

/// Returns a cache with the tables of an argument.
///
/// # Errors
/// `TypeError` for a value that is neither a `Table` nor an iterable of `Table`.
fn table_cache(tables: &Bound<'_, PyAny>) -> PyResult<TableCache> {
    let cache = TableCache::new();
    if let Ok(table) = tables.cast::<PyTable>() {
        cache.insert(Arc::clone(&table.get().table));
        return Ok(cache);
    }
    let refuse = |value: &Bound<'_, PyAny>| {
        arguments::type_error(value, "tables", "Table or an iterable of Table")
    };
    let Ok(iterator) = tables.try_iter() else {
        return Err(refuse(tables));
    };
    for table in iterator {
        let table = table?;
        let Ok(table) = table.cast::<PyTable>() else {
            return Err(refuse(&table));
        };
        cache.insert(Arc::clone(&table.get().table));
    }
    Ok(cache)
}

/// Returns the factory of the engines of a call from its arguments `threads`, `memory` and
/// `tables`.
///
/// # Errors
/// As [`resources::threads`] and [`resources::memory`], and `TypeError` for a value of `tables`
/// that is neither a `Table` nor an iterable of `Table`.
pub(crate) fn engine_factory(
    threads: Option<&Bound<'_, PyAny>>,
    default_threads: NonZeroUsize,
    memory: Option<&Bound<'_, PyAny>>,
    tables: Option<&Bound<'_, PyAny>>,
) -> PyResult<EngineFactory> {
    let threads = threads.map_or(Ok(default_threads), resources::threads)?;
    let default_memory = EngineFactory::default().memory();
    let memory = memory.map_or(Ok(default_memory), resources::memory)?;
    let tables = tables.map_or_else(|| Ok(TableCache::new()), table_cache)?;
    Ok(EngineFactory::new(threads, memory, tables))
}
