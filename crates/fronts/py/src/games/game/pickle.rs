//! Pickles and copies of games, with the attributes of instances of subclasses.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use super::PyGame;
use crate::arguments;

/// A function that makes an instance, its arguments, and the state of the instance.
pub(super) type PickledGame<'py> = (
    Bound<'py, PyAny>,
    (Bound<'py, PyType>,),
    (String, Bound<'py, PyAny>),
);

/// Returns the attributes of an instance of a subclass as `object.__getstate__` does: `None`, a
/// dictionary, or a tuple of a dictionary or `None` and a dictionary of slots.
///
/// # Errors
/// Those of `__getstate__`.
pub(super) fn attributes<'py>(game: &Bound<'py, PyGame>) -> PyResult<Bound<'py, PyAny>> {
    game.call_method0(intern!(game.py(), "__getstate__"))
}

/// Sets attributes that [`attributes`] returned.
///
/// # Errors
/// `TypeError` for a value of another form.
pub(super) fn set_attributes(
    game: &Bound<'_, PyGame>,
    attributes: &Bound<'_, PyAny>,
) -> PyResult<()> {
    type Attributes<'py> = Option<Bound<'py, PyDict>>;
    let (dictionary, slots) = match attributes.extract::<Attributes<'_>>() {
        Ok(dictionary) => (dictionary, None),
        Err(_) => attributes
            .extract::<(Attributes<'_>, Attributes<'_>)>()
            .map_err(|_| arguments::type_error(attributes, "state", "attributes"))?,
    };
    if let Some(dictionary) = dictionary {
        game.getattr(intern!(game.py(), "__dict__"))?
            .call_method1(intern!(game.py(), "update"), (dictionary,))?;
    }
    for (name, value) in slots.iter().flatten() {
        game.setattr(name.cast::<PyString>()?, value)?;
    }
    Ok(())
}
