//! The arrays of the caller for results and actions of `VectorEnv`, checked before their use.

use kalah_env::{CountType, Observations};
use numpy::{
    BorrowError, Element, Ix2, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1,
    PyReadwriteArray, PyUntypedArrayMethods as _,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::{Error, KalahError};

/// The shapes and the type of the arrays.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) games: usize,
    pub(crate) observation_width: usize,
    pub(crate) actions: usize,
    pub(crate) count_type: CountType,
}

/// Returns the array that the caller has passed for a result, or a new one with zeros.
///
/// # Errors
/// `TypeError` for a value that is no such array, and `KalahError` for another shape, an array that
/// is not contiguous, and one that is read-only or in use. All name the argument.
fn output<'py, T: Element, D: numpy::ndarray::Dimension>(
    given: Option<&Bound<'py, PyAny>>,
    name: &'static str,
    new: impl FnOnce() -> Bound<'py, numpy::PyArray<T, D>>,
    shape: &[usize],
) -> PyResult<Bound<'py, numpy::PyArray<T, D>>> {
    let Some(given) = given else {
        return Ok(new());
    };
    let refuse = |expected: String, actual: String| {
        Err(Error::Argument {
            name,
            expected,
            actual,
        }
        .into())
    };
    let Ok(array) = given.cast::<numpy::PyArray<T, D>>() else {
        let expected = numpy::dtype::<T>(given.py()).str()?;
        return Err(PyTypeError::new_err(format!(
            "{name}: expected a NumPy array of {expected} with {} dimensions",
            shape.len()
        )));
    };
    if array.shape() != shape {
        return refuse(format!("shape {shape:?}"), format!("{:?}", array.shape()));
    }
    if !array.is_c_contiguous() {
        return refuse("a C-contiguous array".to_owned(), "another".to_owned());
    }
    Ok(array.clone())
}

/// Returns the elements of a result for writing.
///
/// # Errors
/// `KalahError` for an array that is read-only, or an argument of the same call already.
pub(crate) fn elements<'py, T: Element, D: numpy::ndarray::Dimension>(
    array: &Bound<'py, numpy::PyArray<T, D>>,
    name: &'static str,
) -> PyResult<PyReadwriteArray<'py, T, D>> {
    array
        .try_readwrite()
        .map_err(|error| borrow_error(name, &error))
}

/// An observation of one of the two types.
pub(crate) enum ObservationArray<'py> {
    U8(Bound<'py, PyArray2<u8>>),
    U16(Bound<'py, PyArray2<u16>>),
}

impl Shape {
    pub(crate) fn observation_output<'py>(
        self,
        py: Python<'py>,
        given: Option<&Bound<'py, PyAny>>,
        name: &'static str,
    ) -> PyResult<ObservationArray<'py>> {
        let shape = [self.games, self.observation_width];
        Ok(match self.count_type {
            CountType::U8 => ObservationArray::U8(output(
                given,
                name,
                || PyArray2::zeros(py, shape, false),
                &shape,
            )?),
            CountType::U16 => ObservationArray::U16(output(
                given,
                name,
                || PyArray2::zeros(py, shape, false),
                &shape,
            )?),
        })
    }

    /// Returns an array with one row of actions a game.
    pub(crate) fn action_rows<'py, T: Element>(
        self,
        py: Python<'py>,
        given: Option<&Bound<'py, PyAny>>,
        name: &'static str,
    ) -> PyResult<Bound<'py, PyArray2<T>>> {
        let shape = [self.games, self.actions];
        output(given, name, || PyArray2::zeros(py, shape, false), &shape)
    }

    /// Returns an array with one element a game.
    pub(crate) fn column<'py, T: Element>(
        self,
        py: Python<'py>,
        given: Option<&Bound<'py, PyAny>>,
        name: &'static str,
    ) -> PyResult<Bound<'py, PyArray1<T>>> {
        let new = || PyArray1::zeros(py, self.games, false);
        output(given, name, new, &[self.games])
    }
}

/// The elements of an observation, borrowed for writing.
pub(crate) enum ObservationElements<'py> {
    U8(PyReadwriteArray<'py, u8, Ix2>),
    U16(PyReadwriteArray<'py, u16, Ix2>),
}

impl ObservationElements<'_> {
    pub(crate) fn observations(&mut self, name: &'static str) -> PyResult<Observations<'_>> {
        let error = |_| slice_error(name);
        Ok(match self {
            Self::U8(array) => Observations::U8(array.as_slice_mut().map_err(error)?),
            Self::U16(array) => Observations::U16(array.as_slice_mut().map_err(error)?),
        })
    }
}

impl<'py> ObservationArray<'py> {
    /// Borrows the elements for writing.
    ///
    /// # Errors
    /// As [`elements`].
    pub(crate) fn elements(&self, name: &'static str) -> PyResult<ObservationElements<'py>> {
        Ok(match self {
            Self::U8(array) => ObservationElements::U8(elements(array, name)?),
            Self::U16(array) => ObservationElements::U16(elements(array, name)?),
        })
    }

    pub(crate) fn into_any(self) -> Bound<'py, PyAny> {
        match self {
            Self::U8(array) => array.into_any(),
            Self::U16(array) => array.into_any(),
        }
    }
}

/// Returns the actions as an array of `int64`, which is not copied if it is one already.
///
/// # Errors
/// `TypeError` for values that are no integers.
pub(crate) fn action_numbers<'py>(
    actions: &Bound<'py, PyAny>,
) -> PyResult<PyReadonlyArray1<'py, i64>> {
    let in_use = |error| borrow_error("actions", &error);
    if let Ok(array) = actions.cast::<PyArray1<i64>>()
        && array.is_c_contiguous()
    {
        return array.try_readonly().map_err(in_use);
    }
    let numpy = actions.py().import("numpy")?;
    let not_numbers = |error: PyErr| {
        PyTypeError::new_err(format!(
            "actions: expected integers: {}",
            error.value(actions.py())
        ))
    };
    let array = numpy
        .call_method1("asarray", (actions,))
        .map_err(not_numbers)?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !matches!(kind.as_str(), "i" | "u") {
        let dtype = array.getattr("dtype")?.str()?;
        return Err(PyTypeError::new_err(format!(
            "actions: expected integers, not {dtype}"
        )));
    }
    if kind == "u" && array.len()? > 0 {
        let largest = array.call_method0("max")?;
        if largest.gt(i64::MAX)? {
            return Err(Error::Argument {
                name: "actions",
                expected: format!("integers up to {}", i64::MAX),
                actual: largest.str()?.to_string(),
            }
            .into());
        }
    }
    let array = numpy.call_method1("ascontiguousarray", (array, "int64"))?;
    let Ok(array) = array.cast::<PyArray1<i64>>() else {
        let dimensions = array.getattr("ndim")?;
        return Err(KalahError::new_err(format!(
            "actions: expected one dimension, not {dimensions}"
        )));
    };
    array.try_readonly().map_err(in_use)
}

/// Returns the exception for an array that another argument or another thread uses, or that is
/// read-only.
pub(crate) fn borrow_error(name: &str, error: &BorrowError) -> PyErr {
    let reason = match error {
        BorrowError::NotWriteable => "the array is read-only",
        _ => "the array is in use, for instance as another argument",
    };
    KalahError::new_err(format!("{name}: {reason}"))
}

/// Returns the exception for an array of the right shape that is no slice: its elements are not
/// aligned.
pub(crate) fn slice_error(name: &'static str) -> PyErr {
    KalahError::new_err(format!("{name}: expected an aligned array"))
}
