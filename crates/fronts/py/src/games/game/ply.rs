//! Plies of games.

use kalah::{Game, MoveResult, Ply, Position, SowEffect};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::engine::report::{Pickled, pickled};
use crate::errors::Error;
use crate::games::position::PyPosition;
use crate::games::values::{PyMove, side_to_py};

/// A ply of a game: a move, its effect, and the position after it.
///
/// >>> import kalah
/// >>> [(str(ply.move), ply.captured, ply.bonus_turn) for ply in kalah.Game(moves="CF a")]
/// [('C', 0, True), ('F', 0, False), ('a', 0, False)]
#[pyclass(name = "Ply", module = "kalah", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PyPly {
    /// The position before the move.
    before: Position,
    ply: Ply,
}

impl PyPly {
    /// Returns the plies of a game.
    pub(super) fn all(game: &Game) -> Vec<Self> {
        let plies = game.plies();
        let before = [game.start()]
            .into_iter()
            .chain(plies.iter().map(|ply| &ply.after));
        let pairs = before.zip(plies);
        let pairs = pairs.map(|(before, ply)| (before.clone(), ply.clone()));
        pairs.map(|(before, ply)| Self { before, ply }).collect()
    }
}

#[pymethods]
impl PyPly {
    /// The side that made the move.
    #[getter]
    fn side(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        side_to_py(py, self.ply.side)
    }

    /// The move.
    #[getter]
    fn r#move(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        Ok(PyMove::object(py, self.ply.side, self.ply.mv)?.clone_ref(py))
    }

    /// The seeds that went to the store by a capture, the last seed included; 0 without a capture.
    #[getter]
    fn captured(&self) -> u16 {
        match self.ply.result {
            MoveResult::Sown(sowing) => match sowing.effect {
                SowEffect::Capture(capture) => capture.seeds.get(),
                SowEffect::TurnPasses | SowEffect::BonusTurn => 0,
            },
            MoveResult::Swapped => 0,
        }
    }

    /// Whether the same side sows again.
    #[getter]
    fn bonus_turn(&self) -> bool {
        matches!(self.ply.result, MoveResult::Sown(sowing) if sowing.effect == SowEffect::BonusTurn)
    }

    /// The position after the move.
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(self.ply.after.clone())
    }

    fn __repr__(&self) -> String {
        let mv = self.ply.mv.text(self.ply.side);
        format!("<Ply: {mv}, then {}>", self.ply.after)
    }

    #[classmethod]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        before: &Bound<'_, PyPosition>,
        r#move: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let before = before.get().0.clone();
        let mv = PyMove::extract_for(r#move, before.to_move())?;
        let mut game = Game::new(before.clone());
        let ply = game.play(mv).map_err(Error::from)?.clone();
        Ok(Self { before, ply })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py, (PyPosition, Py<PyMove>)>> {
        let ply = slf.get();
        pickled(slf, (PyPosition(ply.before.clone()), ply.r#move(slf.py())?))
    }
}
