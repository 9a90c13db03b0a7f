//! Results of analyses.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "methods of a Python class take a reference"
)]
#![expect(
    clippy::doc_link_with_quotes,
    reason = "the examples in the documentation are Python"
)]

use std::time::Duration;

use kalah::{Margin, Move, Position, SeedCount, Side};
use kalah_engine::{Bounds, Certainty, MoveReport, Report, ResultChances};
use pyo3::PyClass;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::arguments;
use crate::errors::Error;
use crate::games::position::PyPosition;
use crate::games::values::PyMove;

/// The greatest difference of two margins, in seeds.
const MAX_DIFFERENCE: i32 = 2 * SeedCount::MAX.get() as i32;

/// The function that makes an object from the values of a pickle, and these values.
pub(crate) type Pickled<'py, Values> = (Bound<'py, PyAny>, Values);

/// Returns the value of `__reduce__` for an object whose class has `_from_values`.
///
/// # Errors
/// If the class does not have it.
pub(crate) fn pickled<'py, T: PyClass, Values>(
    object: &Bound<'py, T>,
    values: Values,
) -> PyResult<Pickled<'py, Values>> {
    let function = intern!(object.py(), "_from_values");
    Ok((object.as_any().get_type().getattr(function)?, values))
}

/// Returns the margin, or the difference of two, that a value of a pickle is.
///
/// # Errors
/// `TypeError` for a value that is no integer, and `KalahError` for a number out of range.
pub(crate) fn margin(value: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Margin> {
    arguments::integer_in(value, name, -MAX_DIFFERENCE, MAX_DIFFERENCE).map(Margin::new)
}

/// Returns the moves of a pickle with the sides that make them, one after another from `position`.
///
/// # Errors
/// If a value is no legal move.
fn line_from_py(position: &Position, moves: Vec<Bound<'_, PyAny>>) -> PyResult<Vec<(Side, Move)>> {
    let mut position = position.clone();
    let mut line = Vec::with_capacity(moves.len());
    for mv in moves {
        let side = position.to_move();
        let mv = PyMove::extract_for(&mv, side)?;
        position.play(mv).map_err(Error::from)?;
        line.push((side, mv));
    }
    Ok(line)
}

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
    pub(crate) upper: i32,
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

    #[classmethod]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        lower: &Bound<'_, PyAny>,
        upper: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let lower = margin(lower, "lower")?.seeds();
        let upper = arguments::integer_in(upper, "upper", lower, MAX_DIFFERENCE)?;
        Ok(Self { lower, upper })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py, (i32, i32)>> {
        let bounds = slf.get();
        pickled(slf, (bounds.lower, bounds.upper))
    }
}

impl From<PyBounds> for Bounds {
    fn from(bounds: PyBounds) -> Self {
        Self {
            lower: Margin::new(bounds.lower),
            upper: Margin::new(bounds.upper),
        }
    }
}

/// The probabilities of a win, a tie and a loss.
pub(crate) type Chances = (f64, f64, f64);

/// Returns the chances as probabilities from 0 to 1.
pub(crate) fn probabilities(chances: ResultChances) -> Chances {
    let probability = |thousandths: u16| f64::from(thousandths) / f64::from(ResultChances::TOTAL);
    (
        probability(chances.win()),
        probability(chances.tie()),
        probability(chances.loss()),
    )
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

/// The values of a `MoveReport` in a pickle: the move, the bounds, the estimate, the depth and the
/// line.
type MoveReportValues<'py> = (Bound<'py, PyMove>, PyBounds, i32, u32, Bound<'py, PyTuple>);

/// The values of a `MoveReport` as they come from a pickle.
type GivenMoveReportValues<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyBounds>,
    Bound<'py, PyAny>,
    u32,
    Vec<Bound<'py, PyAny>>,
);

fn move_report_values<'py>(
    py: Python<'py>,
    side: Side,
    report: &MoveReport,
) -> PyResult<MoveReportValues<'py>> {
    Ok((
        PyMove::object(py, side, report.mv)?.bind(py).clone(),
        report.bounds.into(),
        report.estimate.seeds(),
        report.depth,
        PyMove::tuple(py, &report.line)?,
    ))
}

