//! Results of analyses.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "methods of a Python class take a reference"
)]

use kalah::{Margin, Position};
use kalah_engine::{Bounds, Certainty, MoveReport, Report};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::position::PyPosition;
use crate::values::PyMove;

/// Proven bounds of a margin with best play, in seeds.
///
/// >>> import kalah
/// >>> kalah.solve("3x3").bounds
/// Bounds(lower=2, upper=2)
#[pyclass(name = "Bounds", module = "kalah", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyBounds {
    /// The least possible margin in seeds.
    #[pyo3(get)]
    pub(crate) lower: i32,
    /// The greatest possible margin in seeds.
    #[pyo3(get)]
    upper: i32,
}

impl From<Bounds> for PyBounds {
    fn from(bounds: Bounds) -> Self {
        Self {
            lower: bounds.lower.seeds(),
            upper: bounds.upper.seeds(),
        }
    }
}

#[pymethods]
impl PyBounds {
    /// Whether the bounds leave one margin only.
    #[getter]
    pub(crate) fn is_exact(&self) -> bool {
        self.lower == self.upper
    }

    pub(crate) fn __repr__(&self) -> String {
        format!("Bounds(lower={}, upper={})", self.lower, self.upper)
    }
}

/// A move in a report.
///
/// >>> import kalah
/// >>> best, *others = kalah.solve("3x3", moves=True).moves
/// >>> best
/// MoveReport(move='A', margin=2, is_exact=True)
#[pyclass(name = "MoveReport", module = "kalah", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PyMoveReport {
    position: Position,
    report: MoveReport,
}

impl PyMoveReport {
    fn margin_in_bounds(&self) -> Margin {
        self.report.bounds.nearest_margin(self.report.estimate)
    }
}

#[pymethods]
impl PyMoveReport {
    /// The move.
    #[getter]
    fn r#move(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        let mv = PyMove::object(py, self.position.to_move(), self.report.mv)?;
        Ok(mv.clone_ref(py))
    }

    /// The margin at the end of the game for the side to move after this move, with best play: a
    /// number of seeds, exact if `is_exact`, else an estimate within `bounds`.
    #[getter]
    fn margin(&self) -> i32 {
        self.margin_in_bounds().seeds()
    }

    /// Whether the margin is proven.
    #[getter]
    fn is_exact(&self) -> bool {
        self.report.bounds.is_exact()
    }

    /// The proven bounds of the margin.
    #[getter]
    fn bounds(&self) -> PyBounds {
        self.report.bounds.into()
    }

    /// The depth of the search behind an estimate, in turns.
    #[getter]
    fn depth(&self) -> u32 {
        self.report.depth
    }

    /// The expected moves from this one on, if the analysis was asked for `lines`.
    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyMove::tuple(py, &self.report.line)
    }

    fn __repr__(&self) -> String {
        let mv = self.report.mv.text(self.position.to_move());
        let (margin, is_exact) = (self.margin(), python_bool(self.is_exact()));
        format!("MoveReport(move='{mv}', margin={margin}, is_exact={is_exact})")
    }
}

/// The result of an analysis.
///
/// Margins are those of the side to move: its store minus the other store at the end of the game,
/// with best play of both sides.
///
/// >>> import kalah
/// >>> report = kalah.solve("4x4", rules="standard", threads=1)
/// >>> report.margin, report.is_exact, report.best_move
/// (2, True, Move('A'))
/// >>> report.line[:3]
/// (Move('A'), Move('B'), Move('c'))
#[pyclass(name = "Report", module = "kalah", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PyReport {
    pub(crate) position: Position,
    pub(crate) report: Report,
}

impl PyReport {
    fn move_report(&self, report: &MoveReport) -> PyMoveReport {
        PyMoveReport {
            position: self.position.clone(),
            report: report.clone(),
        }
    }
}

#[pymethods]
impl PyReport {
    /// The position that was analyzed.
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(self.position.clone())
    }

    /// The margin at the end of the game in seeds, exact if `is_exact`, else an estimate within
    /// `bounds`.
    #[getter]
    fn margin(&self) -> i32 {
        self.report.margin().seeds()
    }

    /// Whether the margin is proven.
    #[getter]
    fn is_exact(&self) -> bool {
        self.report.certainty == Certainty::Exact
    }

    /// The proven bounds of the margin.
    #[getter]
    fn bounds(&self) -> PyBounds {
        self.report.bounds.into()
    }

    /// The best move found, or `None` if the game is over.
    #[getter]
    pub(crate) fn best_move(&self, py: Python<'_>) -> PyResult<Option<Py<PyMove>>> {
        let side = self.position.to_move();
        let best_move = self.report.best_move;
        let object = best_move
            .map(|mv| PyMove::object(py, side, mv))
            .transpose()?;
        Ok(object.map(|mv| mv.clone_ref(py)))
    }

    /// Whether it is proven that no other move has a greater margin than `best_move`. The margin
    /// itself may still be open.
    #[getter]
    fn is_best_move_proven(&self) -> bool {
        self.report.is_best_move_proven()
    }

    /// The legal moves with their margins and bounds, houses in sowing order, then the swap.
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let moves = self.report.moves.iter();
        PyTuple::new(
            py,
            moves
                .map(|report| self.move_report(report))
                .collect::<Vec<_>>(),
        )
    }

    /// Returns the report of `move`, which is a `Move`, its text or the number of a house.
    ///
    /// Raises `KeyError` if the move is not legal.
    ///
    /// >>> import kalah
    /// >>> kalah.solve("3x3", moves=True)[kalah.Move("A")].margin
    /// 2
    fn __getitem__(&self, r#move: &Bound<'_, PyAny>) -> PyResult<PyMoveReport> {
        let side = self.position.to_move();
        let mv = PyMove::extract_for(r#move, side)?;
        let report = self.report.move_report(mv);
        report
            .map(|report| self.move_report(report))
            .ok_or_else(|| PyKeyError::new_err(format!("{} is no legal move", mv.text(side))))
    }

    /// The principal variation: the expected moves, beginning with the best one. It may stop before
    /// the end of the game.
    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyMove::tuple(py, &self.report.line)
    }

    /// The depth of the last completed iteration in turns; 0 if there was none.
    #[getter]
    fn depth(&self) -> u32 {
        self.report.depth
    }

    /// The nodes searched: positions whose value neither the end of the game nor an endgame table
    /// gave.
    #[getter]
    fn nodes(&self) -> u64 {
        self.report.nodes
    }

    /// The number of values that the search read from endgame tables.
    #[getter]
    fn table_hits(&self) -> u64 {
        self.report.table_hits
    }

    /// The time of the analysis in seconds.
    #[getter]
    fn time(&self) -> f64 {
        self.report.time.as_secs_f64()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let html = slf.py().import("kalah._html")?;
        html.call_method1("report_html", (slf,))
    }

    fn __repr__(&self) -> String {
        let side = self.position.to_move();
        let best_move = self.report.best_move;
        let best_move = best_move.map_or("None".to_owned(), |mv| format!("'{}'", mv.text(side)));
        let margin = self.margin();
        let certainty = if self.is_exact() {
            "is_exact=True".to_owned()
        } else {
            format!("bounds={}", self.bounds().__repr__())
        };
        format!("Report(margin={margin}, {certainty}, best_move={best_move})")
    }
}

fn python_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}
