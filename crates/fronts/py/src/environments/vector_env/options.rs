//! The arguments of the constructor of `VectorEnv`.

use std::ops::ControlFlow;
use std::sync::Arc;

use kalah::{Position, Variant};
use kalah_tables::Table;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments;
use crate::errors::{Error, ParseError};
use crate::games::position::{PyPosition, position_from_py};
use crate::games::values::PyRules;
use crate::table::{PyTable, variant_text};

/// The largest table that `exact=True` builds, in bytes. With six houses a side it has 16 seeds.
const MAX_EXACT_TABLE_BYTES: u64 = 32 << 20;

/// Returns the argument `auto_reset`.
pub(super) fn auto_reset_argument(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    arguments::boolean(value, "auto_reset")
}

/// Returns the start of a new board, as `Position.start` does.
pub(super) fn new_board(
    houses: Option<&Bound<'_, PyAny>>,
    seeds: Option<&Bound<'_, PyAny>>,
    rules: Option<&Bound<'_, PyAny>>,
) -> PyResult<Position> {
    let start = PyPosition::start(houses, seeds, rules)?.0;
    if start.is_over() {
        return Err(Error::Argument {
            name: "seeds",
            expected: "at least 1".to_owned(),
            actual: "0".to_owned(),
        }
        .into());
    }
    Ok(start)
}

/// Returns the position of an argument, as [`position_from_py`] does.
///
/// # Errors
/// As [`position_from_py`]. All errors begin with the name of the argument.
pub(super) fn position_argument(
    value: &Bound<'_, PyAny>,
    name: &str,
    rules: Option<&Bound<'_, PyAny>>,
) -> PyResult<Position> {
    if !value.is_instance_of::<PyPosition>() && !value.is_instance_of::<PyString>() {
        return Err(arguments::type_error(value, name, "Position or str"));
    }
    position_from_py(value, rules).map_err(|error| {
        let py = value.py();
        if error.is_instance_of::<ParseError>(py) {
            ParseError::new_err(format!("{name}: {}", error.value(py)))
        } else {
            error
        }
    })
}

/// Returns the positions of the argument `openings`, under the rules of the start.
pub(super) fn opening_positions(
    openings: &Bound<'_, PyAny>,
    start: &Position,
) -> PyResult<Vec<Position>> {
    let rules = Bound::new(openings.py(), PyRules(start.rules()))?;
    let mut positions = Vec::new();
    let refuse = || arguments::type_error(openings, "openings", "an iterable of Position or str");
    // A text is an iterable of its characters, none of which is a position.
    if openings.is_instance_of::<PyString>() {
        return Err(refuse());
    }
    for opening in openings.try_iter().map_err(|_| refuse())? {
        let opening = opening?;
        let given_rules = (!opening.is_instance_of::<PyPosition>()).then_some(rules.as_any());
        positions.push(position_argument(&opening, "openings", given_rules)?);
    }
    Ok(positions)
}

/// Returns the table of the argument `exact`: none for `False`, a new one for `True`.
pub(super) fn exact_table(
    exact: &Bound<'_, PyAny>,
    start: &Position,
) -> PyResult<Option<Arc<Table>>> {
    let variant = Variant::from_position(start);
    if let Ok(table) = exact.cast::<PyTable>() {
        let table = &table.get().table;
        if table.variant() != variant {
            return Err(Error::Argument {
                name: "exact",
                expected: format!("a table for {}", variant_text(variant)),
                actual: format!("for {}", variant_text(table.variant())),
            }
            .into());
        }
        return Ok(Some(Arc::clone(table)));
    }
    let Ok(is_on) = exact.extract::<bool>() else {
        return Err(arguments::type_error(exact, "exact", "bool or Table"));
    };
    if !is_on {
        return Ok(None);
    }
    let fits = |&seeds: &u8| {
        Table::positions(variant, seeds).is_ok_and(|bytes| bytes <= MAX_EXACT_TABLE_BYTES)
    };
    let most = u8::try_from(start.total().get()).unwrap_or(u8::MAX);
    let seeds = (0..=most.min(Table::MAX_SEEDS)).take_while(fits).last();
    let built = exact.py().detach(|| {
        Table::build_single_threaded(variant, seeds.unwrap_or(0), &mut |_| {
            ControlFlow::Continue(())
        })
    });
    Ok(Some(Arc::new(built.map_err(Error::from)?)))
}
