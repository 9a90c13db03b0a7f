//! The arguments `memory` and `threads` of calls that compute for long.

use std::ffi::CString;
use std::num::NonZeroUsize;

use kalah_players::{MemorySize, clamp_to_free_memory};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

use crate::arguments;
use crate::errors::Error;

/// The maximum number of threads, the same as for the program.
const MAX_THREADS: usize = 256;

/// Returns the number of threads that an argument gives.
///
/// # Errors
/// `TypeError` for a value that is no integer, and `KalahError` for a number outside 1 to 256.
pub(crate) fn threads(value: &Bound<'_, PyAny>) -> PyResult<NonZeroUsize> {
    let number = arguments::integer_in(value, "threads", 1, MAX_THREADS)?;
    Ok(NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN))
}

/// Returns the amount of memory that an argument gives.
///
/// # Errors
/// `TypeError` for a value that is neither an integer nor text, and `KalahError` for an amount of
/// less than 1 MiB.
pub(crate) fn requested_memory(value: &Bound<'_, PyAny>) -> PyResult<MemorySize> {
    if let Some(text) = arguments::text(value, "memory")? {
        return Ok(text.parse::<MemorySize>().map_err(Error::from)?);
    }
    if arguments::is_index(value) {
        let bytes = arguments::integer_in(value, "memory", MemorySize::MIN.bytes(), u64::MAX)?;
        return Ok(MemorySize::new(bytes));
    }
    let expected = "int (bytes) or str such as '512MiB'";
    Err(arguments::type_error(value, "memory", expected))
}

/// Returns the bytes of an argument `memory`, which may be more than this machine has.
#[pyfunction]
pub(crate) fn _memory_bytes(memory: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(requested_memory(memory)?.bytes())
}

/// Returns the amount of memory that an argument gives, or the free memory and a `UserWarning` if
/// that is less.
///
/// # Errors
/// As [`requested_memory`], and the warning where warnings are errors.
pub(crate) fn memory(value: &Bound<'_, PyAny>) -> PyResult<MemorySize> {
    let requested = requested_memory(value)?;
    let usable = clamp_to_free_memory(requested);
    if usable < requested {
        let message =
            format!("memory: {requested} are not available, and the search uses {usable}");
        warn(value.py(), &message)?;
    }
    Ok(usable)
}

/// Issues a `UserWarning`.
///
/// # Errors
/// The warning, where warnings are errors.
pub(crate) fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let category = py.get_type::<PyUserWarning>();
    PyErr::warn(py, &category, &CString::new(message)?, 1)
}