/// Returns the report of a move of `position` from the values of a pickle.
///
/// # Errors
/// If they do not have the types and ranges of [`MoveReportValues`], or a move is not legal.
fn move_report_from_values(
    position: &Position,
    (mv, bounds, estimate, depth, line): GivenMoveReportValues<'_>,
) -> PyResult<MoveReport> {
    let mv = PyMove::extract_for(&mv, position.to_move())?;
    position.clone().play(mv).map_err(Error::from)?;
    Ok(MoveReport {
        mv,
        bounds: (*bounds.get()).into(),
        estimate: margin(&estimate, "estimate")?,
        depth,
        line: line_from_py(position, line)?,
    })
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

    /// The probabilities of a win, a tie and a loss for the side to move after this move; a
    /// probability of 1 is proven.
    #[getter]
    fn chances(&self) -> Chances {
        probabilities(self.report.chances(&self.position))
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

    #[classmethod]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        position: &Bound<'_, PyPosition>,
        values: GivenMoveReportValues<'_>,
    ) -> PyResult<Self> {
        let position = position.get().0.clone();
        Ok(Self {
            report: move_report_from_values(&position, values)?,
            position,
        })
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<Pickled<'py, (PyPosition, MoveReportValues<'py>)>> {
        let Self { position, report } = slf.get();
        let values = move_report_values(slf.py(), position.to_move(), report)?;
        pickled(slf, (PyPosition(position.clone()), values))
    }
}

/// The result of an analysis.
///
/// Margins are those of the side to move: its store minus the other store at the end of the game,
/// with best play of both sides. `moves` has the reports of all legal moves, and `report[move]`
/// that of one.
///
/// Reports can be pickled, and are equal if all their values are, `nodes` and `time` included.
///
/// >>> import kalah
/// >>> report = kalah.solve("4x4", rules="standard", threads=1)
/// >>> report.margin, report.is_exact, report.best_move
/// (2, True, Move('A'))
/// >>> report.line[:3]
/// (Move('A'), Move('B'), Move('b'))
/// >>> report = kalah.solve("3x2", moves=True)
/// >>> [(str(entry.move), entry.margin) for entry in report.moves], report["B"].margin
/// ([('A', -8), ('B', 4), ('C', 0)], 4)
#[pyclass(name = "Report", module = "kalah", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PyReport {
    pub(crate) position: Position,
    /// Its damage of a table is `table_damage`.
    pub(crate) report: Report,
    table_damage: Option<String>,
}

impl PyReport {
    pub(crate) fn new(position: Position, report: Report) -> Self {
        let table_damage = (report.table_damage).as_ref().map(ToString::to_string);
        Self {
            position,
            report: Report {
                // A pickled report does not have it, and equals the original.
                hash_fullness: None,
                table_damage: None,
                ..report
            },
            table_damage,
        }
    }

    fn move_report(&self, report: &MoveReport) -> PyMoveReport {
        PyMoveReport {
            position: self.position.clone(),
            report: report.clone(),
        }
    }
}

#[pymethods]
impl PyReport {
    /// Python iterates over every object with `__getitem__` unless `__iter__` is `None`.
    #[classattr]
    #[pyo3(name = "__iter__")]
    const NO_ITERATION: Option<i32> = None;

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

