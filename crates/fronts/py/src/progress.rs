//! The argument `progress` of long calls.

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::arguments;

/// The progress of a call that handles positions one after the other.
///
/// >>> import kalah
/// >>> seen = []
/// >>> review = kalah.review(kalah.Game("3x2", moves="A"), nodes=1000, progress=seen.append)
/// >>> all(progress.done <= progress.total for progress in seen)
/// True
#[pyclass(name = "PositionProgress", module = "kalah", frozen, get_all)]
#[derive(Clone, Copy)]
pub(crate) struct PyPositionProgress {
    /// The number of positions handled.
    pub(crate) done: u64,
    /// The number of all positions.
    pub(crate) total: u64,
}

#[pymethods]
impl PyPositionProgress {
    #[new]
    fn new(done: &Bound<'_, PyAny>, total: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            done: arguments::integer_in(done, "done", 0, u64::MAX)?,
            total: arguments::integer_in(total, "total", 0, u64::MAX)?,
        })
    }

    fn __repr__(&self) -> String {
        let Self { done, total } = self;
        format!("PositionProgress(done={done}, total={total})")
    }
}

/// A display of the progress of a call.
pub(crate) enum Progress {
    /// Nothing is displayed.
    Off,
    /// A bar of the module `kalah._display.progress`.
    Bar(Py<PyAny>),
    /// A function of the caller.
    Function(Py<PyAny>),
}

impl Progress {
    /// Returns the display that the argument `progress` asks for: none for `None` and `False`, a
    /// bar for `True`, or a function.
    ///
    /// # Errors
    /// `TypeError` for any other value, and `ImportError` if the package of the bars is missing.
    pub(crate) fn new(py: Python<'_>, value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = value else {
            return Ok(Self::Off);
        };
        if let Ok(is_on) = value.cast::<PyBool>() {
            if !is_on.is_true() {
                return Ok(Self::Off);
            }
            let bar = py
                .import("kalah._display.progress")?
                .getattr("ProgressBar")?;
            return Ok(Self::Bar(bar.call0()?.unbind()));
        }
        if value.is_callable() {
            return Ok(Self::Function(value.clone().unbind()));
        }
        Err(arguments::type_error(
            value,
            "progress",
            "bool or a function",
        ))
    }

    /// Returns whether there is a display.
    pub(crate) fn is_displayed(&self) -> bool {
        !matches!(self, Self::Off)
    }

    /// Displays a new state.
    ///
    /// # Errors
    /// The exception of the function.
    pub(crate) fn update<'py>(
        &self,
        py: Python<'py>,
        state: impl IntoPyObject<'py>,
    ) -> PyResult<()> {
        let function = match self {
            Self::Off => return Ok(()),
            Self::Bar(bar) => bar.bind(py).getattr("update")?,
            Self::Function(function) => function.bind(py).clone(),
        };
        function.call1((state.into_bound_py_any(py)?,)).map(drop)
    }

    /// Removes the display at the end of a call, and returns the result of the call.
    ///
    /// # Errors
    /// The exception of the call, else that of the bar.
    pub(crate) fn close_after<T>(&self, py: Python<'_>, result: PyResult<T>) -> PyResult<T> {
        let closed = match self {
            Self::Bar(bar) => bar.call_method0(py, "close").map(drop),
            Self::Off | Self::Function(_) => Ok(()),
        };
        let result = result?;
        closed?;
        Ok(result)
    }
}
