//! Plies of games.

use kalah::{MoveResult, Ply, SowEffect};
use pyo3::prelude::*;

use crate::position::PyPosition;
use crate::values::{PyMove, side_to_py};

/// A ply of a game: a move, its effect, and the position after it.
///
/// >>> import kalah
/// >>> [(str(ply.move), ply.captured, ply.bonus_turn) for ply in kalah.Game(moves="CF a")]
/// [('C', 0, True), ('F', 0, False), ('a', 0, False)]
#[pyclass(name = "Ply", module = "kalah", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PyPly(pub(super) Ply);

#[pymethods]
impl PyPly {
    /// The side that made the move.
    #[getter]
    fn side(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        side_to_py(py, self.0.side)
    }

    /// The move.
    #[getter]
    fn r#move(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        Ok(PyMove::object(py, self.0.side, self.0.mv)?.clone_ref(py))
    }

    /// The seeds that went to the store by a capture, the last seed included; 0 without a capture.
    #[getter]
    fn captured(&self) -> u16 {
        match self.0.result {
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
        matches!(self.0.result, MoveResult::Sown(sowing) if sowing.effect == SowEffect::BonusTurn)
    }

    /// The position after the move.
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(self.0.after.clone())
    }

    fn __repr__(&self) -> String {
        let mv = self.0.mv.text(self.0.side);
        format!("<Ply: {mv}, then {}>", self.0.after)
    }
}