    /// The probabilities of a win, a tie and a loss for the side to move, from 0 to 1, or `None` if
    /// the result is not proven and nothing was searched. They follow from the estimate and the
    /// seeds in play; a probability of 1 is proven.
    ///
    /// >>> import kalah
    /// >>> kalah.solve("3x3").chances
    /// (1.0, 0.0, 0.0)
    #[getter]
    fn chances(&self) -> Option<Chances> {
        self.report.chances(&self.position).map(probabilities)
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
    /// Raises `IllegalMoveError` for a move that the rules do not allow, and `ParseError` for a
    /// text that is no move.
    ///
    /// >>> import kalah
    /// >>> report = kalah.solve("3x3", moves=True)
    /// >>> report[kalah.Move("A")].margin
    /// 2
    /// >>> report["D"]
    /// Traceback (most recent call last):
    ///     ...
    /// kalah.IllegalMoveError: there is no house D
    fn __getitem__(&self, r#move: &Bound<'_, PyAny>) -> PyResult<PyMoveReport> {
        let mv = PyMove::extract_for(r#move, self.position.to_move())?;
        if let Some(report) = self.report.move_report(mv) {
            return Ok(self.move_report(report));
        }
        self.position.clone().play(mv).map_err(Error::from)?;
        let error = Error::Argument {
            name: "move",
            expected: "a move of the report".to_owned(),
            actual: mv.text(self.position.to_move()),
        };
        Err(error.into())
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

    /// Whether the margins of all moves are those of an opening book. Then nothing was searched.
    #[getter]
    fn is_from_book(&self) -> bool {
        self.report.is_from_book
    }

    /// The damage of an endgame table that the analysis did not use for this reason, or `None`.
    #[getter]
    fn table_damage(&self) -> Option<&str> {
        self.table_damage.as_deref()
    }

    /// The time of the analysis in seconds.
    #[getter]
    fn time(&self) -> f64 {
        self.report.time.as_secs_f64()
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let html = slf.py().import("kalah._display.html")?;
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

    #[classmethod]
    #[pyo3(signature = (position, result, moves, line, counts, source))]
    fn _from_values(
        _class: &Bound<'_, PyType>,
        position: &Bound<'_, PyPosition>,
        result: (
            Option<Bound<'_, PyAny>>,
            Bound<'_, PyAny>,
            bool,
            Bound<'_, PyBounds>,
        ),
        moves: Vec<GivenMoveReportValues<'_>>,
        line: Vec<Bound<'_, PyAny>>,
        counts: (u32, u64, u64, u64),
        source: (bool, Option<String>),
    ) -> PyResult<Self> {
        let position = position.get().0.clone();
        let (best_move, raw_margin, is_exact, bounds) = result;
        let (depth, nodes, table_hits, nanoseconds) = counts;
        let (is_from_book, table_damage) = source;
        let best_move = best_move
            .map(|mv| PyMove::extract_for(&mv, position.to_move()))
            .transpose()?;
        let moves = moves
            .into_iter()
            .map(|values| move_report_from_values(&position, values))
            .collect::<PyResult<Vec<_>>>()?;
        let reported = moves.iter().map(|report| report.mv);
        if !reported.eq(position.legal_moves()) {
            return Err(Error::Argument {
                name: "moves",
                expected: "the legal moves of the position in their order".to_owned(),
                actual: format!("{} other moves", moves.len()),
            }
            .into());
        }
        if let Some(mv) = best_move {
            position.clone().play(mv).map_err(Error::from)?;
        }
        let report = Report {
            best_move,
            raw_margin: margin(&raw_margin, "margin")?,
            certainty: if is_exact {
                Certainty::Exact
            } else {
                Certainty::Estimate
            },
            bounds: (*bounds.get()).into(),
            moves,
            depth,
            nodes,
            table_hits,
            hash_fullness: None,
            time: Duration::from_nanos(nanoseconds),
            line: line_from_py(&position, line)?,
            is_from_book,
            table_damage: None,
        };
        Ok(Self {
            position,
            report,
            table_damage,
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Pickled<'py, ReportValues<'py>>> {
        let (py, this) = (slf.py(), slf.get());
        let Self {
            position,
            report,
            table_damage,
        } = this;
        let result = (
            this.best_move(py)?,
            report.raw_margin.seeds(),
            this.is_exact(),
            this.bounds(),
        );
        let moves = report.moves.iter();
        let moves = moves.map(|report| move_report_values(py, position.to_move(), report));
        let nanoseconds = u64::try_from(report.time.as_nanos()).unwrap_or(u64::MAX);
        let values = (
            PyPosition(position.clone()),
            result,
            PyTuple::new(py, moves.collect::<PyResult<Vec<_>>>()?)?,
            PyMove::tuple(py, &report.line)?,
            (report.depth, report.nodes, report.table_hits, nanoseconds),
            (report.is_from_book, table_damage.clone()),
        );
        pickled(slf, values)
    }
}

/// The values of a `Report` in a pickle: the position; the best move, the margin as the search
/// returned it, whether it is proven, and its bounds; the values of the moves; the line; the depth,
/// the nodes, the table hits and the time in nanoseconds; whether it is from a book; and the damage
/// of a table.
type ReportValues<'py> = (
    PyPosition,
    (Option<Py<PyMove>>, i32, bool, PyBounds),
    Bound<'py, PyTuple>,
    Bound<'py, PyTuple>,
    (u32, u64, u64, u64),
    (bool, Option<String>),
);

fn python_bool(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}
