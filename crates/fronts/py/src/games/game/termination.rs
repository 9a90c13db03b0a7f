//! The ways in which a game can end: the Python enumeration, and the winners that they allow.

use kalah::{Outcome, Side, Termination};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::arguments;
use crate::errors::KalahError;

/// The Python enumeration `Termination`.
static TERMINATION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

fn termination_class(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    let class = TERMINATION.get_or_try_init(py, || {
        let class = py.import("kalah._termination")?.getattr("Termination")?;
        Ok::<_, PyErr>(class.unbind())
    })?;
    Ok(class.bind(py))
}

/// Returns the member of the Python enumeration for `termination`.
pub(super) fn termination_to_py(py: Python<'_>, termination: Termination) -> PyResult<Py<PyAny>> {
    Ok(termination_class(py)?
        .call1((termination.as_str(),))?
        .unbind())
}

/// Returns the termination that a member of the Python enumeration or its word is.
///
/// # Errors
/// `TypeError` for a value of another type, and `KalahError` for a text that is no such word.
pub(super) fn termination_from_py(value: &Bound<'_, PyAny>) -> PyResult<Termination> {
    let word = if value.is_instance(termination_class(value.py())?)? {
        value.getattr("value")?
    } else {
        value.clone()
    };
    let Some(word) = arguments::text(&word, "termination")? else {
        return Err(arguments::type_error(
            value,
            "termination",
            "Termination or str",
        ));
    };
    let termination = word.parse::<Termination>();
    termination.map_err(|error| KalahError::new_err(error.to_string()))
}

/// Returns the winner to expect if `winner` cannot be that of a game with this ending.
pub(super) fn expected_winner(
    termination: Termination,
    winner: Option<Side>,
    outcome: Option<Outcome>,
) -> Option<String> {
    match (termination, winner, outcome) {
        (Termination::Normal, Some(_), Some(outcome)) if winner != outcome.winner() => {
            let expected = python_side(outcome.winner());
            Some(format!("{expected}, as the seeds are {outcome}"))
        }
        (Termination::Unfinished, Some(_), None) => {
            Some(format!("None for the termination `{termination}`"))
        }
        (
            Termination::Resign
            | Termination::Illegal
            | Termination::Time
            | Termination::Crash
            | Termination::Stall
            | Termination::Protocol,
            None,
            None,
        ) => Some(format!(
            "Side.SOUTH or Side.NORTH for the termination `{termination}`"
        )),
        _ => None,
    }
}

/// Returns a winner as a program in Python names it.
pub(super) fn python_side(winner: Option<Side>) -> &'static str {
    match winner {
        Some(Side::South) => "Side.SOUTH",
        Some(Side::North) => "Side.NORTH",
        None => "None",
    }
}
