//! Arguments of functions: numbers within ranges, and values that may also be text.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};

use crate::errors::Error;

/// Returns `value` as a number of the range `lowest..=highest`.
///
/// # Errors
/// `TypeError` if it is no integer, and `KalahError` if it is out of the range. Both name the
/// argument.
pub(crate) fn integer_in<T>(
    value: &Bound<'_, PyAny>,
    name: &'static str,
    lowest: T,
    highest: T,
) -> PyResult<T>
where
    T: for<'a, 'py> FromPyObject<'a, 'py> + Copy + PartialOrd + std::fmt::Display,
{
    // NumPy's integers are no `int`, but their class has `__index__`.
    let number = match value.cast::<PyInt>() {
        Ok(number) if !value.is_instance_of::<PyBool>() => number.clone(),
        _ => index(value, name)?,
    };
    match number.extract::<T>() {
        Ok(number) if lowest <= number && number <= highest => Ok(number),
        _ => Err(Error::Argument {
            name,
            expected: format!("{lowest} to {highest}"),
            actual: quoted_integer(&number)?,
        }
        .into()),
    }
}

/// Returns a tuple or list of two numbers of the range `lowest..=highest`.
///
/// # Errors
/// `TypeError` for another value or an item that is no integer, and `KalahError` for a number out
/// of the range. All name the argument.
pub(crate) fn pair<T>(
    value: &Bound<'_, PyAny>,
    name: &'static str,
    lowest: T,
    highest: T,
) -> PyResult<[T; 2]>
where
    T: for<'a, 'py> FromPyObject<'a, 'py> + Copy + PartialOrd + std::fmt::Display,
{
    let refuse = |_| type_error(value, name, "two integers");
    let [first, second]: [Bound<'_, PyAny>; 2] = value.extract().map_err(refuse)?;
    Ok([
        integer_in(&first, name, lowest, highest)?,
        integer_in(&second, name, lowest, highest)?,
    ])
}

/// The longest duration that an argument can give, about 30 years.
const MAX_SECONDS: f64 = 1e9;

/// Returns a duration that is given in seconds or as a `timedelta`.
///
/// # Errors
/// `TypeError` for a value of another type, and `KalahError` for a duration that is negative, not
/// finite or longer than a billion seconds. Both name the argument.
pub(crate) fn seconds(value: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Duration> {
    let number = match value.getattr("total_seconds") {
        Ok(total_seconds) => total_seconds.call0()?,
        Err(_) => value.clone(),
    };
    let Ok(seconds) = number.extract::<f64>() else {
        return Err(type_error(value, name, "seconds or timedelta"));
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if seconds <= MAX_SECONDS => Ok(duration),
        _ => Err(Error::Argument {
            name,
            expected: format!("0 to {MAX_SECONDS} seconds"),
            actual: seconds.to_string(),
        }
        .into()),
    }
}

/// Returns the integer that the method `__index__` of a value returns.
fn index<'py>(value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyInt>> {
    let class = value.get_type();
    if is_index(value) {
        let number = class.getattr("__index__")?.call1((value,))?;
        if let Ok(number) = number.cast_into::<PyInt>() {
            return Ok(number);
        }
    }
    Err(type_error(value, name, "an integer"))
}

/// Returns whether `value` is an integer, or of a class with the method `__index__`, and no `bool`.
pub(crate) fn is_index(value: &Bound<'_, PyAny>) -> bool {
    if value.is_instance_of::<PyInt>() {
        return !value.is_instance_of::<PyBool>();
    }
    (value.get_type().hasattr("__index__")).is_ok_and(|has_index| has_index)
}

/// The maximum number of digits of an integer that a message quotes.
const MAX_QUOTED_DIGITS: u32 = 40;

/// Returns the text of an integer for a message. Python refuses to print integers of thousands of
/// digits.
fn quoted_integer(number: &Bound<'_, PyInt>) -> PyResult<String> {
    let largest = 10_u8
        .into_pyobject(number.py())?
        .pow(MAX_QUOTED_DIGITS, None::<u8>)?;
    if number.abs()?.lt(&largest)? {
        Ok(number.str()?.to_string())
    } else {
        Ok(format!(
            "an integer of more than {MAX_QUOTED_DIGITS} digits"
        ))
    }
}

/// Returns the text of a `str`, or `None` for a value of another type.
///
/// # Errors
/// `ParseError` for a text with a surrogate, which is not a character.
pub(crate) fn text<'a>(
    value: &'a Bound<'_, PyAny>,
    name: &'static str,
) -> PyResult<Option<Cow<'a, str>>> {
    let Ok(text) = value.cast::<PyString>() else {
        return Ok(None);
    };
    let text = text.to_cow().map_err(|_| Error::Surrogate(name))?;
    Ok(Some(text))
}

/// Returns the text of a `str`.
///
/// # Errors
/// `TypeError` for a value of another type, and `ParseError` for a text with a surrogate.
pub(crate) fn only_text<'a>(
    value: &'a Bound<'_, PyAny>,
    name: &'static str,
) -> PyResult<Cow<'a, str>> {
    text(value, name)?.ok_or_else(|| type_error(value, name, "str"))
}

/// Returns a truth value: `True` or `False`, of Python or of `NumPy`.
///
/// # Errors
/// `TypeError` for a value of another type.
pub(crate) fn boolean(value: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    (value.extract::<bool>()).map_err(|_| type_error(value, name, "bool"))
}

/// Returns a path from a `str`, `bytes` or `os.PathLike`.
///
/// # Errors
/// `TypeError` for a value of another type, and `ParseError` for a text that is no path because of
/// a surrogate.
pub(crate) fn path(value: &Bound<'_, PyAny>, name: &'static str) -> PyResult<PathBuf> {
    let py = value.py();
    let text = match py.import("os")?.call_method1("fsdecode", (value,)) {
        Ok(text) => text,
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            return Err(type_error(value, name, "str, bytes or os.PathLike"));
        }
        Err(error) => return Err(error),
    };
    // Some surrogates stand for bytes that are no text.
    Ok(text
        .extract::<PathBuf>()
        .map_err(|_| Error::Surrogate(name))?)
}

/// Returns the error for a value of a type that an argument does not take.
pub(crate) fn type_error(value: &Bound<'_, PyAny>, name: &str, expected: &str) -> PyErr {
    match value.get_type().name() {
        Ok(class) => PyTypeError::new_err(format!("{name}: expected {expected}, not {class}")),
        Err(error) => error,
    }
}

/// Returns the seed that an argument gives, or one from Python's `secrets` for `None`.
///
/// # Errors
/// `TypeError` for a value that is no integer, and `KalahError` for a number of more than 64 bits.
pub(crate) fn seed(py: Python<'_>, value: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    match value {
        Some(value) => integer_in(value, "seed", 0, u64::MAX),
        None => py
            .import("secrets")?
            .call_method1("randbits", (u64::BITS,))?
            .extract(),
    }
}
